/*
 * nsd_channel -- the control channel of NSD. nsd_channel sends "NSDCT1 <command>\n" over
 * a UNIX socket, or over TLS with the control key. Over TLS, it also checks the
 * certificate of the server. A connection carries one command, and NSD closes the
 * connection after the answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct nsd_channel_terms {
	const char *server;		/* its id, for error texts */
	const char *control;		/* path of a socket, or address:port */
	const char *server_cert, *control_key, *control_cert;	/* only for TLS */
	int timeout_ms;			/* for error texts */
};

bool nsd_channel_is_socket(const char *control);
/*
 * Sends COMMAND, which must not contain "\n", and appends the whole answer to ANSWER.
 * Returns the errors of driver.h; ERR_TIMEOUT at DEADLINE_MS (clock_ms()).
 */
enum err nsd_channel_ask(const struct nsd_channel_terms *terms, int64_t deadline_ms,
                         const char *command, struct buf *answer, struct why *why);
