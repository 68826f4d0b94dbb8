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
 * What a resource wants now is compared with what it wanted before, and the difference is
 * written. A message that comes again, perhaps after a newer one, gets the answer that it
 * got, and changes nothing.
 */
struct applying {
	struct ownership *ownership;
	struct registry *registry;
	struct request *req;
	struct wanted wanted;
	struct source source;		/* as it was */
	bool is_known;
	struct map *before, *now;	/* endpoints, by their key */
	struct endpoint *changed, *gone;	/* that it wants otherwise, or no more */
	size_t changed_count, gone_count, gone_size;
	bool is_changed;
};

/* ---- the difference ---- */

static char *key_of(const struct endpoint *endpoint, struct arena *arena)
{
	return arena_printf(arena, "%s %d %s", endpoint->name_text, endpoint->rrset.type,
	                    endpoint->set_id);
}

static void push_gone(struct applying *a, const struct endpoint *endpoint)
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

static void take_before(void *self, const struct endpoint *endpoint)
{
	struct applying *a = self;
	char *key = key_of(endpoint, a->req->arena);

	map_put(a->before, key, strlen(key),
	        arena_dup(a->req->arena, endpoint, sizeof(*endpoint)));
	if (!map_get(a->now, key, strlen(key)))
		push_gone(a, endpoint);
}

static bool is_as_before(const struct applying *a, const struct endpoint *endpoint)
{
	char *key = key_of(endpoint, a->req->arena);
	const struct endpoint *before = map_get(a->before, key, strlen(key));

	return before && !before->is_copy && before->has_ttl == endpoint->has_ttl &&
	       (!endpoint->has_ttl || before->rrset.ttl == endpoint->rrset.ttl) &&
	       before->is_shared == endpoint->is_shared &&
	       rrset_same_records(&before->rrset, &endpoint->rrset);
}

static void find_difference(struct applying *a, struct tx *tx)
{
	struct wanted *wanted = &a->wanted;

	for (size_t i = 0; i < wanted->count; i++) {
		char *key = key_of(&wanted->endpoints[i], a->req->arena);

		map_put(a->now, key, strlen(key), &wanted->endpoints[i]);
	}
	store_endpoints(tx, a->req->arena, a->registry->id, wanted->resource,
	                take_before, a);
	a->changed = arena_alloc(a->req->arena,
	                         (wanted->count + 1) * sizeof(*a->changed));
	for (size_t i = 0; i < wanted->count; i++)
		if (!is_as_before(a, &wanted->endpoints[i]))
			a->changed[a->changed_count++] = wanted->endpoints[i];
}

/* ---- what comes of it ---- */

static struct source judge(const struct applying *a, struct tx *tx)
{
	const struct wanted *wanted = &a->wanted;
	size_t before = map_count(a->before);
	const struct source_report report = {
		.is_complete = wanted->is_complete, .count = wanted->count,
		.left = a->gone_count,
		.had = a->source.endpoints > before ? a->source.endpoints : before,
		.owns_sets = wanted->count ||
		             store_owned_has(tx, a->registry->id, wanted->resource),
		.min_records = (size_t)a->registry->settings->min_records,
	};
	struct source_state state = source_decide(&report);

	return (struct source){ wanted->resource, state.is_complete, state.endpoints,
	                        wanted->rev ? wanted->rev : a->source.rev };
}

static void check_quota(const struct applying *a, struct tx *tx,
                        const struct source *source)
{
	size_t max = (size_t)a->registry->settings->max_endpoints;
	size_t total = store_endpoints_total(tx, a->registry->id);

	if (source->endpoints > a->source.endpoints &&
	    total - a->source.endpoints + source->endpoints > max)
		tx_fail(tx, ERR_QUOTA, "all resources together may want %zu endpoints "
		        "of the zone (max_endpoints)", max);
}

static json_t *answer(const struct applying *a, const struct source *source)
{
	size_t gone = a->wanted.is_complete ? a->gone_count : 0;

	return json_pack("{s:I, s:I, s:b}",
		"changed", (json_int_t)(a->changed_count + gone),
		"endpoints", (json_int_t)(a->wanted.count + a->gone_count - gone),
		"complete", source->is_complete);
}

static void write(struct applying *a, struct tx *tx, const struct source *source)
{
	const char *id = a->registry->id, *resource = a->wanted.resource;

	store_endpoints_put(tx, id, resource, a->changed, a->changed_count);
	if (a->wanted.is_complete)
		store_endpoints_delete(tx, id, resource, a->gone, a->gone_count);
	store_source_write(tx, id, source);
	a->is_changed = a->changed_count || !a->is_known ||
	                (a->wanted.is_complete && a->gone_count) ||
	                a->source.is_complete != source->is_complete;
	if (a->is_changed)
		store_registry_changed(tx, id);
}

static void keep_answer(const struct applying *a, struct tx *tx)
{
	char *text = json_dumps(a->req->result, JSON_COMPACT);

	store_answer_put(tx, a->req, text);
	free(text);
}

static void apply_new(struct applying *a, struct tx *tx)
{
	struct source source;

	if (a->wanted.rev && a->wanted.rev < a->source.rev) {
		tx_fail(tx, ERR_CONFLICT, "rev: a list of rev %" PRIu64 " came before",
		        a->source.rev);
		return;
	}
	find_difference(a, tx);
	source = judge(a, tx);
	check_quota(a, tx, &source);
	write(a, tx, &source);
	a->req->result = answer(a, &source);
	keep_answer(a, tx);
}

/* The source's row is locked first, so that of two messages one sees what the other did. */
static enum err apply(struct applying *a)
{
	struct tx tx = tx_begin(a->ownership->runtime.db, &a->req->why);
	const char *before;

	a->is_known = store_source_read(&tx, a->registry->id, a->wanted.resource,
	                                &a->source);
	before = store_answer(&tx, a->req);
	if (before)
		a->req->result = json_loads(before, 0, NULL);
	else if (!tx.err)
		apply_new(a, &tx);

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
		err = codec_wanted(req->args, a.registry, req->arena, &a.wanted,
		                   &req->why);
	if (err)
		return err;
	a.before = map_new(random_u32());
	a.now = map_new(random_u32());
	err = apply(&a);
	map_free(&a.before);
	map_free(&a.now);
	if (!err && a.is_changed)
		due_now(self, a.registry);
	return err;
}
