/*
 * axfr_client -- transfers a zone from a name server by AXFR over TCP. If the caller
 * passes a TSIG key, the transfer is signed. The client passes the records one by one to
 * a listener. The listener must not use the records before the end of the transfer.
 *
 * The caller limits the time between two messages, the total time and the size of the
 * transfer. The transfer also ends if the serial of the server's SOA is newer than the
 * caller's limit `newest`. In each turn of the event loop, the client reads at most one
 * message.
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
	AXFR_NEWER,			/* the server has a serial newer than `newest` */
	AXFR_REFUSED,			/* rcode REFUSED, NOTAUTH, NXDOMAIN or NOTIMP */
	/* the server refused or closed the connection, for example after a restart */
	AXFR_BROKEN,
	AXFR_FAILED,			/* any other failure */
};

struct axfr_client_config {
	struct name zone;
	/*
	 * socket that is connecting to the server (client_socket.h). The client owns the
	 * socket
	 */
	int fd;
	/* reason why fd is -1: a text to print after the server's name */
	const char *fault;
	/* key of the signature; copied. NULL: no signature */
	const struct tsig_key *key;
	/* for TSIG: how many seconds the server's clock is ahead of the local clock */
	int64_t ahead_s;
	/*
	 * at the end, the client sets the target of this pointer to the server's time, or
	 * to 0 (axfr_reader.h). May be NULL
	 */
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
	/* Gets each record of the zone. This callback may cancel the client. */
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
