#include <string.h>

#include "core/view_private.h"
#include "model/rr.h"

/* ---- marks, told from other TXT records ---- */

/* Marks of others may be in plain text, or ours from before there was a key. */
static enum mark_kind read_mark(const struct view *view, struct rdata rdata,
                                struct mark *mark, bool *is_sealed)
{
	enum mark_kind kind = MARK_DATA;

	if (view->marks.key)
		kind = mark_read_sealed(rdata.octets, rdata.len, view->marks.key,
		                        view->arena, mark);
	*is_sealed = kind != MARK_DATA;
	return *is_sealed ? kind : mark_read(rdata.octets, rdata.len,
	                                     view->marks.form.is_same, view->arena, mark);
}

bool view_is_mark(const struct view *view, struct rdata rdata)
{
	struct mark mark;
	bool is_sealed;

	return read_mark(view, rdata, &mark, &is_sealed) != MARK_DATA;
}

static bool is_by_us(const struct view *view, const struct mark *mark)
{
	return mark && !strcmp(mark_get(mark, "owner"), view->marks.owner);
}

static struct marking *keep(struct view *view, const struct marking *marking)
{
	struct marking *kept = arena_dup(view->arena, marking, sizeof(*marking));

	*view->last_marking = kept;
	view->last_marking = &kept->next;
	return kept;
}

/* False: it is somebody's data. */
static bool take_mark(struct view *view, struct node *node, struct rdata rdata)
{
	struct marking marking = { .node = node, .rdata = rdata };
	struct mark mark;

	marking.kind = read_mark(view, rdata, &mark, &marking.is_sealed);
	if (marking.kind == MARK_DATA)
		return false;
	if (marking.kind == MARK_OWNED)
		marking.mark = arena_dup(view->arena, &mark, sizeof(mark));
	marking.is_ours = is_by_us(view, marking.mark);
	node->marks_of_ours += marking.is_ours;
	keep(view, &marking);
	return true;
}

/* Of a node's TXT records those that are marks stand apart from now on. */
static void part_marks(struct view *view, struct node *node)
{
	struct holding *txt = view_find_holding(node, RR_TXT);
	struct rrset all = txt ? txt->is : (struct rrset){ 0 };

	if (!all.count)
		return;
	node->marks.type = RR_TXT;
	txt->is = (struct rrset){ .type = RR_TXT };
	for (size_t i = 0; i < all.count; i++)
		rrset_push(take_mark(view, node, all.records[i]) ? &node->marks : &txt->is,
		           all.ttl, all.records[i], view->arena);
}

/* ---- what they are for ---- */

static void claim(struct view *view, struct claim **claims, struct marking *marking)
{
	struct claim *claim = arena_alloc(view->arena, sizeof(*claim));

	*claim = (struct claim){ *claims, marking };
	*claims = claim;
}

static void claim_set(struct view *view, const struct name *name, uint16_t type,
                      struct marking *marking)
{
	struct node *node = view_node(view, name);

	claim(view, &view_get_holding(view, node, type)->claims, marking);
}

static bool is_star(const struct mark_reading *reading)
{
	return reading->name.wire[0] == 1 && reading->name.wire[1] == '*';
}

const struct mark_reading *view_meant(const struct mark_reading *readings, size_t count)
{
	const struct mark_reading *meant = NULL, *vague = NULL;
	size_t typed = 0;

	for (size_t i = 0; i < count; i++) {
		if (!readings[i].type) {
			vague = vague ? vague : &readings[i];
			continue;
		}
		typed++;
		if (!meant || is_star(&readings[i]))
			meant = &readings[i];
	}
	if (typed == 1 || (typed == 2 && is_star(meant)))
		return meant;
	return typed ? NULL : vague;
}

/* One of ours, by a form of ours. False: that makes no sense of it. */
static bool claim_for_us(struct view *view, const struct mark_form *form,
                         struct marking *marking)
{
	struct mark_reading readings[MARK_READINGS_MAX];
	struct name name;

	node_name(marking->node, &name);

	size_t count = mark_readings(form, &name, &view->zone, readings);
	const struct mark_reading *meant = view_meant(readings, count);
	if (!meant)
		return false;
	if (meant->type)
		claim_set(view, &meant->name, meant->type, marking);
	else
		claim(view, &view_node(view, &meant->name)->vague, marking);
	return true;
}

static bool is_read(const struct mark_reading *readings, size_t count,
                    const struct mark_reading *reading)
{
	for (size_t i = 0; i < count; i++)
		if (readings[i].type == reading->type &&
		    name_equal(&readings[i].name, &reading->name))
			return true;
	return false;
}

static void claim_against(struct view *view, struct marking *marking)
{
	const struct mark_form *forms[] = { &view->marks.form, view->marks.former,
	                                    &mark_form_ours, &mark_form_plain };
	struct mark_reading all[4 * MARK_READINGS_MAX];
	size_t count = 0;
	struct name name;

	node_name(marking->node, &name);
	for (size_t i = 0; i < 4; i++) {
		size_t first = count;
		size_t more = forms[i] ? mark_readings(forms[i], &name, &view->zone,
		                                       &all[first]) : 0;

		for (size_t j = first; j < first + more; j++)
			if (!is_read(all, count, &all[j]))
				all[count++] = all[j];
	}
	for (size_t i = 0; i < count; i++) {
		if (all[i].type)
			claim_set(view, &all[i].name, all[i].type, marking);
		else
			claim(view, &view_node(view, &all[i].name)->against, marking);
	}
}

static void disown(struct marking *marking)
{
	marking->kind = MARK_BAD;
	marking->mark = NULL;
	marking->is_ours = false;
}

static void settle_mark(struct view *view, struct marking *marking)
{
	if (!marking->node)
		return;
	if (marking->is_ours && claim_for_us(view, &view->marks.form, marking))
		return;
	if (marking->is_ours && view->marks.former &&
	    claim_for_us(view, view->marks.former, marking)) {
		marking->is_former = true;
		return;
	}
	if (marking->is_ours)
		disown(marking);
	claim_against(view, marking);
}

/* ---- of those that can be read in two ways ---- */

/*
 * May a mark without a type be for it? external-dns never wrote one for an AAAA record,
 * and in the seed's form we write none for what cannot stand beside a TXT record.
 */
static bool hears_vague(const struct view *view, uint16_t type)
{
	const struct name *any = &view->zone;
	struct name mark;
	struct why why;

	if (!view->marks.form.is_same)
		return type != RR_AAAA;
	return mark_type_is_known(type) &&
	       !mark_name(&view->marks.form, any, type, any, &mark, &why) &&
	       name_equal(any, &mark);
}

static bool is_told(const struct holding *holding)
{
	for (const struct claim *claim = holding->claims; claim; claim = claim->next)
		if (claim->by->is_ours)
			return true;
	return false;
}

bool view_has_untold(const struct view *view, const struct node *node)
{
	for (const struct holding *holding = node->holdings; holding;
	     holding = holding->next)
		if (holding->is.count && hears_vague(view, holding->is.type) &&
		    !is_told(holding))
			return true;
	return false;
}

/* It names a type, or else could be an old mark for what is at another name. */
static bool is_doubtful(const struct view *view, const struct marking *marking)
{
	const struct mark_form *form = marking->is_former ? view->marks.former
	                                                  : &view->marks.form;
	struct mark_reading readings[MARK_READINGS_MAX];
	const struct node *other;
	struct name name;

	node_name(marking->node, &name);

	size_t count = mark_readings(form, &name, &view->zone, readings);
	const struct mark_reading *meant = view_meant(readings, count);
	for (size_t i = 0; meant && meant->type && i < count; i++) {
		other = readings[i].type ? NULL : view_find(view, &readings[i].name);
		if (other && view_has_untold(view, other))
			return true;
	}
	return false;
}

static void doubt_mark(struct view *view, struct marking *marking)
{
	if (!marking->node || !marking->is_ours || !is_doubtful(view, marking))
		return;
	disown(marking);
	claim_against(view, marking);
}

/* ---- whose the sets are ---- */

struct tally {
	size_t ours, others, bad, shared, all;
	bool is_twice;			/* two of ours in one place */
};

static bool shares(const struct marking *marking)
{
	const char *value = marking->mark ? mark_get(marking->mark, "shared") : NULL;

	return value && !strcmp(value, "true");
}

/* What names no type cannot say that it shares a set. */
static void count_claims(const struct claim *claims, bool is_typed, struct tally *tally)
{
	for (; claims; claims = claims->next) {
		const struct marking *by = claims->by;

		tally->all++;
		tally->shared += is_typed && shares(by);
		tally->bad += by->kind == MARK_BAD;
		tally->ours += by->is_ours;
		tally->others += !by->is_ours && by->kind != MARK_BAD;
		tally->is_twice |= by->is_ours && by->node && by->node->marks_of_ours > 1;
	}
}

static enum whose judge(const struct tally *tally, bool is_vague)
{
	if (!tally->all)
		return is_vague ? WHOSE_VAGUE : WHOSE_NOBODYS;
	if (tally->is_twice)
		return WHOSE_CONTESTED;
	if (tally->shared == tally->all)
		return WHOSE_SHARED;
	if (tally->ours == tally->all)
		return WHOSE_OURS;
	if (tally->others == tally->all && !is_vague)
		return WHOSE_ANOTHERS;
	return tally->bad == tally->all && !is_vague ? WHOSE_BAD : WHOSE_CONTESTED;
}

/* Of several of ours the one that is where we write them. */
static const struct marking *mark_of_ours(const struct claim *claims)
{
	const struct marking *ours = NULL;

	for (; claims; claims = claims->next)
		if (claims->by->is_ours && (!ours || !claims->by->is_former))
			ours = claims->by;
	return ours;
}

static void settle_holding(const struct view *view, const struct node *node,
                           struct holding *holding)
{
	bool hears = hears_vague(view, holding->is.type);
	struct tally tally = { 0 };

	count_claims(holding->claims, true, &tally);
	if (hears)
		count_claims(node->against, false, &tally);
	holding->whose = judge(&tally, hears && node->vague);
	holding->ours = mark_of_ours(holding->claims);
	if (!holding->ours && hears)
		holding->ours = mark_of_ours(node->vague);
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

void view_claim(struct view *view, const struct name *name, uint16_t type,
                const struct mark *mark)
{
	struct marking marking = { .kind = MARK_OWNED, .mark = mark };

	claim_set(view, name, type, keep(view, &marking));
}

static void keep_settings(struct view *view, const struct view_marks *marks)
{
	view->marks = *marks;
	view->marks.owner = arena_strdup(view->arena, marks->owner);
	if (marks->former)
		view->marks.former = arena_dup(view->arena, marks->former,
		                               sizeof(*marks->former));
	for (struct marking *marking = view->markings; marking; marking = marking->next)
		marking->is_ours = is_by_us(view, marking->mark);
}

void view_settle(struct view *view, const struct view_marks *marks)
{
	keep_settings(view, marks);
	for (struct node *node = view->first; node; node = node->next) {
		sort_sets(node);
		part_marks(view, node);
	}
	for (struct marking *marking = view->markings; marking; marking = marking->next)
		settle_mark(view, marking);
	for (struct marking *marking = view->markings; marking; marking = marking->next)
		doubt_mark(view, marking);
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
