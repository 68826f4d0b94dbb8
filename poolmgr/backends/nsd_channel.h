/*
 * nsd_channel -- NSD's control channel: "NSDCT1 <command>\n" over a UNIX socket, or over
 * TLS with the control key and a check of the server's certificate. A connection carries
 * one command. NSD closes it after the answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct nsd_channel_terms {
	const char *server;		/* its id, which errors name */
	const char *control;		/* path of a socket, or address:port */
	const char *server_cert, *control_key, *control_cert;	/* only for TLS */
	int timeout_ms;			/* which errors name */
};

bool nsd_channel_is_socket(const char *control);
/*
 * Sends COMMAND, which has no "\n", and appends the whole answer to ANSWER. Errors as in
 * driver.h; ERR_TIMEOUT at DEADLINE_MS (clock_ms()).
 */
enum err nsd_channel_ask(const struct nsd_channel_terms *terms, int64_t deadline_ms,
                         const char *command, struct buf *answer, struct why *why);
