#include "service_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "codec.h"
#include "core/source.h"
#include "runtime/tx.h"
#include "store.h"

/*
 * Compares the list of a resource with its former list, and writes the difference. A
 * repeated message, even after a newer one, gets the same answer as before and changes
 * nothing.
 */
struct applying {
	struct ownership *ownership;
	struct registry *registry;
	struct request *req;
	struct endpoint_list list;
	struct source source;		/* before the call */
	bool is_known;
	struct map *before, *now;	/* endpoints by their key: former; present */
	struct endpoint *changed, *gone;	/* endpoints: new or changed; removed */
	size_t changed_count, gone_count, gone_size;
	size_t new_count;		/* of the changed endpoints */
	bool is_changed;
};

/* ---- the difference ---- */

static char *endpoint_key(const struct endpoint *endpoint, struct arena *arena)
{
	return arena_printf(arena, "%s %d %s", endpoint->name_text, endpoint->rrset.type,
	                    endpoint->set_id);
}

static void applying_push_gone(struct applying *a, const struct endpoint *endpoint)
{
	if (a->gone_count == a->gone_size) {
		const struct endpoint *old = a->gone;

		a->gone_size = 2 * a->gone_size + 16;
		a->gone = arena_alloc(a->req->arena, a->gone_size * sizeof(*a->gone));
		if (old)
			memcpy(a->gone, old, a->gone_count * sizeof(*a->gone));
	}
	a->gone[a->gone_count++] = *endpoint;
}

static void applying_add_before(void *self, const struct endpoint *endpoint)
{
	struct applying *a = self;
	char *key = endpoint_key(endpoint, a->req->arena);

	map_put(a->before, key, strlen(key),
	        arena_dup(a->req->arena, endpoint, sizeof(*endpoint)));
	if (!map_get(a->now, key, strlen(key)))
		applying_push_gone(a, endpoint);
}

/* NULL: the endpoint is new. */
static const struct endpoint *applying_former(const struct applying *a,
                                              const struct endpoint *endpoint)
{
	char *key = endpoint_key(endpoint, a->req->arena);

	return map_get(a->before, key, strlen(key));
}

static bool applying_is_unchanged(const struct endpoint *before,
                                  const struct endpoint *endpoint)
{
	return before && !before->is_copy && before->has_ttl == endpoint->has_ttl &&
	       (!endpoint->has_ttl || before->rrset.ttl == endpoint->rrset.ttl) &&
	       before->is_shared == endpoint->is_shared &&
	       rrset_same_records(&before->rrset, &endpoint->rrset);
}

static void applying_compare(struct applying *a, struct tx *tx)
{
	struct endpoint_list *list = &a->list;

	for (size_t i = 0; i < list->count; i++) {
		char *key = endpoint_key(&list->endpoints[i], a->req->arena);

		map_put(a->now, key, strlen(key), &list->endpoints[i]);
	}
	store_endpoints(tx, a->req->arena, a->registry->id, list->resource,
	                applying_add_before, a);
	a->changed = arena_alloc(a->req->arena,
	                         (list->count + 1) * sizeof(*a->changed));
	for (size_t i = 0; i < list->count; i++) {
		const struct endpoint *now = &list->endpoints[i];
		const struct endpoint *before = applying_former(a, now);

		if (applying_is_unchanged(before, now))
			continue;
		a->changed[a->changed_count++] = *now;
		a->new_count += !before;
	}
}

/* ---- the result ---- */

static struct source applying_source(const struct applying *a, struct tx *tx)
{
	const struct endpoint_list *list = &a->list;
	size_t before = map_count(a->before);
	const struct source_report report = {
		.is_complete = list->is_complete, .count = list->count,
		.left = a->gone_count,
		.had = a->source.endpoints > before ? a->source.endpoints : before,
		.owns_sets = list->count ||
		             store_owned_has(tx, a->registry->id, list->resource),
		.min_records = (size_t)a->registry->settings->min_records,
	};
	struct source_state state = source_decide(&report);

	return (struct source){ list->resource, state.is_complete, state.endpoints,
	                        list->rev ? list->rev : a->source.rev };
}

static void applying_check_quota(const struct applying *a, struct tx *tx,
                                 const struct source *source)
{
	size_t max = (size_t)a->registry->settings->max_endpoints;
	size_t total = store_endpoints_total(tx, a->registry->id);

	if (source->endpoints > a->source.endpoints &&
	    total - a->source.endpoints + source->endpoints > max)
		tx_fail(tx, ERR_QUOTA, "all resources of the zone together must have at "
		        "most %zu endpoints (max_endpoints), not %zu", max,
		        total - a->source.endpoints + source->endpoints);
}

static json_t *applying_answer(const struct applying *a, const struct source *source)
{
	size_t gone = a->list.is_complete ? a->gone_count : 0;

	return json_pack("{s:I, s:I, s:b}",
		"changed", (json_int_t)(a->changed_count + gone),
		"endpoints", (json_int_t)(a->list.count + a->gone_count - gone),
		"complete", source->is_complete);
}

/* For the log line of the call. */
static void applying_note_changed(const struct applying *a)
{
	struct changed *changed = service_note_registry(a->req, a->registry);

	changed->has_counts = true;
	changed->added = (int64_t)a->new_count;
	changed->updated = (int64_t)(a->changed_count - a->new_count);
	changed->deleted = a->list.is_complete ? (int64_t)a->gone_count : 0;
}

static void applying_write(struct applying *a, struct tx *tx, const struct source *source)
{
	const char *id = a->registry->id, *resource = a->list.resource;

	store_endpoints_put(tx, id, resource, a->changed, a->changed_count);
	if (a->list.is_complete)
		store_endpoints_delete(tx, id, resource, a->gone, a->gone_count);
	store_source_write(tx, id, source);
	a->is_changed = a->changed_count || !a->is_known ||
	                (a->list.is_complete && a->gone_count) ||
	                a->source.is_complete != source->is_complete;
	if (!a->is_changed)
		return;
	store_registry_changed(tx, id);
	applying_note_changed(a);
}

static void applying_keep_answer(const struct applying *a, struct tx *tx)
{
	char *text = json_dumps(a->req->result, JSON_COMPACT);

	store_answer_put(tx, a->req, text);
	free(text);
}

static void applying_run(struct applying *a, struct tx *tx)
{
	struct source source;

	if (a->list.rev && a->list.rev < a->source.rev) {
		tx_fail(tx, ERR_CONFLICT, "rev: must be at least %" PRIu64 ", not %"
		        PRIu64 ": the last list has rev %" PRIu64, a->source.rev,
		        a->list.rev, a->source.rev);
		return;
	}
	applying_compare(a, tx);
	source = applying_source(a, tx);
	applying_check_quota(a, tx, &source);
	applying_write(a, tx, &source);
	a->req->result = applying_answer(a, &source);
	applying_keep_answer(a, tx);
}

/*
 * Locks the source's row first, so that the later of two messages sees the result of the
 * other one.
 */
static enum err applying_commit(struct applying *a)
{
	struct tx tx = tx_begin(a->ownership->runtime.db, &a->req->why);
	const char *before;

	a->is_known = store_source_read(&tx, a->registry->id, a->list.resource,
	                                &a->source);
	before = store_answer(&tx, a->req);
	if (before)
		a->req->result = json_loads(before, 0, NULL);
	else if (!tx.err)
		applying_run(a, &tx);

	enum err err = tx_commit(&tx);
	if (err) {
		json_decref(a->req->result);
		a->req->result = NULL;
	}
	return err;
}

enum err service_apply_endpoints(void *self, struct request *req)
{
	struct applying a = { .ownership = self, .req = req };
	enum err err = service_registry(self, req, &a.registry);

	if (!err)
		err = codec_endpoints(req->args, a.registry, req->arena, &a.list,
		                      &req->why);
	if (err)
		return err;
	a.before = map_new(random_u32());
	a.now = map_new(random_u32());
	err = applying_commit(&a);
	map_free(&a.before);
	map_free(&a.now);
	if (!err && a.is_changed)
		due_now(self, a.registry);
	return err;
}
