/*
 * transfers -- the transfers of zones to clients. This module limits the number of
 * running transfers, in total and for each peer. The module queues further transfers
 * until a place is free, and reports the end of each transfer that ran. The module gives
 * a free place to each peer below its limit in turn, so that a peer with many transfers
 * delays only its own transfers. The transfers of one peer start in the order of their
 * requests. The time to assign a place does not depend on the length of the queue.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/query.h"
#include "dns/address.h"

struct delta;
struct figures;
struct loop;
struct transfer;
struct transfers;
struct zone;

struct transfer_end {
	const struct name *zone;
	const struct address *peer;
	uint32_t serial;
	bool complete;			/* false: mini-DNS has not sent all messages */
	bool whole;			/* true: the whole zone; false: a delta */
	int64_t took_us;		/* duration of the transfer */
};

struct transfers_config {
	const struct figures *figures;
	int limit, limit_per_peer;
	void (*began)(void *self, const struct name *zone, const struct address *peer);
	void (*ended)(void *self, const struct transfer_end *end);
	/* called when a transfer has released its zone, even if the transfer never ran */
	void (*released)(void *self);
	void *self;
};

struct transfers *transfers_new(struct loop *loop, const struct transfers_config *config);
void transfers_free(struct transfers **transfers);
size_t transfers_count(const struct transfers *transfers);
/* Returns the number of running transfers of ZONE to the host of PEER. */
int transfers_running(const struct transfers *transfers, const struct name *zone,
                      const struct address *peer);

/*
 * Make a transfer. The zone or the delta stays in memory until transfer_free(). Call
 * transfer_start() next.
 */
struct transfer *transfer_axfr(struct transfers *transfers, const struct query *query,
                               struct zone *zone, const struct address *peer);
struct transfer *transfer_ixfr(struct transfers *transfers, const struct query *query,
                               struct delta *delta, const struct address *peer);
/*
 * Queues the transfer. Calls READY when the transfer has a place, but never before this
 * call returns.
 */
void transfer_start(struct transfer *transfer, void (*ready)(void *self), void *self);
/* True: the transfer has a place. */
bool transfer_is_ready(const struct transfer *transfer);
/*
 * Writes the next message into DATA. Returns the length of the message, or 0 after the
 * last message. SIZE is at least 65535.
 */
size_t transfer_next(struct transfer *transfer, uint8_t *data, size_t size);
/*
 * Ends the transfer, and frees its place. COMPLETE is true if mini-DNS has sent all
 * messages.
 */
void transfer_free(struct transfer **transfer, bool complete);
