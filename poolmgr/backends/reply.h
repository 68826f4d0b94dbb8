/*
 * reply -- the meaning of a name server's answer to a command of a driver. The answer is
 * not an error if it says that the zone to create already exists. It is also not an
 * error if it says that the zone to delete or to find does not exist. If the table has
 * no row for an answer, the answer is a refusal. The table has no row for the backend
 * `catalog`.
 *
 * tests/integration/test_drivers.py compares the table with the real servers.
 */
#pragma once

#include "base/err.h"

enum reply {
	REPLY_REFUSED,
	REPLY_BUSY,		/* another program is changing the configuration */
	REPLY_PRESENT,
	REPLY_ABSENT,
};

/*
 * COMMAND: the command of the driver. STATUS: the HTTP status, otherwise 0. SAID: the
 * text of the server.
 */
enum reply reply_of(const char *backend, const char *command, int status,
                    const char *said);

/*
 * Returns the error for the output of a failed rndc. ERR_REMOTE: named refused the
 * command. ERR_UNREACHABLE: named does not run, or closed the connection. ERR_BUSY: rndc
 * lacks a key or an address.
 */
enum err reply_rndc_error(const char *said);
