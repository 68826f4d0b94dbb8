#include "core/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/status.h"
#include "dns/canonical.h"
#include "model/rr.h"

static bool rdata_is_same(const struct rdata *a, const uint8_t *rdata, size_t len)
{
	return a->len == len && !memcmp(a->rdata, rdata, len);
}

bool rrset_has_wanted(const struct rrset *set, const struct rdata *record)
{
	for (size_t i = 0; i < set->wanted_count; i++)
		if (rdata_is_same(record, set->wanted[i].rdata, set->wanted[i].len))
			return true;
	return false;
}

static void rdata_push(struct rdata **list, size_t *count, size_t *size,
                       struct rdata record, struct arena *arena)
{
	if (*count == *size) {
		struct rdata *old = *list;

		*size = *size ? *size * 2 : 4;
		*list = arena_alloc(arena, *size * sizeof(**list));
		if (old)
			memcpy(*list, old, *count * sizeof(*old));
	}
	(*list)[(*count)++] = record;
}

static void rrset_push_wanted(struct rrset *set, struct rdata record, struct arena *arena)
{
	rdata_push(&set->wanted, &set->wanted_count, &set->wanted_size, record, arena);
}

static const char *rrset_stored_description(const struct rrset *set)
{
	return set->stored_description ? set->stored_description : "";
}

void rrset_begin(struct rrset *set, struct arena *arena)
{
	/* a set that became empty has lost its TTL and its description */
	set->ttl = set->was_count ? set->stored_ttl : (struct ttl){ 0 };
	set->description = set->was_count ? rrset_stored_description(set) : "";
	for (size_t i = 0; i < set->was_count; i++)
		rrset_push_wanted(set, (struct rdata){
			.data = set->was[i].data, .rdata = set->was[i].rdata,
			.len = set->was[i].rdata_len,
			.managed_by = set->was[i].managed_by }, arena);
}

/* ---- the compared form of records ---- */

/*
 * The compared form of rdata. Each record is made canonical once and found by binary
 * search, because sets and changes may be large. The case of names in the data is
 * ignored. Malformed data is compared unchanged.
 */
static struct octets rrset_canonical_octets(const struct rrset *set, const uint8_t *rdata,
                                            uint16_t len, struct arena *arena)
{
	static _Thread_local struct canonical canonical;
	const struct rr rr = { set->name.wire, set->type, 0, len, rdata };

	if (!canonical_of_rr(&rr, &canonical))
		return (struct octets){ rdata, len };
	len = (uint16_t)(canonical.len - canonical.rdata);
	return (struct octets){ arena_dup(arena, canonical.octets + canonical.rdata, len),
	                        len };
}

static int octets_compare(const void *a, const void *b)
{
	const struct octets *x = a, *y = b;
	int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Sorts LIST and removes duplicates. Returns the new number. */
static size_t octets_sort(struct octets *list, size_t count)
{
	size_t kept = 0;

	if (count > 1)
		qsort(list, count, sizeof(*list), octets_compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || octets_compare(&list[kept - 1], &list[i]))
			list[kept++] = list[i];
	return kept;
}

/* The records of a change, sorted and without duplicates. Returns their number. */
static size_t change_octets(const struct rrset *set, const struct change *change,
                            struct arena *arena, struct octets **list)
{
	*list = arena_alloc(arena, (change->count + 1) * sizeof(**list));
	for (size_t i = 0; i < change->count; i++)
		(*list)[i] = rrset_canonical_octets(set, change->records[i].rdata,
		                                    change->records[i].len, arena);
	return octets_sort(*list, change->count);
}

static void rrset_sort_was(struct rrset *set, struct arena *arena)
{
	struct octets *list = arena_alloc(arena, (set->was_count + 1) * sizeof(*list));

	for (size_t i = 0; i < set->was_count; i++)
		list[i] = rrset_canonical_octets(set, set->was[i].rdata,
		                                 set->was[i].rdata_len, arena);
	set->compared = list;
	set->compared_count = octets_sort(list, set->was_count);
}

bool rrset_is_expected(struct rrset *set, const struct change *expect,
                       struct arena *arena)
{
	struct octets *list;

	if (!set->compared)
		rrset_sort_was(set, arena);
	if (set->compared_count != change_octets(set, expect, arena, &list))
		return false;
	for (size_t i = 0; i < set->compared_count; i++)
		if (octets_compare(&set->compared[i], &list[i]))
			return false;
	return true;
}

static const struct octets *rdata_compared(const struct rrset *set, struct rdata *wanted,
                                           struct arena *arena)
{
	if (!wanted->compared.at)
		wanted->compared = rrset_canonical_octets(set, wanted->rdata, wanted->len,
		                                          arena);
	return &wanted->compared;
}

/*
 * The index of the record in `wanted` that equals RECORD except for the case of names, or
 * wanted_count.
 */
static size_t rrset_find_wanted(const struct rrset *set, struct rdata *record,
                                struct arena *arena)
{
	const struct octets *compared = rdata_compared(set, record, arena);
	size_t i = 0;

	while (i < set->wanted_count &&
	       octets_compare(rdata_compared(set, &set->wanted[i], arena), compared))
		i++;
	return i;
}

/* ---- managers of records ---- */

static bool change_manages(const struct change *change, const struct rdata *record)
{
	return change->managed_by && record->managed_by &&
	       !strcmp(record->managed_by, change->managed_by);
}

static bool change_may_delete(const struct change *change, const struct rdata *record)
{
	return !change->managed_by || change_manages(change, record);
}

/*
 * Keeps in mind a record that another caller than its manager removes, and a record
 * without a manager that a producer replaces.
 */
static void rrset_note_removed(struct rrset *set, const struct change *change,
                               const struct rdata *record, struct arena *arena)
{
	if (record->managed_by ? !change_manages(change, record)
	                       : change->managed_by && change->op == CHANGE_SET)
		rdata_push(&set->taken, &set->taken_count, &set->taken_size, *record,
		           arena);
}

/* ---- deletions ---- */

/* Deletes all equal records: for a name server they are one record. */
static size_t rrset_delete_records(struct rrset *set, const struct change *change,
                                   struct arena *arena)
{
	struct octets *go;
	size_t count = change_octets(set, change, arena, &go), kept = 0, found = 0;
	bool *is_found = arena_alloc(arena, count + 1);

	for (size_t i = 0; i < set->wanted_count; i++) {
		const struct octets *at = bsearch(rdata_compared(set, &set->wanted[i],
		                                                 arena),
		                                  go, count, sizeof(*go), octets_compare);

		if (!at || !change_may_delete(change, &set->wanted[i])) {
			set->wanted[kept++] = set->wanted[i];
			continue;
		}
		rrset_note_removed(set, change, &set->wanted[i], arena);
		found += !is_found[at - go];
		is_found[at - go] = true;
	}
	set->wanted_count = kept;
	return change->count - found;
}

/* ---- changes ---- */

static bool ttl_differs(struct ttl a, struct ttl b)
{
	return a.given != b.given || a.value != b.value;
}

/* True: the TTL has changed. */
static bool rrset_apply_ttl(struct rrset *set, const struct change *change)
{
	struct ttl before = set->ttl;

	if (change->ttl_op == TTL_DEFAULT)
		set->ttl = (struct ttl){ 0 };
	if (change->ttl_op == TTL_GIVEN)
		set->ttl = (struct ttl){ true, change->ttl };
	return ttl_differs(before, set->ttl);
}

static void rrset_push_managed(struct rrset *set, const struct change *change, size_t i,
                               struct arena *arena)
{
	struct rdata record = change->records[i];

	record.managed_by = change->managed_by;
	rrset_push_wanted(set, record, arena);
}

static size_t rrset_apply_add(struct rrset *set, const struct change *change,
                              struct arena *arena)
{
	bool touched = rrset_apply_ttl(set, change);
	size_t unchanged = 0;

	for (size_t i = 0; i < change->count; i++) {
		if (rrset_find_wanted(set, &change->records[i], arena) <
		    set->wanted_count)
			unchanged += !touched;
		else
			rrset_push_managed(set, change, i, arena);
	}
	return unchanged;
}

/* Deletes the whole set, or the manager's part of it. */
static size_t rrset_delete_set(struct rrset *set, const struct change *change,
                               struct arena *arena)
{
	size_t count = set->wanted_count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!change_may_delete(change, &set->wanted[i]))
			set->wanted[kept++] = set->wanted[i];
		else
			rrset_note_removed(set, change, &set->wanted[i], arena);
	}
	set->wanted_count = kept;
	return kept == count;
}

static size_t rrset_apply_delete(struct rrset *set, const struct change *change,
                                 struct arena *arena)
{
	return change->count ? rrset_delete_records(set, change, arena)
	                     : rrset_delete_set(set, change, arena);
}

/* A record that exists keeps its manager; otherwise the change's producer manages it. */
static void rrset_push_set(struct rrset *set, const struct rrset *before,
                           const struct change *change, size_t i, struct arena *arena)
{
	struct rdata record = change->records[i];
	size_t was = rrset_find_wanted(before, &record, arena);

	if (was < before->wanted_count)
		record.managed_by = before->wanted[was].managed_by;
	if (!record.managed_by)
		record.managed_by = change->managed_by;
	rrset_push_wanted(set, record, arena);
}

static size_t rrset_apply_set(struct rrset *set, const struct change *change,
                              struct arena *arena)
{
	struct rrset before = *set;
	bool touched = rrset_apply_ttl(set, change);
	size_t unchanged = 0;

	set->paired = true;
	set->wanted = NULL;
	set->wanted_count = set->wanted_size = 0;
	for (size_t i = 0; i < change->count; i++) {
		if (rrset_find_wanted(set, &change->records[i], arena) <
		    set->wanted_count)
			continue;
		rrset_push_set(set, &before, change, i, arena);
		if (!touched && rrset_find_wanted(&before, &change->records[i], arena) <
		                before.wanted_count)
			unchanged++;
	}
	for (size_t i = 0; i < before.wanted_count; i++)
		if ((change->managed_by || before.wanted[i].managed_by) &&
		    rrset_find_wanted(set, &before.wanted[i], arena) == set->wanted_count)
			rrset_note_removed(set, change, &before.wanted[i], arena);
	return unchanged;
}

size_t rrset_apply(struct rrset *set, const struct change *change, struct arena *arena)
{
	set->field = change->field;
	if (change->description)
		set->description = change->description;
	if (change->op == CHANGE_SET)
		return rrset_apply_set(set, change, arena);
	return change->op == CHANGE_ADD ? rrset_apply_add(set, change, arena)
	                                : rrset_apply_delete(set, change, arena);
}

/* ---- the plan ---- */

static void plan_push_row(struct plan *plan, struct row row, struct arena *arena)
{
	if (plan->count == plan->size) {
		struct row *old = plan->rows;

		plan->size = plan->size ? plan->size * 2 : 16;
		plan->rows = arena_alloc(arena, plan->size * sizeof(*plan->rows));
		if (old)
			memcpy(plan->rows, old, plan->count * sizeof(*old));
	}
	plan->rows[plan->count++] = row;
}

static void rrset_append_rr(struct buf *to, const struct rrset *set, uint32_t ttl,
                            const uint8_t *rdata, uint16_t len)
{
	rr_append(to, &(struct rr){ .name = set->name.wire, .type = set->type,
	                            .ttl = rr_served_ttl(set->type, rdata, len, ttl),
	                            .rdata_len = len, .rdata = rdata });
}

/* The comparison of one set with its rows. */
struct comparison {
	struct plan *plan;
	struct rrset *set;
	struct arena *arena;
	uint32_t serial, old_ttl, new_ttl;
	bool has_new_ttl;	/* the row of the record set has a new TTL */
	bool *is_kept;		/* for each wanted record: a row has it already */
	size_t next;		/* wanted records before this index have a row */
};

static void plan_remove_rr(struct comparison *c, const struct record *was)
{
	rrset_append_rr(&c->plan->removed, c->set, c->old_ttl, was->rdata,
	                was->rdata_len);
}

static void plan_add_rr(struct comparison *c, const struct rdata *wanted)
{
	rrset_append_rr(&c->plan->added, c->set, c->new_ttl, wanted->rdata, wanted->len);
}

static const struct rdata *plan_next_new(struct comparison *c)
{
	while (c->next < c->set->wanted_count && c->is_kept[c->next])
		c->next++;
	return c->next < c->set->wanted_count ? &c->set->wanted[c->next++] : NULL;
}

/*
 * Handles a row whose record stays. A new TTL can change its RR, a new manager does not.
 */
static void plan_kept(struct comparison *c, const struct record *was,
                      const struct rdata *wanted)
{
	const struct rdata stays = { .rdata = was->rdata, .len = was->rdata_len };
	struct row row = { ROW_TOUCH, c->set, *was };
	uint16_t type = c->set->type;
	bool is_marked = wanted->managed_by && !was->managed_by;

	c->plan->updated += c->has_new_ttl;
	if (is_marked)
		row.record.managed_by = wanted->managed_by;
	if (rr_served_ttl(type, was->rdata, was->rdata_len, c->old_ttl) ==
	    rr_served_ttl(type, was->rdata, was->rdata_len, c->new_ttl)) {
		row.op = ROW_MARK;
		c->plan->marked += is_marked;
		if (is_marked)
			plan_push_row(c->plan, row, c->arena);
		return;
	}
	row.record.state = status_changed(was->state, TASK_UPDATE, c->serial);
	plan_push_row(c->plan, row, c->arena);
	plan_remove_rr(c, was);
	plan_add_rr(c, &stays);
}

static void record_set_data(struct record *record, const struct rdata *data)
{
	record->data = data->data;
	record->rdata = data->rdata;
	record->rdata_len = data->len;
	record->managed_by = data->managed_by;
}

/* Handles a row whose record is deleted: it gets a new record, or becomes a tombstone. */
static void plan_gone(struct comparison *c, const struct record *was)
{
	const struct rdata *wanted = c->set->paired ? plan_next_new(c) : NULL;
	struct row row = { wanted ? ROW_UPDATE : ROW_DELETE, c->set, *was };

	row.record.state = status_changed(was->state, wanted ? TASK_UPDATE : TASK_DELETE,
	                                  c->serial);
	plan_remove_rr(c, was);
	if (wanted) {
		record_set_data(&row.record, wanted);
		plan_add_rr(c, wanted);
		c->plan->updated++;
	} else {
		c->plan->deleted++;
	}
	plan_push_row(c->plan, row, c->arena);
}

static void plan_new(struct comparison *c, const struct rdata *wanted)
{
	struct row row = { ROW_INSERT, c->set,
	                   { .state = { TASK_ADD, STATUS_PENDING, c->serial } } };

	record_set_data(&row.record, wanted);
	plan_push_row(c->plan, row, c->arena);
	c->plan->inserted++;
	plan_add_rr(c, wanted);
}

/* The wanted record of a row: the same one, or the same except for the case of names. */
static size_t plan_find_kept(struct comparison *c, const struct record *was)
{
	struct rrset *set = c->set;
	struct rdata record = { .rdata = was->rdata, .len = was->rdata_len };
	size_t at = 0;

	while (at < set->wanted_count &&
	       (c->is_kept[at] || !rdata_is_same(&record, set->wanted[at].rdata,
	                                         set->wanted[at].len)))
		at++;
	if (at == set->wanted_count)
		at = rrset_find_wanted(set, &record, c->arena);
	if (at == set->wanted_count || c->is_kept[at])
		return set->wanted_count;
	c->is_kept[at] = true;
	return at;
}

/* The row of a set has its TTL, and the time of the last change to its records. */
static bool rrset_needs_row(const struct rrset *set, bool has_changed)
{
	if (has_changed || !set->wanted_count)
		return has_changed;
	return !set->stored || ttl_differs(set->ttl, set->stored_ttl) ||
	       strcmp(set->description, rrset_stored_description(set)) != 0;
}

static void plan_set(struct comparison *c)
{
	struct rrset *set = c->set;
	size_t *kept = arena_alloc(c->arena, (set->was_count + 1) * sizeof(*kept));
	size_t changed_before = c->plan->count - c->plan->marked;
	const struct rdata *wanted;

	c->is_kept = arena_alloc(c->arena, set->wanted_count + 1);
	for (size_t i = 0; i < set->was_count; i++)
		kept[i] = plan_find_kept(c, &set->was[i]);
	for (size_t i = 0; i < set->was_count; i++) {
		if (kept[i] < set->wanted_count)
			plan_kept(c, &set->was[i], &set->wanted[kept[i]]);
		else
			plan_gone(c, &set->was[i]);
	}
	while ((wanted = plan_next_new(c)))
		plan_new(c, wanted);
	if (!set->wanted_count) {		/* of an empty set, unchanged */
		set->ttl = set->stored_ttl;
		set->description = rrset_stored_description(set);
	}
	if (rrset_needs_row(set, c->plan->count - c->plan->marked > changed_before))
		c->plan->sets[c->plan->set_count++] = set;
	c->plan->record_delta += (int64_t)set->wanted_count - (int64_t)set->was_count;
	c->plan->recordset_delta += (set->wanted_count > 0) - (set->was_count > 0);
}

static uint32_t ttl_effective(struct ttl ttl, uint32_t default_ttl)
{
	return ttl.given ? ttl.value : default_ttl;
}

void plan_make(struct plan *plan, struct rrset *const *sets, size_t count,
               uint32_t default_ttl, uint32_t serial, struct arena *arena)
{
	*plan = (struct plan){
		.sets = arena_alloc(arena, (count + 1) * sizeof(*plan->sets)),
	};
	for (size_t i = 0; i < count; i++) {
		struct comparison c = {
			.plan = plan, .set = sets[i], .arena = arena, .serial = serial,
			.old_ttl = ttl_effective(sets[i]->stored_ttl, default_ttl),
			.new_ttl = ttl_effective(sets[i]->ttl, default_ttl),
			.has_new_ttl = ttl_differs(sets[i]->ttl, sets[i]->stored_ttl),
		};

		if (sets[i]->field)
			plan_set(&c);
	}
}

bool plan_is_empty(const struct plan *plan)
{
	return !plan->count && !plan->set_count;
}

void plan_clear(struct plan *plan)
{
	buf_clear(&plan->removed);
	buf_clear(&plan->added);
}
