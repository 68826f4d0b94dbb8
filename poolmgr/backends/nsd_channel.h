/*
 * nsd_channel -- sends commands to the control channel of NSD, over a UNIX socket or over
 * TLS. With TLS, nsd_channel presents control_cert to the server, and verifies the
 * certificate of the server with server_cert. A connection carries one command: "NSDCT1
 * <command>\n". NSD closes the connection after the answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct nsd_channel_terms {
	const char *server;		/* id of the server, for the texts of errors */
	const char *control;		/* path of a UNIX socket, or address:port */
	/* paths of PEM files; only for TLS */
	const char *server_cert, *control_key, *control_cert;
	/* time limit of the operation, for the texts of errors */
	int timeout_ms;
};

bool nsd_channel_is_socket(const char *control);
/*
 * Sends COMMAND to NSD, and appends the whole answer to ANSWER. COMMAND must not contain
 * "\n". Returns the errors of driver.h. ERR_TIMEOUT: the answer was not complete at
 * DEADLINE_MS, a time of clock_ms().
 */
enum err nsd_channel_ask(const struct nsd_channel_terms *terms, int64_t deadline_ms,
                         const char *command, struct buf *answer, struct why *why);
