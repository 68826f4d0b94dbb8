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
	MAX_EXPECTED = 64,		/* that wait already */
	MAX_RECENT = 4096,
	RECENT_MS = 1000,
};

struct question {
	struct question *next;
	struct name name;
	bool apex;
	bool outdated;			/* news came after the statement began */
	head_fn *fn;			/* NULL: it is only expected */
	void *self;
};

/*
 * The answer to a question, to be used again for a second. In
 * the order of their making.
 */
struct recent {
	struct recent *next;
	struct name name;
	bool is_ours;
	struct head head;
	int64_t asked_ms;
};

/* What one statement asks for. */
struct batch {
	struct heads *heads;
	struct question *questions;
	char *names[STORE_NAMES];
	size_t count;
	int64_t asked_ms;
	struct head_row *found;
	size_t found_count;
	enum err err;
	struct why why;
};

struct heads {
	struct loop *loop;
	struct lane *lane;
	struct db *db;			/* the lane's */
	struct deltas *deltas;
	struct question *waiting, **waiting_end;
	size_t waiting_count;
	bool running, was_down, closing;
	struct batch *batch;		/* that is running */
	struct soa_cache *cache;
	struct recovery *recovery;
	struct map *recent_by_name;
	struct recent *oldest, **newest_end;
};

struct heads *heads_new(struct loop *loop, const struct db_config *config,
                        struct deltas *deltas, const struct figures *figures,
                        int64_t memory)
{
	struct heads *heads = xcalloc(1, sizeof(*heads));

	heads->loop = loop;
	heads->lane = lane_new(loop, "heads", 1);
	heads->db = db_new(config);
	heads->deltas = deltas;
	heads->waiting_end = &heads->waiting;
	heads->cache = soa_cache_new(random_u32(), (size_t)memory);
	heads->recovery = recovery_new(loop, config, heads->cache, figures);
	heads->recent_by_name = map_new(random_u32());
	heads->newest_end = &heads->oldest;
	return heads;
}

/* ---- what was asked lately ---- */

static void forget_oldest(struct heads *heads)
{
	struct recent *oldest = heads->oldest;

	heads->oldest = oldest->next;
	if (!heads->oldest)
		heads->newest_end = &heads->oldest;
	if (map_get(heads->recent_by_name, oldest->name.wire, oldest->name.len) == oldest)
		map_remove(heads->recent_by_name, oldest->name.wire, oldest->name.len);
	free(oldest);
}

static void forget_old(struct heads *heads)
{
	int64_t limit_ms = loop_now_ms(heads->loop) - RECENT_MS;

	while (heads->oldest && (heads->oldest->asked_ms < limit_ms ||
				 map_count(heads->recent_by_name) > MAX_RECENT))
		forget_oldest(heads);
}

static void remember(struct heads *heads, const struct name *name,
                     const struct head *head, int64_t asked_ms)
{
	struct recent *recent = xcalloc(1, sizeof(*recent));

	recent->name = *name;
	recent->is_ours = head;
	if (head)
		recent->head = *head;
	recent->asked_ms = asked_ms;
	*heads->newest_end = recent;
	heads->newest_end = &recent->next;
	map_put(heads->recent_by_name, name->wire, name->len, recent);
	forget_old(heads);
}

bool heads_recent(const struct heads *heads, const struct name *name,
                  const struct head **head)
{
	const struct recent *recent =
	    map_get(heads->recent_by_name, name->wire, name->len);

	if (!recent || recent->asked_ms < loop_now_ms(heads->loop) - RECENT_MS)
		return false;
	*head = recent->is_ours ? &recent->head : NULL;
	return true;
}

/* ---- the SOA cache ---- */

bool heads_known(const struct heads *heads, const struct name *name, struct head *head)
{
	return soa_cache_get(heads->cache, name, loop_now_ms(heads->loop), head);
}

const uint8_t *heads_soa_record(const struct heads *heads, const struct name *name,
                                size_t *len)
{
	return soa_cache_record(heads->cache, name, loop_now_ms(heads->loop), len);
}

static void outdate(struct heads *heads, const struct name *zone)
{
	struct question *at = heads->batch ? heads->batch->questions : NULL;

	for (; at; at = at->next)
		at->outdated |= !zone || name_equal(&at->name, zone);
}

bool heads_news(struct heads *heads, const struct name *zone,
                const struct edition *edition)
{
	outdate(heads, zone);
	if (soa_cache_has(heads->cache, zone, edition))
		return false;
	soa_cache_drop(heads->cache, zone);
	return true;
}

/* What is being read now may be as old. */
void heads_recover(struct heads *heads)
{
	outdate(heads, NULL);
	soa_cache_doubt(heads->cache);
	recovery_start(heads->recovery);
}

/* ---- a batch ---- */

static void batch_run(void *job)
{
	struct batch *batch = job;

	batch->err =
	    store_heads(batch->heads->db, (const char *const *)batch->names, batch->count,
	                &batch->found, &batch->found_count, &batch->why);
}

/* The zone of a name is the longest of those above it. */
static const struct head *find_zone(const struct batch *batch, const struct name *name)
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

static void append(struct heads *heads, struct question *question)
{
	question->next = NULL;
	*heads->waiting_end = question;
	heads->waiting_end = &question->next;
	heads->waiting_count++;
}

static void answer(struct batch *batch, struct question *question)
{
	const struct head *head = batch->err ? NULL : find_zone(batch, &question->name);
	bool is_it = head && name_equal(&head->name, &question->name);

	if (!batch->err && question->apex && !is_it && !batch->heads->closing &&
	    question->fn) {
		question->apex = false;		/* now with those above it */
		append(batch->heads, question);
		return;
	}
	if (!batch->err && !question->apex)
		remember(batch->heads, &question->name, head, batch->asked_ms);
	else if (is_it && head->soa_len && !question->outdated)
		soa_cache_put(batch->heads->cache, head, batch->asked_ms);
	if (question->fn)
		question->fn(question->self, batch->err, head);
	free(question);
}

/* Said once when it goes away and once when it is back, not for every question. */
static void note_health(struct heads *heads, const struct batch *batch)
{
	bool down = batch->err;

	if (down && !heads->was_down)
		log_warn("database failed: error=%s reason=%s", err_name(batch->err),
		         batch->why.text);
	if (!down && heads->was_down)
		log_info("database answers again");
	heads->was_down = down;
}

/* Who sees that a zone has changed asks what has, and need not wait for that again. */
static void keep_changes(struct batch *batch)
{
	for (size_t i = 0; i < batch->found_count; i++)
		deltas_put(batch->heads->deltas, &batch->found[i].head,
		           &batch->found[i].newest);
}

static void batch_free(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		free(batch->names[i]);
	free(batch->found);
	free(batch);
}

static void start_batch(struct heads *heads);

static void batch_done(void *job)
{
	struct batch *batch = job;
	struct heads *heads = batch->heads;
	struct question *question;

	if (!lane_job_ran(heads->lane)) {
		batch->err = ERR_UNREACHABLE;
		fail(&batch->why, batch->err, "the program is stopping");
	}
	heads->running = false;
	heads->batch = NULL;
	note_health(heads, batch);
	keep_changes(batch);
	while ((question = batch->questions)) {
		batch->questions = question->next;
		answer(batch, question);
	}
	batch_free(batch);
	start_batch(heads);
}

static bool has_name(const struct batch *batch, const char *text)
{
	for (size_t i = 0; i < batch->count; i++)
		if (!strcmp(batch->names[i], text))
			return true;
	return false;
}

/*
 * The name and all above it, the root with them; or, for an apex, it alone.
 * False, and nothing added, if there is no room.
 */
static bool add_names(struct batch *batch, const struct question *question)
{
	char text[NAME_MAX_TEXT + 1];
	struct name at = question->name;

	if (batch->count + name_labels(&at) + 1 > STORE_NAMES)
		return false;
	do {
		name_format(&at, text);
		if (!has_name(batch, text))
			batch->names[batch->count++] = xstrdup(text);
	} while (!question->apex && name_parent(&at, &at));
	return true;
}

static void start_batch(struct heads *heads)
{
	struct batch *batch;
	struct question **end;

	if (heads->running || !heads->waiting)
		return;
	batch = xcalloc(1, sizeof(*batch));
	batch->heads = heads;
	batch->asked_ms = loop_now_ms(heads->loop);
	end = &batch->questions;
	while (heads->waiting && add_names(batch, heads->waiting)) {
		*end = heads->waiting;
		end = &heads->waiting->next;
		heads->waiting = heads->waiting->next;
		heads->waiting_count--;
	}
	*end = NULL;
	if (!heads->waiting)
		heads->waiting_end = &heads->waiting;
	heads->running = true;
	heads->batch = batch;
	bug_if(!lane_submit(heads->lane, batch_run, batch_done, batch));
}

enum err heads_ask(struct heads *heads, const struct name *name, bool apex, head_fn *fn,
                   void *self)
{
	struct question *question;

	if (heads->closing || heads->waiting_count >= MAX_WAITING)
		return ERR_BUSY;
	question = xcalloc(1, sizeof(*question));
	question->name = *name;
	question->apex = apex;
	question->fn = fn;
	question->self = self;
	append(heads, question);
	start_batch(heads);
	return OK;
}

void heads_expect(struct heads *heads, const struct name *zone)
{
	if (heads->waiting_count < MAX_EXPECTED)
		heads_ask(heads, zone, true, NULL, NULL);
}

void heads_free(struct heads **heads)
{
	struct heads *old = *heads;
	struct question *question;

	*heads = NULL;
	if (!old)
		return;
	old->closing = true;
	question = old->waiting;
	old->waiting = NULL;		/* so that the last batch starts no other */
	lane_free(&old->lane);
	for (struct question *next; question; question = next) {
		next = question->next;
		if (question->fn)
			question->fn(question->self, ERR_UNREACHABLE, NULL);
		free(question);
	}
	db_free(&old->db);
	recovery_free(&old->recovery);
	while (old->oldest)
		forget_oldest(old);
	soa_cache_free(&old->cache);
	map_free(&old->recent_by_name);
	free(old);
}
