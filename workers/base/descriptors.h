/*
 * descriptors -- handles a lack of file descriptors, in the process (EMFILE) or in the
 * system (ENFILE). The lack is temporary: the code whose call failed reports it here and
 * tries again later. The log gets at most one line in ten seconds.
 *
 * One descriptor is a reserve for work that cannot wait. Clients do not get the last
 * descriptors: the program's own connections need them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Call it after a failed call. It reads errno and keeps it. WANTED names the purpose of
 * the descriptor. False: the call failed for another reason.
 */
bool descriptors_lack(const char *wanted);
/*
 * The number of times that descriptors_lack() was true since the last call of this
 * function.
 */
int64_t descriptors_lacks(void);

/* True: FD, of an accepted client, is one of the reserved descriptors. */
bool descriptors_are_scarce(int fd);

/* opens the reserve; if this fails, it stays closed */
void descriptors_reserve(void);
/* closes the reserve; false: it was closed already */
bool descriptors_spend(void);
