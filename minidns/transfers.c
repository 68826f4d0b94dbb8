#include "transfers.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/axfr.h"
#include "core/ixfr.h"
#include "minidns.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

struct transfer {
	struct transfers *transfers;
	struct transfer *next, **link;	/* in the list of those that wait or run */
	struct query query;
	struct address peer;
	uint32_t serial;
	struct zone *zone;		/* of an AXFR; else delta */
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

struct transfers {
	struct loop *loop;
	struct transfers_config config;
	struct list running, waiting;
	int running_count;
	size_t count;
	bool admitting;			/* admit() is due at the end of the turn */
};

static void list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void list_add(struct list *list, struct transfer *transfer)
{
	transfer->next = NULL;
	transfer->link = list->end;
	*list->end = transfer;
	list->end = &transfer->next;
}

static void list_remove(struct list *list, struct transfer *transfer)
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
	list_init(&transfers->running);
	list_init(&transfers->waiting);
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

static int running_to(const struct transfers *transfers, const struct address *peer)
{
	int count = 0;

	for (const struct transfer *at = transfers->running.first; at; at = at->next)
		count += address_same_host(&at->peer, peer);
	return count;
}

static void run(struct transfer *transfer)
{
	struct transfers *transfers = transfer->transfers;

	list_remove(&transfers->waiting, transfer);
	list_add(&transfers->running, transfer);
	transfers->running_count++;
	transfer->running = true;
	transfer->started_us = clock_us();
	transfers->config.began(transfers->config.self, &transfer->query.name,
	                        &transfer->peer);
	transfer->ready(transfer->self);
}

static struct transfer *first_to_run(const struct transfers *transfers)
{
	struct transfer *at = transfers->waiting.first;

	if (transfers->running_count >= transfers->config.limit)
		return NULL;
	while (at && running_to(transfers, &at->peer) >= transfers->config.limit_per_peer)
		at = at->next;
	return at;
}

static void admit(void *self)
{
	struct transfers *transfers = self;
	struct transfer *transfer;

	transfers->admitting = false;
	while ((transfer = first_to_run(transfers)))
		run(transfer);
}

static void admit_later(struct transfers *transfers)
{
	if (transfers->admitting || !transfers->waiting.first)
		return;
	transfers->admitting = true;
	loop_later(transfers->loop, admit, transfers);
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
	transfer->ready = ready;
	transfer->self = self;
	list_add(&transfer->transfers->waiting, transfer);
	admit_later(transfer->transfers);
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

static void log_end(const struct transfer *transfer, const struct transfer_end *end)
{
	char zone[NAME_MAX_TEXT + 1], peer[ADDRESS_TEXT];

	name_format(&transfer->query.name, zone);
	address_format(&transfer->peer, peer);
	log_info("transfer %s: zone=%s serial=%u kind=%s peer=%s messages=%u bytes=%llu "
	         "ms=%lld",
	         end->complete ? "ended" : "broken", zone, transfer->serial,
	         transfer->zone ? "axfr" : "ixfr", peer, transfer->messages,
	         (unsigned long long)transfer->bytes,
	         (long long)end->took_us / 1000);
}

static void count_end(const struct transfer *transfer, bool complete)
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

/* It ran: give its place to the next, and tell who waits for its end. */
static void leave(struct transfer *transfer, bool complete)
{
	struct transfers *transfers = transfer->transfers;
	struct transfer_end end = {
		.zone = &transfer->query.name,
		.peer = &transfer->peer,
		.serial = transfer->serial,
		.complete = complete,
		.took_us = clock_us() - transfer->started_us,
	};

	transfers->running_count--;
	log_end(transfer, &end);
	count_end(transfer, complete);
	admit_later(transfers);
	transfers->config.ended(transfers->config.self, &end);
}

void transfer_free(struct transfer **transfer, bool complete)
{
	struct transfer *old = *transfer;
	struct transfers *transfers;

	*transfer = NULL;
	if (!old)
		return;
	transfers = old->transfers;
	if (old->link)
		list_remove(old->running ? &transfers->running : &transfers->waiting,
		            old);
	if (old->running)
		leave(old, complete);
	zone_release(&old->zone);
	delta_release(&old->delta);
	transfers->count--;
	query_wipe(&old->query);
	free(old);
}
