/*
 * reply -- finds the meaning of a name server's answer to a command of a driver. A table
 * lists the known answers. For example, the zone to create already exists, or the zone to
 * delete does not exist. If the table has no row for an answer, the answer is a refusal.
 * The driver of the backend `catalog` sends no commands, so the table has no rows for
 * this backend.
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
 * Returns the meaning of the answer to COMMAND, for example "addzone". STATUS: the HTTP
 * status of the answer; 0: the answer is not from an HTTP API. SAID: the text of the
 * answer.
 */
enum reply reply_of(const char *backend, const char *command, int status,
                    const char *said);

/*
 * Returns the error for SAID, the output of a failed rndc. ERR_REMOTE: named refused the
 * command. ERR_UNREACHABLE: rndc cannot connect to named, or the connection failed.
 * ERR_BUSY: SAID is any other text. In this case, rndc did not connect to named, for
 * example because rndc has no key.
 */
enum err reply_rndc_error(const char *said);
