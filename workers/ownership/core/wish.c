#include "core/wish.h"

#include <string.h>

#include "model/rr.h"

static struct wish *find(struct wish *wishes, const struct wish *like)
{
	while (wishes && (wishes->want.type != like->want.type ||
	                  strcmp(wishes->resource, like->resource)))
		wishes = wishes->next;
	return wishes;
}

void wish_add(struct wish **wishes, const struct wish *endpoint, struct arena *arena)
{
	struct wish *wish = find(*wishes, endpoint);

	if (!wish) {
		wish = arena_dup(arena, endpoint, sizeof(*endpoint));
		wish->want = (struct rrset){ .type = endpoint->want.type };
		wish->next = *wishes;
		*wishes = wish;
	}
	for (size_t i = 0; i < endpoint->want.count; i++)
		rrset_push(&wish->want, endpoint->want.ttl, endpoint->want.records[i],
		           arena);
	wish->has_ttl = wish->has_ttl && endpoint->has_ttl;
	wish->is_shared = wish->is_shared && endpoint->is_shared;
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
static bool has_it(const struct wish *wish, const struct view *view,
                   const struct node *node)
{
	const struct holding *holding = node_holding(node, wish->want.type);
	bool is_there = holding && holding->is.count;
	const struct claim *claim = is_there ? holding_claim(view, holding) : NULL;
	const char *resource = claim ? mark_get(claim->mark, "resource") : NULL;

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
static bool is_before(const struct wish *a, const struct wish *b, const struct view *view,
                      const struct node *node)
{
	int order = has_it(b, view, node) - has_it(a, view, node);

	if (!order)
		order = rank_of(a->resource) - rank_of(b->resource);
	if (!order)
		order = compare_records(&a->want, &b->want);
	return order ? order < 0 : strcmp(a->resource, b->resource) < 0;
}

static void resolve_type(struct wish *wish, const struct view *view,
                         const struct node *node)
{
	for (struct wish *other = wish->next; other; other = other->next) {
		if (other->want.type != wish->want.type || other->has_lost)
			continue;
		if (is_before(wish, other, view, node))
			other->has_lost = true;
		else
			wish->has_lost = true;
	}
}

static struct wish *winner(struct wish *wishes, uint16_t type)
{
	while (wishes && (wishes->want.type != type || wishes->has_lost))
		wishes = wishes->next;
	return wishes;
}

static void resolve_cname(struct wish *wishes, const struct view *view,
                          const struct node *node)
{
	struct wish *cname = winner(wishes, RR_CNAME);
	bool stays = cname && has_it(cname, view, node), is_alone = true;

	for (struct wish *wish = wishes; cname && wish; wish = wish->next) {
		if (wish == cname || wish->has_lost)
			continue;
		is_alone = false;
		wish->has_lost = stays;
	}
	if (cname && !stays && !is_alone)
		cname->has_lost = true;
}

/* A name is an alias of one other. */
static bool is_impossible(const struct wish *wish)
{
	return wish->want.count > 1 &&
	       (wish->want.type == RR_CNAME || wish->want.type == RR_DNAME);
}

void wishes_resolve(struct wish *wishes, const struct view *view, const struct node *node)
{
	for (struct wish *wish = wishes; wish; wish = wish->next) {
		rrset_sort(&wish->want);
		wish->has_lost = is_impossible(wish);
	}
	for (struct wish *wish = wishes; wish; wish = wish->next)
		if (!wish->has_lost)
			resolve_type(wish, view, node);
	resolve_cname(wishes, view, node);
}

const struct wish *wish_of(const struct wish *wishes, uint16_t type)
{
	return winner((struct wish *)wishes, type);
}
