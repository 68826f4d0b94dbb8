#include "zone_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "core/soa_cache.h"
#include "deltas.h"
#include "recovery.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/offload.h"

enum {
	MAX_WAITING = 8192,
	/* waiting requests beyond which nothing is prefetched */
	MAX_PREFETCHED = 64,
	MAX_RECENT = 4096,
	RECENT_MS = 1000,
};

struct lookup_request {
	struct lookup_request *next;
	struct name name;
	bool apex;
	bool outdated;			/* the zone has changed since it was read */
	zone_lookup_fn *fn;		/* NULL: a prefetch */
	void *self;
};

/*
 * A result that may be used again for a second. The list has the order of their reading.
 */
struct recent {
	struct recent *next;
	struct name name;
	bool is_ours;
	struct head head;
	int64_t asked_ms;
};

/* The names that one statement reads. */
struct batch {
	struct zone_lookup *lookup;
	struct lookup_request *requests;
	char *names[STORE_NAMES];
	size_t count;
	int64_t asked_ms;
	struct head_row *found;
	size_t found_count;
	enum err err;
	struct why why;
};

struct zone_lookup {
	struct loop *loop;
	struct lane *lane;
	struct db *db;			/* used by the lane */
	struct deltas *deltas;
	struct lookup_request *waiting, **waiting_end;
	size_t waiting_count;
	bool running, was_down, closing;
	struct batch *batch;		/* the running batch */
	struct soa_cache *cache;
	struct recovery *recovery;
	struct map *recent_by_name;
	struct recent *oldest, **newest_end;
};

struct zone_lookup *zone_lookup_new(struct loop *loop, const struct db_config *config,
                                    struct deltas *deltas, const struct figures *figures,
                                    int64_t memory)
{
	struct zone_lookup *lookup = xcalloc(1, sizeof(*lookup));

	lookup->loop = loop;
	lookup->lane = lane_new(loop, "heads", 1);
	lookup->db = db_new(config);
	lookup->deltas = deltas;
	lookup->waiting_end = &lookup->waiting;
	lookup->cache = soa_cache_new(random_u32(), (size_t)memory);
	lookup->recovery = recovery_new(loop, config, lookup->cache, figures);
	lookup->recent_by_name = map_new(random_u32());
	lookup->newest_end = &lookup->oldest;
	return lookup;
}

/* ---- recent results ---- */

static void zone_lookup_forget_oldest(struct zone_lookup *lookup)
{
	struct recent *oldest = lookup->oldest;

	lookup->oldest = oldest->next;
	if (!lookup->oldest)
		lookup->newest_end = &lookup->oldest;
	if (map_get(lookup->recent_by_name, oldest->name.wire,
	            oldest->name.len) == oldest)
		map_remove(lookup->recent_by_name, oldest->name.wire, oldest->name.len);
	free(oldest);
}

static void zone_lookup_forget_old(struct zone_lookup *lookup)
{
	int64_t limit_ms = loop_now_ms(lookup->loop) - RECENT_MS;

	while (lookup->oldest && (lookup->oldest->asked_ms < limit_ms ||
				  map_count(lookup->recent_by_name) > MAX_RECENT))
		zone_lookup_forget_oldest(lookup);
}

static void zone_lookup_remember(struct zone_lookup *lookup, const struct name *name,
                                 const struct head *head, int64_t asked_ms)
{
	struct recent *recent = xcalloc(1, sizeof(*recent));

	recent->name = *name;
	recent->is_ours = head;
	if (head)
		recent->head = *head;
	recent->asked_ms = asked_ms;
	*lookup->newest_end = recent;
	lookup->newest_end = &recent->next;
	map_put(lookup->recent_by_name, name->wire, name->len, recent);
	zone_lookup_forget_old(lookup);
}

bool zone_lookup_recent(const struct zone_lookup *lookup, const struct name *name,
                        const struct head **head)
{
	const struct recent *recent =
	    map_get(lookup->recent_by_name, name->wire, name->len);

	if (!recent || recent->asked_ms < loop_now_ms(lookup->loop) - RECENT_MS)
		return false;
	*head = recent->is_ours ? &recent->head : NULL;
	return true;
}

/* ---- the SOA cache ---- */

bool zone_lookup_cached(const struct zone_lookup *lookup, const struct name *name,
                        struct head *head)
{
	return soa_cache_get(lookup->cache, name, loop_now_ms(lookup->loop), head);
}

const uint8_t *zone_lookup_soa_record(const struct zone_lookup *lookup,
                                      const struct name *name, size_t *len)
{
	return soa_cache_record(lookup->cache, name, loop_now_ms(lookup->loop), len);
}

static void zone_lookup_outdate(struct zone_lookup *lookup, const struct name *zone)
{
	struct lookup_request *at = lookup->batch ? lookup->batch->requests : NULL;

	for (; at; at = at->next)
		at->outdated |= !zone || name_equal(&at->name, zone);
}

bool zone_lookup_changed(struct zone_lookup *lookup, const struct name *zone,
                         const struct edition *edition)
{
	zone_lookup_outdate(lookup, zone);
	if (soa_cache_has(lookup->cache, zone, edition))
		return false;
	soa_cache_drop(lookup->cache, zone);
	return true;
}

/* The running batch may have old results, too. */
void zone_lookup_recover(struct zone_lookup *lookup)
{
	zone_lookup_outdate(lookup, NULL);
	soa_cache_doubt(lookup->cache);
	recovery_start(lookup->recovery);
}

/* ---- a batch ---- */

static void batch_run(void *job)
{
	struct batch *batch = job;

	batch->err =
	    store_heads(batch->lookup->db, (const char *const *)batch->names,
	                batch->count, &batch->found, &batch->found_count, &batch->why);
}

/* The zone of a name is the longest one at or above it. */
static const struct head *zone_lookup_find_zone(const struct batch *batch,
                                                const struct name *name)
{
	const struct head *best = NULL;

	for (size_t i = 0; i < batch->found_count; i++) {
		const struct head *head = &batch->found[i].head;

		if (name_is_below(name, &head->name) &&
		    (!best || head->name.len > best->name.len))
			best = head;
	}
	return best;
}

static void zone_lookup_append(struct zone_lookup *lookup, struct lookup_request *request)
{
	request->next = NULL;
	*lookup->waiting_end = request;
	lookup->waiting_end = &request->next;
	lookup->waiting_count++;
}

static void zone_lookup_answer(struct batch *batch, struct lookup_request *request)
{
	const struct head *head =
	    batch->err ? NULL : zone_lookup_find_zone(batch, &request->name);
	bool is_it = head && name_equal(&head->name, &request->name);

	if (!batch->err && request->apex && !is_it && !batch->lookup->closing &&
	    request->fn) {
		request->apex = false;		/* now with the names above it */
		zone_lookup_append(batch->lookup, request);
		return;
	}
	if (!batch->err && !request->apex)
		zone_lookup_remember(batch->lookup, &request->name, head,
		                     batch->asked_ms);
	else if (is_it && head->soa_len && !request->outdated)
		soa_cache_put(batch->lookup->cache, head, batch->asked_ms);
	if (request->fn)
		request->fn(request->self, batch->err, head);
	free(request);
}

/* Logs once when the database fails and once when it is back. */
static void zone_lookup_note_health(struct zone_lookup *lookup, const struct batch *batch)
{
	bool down = batch->err;

	if (down && !lookup->was_down)
		log_warn("database does not answer: err=%s reason=\"%s\"",
		         err_name(batch->err),
		         batch->why.text);
	if (!down && lookup->was_down)
		log_info("database answers again");
	lookup->was_down = down;
}

/* A client that sees a new serial asks for the changes next, so they are kept. */
static void zone_lookup_keep_changes(struct batch *batch)
{
	for (size_t i = 0; i < batch->found_count; i++)
		deltas_put(batch->lookup->deltas, &batch->found[i].head,
		           &batch->found[i].newest);
}

static void batch_free(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		free(batch->names[i]);
	free(batch->found);
	free(batch);
}

static void zone_lookup_start_batch(struct zone_lookup *lookup);

static void batch_done(void *job)
{
	struct batch *batch = job;
	struct zone_lookup *lookup = batch->lookup;
	struct lookup_request *request;

	if (!lane_job_ran(lookup->lane)) {
		batch->err = ERR_UNREACHABLE;
		fail(&batch->why, batch->err, "mini-DNS is stopping");
	}
	lookup->running = false;
	lookup->batch = NULL;
	zone_lookup_note_health(lookup, batch);
	zone_lookup_keep_changes(batch);
	while ((request = batch->requests)) {
		batch->requests = request->next;
		zone_lookup_answer(batch, request);
	}
	batch_free(batch);
	zone_lookup_start_batch(lookup);
}

static bool batch_has_name(const struct batch *batch, const char *text)
{
	for (size_t i = 0; i < batch->count; i++)
		if (!strcmp(batch->names[i], text))
			return true;
	return false;
}

/*
 * Adds the name and all names above it with the root; for an apex only the name. False:
 * there is no room, and nothing was added.
 */
static bool batch_add_names(struct batch *batch, const struct lookup_request *request)
{
	char text[NAME_MAX_TEXT + 1];
	struct name at = request->name;

	if (batch->count + name_labels(&at) + 1 > STORE_NAMES)
		return false;
	do {
		name_format(&at, text);
		if (!batch_has_name(batch, text))
			batch->names[batch->count++] = xstrdup(text);
	} while (!request->apex && name_parent(&at, &at));
	return true;
}

static void zone_lookup_start_batch(struct zone_lookup *lookup)
{
	struct batch *batch;
	struct lookup_request **end;

	if (lookup->running || !lookup->waiting)
		return;
	batch = xcalloc(1, sizeof(*batch));
	batch->lookup = lookup;
	batch->asked_ms = loop_now_ms(lookup->loop);
	end = &batch->requests;
	while (lookup->waiting && batch_add_names(batch, lookup->waiting)) {
		*end = lookup->waiting;
		end = &lookup->waiting->next;
		lookup->waiting = lookup->waiting->next;
		lookup->waiting_count--;
	}
	*end = NULL;
	if (!lookup->waiting)
		lookup->waiting_end = &lookup->waiting;
	lookup->running = true;
	lookup->batch = batch;
	bug_if(!lane_submit(lookup->lane, batch_run, batch_done, batch));
}

enum err zone_lookup_find(struct zone_lookup *lookup, const struct name *name, bool apex,
                          zone_lookup_fn *fn, void *self)
{
	struct lookup_request *request;

	if (lookup->closing || lookup->waiting_count >= MAX_WAITING)
		return ERR_BUSY;
	request = xcalloc(1, sizeof(*request));
	request->name = *name;
	request->apex = apex;
	request->fn = fn;
	request->self = self;
	zone_lookup_append(lookup, request);
	zone_lookup_start_batch(lookup);
	return OK;
}

void zone_lookup_prefetch(struct zone_lookup *lookup, const struct name *zone)
{
	if (lookup->waiting_count < MAX_PREFETCHED)
		zone_lookup_find(lookup, zone, true, NULL, NULL);
}

void zone_lookup_free(struct zone_lookup **lookup)
{
	struct zone_lookup *old = *lookup;
	struct lookup_request *request;

	*lookup = NULL;
	if (!old)
		return;
	old->closing = true;
	request = old->waiting;
	/* so that the last batch does not start another one */
	old->waiting = NULL;
	lane_free(&old->lane);
	for (struct lookup_request *next; request; request = next) {
		next = request->next;
		if (request->fn)
			request->fn(request->self, ERR_UNREACHABLE, NULL);
		free(request);
	}
	db_free(&old->db);
	recovery_free(&old->recovery);
	while (old->oldest)
		zone_lookup_forget_oldest(old);
	soa_cache_free(&old->cache);
	map_free(&old->recent_by_name);
	free(old);
}
