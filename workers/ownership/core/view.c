#include "core/view_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/rr.h"

struct view *view_new(const struct name *zone, uint32_t seed)
{
	struct view *view = xcalloc(1, sizeof(*view));

	view->arena = arena_new();
	view->nodes = map_new(seed);
	view->last = &view->first;
	view->last_marking = &view->markings;
	view->zone = *zone;
	return view;
}

void view_free(struct view **view)
{
	struct view *old = *view;

	*view = NULL;
	if (!old)
		return;
	map_free(&old->nodes);
	arena_free(&old->arena);
	free(old);
}

const struct name *view_zone(const struct view *view)
{
	return &view->zone;
}

const struct mark_form *view_form(const struct view *view)
{
	return &view->marks.form;
}

const char *view_owner(const struct view *view)
{
	return view->marks.owner;
}

const uint8_t *view_key(const struct view *view)
{
	return view->marks.key;
}

struct arena *view_arena(const struct view *view)
{
	return view->arena;
}

/* ---- nodes ---- */

struct node *view_first(const struct view *view)
{
	return view->first;
}

struct node *view_find(const struct view *view, const struct name *name)
{
	return map_get(view->nodes, name->wire, name->len);
}

struct node *view_node(struct view *view, const struct name *name)
{
	struct node *node = view_find(view, name);

	if (node)
		return node;
	node = arena_alloc(view->arena, sizeof(*node) + name->len);
	node->len = name->len;
	memcpy(node->wire, name->wire, name->len);
	map_put(view->nodes, node->wire, node->len, node);
	*view->last = node;
	view->last = &node->next;
	return node;
}

void node_name(const struct node *node, struct name *name)
{
	name->len = node->len;
	memcpy(name->wire, node->wire, node->len);
}

/* ---- sets ---- */

struct view_set *node_find_set(const struct node *node, uint16_t type)
{
	struct view_set *set = node ? node->sets : NULL;

	while (set && set->rrset.type != type)
		set = set->next;
	return set;
}

struct view_set *view_get_set(struct view *view, struct node *node, uint16_t type)
{
	struct view_set *set = node_find_set(node, type);

	if (set)
		return set;
	set = arena_alloc(view->arena, sizeof(*set));
	set->rrset.type = type;
	set->next = node->sets;
	node->sets = set;
	node->types++;
	return set;
}

bool view_set_exists(const struct view_set *set)
{
	return set && set->rrset.count;
}

bool node_has_records(const struct node *node, uint16_t type)
{
	return view_set_exists(node_find_set(node, type));
}

const char *view_set_resource(const struct view_set *set)
{
	return set->ours ? mark_get(set->ours->mark, "resource") : NULL;
}

bool view_add(struct view *view, const struct name *name, uint16_t type, uint32_t ttl,
              struct rdata rdata)
{
	struct node *node = view_node(view, name);
	struct view_set *set = node_find_set(node, type);

	if (!set && node->types == VIEW_TYPES_MAX)
		return false;
	if (!set)
		set = view_get_set(view, node, type);
	rdata.octets = arena_dup(view->arena, rdata.octets, rdata.len);
	rrset_push(&set->rrset, ttl, rdata, view->arena);
	return true;
}

/* ---- hidden names ---- */

/* True: the delegation at NODE hides names below it, and other sets at its name. */
static bool node_hides(const struct view *view, const struct node *cut, bool is_below,
                       uint16_t type)
{
	const struct view_set *ns = node_find_set(cut, RR_NS);

	if (is_below && node_has_records(cut, RR_DNAME))
		return true;
	if (cut->len == view->zone.len || !ns || !ns->rrset.count)
		return false;
	if (type == RR_NS || type == RR_DS)
		return is_below;
	return ns->owner != OWNER_US || (type != RR_A && type != RR_AAAA);
}

bool view_is_hidden(const struct view *view, const struct name *name, uint16_t type)
{
	struct name above = *name;
	bool is_below = false;

	do {
		const struct node *at = view_find(view, &above);

		if (at && node_hides(view, at, is_below, type))
			return true;
		is_below = true;
	} while (name_parent(&above, &above) && above.len >= view->zone.len);
	return false;
}

