/*
 * descriptors -- the process has no file descriptor left (EMFILE), or the system has none
 * (ENFILE). That passes: the owner of the call that failed notes it here and tries again
 * later. The log has one line in ten seconds, whatever fails meanwhile.
 *
 * One descriptor is kept in reserve, for what cannot wait. The last ones are kept from
 * clients, for the program's own connections.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * After a call that failed, of errno, which stays as it is. WANTED: what the descriptor was
 * for, in words. False: it failed for another reason.
 */
bool descriptors_lack(const char *wanted);
/* How often that was true since this was called last. */
int64_t descriptors_lacks(void);

/* Is FD, of a client that was accepted, one of those that are kept from clients? */
bool descriptors_are_scarce(int fd);

void descriptors_reserve(void);		/* open it, if it is not open; it may stay closed */
bool descriptors_spend(void);		/* close it; false: it was closed */
