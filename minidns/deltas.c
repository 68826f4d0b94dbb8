#include "deltas.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/offload.h"

enum {
	MAX_KEPT = 256,
	MAX_KEPT_BYTES = 32 * 1024 * 1024,
	MAX_WAITING = 1024,
};

struct waiter {
	struct waiter *next;
	delta_fn *fn;
	void *self;
};

/* A delta, wanted or known. The list is short, in the order of last use, newest first. */
struct entry {
	struct entry *next;
	struct deltas *deltas;
	struct head head;		/* the delta leads to its serial */
	uint32_t from;
	size_t octets;			/* the limit of octets */
	bool loading, known;
	struct waiter *waiters;
	struct delta *delta;
	enum err err;
	struct why why;
};

struct deltas {
	struct lane *lane;
	struct db *db;			/* used by the lane */
	struct entry *newest;
};

struct deltas *deltas_new(struct loop *loop, const struct db_config *config)
{
	struct deltas *deltas = xcalloc(1, sizeof(*deltas));

	deltas->lane = lane_new(loop, "deltas", MAX_WAITING);
	deltas->db = db_new(config);
	return deltas;
}

/* ---- the list ---- */

/* True: ENTRY answers WANTED. A larger limit may give another result. */
static bool deltas_leads(const struct entry *entry, const struct entry *wanted)
{
	return entry->from == wanted->from && entry->octets >= wanted->octets &&
	       entry->head.serial == wanted->head.serial &&
	       !strcmp(entry->head.id, wanted->head.id);
}

static struct entry *deltas_take(struct deltas *deltas, const struct entry *wanted)
{
	struct entry **at = &deltas->newest;
	struct entry *entry;

	while (*at && !deltas_leads(*at, wanted))
		at = &(*at)->next;
	entry = *at;
	if (entry)
		*at = entry->next;
	return entry;
}

static void deltas_take_out(struct deltas *deltas, const struct entry *entry)
{
	struct entry **at = &deltas->newest;

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
}

static void entry_free(struct entry *entry)
{
	delta_release(&entry->delta);
	free(entry);
}

/* Frees old entries that exceed the limits; entries that are being loaded stay. */
static void deltas_trim(struct deltas *deltas)
{
	struct entry **at = &deltas->newest;
	size_t count = 0, bytes = 0;

	while (*at) {
		struct entry *entry = *at;

		bytes += entry->delta ? entry->delta->rrs.len : 0;
		if (entry->loading || (++count <= MAX_KEPT && bytes <= MAX_KEPT_BYTES)) {
			at = &entry->next;
			continue;
		}
		*at = entry->next;
		entry_free(entry);
	}
}

/* ---- reading ---- */

static void deltas_read_run(void *job)
{
	struct entry *entry = job;

	entry->err = store_delta(entry->deltas->db, &entry->head, entry->from,
	                         entry->octets, &entry->delta, &entry->why);
}

static void deltas_answer_waiters(struct entry *entry)
{
	struct waiter *waiter = entry->waiters, *next;

	entry->waiters = NULL;
	for (; waiter; waiter = next) {
		next = waiter->next;
		waiter->fn(waiter->self, entry->err, entry->err ? NULL : entry->delta);
		free(waiter);
	}
}

static void deltas_read_done(void *job)
{
	struct entry *entry = job;
	struct deltas *deltas = entry->deltas;

	if (!lane_job_ran(deltas->lane)) {
		entry->err = ERR_UNREACHABLE;
		fail(&entry->why, entry->err, "mini-DNS is stopping");
	}
	if (entry->err)
		log_warn("journal not read: id=%s from=%u to=%u err=%s reason=\"%s\"",
		         entry->head.id, entry->from, entry->head.serial,
		         err_name(entry->err), entry->why.text);
	/* the entry still counts as loading, so it is not freed */
	deltas_answer_waiters(entry);
	entry->loading = false;
	entry->known = true;
	if (entry->err || entry->octets < DELTAS_OCTETS) {
		deltas_take_out(deltas, entry);
		entry_free(entry);
	}
	deltas_trim(deltas);
}

static void deltas_add_waiter(struct entry *entry, delta_fn *fn, void *self)
{
	struct waiter *waiter = xcalloc(1, sizeof(*waiter));

	waiter->fn = fn;
	waiter->self = self;
	waiter->next = entry->waiters;
	entry->waiters = waiter;
}

/* The entry for HEAD and the serial, or a new one. */
static struct entry *deltas_take_or_make(struct deltas *deltas,
                                         const struct entry *wanted)
{
	struct entry *entry = deltas_take(deltas, wanted);

	if (entry)
		return entry;
	entry = xcalloc(1, sizeof(*entry));
	*entry = *wanted;
	return entry;
}

static void deltas_put_first(struct deltas *deltas, struct entry *entry)
{
	entry->next = deltas->newest;
	deltas->newest = entry;
}

void deltas_put(struct deltas *deltas, const struct head *head, struct delta **delta)
{
	struct delta *newest = *delta;
	struct entry *entry;

	*delta = NULL;
	if (!newest)
		return;
	entry = deltas_take_or_make(deltas, &(struct entry){
		.deltas = deltas, .head = *head, .from = newest->from,
		.octets = DELTAS_OCTETS,
	});
	if (!entry->loading && !entry->delta) {
		entry->delta = newest;
		entry->known = true;
	} else {
		delta_release(&newest);
	}
	deltas_put_first(deltas, entry);
	deltas_trim(deltas);
}

/* False: too many loads wait. */
static bool deltas_load(struct deltas *deltas, struct entry *entry)
{
	entry->loading = lane_submit(deltas->lane, deltas_read_run, deltas_read_done,
	                             entry);
	return entry->loading;
}

void deltas_get(struct deltas *deltas, const struct head *head, uint32_t from,
                size_t octets, delta_fn *fn, void *self)
{
	struct entry *entry = deltas_take_or_make(deltas, &(struct entry){
		.deltas = deltas, .head = *head, .from = from, .octets = octets,
	});

	if (!entry->known && !entry->loading && !deltas_load(deltas, entry)) {
		entry_free(entry);
		fn(self, ERR_BUSY, NULL);
		return;
	}
	deltas_put_first(deltas, entry);
	if (entry->known)
		fn(self, OK, entry->delta);
	else
		deltas_add_waiter(entry, fn, self);
}

void deltas_free(struct deltas **deltas)
{
	struct deltas *old = *deltas;

	*deltas = NULL;
	if (!old)
		return;
	lane_free(&old->lane);
	while (old->newest) {
		struct entry *entry = old->newest;

		old->newest = entry->next;
		entry_free(entry);
	}
	db_free(&old->db);
	free(old);
}
