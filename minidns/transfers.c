#include "transfers.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/axfr.h"
#include "core/ixfr.h"
#include "base/map.h"
#include "minidns.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

struct transfer {
	struct transfers *transfers;
	/* links in the list of waiting or running transfers */
	struct transfer *next, **link;
	struct query query;
	struct address peer;
	struct peer *at;		/* set while it waits or runs */
	uint32_t serial;
	struct zone *zone;		/* of an AXFR; an IXFR has a delta */
	struct delta *delta;
	union {
		struct axfr axfr;
		struct ixfr ixfr;
	} from;
	void (*ready)(void *self);
	void *self;
	bool running;
	int64_t started_us;
	uint64_t bytes;
	unsigned messages;
};

struct list {
	struct transfer *first, **end;
};

/* A host with waiting or running transfers. */
struct peer {
	/* links in the list of peers whose turn comes; NULL: not in it */
	struct peer *next, **link;
	struct list waiting;
	int running_count;
	size_t count;			/* number of waiting and running transfers */
};

struct transfers {
	struct loop *loop;
	struct transfers_config config;
	struct map *peers;		/* host_key -> struct peer */
	struct peer *turns, **turns_end;
	struct list running;
	int running_count;
	size_t count;
	bool admitting;			/* admit() is scheduled for the end of the turn */
};

static void transfer_list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void transfer_list_add(struct list *list, struct transfer *transfer)
{
	transfer->next = NULL;
	transfer->link = list->end;
	*list->end = transfer;
	list->end = &transfer->next;
}

static void transfer_list_remove(struct list *list, struct transfer *transfer)
{
	*transfer->link = transfer->next;
	if (transfer->next)
		transfer->next->link = transfer->link;
	else
		list->end = transfer->link;
	transfer->link = NULL;
}

struct transfers *transfers_new(struct loop *loop, const struct transfers_config *config)
{
	struct transfers *transfers = xcalloc(1, sizeof(*transfers));

	transfers->loop = loop;
	transfers->config = *config;
	transfers->peers = map_new(random_u32());
	transfers->turns_end = &transfers->turns;
	transfer_list_init(&transfers->running);
	return transfers;
}

void transfers_free(struct transfers **transfers)
{
	struct transfers *old = *transfers;

	*transfers = NULL;
	if (!old)
		return;
	bug_if(old->count);
	loop_later_cancel(old->loop, old);
	map_free(&old->peers);
	free(old);
}

size_t transfers_count(const struct transfers *transfers)
{
	return transfers->count;
}

int transfers_running(const struct transfers *transfers, const struct name *zone,
                      const struct address *peer)
{
	int count = 0;

	for (const struct transfer *at = transfers->running.first; at; at = at->next)
		count += address_same_host(&at->peer, peer) &&
		         name_equal(&at->query.name, zone);
	return count;
}

/* ---- places ---- */

static struct peer *transfers_peer(struct transfers *transfers,
                                   const struct address *address)
{
	struct host_key key = address_host_key(address);
	struct peer *peer = map_get(transfers->peers, &key, sizeof(key));

	if (peer)
		return peer;
	peer = xcalloc(1, sizeof(*peer));
	transfer_list_init(&peer->waiting);
	map_put(transfers->peers, &key, sizeof(key), peer);
	return peer;
}

/*
 * Puts the peer at the end of the list, if it has a waiting transfer and is below its
 * limit.
 */
static void transfers_take_turn(struct transfers *transfers, struct peer *peer)
{
	if (peer->link || !peer->waiting.first ||
	    peer->running_count >= transfers->config.limit_per_peer)
		return;
	peer->next = NULL;
	peer->link = transfers->turns_end;
	*transfers->turns_end = peer;
	transfers->turns_end = &peer->next;
}

static void transfers_leave_turn(struct transfers *transfers, struct peer *peer)
{
	if (!peer->link)
		return;
	*peer->link = peer->next;
	if (peer->next)
		peer->next->link = peer->link;
	else
		transfers->turns_end = peer->link;
	peer->link = NULL;
}

static void transfers_run(struct transfer *transfer)
{
	struct transfers *transfers = transfer->transfers;

	transfer_list_remove(&transfer->at->waiting, transfer);
	transfer_list_add(&transfers->running, transfer);
	transfers->running_count++;
	transfer->at->running_count++;
	transfer->running = true;
	transfer->started_us = clock_us();
	transfers_take_turn(transfers, transfer->at);
	transfers->config.began(transfers->config.self, &transfer->query.name,
	                        &transfer->peer);
	transfer->ready(transfer->self);
}

static void transfers_admit(void *self)
{
	struct transfers *transfers = self;

	transfers->admitting = false;
	while (transfers->turns && transfers->running_count < transfers->config.limit) {
		struct peer *peer = transfers->turns;

		transfers_leave_turn(transfers, peer);
		transfers_run(peer->waiting.first);
	}
}

static void transfers_admit_later(struct transfers *transfers)
{
	if (transfers->admitting || !transfers->turns)
		return;
	transfers->admitting = true;
	loop_later(transfers->loop, transfers_admit, transfers);
}

/* ---- a transfer ---- */

static struct transfer *transfer_new(struct transfers *transfers,
                                     const struct query *query,
                                     const struct address *peer)
{
	struct transfer *transfer = xcalloc(1, sizeof(*transfer));

	transfer->transfers = transfers;
	transfer->query = *query;
	transfer->peer = *peer;
	transfers->count++;
	return transfer;
}

struct transfer *transfer_axfr(struct transfers *transfers, const struct query *query,
                               struct zone *zone, const struct address *peer)
{
	struct transfer *transfer = transfer_new(transfers, query, peer);

	transfer->zone = zone_hold(zone);
	transfer->serial = zone->serial;
	axfr_init(&transfer->from.axfr, &transfer->query, zone);
	return transfer;
}

struct transfer *transfer_ixfr(struct transfers *transfers, const struct query *query,
                               struct delta *delta, const struct address *peer)
{
	struct transfer *transfer = transfer_new(transfers, query, peer);

	transfer->delta = delta_hold(delta);
	transfer->serial = delta->to;
	ixfr_init(&transfer->from.ixfr, &transfer->query, delta);
	return transfer;
}

void transfer_start(struct transfer *transfer, void (*ready)(void *self), void *self)
{
	struct transfers *transfers = transfer->transfers;

	transfer->ready = ready;
	transfer->self = self;
	transfer->at = transfers_peer(transfers, &transfer->peer);
	transfer->at->count++;
	transfer_list_add(&transfer->at->waiting, transfer);
	transfers_take_turn(transfers, transfer->at);
	transfers_admit_later(transfers);
}

bool transfer_is_ready(const struct transfer *transfer)
{
	return transfer->running;
}

size_t transfer_next(struct transfer *transfer, uint8_t *data, size_t size)
{
	size_t len;

	transfer->query.now = (uint64_t)clock_unix();
	len = transfer->zone ? axfr_next(&transfer->from.axfr, data, size)
				    : ixfr_next(&transfer->from.ixfr, true, data, size);

	transfer->bytes += len;
	transfer->messages += len > 0;
	return len;
}

static void transfers_log_end(const struct transfer *transfer,
                              const struct transfer_end *end)
{
	char zone[NAME_MAX_TEXT + 1], peer[ADDRESS_TEXT];

	name_format(&transfer->query.name, zone);
	address_format(&transfer->peer, peer);
	log_info("transfer %s: domain=%s serial=%u kind=%s peer=%s messages=%u "
	         "bytes=%llu ms=%lld",
	         end->complete ? "ended" : "interrupted", zone, transfer->serial,
	         transfer->zone ? "axfr" : "ixfr", peer, transfer->messages,
	         (unsigned long long)transfer->bytes,
	         (long long)end->took_us / 1000);
}

static void transfers_count_end(const struct transfer *transfer, bool complete)
{
	const struct figures *figures = transfer->transfers->config.figures;

	metric_add(figures->transfer_bytes, transfer->bytes);
	if (!complete)
		metric_add(figures->transfers_broken, 1);
	else
		metric_add(transfer->zone ? figures->transfers_axfr
		                          : figures->transfers_ixfr,
		           1);
}

/*
 * The transfer ran: gives its place to the next one, and tells the owner about its end.
 */
static void transfers_leave(struct transfer *transfer, bool complete)
{
	struct transfers *transfers = transfer->transfers;
	struct transfer_end end = {
		.zone = &transfer->query.name,
		.peer = &transfer->peer,
		.serial = transfer->serial,
		.complete = complete,
		.whole = transfer->zone != NULL,
		.took_us = clock_us() - transfer->started_us,
	};

	transfers->running_count--;
	transfer->at->running_count--;
	transfers_take_turn(transfers, transfer->at);
	transfers_log_end(transfer, &end);
	transfers_count_end(transfer, complete);
	transfers_admit_later(transfers);
	transfers->config.ended(transfers->config.self, &end);
}

static void transfers_leave_peer(struct transfer *transfer)
{
	struct transfers *transfers = transfer->transfers;
	struct peer *peer = transfer->at;
	struct host_key key = address_host_key(&transfer->peer);

	if (!peer->waiting.first)
		transfers_leave_turn(transfers, peer);
	if (--peer->count)
		return;
	map_remove(transfers->peers, &key, sizeof(key));
	free(peer);
}

static void transfers_end(struct transfer *transfer, bool complete)
{
	struct transfers *transfers = transfer->transfers;

	transfer_list_remove(
	    transfer->running ? &transfers->running : &transfer->at->waiting, transfer);
	if (transfer->running)
		transfers_leave(transfer, complete);
	transfers_leave_peer(transfer);
}

void transfer_free(struct transfer **transfer, bool complete)
{
	struct transfer *old = *transfer;
	struct transfers *transfers;
	bool had_zone;

	*transfer = NULL;
	if (!old)
		return;
	transfers = old->transfers;
	had_zone = old->zone;
	if (old->at)
		transfers_end(old, complete);
	zone_release(&old->zone);
	delta_release(&old->delta);
	transfers->count--;
	query_wipe(&old->query);
	free(old);
	if (had_zone)
		transfers->config.released(transfers->config.self);
}
