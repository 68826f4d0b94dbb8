/*
 * descriptors -- handles a lack of file descriptors, in the process (EMFILE) or in the
 * system (ENFILE). The lack is temporary: the code whose call failed reports the lack to
 * this module and tries again later. This module writes at most one log line every ten
 * seconds.
 *
 * This module keeps one descriptor open as a reserve for work that cannot wait. It also
 * reserves the last free descriptors for the program's own connections.
 * descriptors_are_scarce() finds out whether a client has one of these descriptors.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Call this function after a failed system call. The function reads errno and does not
 * change errno. WANTED names the purpose of the descriptor. False: the system call failed
 * for a different reason.
 */
bool descriptors_lack(const char *wanted);
/*
 * Returns how many calls of descriptors_lack() were true since the last call of
 * descriptors_lacks().
 */
int64_t descriptors_lacks(void);

/* True: FD, the socket of an accepted client, is one of the reserved descriptors. */
bool descriptors_are_scarce(int fd);

/* opens the reserve descriptor; if this fails, the reserve stays closed */
void descriptors_reserve(void);
/* closes the reserve descriptor; false: the reserve was already closed */
bool descriptors_spend(void);
