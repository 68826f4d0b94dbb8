/*
 * reply -- the meaning of a name server's answer to a command of a driver. A table lists
 * the answers that are not refusals: for example, the zone to create already exists, or
 * the zone to delete does not exist. If the table has no row for an answer, the answer
 * is a refusal. The backend `catalog` sends no commands, so the table has no row for it.
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
 * command. ERR_UNREACHABLE: named is not running, or closed the connection. ERR_BUSY:
 * rndc lacks a key or an address.
 */
enum err reply_rndc_error(const char *said);
