#include <string.h>

#include "core/view_private.h"
#include "model/rr.h"

/* ---- marks, told from other TXT records ---- */

static bool is_by_us(const struct view *view, const struct mark *mark)
{
	return mark && !strcmp(mark_get(mark, "owner"), view->ours);
}

static bool is_mark(struct view *view, struct node *node, struct rdata rdata,
                    struct found *found)
{
	struct mark mark;

	*found = (struct found){ .node = node, .rdata = rdata };
	found->kind = mark_read(rdata.octets, rdata.len, view->form.is_same, view->arena,
	                        &mark);
	if (found->kind == MARK_OWNED)
		found->mark = arena_dup(view->arena, &mark, sizeof(mark));
	return found->kind != MARK_DATA;
}

static void keep_found(struct view *view, const struct found *found)
{
	struct found *kept = arena_dup(view->arena, found, sizeof(*found));

	*view->last_found = kept;
	view->last_found = &kept->next;
}

/* Of a node's TXT records those that are marks stand apart from now on. */
static void part_marks(struct view *view, struct node *node)
{
	struct holding *txt = view_find_holding(node, RR_TXT);
	struct rrset all = txt ? txt->is : (struct rrset){ 0 };
	struct found found;

	if (!all.count)
		return;
	node->marks.type = RR_TXT;
	txt->is = (struct rrset){ .type = RR_TXT };
	for (size_t i = 0; i < all.count; i++) {
		if (is_mark(view, node, all.records[i], &found)) {
			rrset_push(&node->marks, all.ttl, all.records[i], view->arena);
			keep_found(view, &found);
		} else {
			rrset_push(&txt->is, all.ttl, all.records[i], view->arena);
		}
	}
}

/* ---- what they are for ---- */

/* What a mark may be read as; a form that is also another one reads nothing new. */
struct readings {
	struct mark_reading all[3 * MARK_READINGS_MAX];
	size_t count, typed;		/* those with a type, which come first */
};

static bool is_read(const struct readings *readings, const struct mark_reading *reading)
{
	for (size_t i = 0; i < readings->count; i++)
		if (readings->all[i].type == reading->type &&
		    name_equal(&readings->all[i].name, &reading->name))
			return true;
	return false;
}

static void add_reading(struct readings *readings, const struct mark_reading *reading)
{
	struct mark_reading *to = &readings->all[readings->count];

	if (is_read(readings, reading))
		return;
	readings->count++;
	if (reading->type) {
		*to = readings->all[readings->typed];
		to = &readings->all[readings->typed++];
	}
	*to = *reading;
}

static void read_as(const struct view *view, const struct mark_form *form,
                    const struct node *node, struct readings *readings)
{
	struct mark_reading found[MARK_READINGS_MAX];
	struct name name;

	node_name(node, &name);

	size_t count = mark_readings(form, &name, &view->zone, found);
	for (size_t i = 0; i < count; i++)
		add_reading(readings, &found[i]);
}

static void claim(struct view *view, struct claim **claims, const struct found *found)
{
	struct claim *claim = arena_alloc(view->arena, sizeof(*claim));

	*claim = (struct claim){ *claims, found->kind, found->mark, found->node,
	                         found->rdata };
	*claims = claim;
}

static void claim_as(struct view *view, const struct mark_reading *reading,
                     const struct found *found)
{
	struct node *node = view_node(view, &reading->name);

	if (reading->type)
		claim(view, &view_get_holding(view, node, reading->type)->claims, found);
	else
		claim(view, &node->untyped, found);
}

/* In the form that we write a "*" was meant, for no name that looks so is ever marked. */
static const struct mark_reading *meant(const struct readings *readings)
{
	const struct mark_reading *reading = readings->all;

	if (readings->typed == 2 && reading[0].type == reading[1].type)
		return reading[0].name.wire[1] == '*' ? &reading[0] : &reading[1];
	return readings->typed == 1 ? &reading[0] : NULL;
}

/* One of ours: what our own form says it is, or the one thing that others say. */
static bool claim_for_us(struct view *view, const struct found *found)
{
	const struct mark_reading *reading;
	struct readings own;

	own.count = own.typed = 0;

	read_as(view, &view->form, found->node, &own);
	if (!own.typed) {
		read_as(view, &mark_form_ours, found->node, &own);
		read_as(view, &mark_form_plain, found->node, &own);
	}
	reading = own.typed ? meant(&own) : own.count ? &own.all[0] : NULL;
	if (reading)
		claim_as(view, reading, found);
	return reading;
}

static void claim_for_others(struct view *view, const struct found *found)
{
	struct readings all;

	all.count = all.typed = 0;
	read_as(view, &view->form, found->node, &all);
	read_as(view, &mark_form_ours, found->node, &all);
	read_as(view, &mark_form_plain, found->node, &all);
	for (size_t i = 0; i < all.count; i++)
		claim_as(view, &all.all[i], found);
}

static void settle_mark(struct view *view, struct found *found)
{
	if (is_by_us(view, found->mark) && claim_for_us(view, found))
		return;
	if (is_by_us(view, found->mark)) {
		found->kind = MARK_BAD;
		found->mark = NULL;
	}
	claim_for_others(view, found);
}

/* ---- whose the sets are ---- */

struct tally {
	size_t ours, others, bad, shared, all;
	bool is_twice;			/* two of ours at one name */
};

static bool shares(const struct claim *claim)
{
	const char *value = claim->mark ? mark_get(claim->mark, "shared") : NULL;

	return value && !strcmp(value, "true");
}

static void count_claim(const struct view *view, const struct claim *claim,
                        struct tally *tally)
{
	tally->all++;
	tally->shared += shares(claim);
	tally->bad += claim->kind == MARK_BAD;
	if (!is_by_us(view, claim->mark)) {
		tally->others += claim->kind != MARK_BAD;
		return;
	}
	tally->ours++;
	for (const struct claim *other = claim->next; other; other = other->next)
		tally->is_twice = tally->is_twice || (other->node == claim->node &&
		                                      is_by_us(view, other->mark));
}

static enum whose judge(const struct view *view, const struct claim *claims)
{
	struct tally tally = { 0 };

	for (; claims; claims = claims->next)
		count_claim(view, claims, &tally);
	if (!tally.all)
		return WHOSE_NOBODYS;
	if (tally.is_twice)
		return WHOSE_CONTESTED;
	if (tally.shared == tally.all)
		return WHOSE_SHARED;
	if (tally.ours == tally.all)
		return WHOSE_OURS;
	if (tally.others == tally.all)
		return WHOSE_ANOTHERS;
	return tally.bad == tally.all ? WHOSE_BAD : WHOSE_CONTESTED;
}

/* external-dns never wrote a mark without a type for an AAAA record. */
static bool hears_untyped(const struct view *view, uint16_t type)
{
	struct name any = view->zone, mark;
	struct why why;

	if (!view->form.is_same)
		return type != RR_AAAA;
	return !mark_name(&view->form, &any, type, &view->zone, &mark, &why) &&
	       name_equal(&any, &mark);
}

static void settle_holding(const struct view *view, const struct node *node,
                           struct holding *holding)
{
	if (!holding->claims && hears_untyped(view, holding->is.type))
		holding->claims = node->untyped;
	holding->whose = judge(view, holding->claims);
}

/* What had only marks among its TXT records has none any more. */
static void drop_empty(struct node *node)
{
	struct holding **at = &node->holdings;

	while (*at) {
		if (!(*at)->is.count && !(*at)->claims)
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

static void settle_node(struct view *view, struct node *node)
{
	drop_empty(node);
	for (struct holding *holding = node->holdings; holding; holding = holding->next)
		settle_holding(view, node, holding);
}

static void sort_sets(struct node *node)
{
	for (struct holding *holding = node->holdings; holding; holding = holding->next)
		rrset_sort(&holding->is);
}

void view_settle(struct view *view, const char *ours, const struct mark_form *form)
{
	view->ours = arena_strdup(view->arena, ours);
	view->form = *form;
	for (struct node *node = view->first; node; node = node->next) {
		sort_sets(node);
		part_marks(view, node);
	}
	for (struct found *found = view->found; found; found = found->next)
		settle_mark(view, found);
	for (struct node *node = view->first; node; node = node->next)
		settle_node(view, node);
}

struct holding *view_holding(struct view *view, struct node *node, uint16_t type)
{
	struct holding *holding = view_find_holding(node, type);

	if (holding)
		return holding;
	holding = view_get_holding(view, node, type);
	settle_holding(view, node, holding);
	return holding;
}

const struct claim *holding_claim(const struct view *view, const struct holding *holding)
{
	const struct claim *claim = holding->claims;

	while (claim && !is_by_us(view, claim->mark))
		claim = claim->next;
	return claim;
}
