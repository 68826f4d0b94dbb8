/*
 * transfers -- the transfers that are under way: how many in all and to one
 * peer, who waits for a place, and who is to be told when one ends. The peers
 * that have not got their share take turns, so that one with many transfers
 * holds up its own and no other's; of a peer the first to come is the first
 * to go. However many wait, a place is given in the same short time.
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
	bool complete;			/* else the peer went away */
	int64_t took_us;
};

struct transfers_config {
	const struct figures *figures;
	int limit, limit_per_peer;
	void (*began)(void *self, const struct name *zone, const struct address *peer);
	void (*ended)(void *self, const struct transfer_end *end);
	void (*released)(void *self);	/* a zone, whether its transfer ran or not */
	void *self;
};

struct transfers *transfers_new(struct loop *loop, const struct transfers_config *config);
void transfers_free(struct transfers **transfers);
size_t transfers_count(const struct transfers *transfers);
/* Of this zone to this host, now. */
int transfers_running(const struct transfers *transfers, const struct name *zone,
                      const struct address *peer);

/* Holds the zone or the delta until it is freed. */
struct transfer *transfer_axfr(struct transfers *transfers, const struct query *query,
                               struct zone *zone, const struct address *peer);
struct transfer *transfer_ixfr(struct transfers *transfers, const struct query *query,
                               struct delta *delta, const struct address *peer);
/* READY is called once there is a place, never from within this call. */
void transfer_start(struct transfer *transfer, void (*ready)(void *self), void *self);
bool transfer_is_ready(const struct transfer *transfer);
/* The next message; 0 when all was said. SIZE is at least 65535. */
size_t transfer_next(struct transfer *transfer, uint8_t *data, size_t size);
/* COMPLETE: all of it was handed to the peer. */
void transfer_free(struct transfer **transfer, bool complete);
