/*
 * fetch -- a zone from a name server: an AXFR over TCP, under the server's TSIG key if it
 * has one, whose records are handed over as they come and mean nothing before the end.
 *
 * A server may say nothing for so long, and take so long in all; it is cut off when it
 * sends more than it was allowed, and as soon as its SOA has a newer serial than is
 * wanted. A turn of the loop takes one message.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "dns/canonical.h"
#include "dns/incoming.h"
#include "model/name.h"

struct exchanges;
struct fetch;
struct loop;
struct servers;

enum fetch_outcome {
	FETCH_WHOLE,
	FETCH_NEWER,			/* than what is wanted */
	FETCH_REFUSED,			/* REFUSED, NOTAUTH, NXDOMAIN, NOTIMP */
	FETCH_BROKEN,			/* off, or not let begin: a server that restarts */
	FETCH_FAILED,
};

struct fetch_want {
	struct name zone;
	struct address server;
	struct name tsig_key;		/* of length 0: none */
	uint32_t newest;		/* serial */
	int silence_ms;			/* how long it may say nothing */
	struct incoming_limits limits;
};

struct fetch_parts {
	struct loop *loop;
	struct servers *servers;
	const struct exchanges *exchanges;
	struct canonical *record;	/* room for one, which nobody keeps over a turn */
};

struct fetch_listener {
	void (*record)(void *self, const struct canonical *record);
	/*
	 * Once, when the fetch is gone. SERIAL is that of a zone that came whole; WORDS go
	 * behind the server's name, of such a zone "".
	 */
	void (*end)(void *self, enum fetch_outcome outcome, uint32_t serial,
	            const char *words);
	void *self;
};

/* PARTS are borrowed. No callback comes from within this call. */
struct fetch *fetch_start(const struct fetch_parts *parts, const struct fetch_want *want,
                          const struct fetch_listener *listener);
void fetch_cancel(struct fetch **fetch);
