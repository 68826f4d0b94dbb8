/*
 * bind9_stats -- reads the secondary zones of a BIND server from its statistics channel
 * (named.conf: statistics-channels), in JSON. The channel does not show which program
 * added a zone.
 *
 * 	{ "views": { "_default": { "zones": [
 * 		{ "name": "example.org", "class": "IN", "type": "secondary", ... },
 */
#pragma once

#include <stddef.h>

#include "backends/listing.h"
#include "base/err.h"

struct bind9_stats {
	const char *server;	/* id of the server, for error texts */
	const char *url, *view;	/* view NULL: the view _default */
	int timeout_ms;
	size_t answer_max;
};

/*
 * Adds the names of all secondary zones of the class IN to LISTING. ERR_REMOTE: the
 * answer has an unexpected form or HTTP status. Also returns the errors of http_ask().
 */
enum err bind9_stats_secondaries(const struct bind9_stats *stats,
                                 struct listing *listing, struct why *why);
