#include "core/update.h"

#include <string.h>

#include "base/log.h"
#include "model/rr.h"

/* One name's update on its way. */
struct making {
	struct view *view;
	const struct plan_item *items;
	size_t count;
	const char *ours;
	uint32_t mark_ttl;
	struct update *update;
};

static bool is_done(const struct plan_item *item)
{
	return item->step != STEP_NONE && !item->is_held;
}

/* ---- records of the message ---- */

static bool is_same(const struct update_rr *a, const struct update_rr *b)
{
	return a->kind == b->kind && a->type == b->type &&
	       name_equal(&a->name, &b->name) && !rdata_compare(a->rdata, b->rdata);
}

/* Once: sets of one name may be told apart by the same mark. */
static void put(struct making *making, struct update_rrs *to, struct update_rr rr)
{
	struct update_rr *old = to->rrs;

	for (size_t i = 0; i < to->count; i++)
		if (is_same(&to->rrs[i], &rr))
			return;
	if (to->count == to->size) {
		to->size = to->size ? 2 * to->size : 16;
		to->rrs = arena_alloc(view_arena(making->view), to->size * sizeof(rr));
		if (old)
			memcpy(to->rrs, old, to->count * sizeof(rr));
	}
	to->rrs[to->count++] = rr;
}

static void require(struct making *making, enum update_kind kind, const struct name *name,
                    uint16_t type)
{
	put(making, &making->update->prerequisites,
	    (struct update_rr){ .kind = kind, .name = *name, .type = type });
}

/* Just these records, or none at all. */
static void require_set(struct making *making, const struct name *name, uint16_t type,
                        const struct rrset *set)
{
	if (!set->count)
		require(making, UPDATE_NO_SET, name, type);
	for (size_t i = 0; i < set->count; i++)
		put(making, &making->update->prerequisites,
		    (struct update_rr){ .kind = UPDATE_SET_IS, .name = *name,
		                        .type = type, .rdata = set->records[i] });
}

static void change(struct making *making, enum update_kind kind, const struct name *name,
                   uint16_t type, uint32_t ttl, struct rdata rdata)
{
	put(making, &making->update->changes,
	    (struct update_rr){ kind, *name, type, ttl, rdata });
}

static void drop_set(struct making *making, const struct name *name, uint16_t type)
{
	change(making, UPDATE_DELETE_SET, name, type, 0, (struct rdata){ 0 });
}

/* ---- marks ---- */

/* All TXT records where a mark is, or would be: marks, and what else there is. */
static void require_marks_as_read(struct making *making, const struct name *at)
{
	const struct node *node = view_find(making->view, at);
	const struct holding *txt = node ? node_holding(node, RR_TXT) : NULL;
	struct rrset all = { .type = RR_TXT };

	for (size_t i = 0; node && i < node->marks.count; i++)
		rrset_push(&all, 0, node->marks.records[i], view_arena(making->view));
	for (size_t i = 0; txt && i < txt->is.count; i++)
		rrset_push(&all, 0, txt->is.records[i], view_arena(making->view));
	require_set(making, at, RR_TXT, &all);
	if (!all.count)
		require(making, UPDATE_NO_SET, at, RR_CNAME);
}

static bool is_by_us(const struct making *making, const struct claim *claim)
{
	return claim->mark && !strcmp(mark_get(claim->mark, "owner"), making->ours);
}

static bool has_claim(const struct holding *holding, const struct claim *claim)
{
	const struct claim *has = holding->claims;

	while (has && has != claim)
		has = has->next;
	return has;
}

/* Does it speak for another set of the name, that stays? */
static bool is_needed(const struct making *making, const struct plan_item *item,
                      const struct claim *claim)
{
	for (size_t i = 0; i < making->count; i++) {
		const struct plan_item *other = &making->items[i];

		if (other->holding != item->holding && other->holding->is.count &&
		    has_claim(other->holding, claim) &&
		    !(is_done(other) && other->step == STEP_DELETE))
			return true;
	}
	return false;
}

static void remove_marks(struct making *making, const struct plan_item *item)
{
	const struct claim *claim = item->holding->claims;
	struct name at;

	for (; claim; claim = claim->next) {
		if (!is_by_us(making, claim))
			continue;
		node_name(claim->node, &at);
		require_marks_as_read(making, &at);
		if (!is_needed(making, item, claim))
			change(making, UPDATE_DELETE, &at, RR_TXT, 0, claim->rdata);
	}
}

static struct rdata mark_rdata(struct making *making, const struct plan_item *item)
{
	struct buf rdata = { 0 };
	struct rdata copy;
	struct mark mark;

	plan_mark(making->view, item, making->ours, &mark);
	mark_write(&mark, view_is_bare(making->view), &rdata);
	copy.len = (uint16_t)rdata.len;
	copy.octets = arena_dup(view_arena(making->view), rdata.data, rdata.len);
	buf_clear(&rdata);
	return copy;
}

/* Where it stands, or where our form has it. */
static void put_mark(struct making *making, const struct plan_item *item)
{
	const struct claim *claim = holding_claim(making->view, item->holding);
	struct rdata rdata = mark_rdata(making, item);
	struct name at;
	struct why why;

	if (claim)
		node_name(claim->node, &at);
	else
		bug_if(view_mark_name(making->view, item->node, item->type, &at, &why));
	require_marks_as_read(making, &at);
	if (claim && !rdata_compare(claim->rdata, rdata))
		return;
	if (claim)
		change(making, UPDATE_DELETE, &at, RR_TXT, 0, claim->rdata);
	change(making, UPDATE_ADD, &at, RR_TXT, making->mark_ttl, rdata);
}

/* ---- sets ---- */

static bool is_there(const struct node *node, uint16_t type)
{
	const struct holding *holding = node_holding(node, type);

	return holding && holding->is.count;
}

static bool is_in_use(const struct node *node)
{
	for (const struct holding *holding = node->holdings; holding;
	     holding = holding->next)
		if (holding->is.count)
			return true;
	return node->marks.count;
}

/* A type that comes must not meet what it cannot stand beside. */
static void require_room(struct making *making, const struct plan_item *item,
                         const struct name *name)
{
	require(making, UPDATE_NO_SET, name, item->type);
	if (item->type != RR_CNAME && !is_there(item->node, RR_CNAME))
		require(making, UPDATE_NO_SET, name, RR_CNAME);
	if (item->type != RR_CNAME)
		return;
	if (!is_in_use(item->node))
		require(making, UPDATE_NO_NAME, name, 0);
	for (size_t i = 0; is_in_use(item->node) && mark_type_at(i); i++)
		if (!is_there(item->node, mark_type_at(i)))
			require(making, UPDATE_NO_SET, name, mark_type_at(i));
}

static void add_all(struct making *making, const struct plan_item *item,
                    const struct name *name)
{
	for (size_t i = 0; i < item->becomes.count; i++)
		change(making, UPDATE_ADD, name, item->type, item->becomes.ttl,
		       item->becomes.records[i]);
}

/* Only what differs; with another TTL that is all of it. */
static void alter(struct making *making, const struct plan_item *item,
                  const struct name *name)
{
	const struct rrset *is = &item->holding->is, *becomes = &item->becomes;

	if (is->ttl != becomes->ttl) {
		drop_set(making, name, item->type);
		add_all(making, item, name);
		return;
	}
	for (size_t i = 0; i < is->count; i++)
		if (!rrset_has(becomes, is->records[i]))
			change(making, UPDATE_DELETE, name, item->type, 0,
			       is->records[i]);
	for (size_t i = 0; i < becomes->count; i++)
		if (!rrset_has(is, becomes->records[i]))
			change(making, UPDATE_ADD, name, item->type, becomes->ttl,
			       becomes->records[i]);
}

static void make_departure(struct making *making, const struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	require_set(making, &name, item->type, &item->holding->is);
	if (item->step == STEP_LEAVE)
		alter(making, item, &name);
	if (item->step == STEP_DELETE)
		drop_set(making, &name, item->type);
	remove_marks(making, item);
}

static void make_arrival(struct making *making, const struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	if (item->step == STEP_CREATE) {
		require_room(making, item, &name);
		add_all(making, item, &name);
	} else {
		require_set(making, &name, item->type, &item->holding->is);
		alter(making, item, &name);
	}
	put_mark(making, item);
}

/* What goes comes first, for what comes may need its place (3.4.2.2). */
void update_make(struct view *view, const struct plan_item *items, size_t count,
                 const char *ours, uint32_t mark_ttl, struct update *update)
{
	struct making making = { view, items, count, ours, mark_ttl, update };

	*update = (struct update){ 0 };
	for (size_t i = 0; i < count; i++)
		if (is_done(&items[i]) && items[i].step != STEP_CREATE &&
		    items[i].step != STEP_UPDATE)
			make_departure(&making, &items[i]);
	for (size_t i = 0; i < count; i++)
		if (is_done(&items[i]) &&
		    (items[i].step == STEP_CREATE || items[i].step == STEP_UPDATE))
			make_arrival(&making, &items[i]);
}
