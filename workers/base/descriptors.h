/*
 * descriptors -- handles a lack of file descriptors, in the process (EMFILE) or in the
 * system (ENFILE). The lack is temporary: the owner of the failed call reports it here
 * and tries again later. The log has at most one line in ten seconds.
 *
 * One descriptor is a reserve for work that cannot wait. Clients do not get the last
 * descriptors: these are for the program's own connections.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Call it after a failed call. It reads errno and keeps it. WANTED says what the
 * descriptor was for, in words. False: the call failed for another reason.
 */
bool descriptors_lack(const char *wanted);
/* How often descriptors_lack() was true since the last call of this function. */
int64_t descriptors_lacks(void);

/* Is FD, of an accepted client, one of the descriptors that are reserved? */
bool descriptors_are_scarce(int fd);

void descriptors_reserve(void);		/* open it, if it is not open; it may stay closed */
bool descriptors_spend(void);		/* close it; false: it was closed */
