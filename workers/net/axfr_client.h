/*
 * axfr_client -- transfers a zone from a name server by AXFR over TCP. If the caller
 * passes a TSIG key, the transfer is signed. The client passes the records one by one to
 * a listener. The listener must not use the records before the end of the transfer.
 *
 * The transfer has limits: the time between messages, the total time, and the size. The
 * transfer also ends if the serial of the server's SOA is newer than the wanted serial.
 * In each turn of the event loop, the client reads at most one message.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dns/axfr_reader.h"
#include "dns/canonical.h"
#include "dns/tsig.h"
#include "model/name.h"

struct axfr_client;
struct loop;

enum axfr_outcome {
	AXFR_COMPLETE,
	AXFR_NEWER,			/* the server has a newer serial */
	AXFR_REFUSED,			/* REFUSED, NOTAUTH, NXDOMAIN, NOTIMP */
	/* no connection, or the connection broke; the server may have restarted */
	AXFR_BROKEN,
	AXFR_FAILED,
};

struct axfr_client_config {
	struct name zone;
	/* connecting (client_socket.h); the client owns it */
	int fd;
	/* the reason if fd is -1; a text to print after the server's name */
	const char *fault;
	const struct tsig_key *key;	/* NULL: unsigned; copied */
	/* how far the server's clock is ahead of this machine's clock; for TSIG */
	int64_t ahead_s;
	/* set at the end: the server's time, or 0 (axfr_reader.h); may be NULL */
	uint64_t *server_time;
	bool has_newest;
	/* a newer serial ends the transfer; see has_newest */
	uint32_t newest;
	int silence_ms;			/* limit of the time between messages */
	int whole_ms;			/* limit of the total time */
	struct axfr_limits limits;
	struct canonical *record;	/* a buffer for the current record */
};

/* Both functions may cancel the client. */
struct axfr_client_listener {
	void (*record)(void *self, const struct canonical *record);
	/*
	 * The last callback, after the client is freed. SERIAL: the serial of a complete
	 * zone. WORDS: the reason, a text to print after the server's name; "" for a
	 * complete zone.
	 */
	void (*end)(void *self, enum axfr_outcome outcome, uint32_t serial,
	            const char *words);
	void *self;
};

/* Does not call the listener. */
struct axfr_client *axfr_client_start(struct loop *loop,
                                      const struct axfr_client_config *want,
                                      const struct axfr_client_listener *listener);
void axfr_client_cancel(struct axfr_client **client);
