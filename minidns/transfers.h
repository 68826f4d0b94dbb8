/*
 * transfers -- the running transfers. This module limits the number of transfers, in
 * total and for each peer. It queues further transfers until a place is free, and
 * reports the end of each transfer. Peers below their limit take turns, so that a peer
 * with many transfers delays only its own transfers. The transfers of one peer start in
 * the order of their requests. The time to assign a place does not depend on the length
 * of the queue.
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
	bool complete;			/* false: the peer closed the connection */
	bool whole;			/* the whole zone, not only the changes */
	int64_t took_us;
};

struct transfers_config {
	const struct figures *figures;
	int limit, limit_per_peer;
	void (*began)(void *self, const struct name *zone, const struct address *peer);
	void (*ended)(void *self, const struct transfer_end *end);
	/* called when a zone is released, even if its transfer never ran */
	void (*released)(void *self);
	void *self;
};

struct transfers *transfers_new(struct loop *loop, const struct transfers_config *config);
void transfers_free(struct transfers **transfers);
size_t transfers_count(const struct transfers *transfers);
/* Number of running transfers of ZONE to the host of PEER. */
int transfers_running(const struct transfers *transfers, const struct name *zone,
                      const struct address *peer);

/* The transfer holds the zone or the delta until transfer_free(). */
struct transfer *transfer_axfr(struct transfers *transfers, const struct query *query,
                               struct zone *zone, const struct address *peer);
struct transfer *transfer_ixfr(struct transfers *transfers, const struct query *query,
                               struct delta *delta, const struct address *peer);
/* Calls READY when a place is free, but never before this call returns. */
void transfer_start(struct transfer *transfer, void (*ready)(void *self), void *self);
bool transfer_is_ready(const struct transfer *transfer);
/* Writes the next message; returns 0 after the last message. SIZE is at least 65535. */
size_t transfer_next(struct transfer *transfer, uint8_t *data, size_t size);
/* COMPLETE: the peer got the whole transfer. */
void transfer_free(struct transfer **transfer, bool complete);
