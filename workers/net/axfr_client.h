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
	AXFR_REFUSED,			/* REFUSED, NOTAUTH, NXDOMAIN or NOTIMP */
	/* the server refused or closed the connection, for example after a restart */
	AXFR_BROKEN,
	AXFR_FAILED,			/* any other failure */
};

struct axfr_client_config {
	struct name zone;
	/* connecting (client_socket.h); the client owns it */
	int fd;
	/* the reason if fd is -1; a text to print after the server's name */
	const char *fault;
	const struct tsig_key *key;	/* NULL: unsigned; copied */
	/* for TSIG: the server's clock is ahead of the local clock by this time */
	int64_t ahead_s;
	/* set at the end: the server's time, or 0 (axfr_reader.h); may be NULL */
	uint64_t *server_time;
	bool has_newest;
	/* if has_newest: a serial newer than this ends the transfer */
	uint32_t newest;
	int silence_ms;			/* maximum time between two messages */
	int whole_ms;			/* maximum time of the whole transfer */
	struct axfr_limits limits;
	struct canonical *record;	/* a buffer for the current record */
};

struct axfr_client_listener {
	/* record() may cancel the client. */
	void (*record)(void *self, const struct canonical *record);
	/*
	 * The last callback. The client is already freed, so do not cancel it. SERIAL:
	 * the serial of a complete zone. WORDS: the reason, a text to print after the
	 * server's name; "" for a complete zone.
	 */
	void (*end)(void *self, enum axfr_outcome outcome, uint32_t serial,
	            const char *words);
	void *self;
};

/* The client calls the listener only after axfr_client_start() has returned. */
struct axfr_client *axfr_client_start(struct loop *loop,
                                      const struct axfr_client_config *want,
                                      const struct axfr_client_listener *listener);
void axfr_client_cancel(struct axfr_client **client);
