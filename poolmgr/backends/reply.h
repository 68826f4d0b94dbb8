/*
 * words -- how each kind of name server says that there was nothing left to do: the zone
 * to be created is present, the one to be deleted or looked for is absent. That is the
 * operation's goal and no error. What no row names is a refusal. A server of the backend
 * `catalog` is told nothing, and has no row.
 *
 * tests/integration/test_drivers.py hears the real servers say them.
 */
#pragma once

#include "base/err.h"

enum reply {
	REPLY_REFUSED,
	REPLY_BUSY,		/* somebody else changes the server's configuration */
	REPLY_PRESENT,
	REPLY_ABSENT,
};

/* COMMAND as the driver gives it; STATUS: of HTTP, else 0; SAID: the server's words. */
enum reply reply_of(const char *backend, const char *command, int status,
                    const char *said);

/*
 * What rndc says when it fails. ERR_REMOTE: named's refusal; ERR_UNREACHABLE: named is
 * away, or hung up; ERR_BUSY: rndc did not come so far, for want of a key or an address.
 */
enum err reply_rndc_error(const char *said);
