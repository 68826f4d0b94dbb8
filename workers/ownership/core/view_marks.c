#include <string.h>

#include "core/view_private.h"
#include "model/rr.h"

/* ---- finding marks among TXT records ---- */

static bool view_reads_bare(const struct view *view)
{
	return view->marks.form.is_same ||
	       (view->marks.former && view->marks.former->is_same);
}

/*
 * Marks of others may be in plain text, and so may our marks from before the key was set.
 */
static enum mark_kind view_read_mark(const struct view *view, struct rdata rdata,
                                     struct mark *mark, bool *is_sealed)
{
	enum mark_kind kind = MARK_DATA;

	if (view->marks.key)
		kind = mark_read_sealed(rdata.octets, rdata.len, view->marks.key,
		                        view->arena, mark);
	*is_sealed = kind != MARK_DATA;
	return *is_sealed ? kind : mark_read(rdata.octets, rdata.len,
	                                     view_reads_bare(view), view->arena, mark);
}

static bool marking_is_bare(const struct view *view, const struct marking *marking)
{
	struct mark mark;

	return view_reads_bare(view) && !marking->is_sealed &&
	       mark_read(marking->rdata.octets, marking->rdata.len, false, view->arena,
	                 &mark) == MARK_DATA;
}

bool view_is_mark(const struct view *view, struct rdata rdata)
{
	struct mark mark;
	bool is_sealed;

	return view_read_mark(view, rdata, &mark, &is_sealed) != MARK_DATA;
}

static bool view_owns_mark(const struct view *view, const struct mark *mark)
{
	return mark && !strcmp(mark_get(mark, "owner"), view->marks.owner);
}

static struct marking *view_keep_marking(struct view *view, const struct marking *marking)
{
	struct marking *kept = arena_dup(view->arena, marking, sizeof(*marking));

	*view->last_marking = kept;
	view->last_marking = &kept->next;
	return kept;
}

/* False: not a mark but data. */
static bool view_take_mark(struct view *view, struct node *node, struct rdata rdata)
{
	struct marking marking = { .node = node, .rdata = rdata };
	struct mark mark;

	marking.kind = view_read_mark(view, rdata, &mark, &marking.is_sealed);
	if (marking.kind == MARK_DATA)
		return false;
	if (marking.kind == MARK_OWNED)
		marking.mark = arena_dup(view->arena, &mark, sizeof(mark));
	marking.is_bare = marking_is_bare(view, &marking);
	marking.is_ours = view_owns_mark(view, marking.mark);
	node->marks_of_ours += marking.is_ours;
	view_keep_marking(view, &marking);
	return true;
}

/* Moves the TXT records of a node that are marks to node->marks. */
static void view_separate_marks(struct view *view, struct node *node)
{
	struct view_set *txt = node_find_set(node, RR_TXT);
	struct rrset all = txt ? txt->rrset : (struct rrset){ 0 };

	if (!all.count)
		return;
	node->marks.type = RR_TXT;
	txt->rrset = (struct rrset){ .type = RR_TXT };
	for (size_t i = 0; i < all.count; i++) {
		bool is_mark = view_take_mark(view, node, all.records[i]);

		rrset_push(is_mark ? &node->marks : &txt->rrset, all.ttl, all.records[i],
		           view->arena);
	}
}

/* ---- the sets of marks ---- */

/* Adds a claim, but not twice if both forms read it the same way. */
static void claim_add(struct view *view, struct claim **claims, struct marking *marking,
                      bool is_former)
{
	struct claim *claim;

	if (*claims && (*claims)->by == marking)
		return;
	claim = arena_alloc(view->arena, sizeof(*claim));
	*claim = (struct claim){ *claims, marking, is_former };
	*claims = claim;
}

static void claim_add_to_set(struct view *view, const struct name *name, uint16_t type,
                             struct marking *marking, bool is_former)
{
	struct node *node = view_node(view, name);

	claim_add(view, &view_get_set(view, node, type)->claims, marking, is_former);
}

static void claim_add_meaning(struct view *view, const struct view_meaning *meaning,
                              struct marking *marking)
{
	const struct mark_reading *is = &meaning->is;

	if (is->type)
		claim_add_to_set(view, &is->name, is->type, marking, meaning->is_former);
	else
		claim_add(view, &view_node(view, &is->name)->untyped, marking,
		          meaning->is_former);
}

static bool reading_is_wildcard(const struct mark_reading *reading)
{
	return reading->name.wire[0] == 1 && reading->name.wire[1] == '*';
}

/*
 * The one meaning of a mark, or NULL. Of typed readings there must be only one; a "*"
 * counts if the form has another label for it. Otherwise it is the first untyped reading.
 */
static const struct mark_reading *readings_choose(const struct mark_reading *readings,
                                                  size_t count)
{
	const struct mark_reading *meant = NULL, *vague = NULL;
	size_t typed = 0;

	for (size_t i = 0; i < count; i++) {
		if (!readings[i].type) {
			vague = vague ? vague : &readings[i];
			continue;
		}
		typed++;
		if (!meant || reading_is_wildcard(&readings[i]))
			meant = &readings[i];
	}
	if (typed == 1 || (typed == 2 && reading_is_wildcard(meant)))
		return meant;
	return typed ? NULL : vague;
}

/* The meaning in one form: a typed reading, or an untyped one. */
static bool mark_form_means(const struct view *view, const struct mark_form *form,
                            const struct name *place, bool is_typed,
                            struct mark_reading *meant)
{
	struct mark_reading readings[MARK_READINGS_MAX];
	size_t count = mark_readings(form, place, &view->zone, readings);
	const struct mark_reading *one = readings_choose(readings, count);

	if (!one || (one->type != 0) != is_typed)
		return false;
	*meant = *one;
	return true;
}

static bool mark_form_accepts(const struct mark_form *form, bool is_bare)
{
	return form && (form->is_same || !is_bare);
}

/*
 * A typed reading has priority over an untyped one; then our form has priority over the
 * former one.
 */
bool view_meaning(const struct view *view, const struct name *place, bool is_bare,
                  struct view_meaning *meaning)
{
	const struct mark_form *forms[] = { &view->marks.form, view->marks.former };

	for (int is_typed = 1; is_typed >= 0; is_typed--)
		for (int i = 0; i < 2; i++) {
			meaning->is_former = i;
			if (mark_form_accepts(forms[i], is_bare) &&
			    mark_form_means(view, forms[i], place, is_typed,
			                    &meaning->is))
				return true;
		}
	return false;
}

/* Handles a mark of ours. False: it has no meaning in our forms. */
static bool claim_for_us(struct view *view, struct marking *marking)
{
	struct view_meaning meaning;
	struct name place;

	node_name(marking->node, &place);
	if (!view_meaning(view, &place, marking->is_bare, &meaning))
		return false;
	claim_add_meaning(view, &meaning, marking);
	return true;
}

static bool readings_have(const struct mark_reading *readings, size_t count,
                          const struct mark_reading *reading)
{
	for (size_t i = 0; i < count; i++)
		if (readings[i].type == reading->type &&
		    name_equal(&readings[i].name, &reading->name))
			return true;
	return false;
}

static void claim_for_others(struct view *view, struct marking *marking)
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
			if (!readings_have(all, count, &all[j]))
				all[count++] = all[j];
	}
	for (size_t i = 0; i < count; i++) {
		if (all[i].type)
			claim_add_to_set(view, &all[i].name, all[i].type, marking, false);
		else
			claim_add(view, &view_node(view, &all[i].name)->foreign, marking,
			          false);
	}
}

static void marking_disown(struct marking *marking)
{
	marking->kind = MARK_BAD;
	marking->mark = NULL;
	marking->is_ours = false;
}

static void view_settle_marking(struct view *view, struct marking *marking)
{
	if (!marking->node)
		return;
	if (marking->is_ours && claim_for_us(view, marking))
		return;
	if (marking->is_ours)
		marking_disown(marking);
	claim_for_others(view, marking);
}

/* ---- ambiguous marks ---- */

/*
 * True: an untyped mark may be for TYPE. external-dns never wrote one for an AAAA record.
 * In the seed's form we write none for types that cannot be beside a TXT record.
 */
static bool mark_form_is_untyped_for(const struct mark_form *form, uint16_t type,
                                     const struct name *any)
{
	struct name mark;
	struct why why;

	if (!form->is_same)
		return type != RR_AAAA;
	return mark_type_is_known(type) &&
	       !mark_name(form, any, type, any, &mark, &why) && name_equal(any, &mark);
}

static bool view_reads_untyped(const struct view *view, uint16_t type)
{
	const struct mark_form *former = view->marks.former;

	return mark_form_is_untyped_for(&view->marks.form, type, &view->zone) ||
	       (former && mark_form_is_untyped_for(former, type, &view->zone));
}

/*
 * True: an untyped mark of another owner may be for TYPE: bare marks are also for AAAA
 * records.
 */
static bool view_reads_foreign_untyped(const struct view *view, uint16_t type)
{
	return type != RR_AAAA || view_reads_bare(view);
}

/* Does not count marks that are ambiguous or that will move. */
static void node_count_clear_marks(struct node *node)
{
	for (struct view_set *set = node->sets; set; set = set->next)
		for (const struct claim *claim = set->claims; claim;
		     claim = claim->next)
			set->clear_marks += claim->by->is_ours &&
			                    !claim->by->is_ambiguous &&
			                    !claim->is_former;
}

static bool set_lacks_mark(const struct view_set *set)
{
	return view_set_exists(set) && !set->clear_marks;
}

/* True: the set has no other mark, or only marks of other owners. */
static bool set_needs_mark(const struct view_set *set)
{
	return set_lacks_mark(set) || (set && set->owner == OWNER_CONTESTED);
}

bool view_set_is_ours_anyway(const struct view_set *set)
{
	return set->owner == OWNER_CONTESTED ||
	       (set->owner == OWNER_US && set->is_wanted);
}

static bool set_is_ours_and_needs_mark(const struct view_set *set)
{
	return set_needs_mark(set) && view_set_is_ours_anyway(set);
}

/* True: with this reading the mark may be for an existing set other than MEANT. */
static bool reading_may_be_for(const struct view *view,
                               const struct mark_reading *reading,
                               const struct mark_reading *meant,
                               bool (*is_so)(const struct view_set *set))
{
	const struct node *node = view_find(view, &reading->name);

	if (!node || reading->type)
		return node && is_so(node_find_set(node, reading->type));
	for (const struct view_set *set = node->sets; set;
	     set = set->next) {
		bool is_meant = set->rrset.type == meant->type &&
		                name_equal(&meant->name, &reading->name);

		if (!is_meant && view_reads_untyped(view, set->rrset.type) && is_so(set))
			return true;
	}
	return false;
}

static bool reading_equal(const struct mark_reading *a, const struct mark_reading *b)
{
	return a->type == b->type && name_equal(&a->name, &b->name);
}

enum { MEANINGS_MAX = 2 * MARK_READINGS_MAX };

/* Finds the other meanings of a mark at PLACE, in both forms. Returns their number. */
static size_t view_other_meanings(const struct view *view, const struct name *place,
                                  bool is_bare, const struct view_meaning *meaning,
                                  struct view_meaning others[MEANINGS_MAX])
{
	const struct mark_form *forms[] = { &view->marks.form, view->marks.former };
	struct mark_reading readings[MARK_READINGS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < 2; i++) {
		size_t all = mark_form_accepts(forms[i], is_bare)
		    ? mark_readings(forms[i], place, &view->zone, readings) : 0;
		bool is_its_form = meaning->is_former == (i == 1);

		for (size_t j = 0; j < all; j++)
			if (!reading_equal(&readings[j], &meaning->is) &&
			    !(readings[j].type && is_its_form))
				others[count++] = (struct view_meaning){ readings[j], i };
	}
	return count;
}

bool view_is_ambiguous(const struct view *view, const struct name *place, bool is_bare,
                       const struct view_meaning *meaning)
{
	struct view_meaning others[MEANINGS_MAX];
	size_t count = view_other_meanings(view, place, is_bare, meaning, others);

	for (size_t i = 0; i < count; i++)
		if (reading_may_be_for(view, &others[i].is, &meaning->is, set_lacks_mark))
			return true;
	return false;
}

/* A mark that may be for several sets counts for no particular set. */
static void view_find_ambiguity(struct view *view, struct marking *marking)
{
	struct view_meaning meaning, others[MEANINGS_MAX];
	struct name place;
	size_t count = 0;

	if (!marking->node || !marking->is_ours)
		return;
	node_name(marking->node, &place);
	if (view_meaning(view, &place, marking->is_bare, &meaning))
		count =
		    view_other_meanings(view, &place, marking->is_bare, &meaning, others);
	for (size_t i = 0; i < count; i++) {
		if (!reading_may_be_for(view, &others[i].is, &meaning.is,
		                        view_set_exists))
			continue;
		marking->is_ambiguous = true;
		claim_add_meaning(view, &others[i], marking);
	}
}

bool view_is_needed(const struct view *view, const struct marking *marking,
                    const struct node *node, bool by_ours)
{
	bool (*is_so)(const struct view_set *set) = by_ours ? set_is_ours_and_needs_mark
	                                                    : set_needs_mark;
	struct view_meaning all[MEANINGS_MAX + 1];
	struct name place, name;
	size_t count;

	node_name(node, &name);
	if (!marking->is_ambiguous)
		return false;
	node_name(marking->node, &place);
	view_meaning(view, &place, marking->is_bare, &all[0]);
	count = 1 + view_other_meanings(view, &place, marking->is_bare, &all[0], &all[1]);
	for (size_t i = 0; i < count; i++)
		if (!name_equal(&all[i].is.name, &name) &&
		    reading_may_be_for(view, &all[i].is, &all[0].is, is_so))
			return true;
	return false;
}

/* ---- the owners of sets ---- */

struct tally {
	size_t ours, others, bad, shared, all;
	bool is_twice;			/* two marks of ours in one place */
	bool is_ambiguous;		/* a mark of ours may be for another set */
};

static bool marking_is_shared(const struct marking *marking)
{
	const char *value = marking->mark ? mark_get(marking->mark, "shared") : NULL;

	return value && !strcmp(value, "true");
}

/* Adds claims. An untyped mark cannot say that a set is shared. */
static void tally_add(const struct claim *claims, bool is_typed, struct tally *tally)
{
	for (; claims; claims = claims->next) {
		const struct marking *by = claims->by;

		tally->is_twice |= by->is_ours && by->node && by->node->marks_of_ours > 1;
		tally->is_ambiguous |= by->is_ambiguous;
		if (by->is_ambiguous)
			continue;
		tally->all++;
		tally->shared += is_typed && marking_is_shared(by);
		tally->bad += by->kind == MARK_BAD;
		tally->ours += by->is_ours;
		tally->others += !by->is_ours && by->kind != MARK_BAD;
	}
}

static enum owner_kind tally_owner(const struct tally *tally, bool is_vague)
{
	if (tally->is_twice)
		return OWNER_CONTESTED;
	if (!tally->all)
		return is_vague ? OWNER_VAGUE : OWNER_NONE;
	if (tally->shared == tally->all)
		return tally->is_ambiguous ? OWNER_CONTESTED : OWNER_SHARED;
	if (tally->ours == tally->all)
		return OWNER_US;
	if (tally->others == tally->all && !is_vague)
		return OWNER_OTHER;
	return tally->bad == tally->all && !is_vague ? OWNER_BAD : OWNER_CONTESTED;
}

/* Of several marks of ours, the one at the place of our form. */
static const struct marking *claims_find_ours(const struct claim *claims,
                                              bool is_ambiguous)
{
	const struct marking *ours = NULL;

	for (; claims; claims = claims->next)
		if (claims->by->is_ours && claims->by->is_ambiguous == is_ambiguous &&
		    (!ours || !claims->is_former))
			ours = claims->by;
	return ours;
}

/*
 * True: a mark may be assigned to the set. An ambiguous mark says nothing about a shared
 * or missing set.
 */
static bool set_may_have_mark(const struct view_set *set)
{
	return set->owner == OWNER_VAGUE ||
	       (set->rrset.count && set->owner != OWNER_SHARED);
}

/* Our untyped mark for the node. An ambiguous mark does not prevent a new set. */
static const struct marking *node_untyped_mark(const struct view *view,
                                               const struct node *node,
                                               const struct view_set *set)
{
	const struct marking *ours = NULL;

	if (view_reads_untyped(view, set->rrset.type))
		ours = claims_find_ours(node->untyped, false);
	if (!ours && view_reads_untyped(view, set->rrset.type) && set->rrset.count)
		ours = claims_find_ours(node->untyped, true);
	return ours;
}

static void view_settle_set(const struct view *view, const struct node *node,
                            struct view_set *set)
{
	const struct marking *untyped = node_untyped_mark(view, node, set);
	struct tally tally = { 0 };

	tally_add(set->claims, true, &tally);
	if (view_reads_foreign_untyped(view, set->rrset.type))
		tally_add(node->foreign, false, &tally);
	tally.is_twice |= untyped && untyped->is_ambiguous &&
	                  untyped->node->marks_of_ours > 1;
	set->owner = tally_owner(&tally, untyped || tally.is_ambiguous);
	set->ours = claims_find_ours(set->claims, false);
	if (!set->ours && set_may_have_mark(set))
		set->ours = claims_find_ours(set->claims, true);
	if (!set->ours && set_may_have_mark(set))
		set->ours = untyped;
}

/* Removes TXT sets that had only marks and are now empty. */
static void node_drop_empty_sets(struct node *node)
{
	struct view_set **at = &node->sets;

	while (*at) {
		if (!(*at)->rrset.count && !(*at)->claims)
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

static void view_settle_node(struct view *view, struct node *node)
{
	node_drop_empty_sets(node);
	for (struct view_set *set = node->sets; set; set = set->next)
		view_settle_set(view, node, set);
}

static void node_sort_sets(struct node *node)
{
	for (struct view_set *set = node->sets; set; set = set->next)
		rrset_sort(&set->rrset);
}

void view_claim(struct view *view, const struct name *name, uint16_t type,
                const struct mark *mark)
{
	struct marking marking = { .kind = MARK_OWNED, .mark = mark };

	claim_add_to_set(view, name, type, view_keep_marking(view, &marking), false);
}

static void view_set_marks(struct view *view, const struct mark_settings *marks)
{
	view->marks = *marks;
	view->marks.owner = arena_strdup(view->arena, marks->owner);
	if (marks->former)
		view->marks.former = arena_dup(view->arena, marks->former,
		                               sizeof(*marks->former));
	for (struct marking *marking = view->markings; marking; marking = marking->next)
		marking->is_ours = view_owns_mark(view, marking->mark);
}

void view_settle(struct view *view, const struct mark_settings *marks)
{
	view_set_marks(view, marks);
	for (struct node *node = view->first; node; node = node->next) {
		node_sort_sets(node);
		view_separate_marks(view, node);
	}
	for (struct marking *marking = view->markings; marking; marking = marking->next)
		view_settle_marking(view, marking);
	for (struct marking *marking = view->markings; marking; marking = marking->next)
		view_find_ambiguity(view, marking);
	for (struct node *node = view->first; node; node = node->next)
		node_count_clear_marks(node);
	for (struct node *node = view->first; node; node = node->next)
		view_settle_node(view, node);
}

struct view_set *view_add_set(struct view *view, struct node *node, uint16_t type)
{
	struct view_set *set = node_find_set(node, type);

	if (set)
		return set;
	set = view_get_set(view, node, type);
	view_settle_set(view, node, set);
	return set;
}
