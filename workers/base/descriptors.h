/*
 * descriptors -- handles a lack of file descriptors, in the process (EMFILE) or in the
 * system (ENFILE). The lack is temporary. The code whose system call failed reports the
 * lack to this module and tries again later. This module writes at most one log line
 * every ten seconds.
 *
 * This module keeps one descriptor open as a reserve for work that cannot wait. It also
 * reserves the descriptors with the highest numbers for the program's own connections:
 * the last 32, but at most a quarter of the process limit. descriptors_are_scarce()
 * tells whether the socket of a client is one of these descriptors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Reports a failed system call. True: the system call failed because no file descriptor
 * is free. False: the system call failed for a different reason. The function reads
 * errno and does not change errno. WANTED names the purpose of the descriptor for the
 * log.
 */
bool descriptors_lack(const char *wanted);
/*
 * Returns how often descriptors_lack() has returned true since the last call of
 * descriptors_lacks().
 */
int64_t descriptors_lacks(void);

/* True: FD, the socket of an accepted client, is one of the reserved descriptors. */
bool descriptors_are_scarce(int fd);

/*
 * Opens the reserve descriptor, if it is closed. If no descriptor is free, the reserve
 * stays closed.
 */
void descriptors_reserve(void);
/* Closes the reserve descriptor. False: the reserve was already closed. */
bool descriptors_spend(void);
