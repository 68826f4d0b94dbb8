/*
 * axfr_client -- a zone from a name server: an AXFR over TCP, signed if there is a key, whose
 * records are handed over as they come and mean nothing before the end.
 *
 * A server may say nothing for so long, and take so long in all; it is cut off when it
 * sends more than it was allowed, and as soon as its SOA has a newer serial than is
 * wanted. A turn of the loop takes one message.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dns/canonical.h"
#include "dns/axfr_reader.h"
#include "dns/tsig.h"
#include "model/name.h"

struct fetch;
struct loop;

enum fetch_outcome {
	FETCH_WHOLE,
	FETCH_NEWER,			/* than what is wanted */
	FETCH_REFUSED,			/* REFUSED, NOTAUTH, NXDOMAIN, NOTIMP */
	FETCH_BROKEN,			/* off, or not begun: a server that restarts */
	FETCH_FAILED,
};

struct fetch_want {
	struct name zone;
	int fd;				/* on its way to the server (client_socket.h), and taken */
	/* what is wrong if it is -1, in words that go behind the server's name */
	const char *fault;
	const struct tsig_key *key;	/* NULL: none; copied */
	int64_t ahead_s;		/* of our clock, by which it is signed */
	/* what the server's says, or 0, once the fetch ends (axfr_reader.h); may be NULL */
	uint64_t *server_time;
	bool has_newest;
	uint32_t newest;		/* serial */
	int silence_ms;			/* how long it may say nothing */
	int whole_ms;			/* all of it */
	struct incoming_limits limits;
	struct canonical *record;	/* room for one, which nobody keeps over a turn */
};

/* Both may cancel it. */
struct fetch_listener {
	void (*record)(void *self, const struct canonical *record);
	/*
	 * Once, when the fetch is gone. SERIAL is that of a zone that came whole; WORDS
	 * go behind the server's name, of such a zone "".
	 */
	void (*end)(void *self, enum fetch_outcome outcome, uint32_t serial,
	            const char *words);
	void *self;
};

/* No callback comes from within this call. */
struct fetch *fetch_start(struct loop *loop, const struct fetch_want *want,
                          const struct fetch_listener *listener);
void fetch_cancel(struct fetch **fetch);
