/*
 * bind9_stats -- BIND's statistics channel (named.conf: statistics-channels),
 * in JSON: which zones it is a secondary of. It says nothing of who added
 * them, and everybody may ask whom its `allow` lets.
 *
 *	{ "views": { "_default": { "zones": [
 *		{ "name": "example.org", "class": "IN", "type": "secondary", ... },
 */
#pragma once

#include <stddef.h>

#include "backends/listing.h"
#include "base/err.h"

struct bind9_stats {
	const char *server;	/* its name, for words */
	const char *url, *view;	/* view NULL: the one that there is without views */
	int timeout_ms;
	size_t answer_max;
};

/* ERR_REMOTE: it answered with something else; and those of http_ask(). */
enum err bind9_stats_secondaries(const struct bind9_stats *stats,
                                 struct listing *listing, struct why *why);
