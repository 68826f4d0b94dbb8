#include "core/desired.h"

#include <stdlib.h>
#include <string.h>

#include "model/rr.h"

/* ---- merging endpoints ---- */

static int desired_compare(const void *a, const void *b)
{
	const struct desired *x = a, *y = b;

	if (x->rrset.type != y->rrset.type)
		return x->rrset.type < y->rrset.type ? -1 : 1;
	return strcmp(x->resource, y->resource);
}

static void desired_add_endpoint(struct desired *desired, const struct desired *endpoint,
                                 struct arena *arena)
{
	for (size_t i = 0; i < endpoint->rrset.count; i++)
		rrset_push(&desired->rrset, endpoint->rrset.ttl,
		           endpoint->rrset.records[i], arena);
	desired->has_ttl = desired->has_ttl && endpoint->has_ttl;
	desired->is_shared = desired->is_shared && endpoint->is_shared;
}

struct desired *desired_merge(struct desired *endpoints, size_t count,
                              struct arena *arena)
{
	struct desired *list = NULL;

	if (count > 1)
		qsort(endpoints, count, sizeof(*endpoints), desired_compare);
	for (size_t i = 0; i < count; i++) {
		if (!list || desired_compare(list, &endpoints[i])) {
			struct desired *desired = arena_dup(arena, &endpoints[i],
			                                    sizeof(*desired));

			desired->rrset =
			    (struct rrset){ .type = endpoints[i].rrset.type };
			desired->next = list;
			list = desired;
		}
		desired_add_endpoint(list, &endpoints[i], arena);
	}
	for (struct desired *desired = list; desired; desired = desired->next)
		rrset_sort(&desired->rrset);
	return list;
}

static bool desired_has_mark(const struct desired *desired, const struct view *view)
{
	for (size_t i = 0; i < desired->rrset.count; i++)
		if (view_is_mark(view, desired->rrset.records[i]))
			return true;
	return false;
}

const char *desired_fault(const struct desired *desired, const struct view *view)
{
	uint16_t type = desired->rrset.type;

	if (!desired->rrset.count)
		return "the endpoint has no records";
	if (!mark_resource_is_valid(desired->resource))
		return "the name of the resource is too long or contains a character "
			"that is not allowed in an ownership mark";
	if (desired->rrset.count > 1 && (type == RR_CNAME || type == RR_DNAME))
		return "a CNAME or DNAME record set must contain exactly one record";
	if (type == RR_TXT && desired_has_mark(desired, view))
		return "a TXT record of the endpoint looks like an ownership mark: "
			"change the data of the record";
	return NULL;
}

/* ---- conflicts ---- */

/* Resources of our own programs; all other resources came by RPC. */
static const struct rank {
	const char *prefix;
	int rank;
} ranks[] = {
	{ "router/", 1 },
	{ "route/",  2 },
	{ "port/",   3 },
};

static int desired_rank(const char *resource)
{
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (!strncmp(resource, ranks[i].prefix, strlen(ranks[i].prefix)))
			return ranks[i].rank;
	return 0;
}

/* True: the mark in the zone names this resource. */
static bool desired_has_set(const struct desired *desired, const struct node *node)
{
	const struct view_set *set = node_find_set(node, desired->rrset.type);
	const char *resource = view_set_exists(set) ? view_set_resource(set) : NULL;

	return resource && !strcmp(resource, desired->resource);
}

static int desired_compare_records(const struct rrset *a, const struct rrset *b)
{
	int order = (a->count > b->count) - (a->count < b->count);

	for (size_t i = 0; !order && i < a->count; i++)
		order = rdata_compare(a->records[i], b->records[i]);
	return order;
}

/* Orders sets of one type. Their resources differ, so the order is total. */
static bool desired_is_before(const struct desired *a, const struct desired *b,
                              const struct node *node)
{
	int order = desired_has_set(b, node) - desired_has_set(a, node);

	if (!order)
		order = desired_rank(a->resource) - desired_rank(b->resource);
	if (!order)
		order = desired_compare_records(&a->rrset, &b->rrset);
	return order ? order < 0 : strcmp(a->resource, b->resource) < 0;
}

/* Compares FIRST with the next sets of its type; returns the first of another type. */
static struct desired *desired_resolve_type(struct desired *first,
                                            const struct node *node)
{
	struct desired *best = NULL, *desired = first;

	for (; desired && desired->rrset.type == first->rrset.type;
	     desired = desired->next) {
		if (desired->is_excluded)
			continue;
		desired->has_lost = best && !desired_is_before(desired, best, node);
		if (desired->has_lost)
			continue;
		if (best)
			best->has_lost = true;
		best = desired;
	}
	return desired;
}

static struct desired *desired_winner(struct desired *list, uint16_t type)
{
	while (list && (list->rrset.type != type || list->has_lost ||
	                list->is_excluded))
		list = list->next;
	return list;
}

static void desired_resolve_cname(struct desired *list, const struct node *node)
{
	struct desired *cname = desired_winner(list, RR_CNAME);
	bool stays = cname && desired_has_set(cname, node), is_alone = true;

	for (struct desired *desired = list; cname && desired; desired = desired->next) {
		if (desired == cname || desired->has_lost || desired->is_excluded)
			continue;
		is_alone = false;
		desired->has_lost = stays;
	}
	if (cname && !stays && !is_alone)
		cname->has_lost = true;
}

void desired_resolve(struct desired *list, const struct node *node)
{
	for (struct desired *desired = list; desired; )
		desired = desired_resolve_type(desired, node);
	desired_resolve_cname(list, node);
}

const struct desired *desired_of(const struct desired *list, uint16_t type)
{
	const struct desired *won = desired_winner((struct desired *)list, type);

	if (won)
		return won;
	while (list && (list->rrset.type != type || !list->is_excluded))
		list = list->next;
	return list;
}
