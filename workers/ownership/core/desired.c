#include "core/desired.h"

#include <stdlib.h>
#include <string.h>

#include "model/rr.h"

/* ---- what belongs together ---- */

static int compare_wishes(const void *a, const void *b)
{
	const struct wish *x = a, *y = b;

	if (x->want.type != y->want.type)
		return x->want.type < y->want.type ? -1 : 1;
	return strcmp(x->resource, y->resource);
}

static void merge(struct wish *wish, const struct wish *endpoint, struct arena *arena)
{
	for (size_t i = 0; i < endpoint->want.count; i++)
		rrset_push(&wish->want, endpoint->want.ttl, endpoint->want.records[i],
		           arena);
	wish->has_ttl = wish->has_ttl && endpoint->has_ttl;
	wish->is_shared = wish->is_shared && endpoint->is_shared;
}

struct wish *wishes_merge(struct wish *endpoints, size_t count, struct arena *arena)
{
	struct wish *wishes = NULL;

	if (count > 1)
		qsort(endpoints, count, sizeof(*endpoints), compare_wishes);
	for (size_t i = 0; i < count; i++) {
		if (!wishes || compare_wishes(wishes, &endpoints[i])) {
			struct wish *wish = arena_dup(arena, &endpoints[i],
			                              sizeof(*wish));

			wish->want = (struct rrset){ .type = endpoints[i].want.type };
			wish->next = wishes;
			wishes = wish;
		}
		merge(wishes, &endpoints[i], arena);
	}
	for (struct wish *wish = wishes; wish; wish = wish->next)
		rrset_sort(&wish->want);
	return wishes;
}

static bool has_mark(const struct wish *wish, const struct view *view)
{
	for (size_t i = 0; i < wish->want.count; i++)
		if (view_is_mark(view, wish->want.records[i]))
			return true;
	return false;
}

const char *wish_fault(const struct wish *wish, const struct view *view)
{
	uint16_t type = wish->want.type;

	if (!wish->want.count)
		return "it has no records";
	if (!mark_resource_is_valid(wish->resource))
		return "its resource is no text that a mark can have";
	if (wish->want.count > 1 && (type == RR_CNAME || type == RR_DNAME))
		return "a name is an alias of one other";
	if (type == RR_TXT && has_mark(wish, view))
		return "it would be read as a mark";
	return NULL;
}

/* ---- who wins ---- */

/* Of the resources that our own programs write; all others came by RPC. */
static const struct source {
	const char *prefix;
	int rank;
} sources[] = {
	{ "router/", 1 },
	{ "route/",  2 },
	{ "port/",   3 },
};

static int rank_of(const char *resource)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strncmp(resource, sources[i].prefix, strlen(sources[i].prefix)))
			return sources[i].rank;
	return 0;
}

/* Does the mark of what is there say so? */
static bool has_it(const struct wish *wish, const struct node *node)
{
	const struct holding *holding = node_holding(node, wish->want.type);
	const struct marking *ours = holding_is_there(holding) ? holding->ours : NULL;
	const char *resource = ours ? mark_get(ours->mark, "resource") : NULL;

	return resource && !strcmp(resource, wish->resource);
}

static int compare_records(const struct rrset *a, const struct rrset *b)
{
	int order = (a->count > b->count) - (a->count < b->count);

	for (size_t i = 0; !order && i < a->count; i++)
		order = rdata_compare(a->records[i], b->records[i]);
	return order;
}

/* Of one type. The resources differ, so one is always before the other. */
static bool is_before(const struct wish *a, const struct wish *b, const struct node *node)
{
	int order = has_it(b, node) - has_it(a, node);

	if (!order)
		order = rank_of(a->resource) - rank_of(b->resource);
	if (!order)
		order = compare_records(&a->want, &b->want);
	return order ? order < 0 : strcmp(a->resource, b->resource) < 0;
}

/* FIRST and those of its type behind it; returns the first of the next type. */
static struct wish *resolve_type(struct wish *first, const struct node *node)
{
	struct wish *best = NULL, *wish = first;

	for (; wish && wish->want.type == first->want.type; wish = wish->next) {
		if (wish->is_hopeless)
			continue;
		wish->has_lost = best && !is_before(wish, best, node);
		if (wish->has_lost)
			continue;
		if (best)
			best->has_lost = true;
		best = wish;
	}
	return wish;
}

static struct wish *winner(struct wish *wishes, uint16_t type)
{
	while (wishes && (wishes->want.type != type || wishes->has_lost ||
	                  wishes->is_hopeless))
		wishes = wishes->next;
	return wishes;
}

static void resolve_cname(struct wish *wishes, const struct node *node)
{
	struct wish *cname = winner(wishes, RR_CNAME);
	bool stays = cname && has_it(cname, node), is_alone = true;

	for (struct wish *wish = wishes; cname && wish; wish = wish->next) {
		if (wish == cname || wish->has_lost || wish->is_hopeless)
			continue;
		is_alone = false;
		wish->has_lost = stays;
	}
	if (cname && !stays && !is_alone)
		cname->has_lost = true;
}

void wishes_resolve(struct wish *wishes, const struct node *node)
{
	for (struct wish *wish = wishes; wish; )
		wish = resolve_type(wish, node);
	resolve_cname(wishes, node);
}

const struct wish *wish_of(const struct wish *wishes, uint16_t type)
{
	const struct wish *won = winner((struct wish *)wishes, type);

	if (won)
		return won;
	while (wishes && (wishes->want.type != type || !wishes->is_hopeless))
		wishes = wishes->next;
	return wishes;
}
