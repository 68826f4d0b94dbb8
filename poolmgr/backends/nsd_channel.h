/*
 * nsd_channel -- NSD's control channel: "NSDCT1 <command>\n" over a UNIX socket, or over TLS
 * with the control key and the server's certificate verified. One command a connection; NSD
 * closes behind its answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct nsd_channel_terms {
	const char *server;		/* the server's id, for the words */
	const char *control;		/* a socket's path, or address:port */
	const char *server_cert, *control_key, *control_cert;	/* files; not of a socket */
	int timeout_ms;			/* for the words */
};

bool nsd_channel_is_socket(const char *control);
/*
 * The whole answer to COMMAND, which has no "\n", behind what ANSWER has. Errors as in
 * driver.h; ERR_TIMEOUT at DEADLINE_MS (clock_ms()).
 */
enum err nsd_channel_ask(const struct nsd_channel_terms *terms, int64_t deadline_ms,
                         const char *command, struct buf *answer, struct why *why);
