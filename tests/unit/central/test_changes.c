#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <string.h>

#include "core/changes.h"
#include "dns/canonical.h"
#include "model/presentation.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Addresses 0 to 7 stand for all records, and a set of them is a bit mask:
 * the naive model of a record set is the mask, its TTL, and whether a `set`
 * was among the changes.
 */
enum { ADDRESSES = 8, SETS = 3, SERIAL = 1000, OLD_SERIAL = 990, DEFAULT_TTL = 3600 };

static const uint8_t wires[ADDRESSES][4] = {
	{ 192, 0, 2, 0 }, { 192, 0, 2, 1 }, { 192, 0, 2, 2 }, { 192, 0, 2, 3 },
	{ 192, 0, 2, 4 }, { 192, 0, 2, 5 }, { 192, 0, 2, 6 }, { 192, 0, 2, 7 },
};
static const char *const texts[ADDRESSES] = {
	"192.0.2.0", "192.0.2.1", "192.0.2.2", "192.0.2.3",
	"192.0.2.4", "192.0.2.5", "192.0.2.6", "192.0.2.7",
};

struct model {
	unsigned was, is;		/* masks */
	bool stored;
	struct ttl stored_ttl, ttl;
	bool paired, touched;
};

/* The set under test, and the model beside it. */
struct subject {
	struct rrset set;
	struct model model;
	struct record rows[ADDRESSES];
};

struct fixture {
	struct arena *arena;
	struct subject subjects[SETS];
	struct rrset *sets[SETS];
	struct plan plan;
};

static unsigned count_bits(unsigned mask)
{
	unsigned n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static int address_of(const uint8_t *rdata, size_t len)
{
	assert_int_equal(len, 4);
	assert_memory_equal(rdata, wires[0], 3);
	assert_true(rdata[3] < ADDRESSES);
	return rdata[3];
}

static bool same_ttl(struct ttl a, struct ttl b)
{
	return a.given == b.given && a.value == b.value;
}

static uint32_t effective(struct ttl ttl)
{
	return ttl.given ? ttl.value : DEFAULT_TTL;
}

/* ---- what is there before ---- */

static struct state live_state(unsigned n)
{
	static const struct state live[] = {
		{ TASK_NONE, STATUS_ACTIVE, OLD_SERIAL },
		{ TASK_ADD, STATUS_PENDING, OLD_SERIAL },
		{ TASK_ADD, STATUS_ERROR, OLD_SERIAL },
		{ TASK_UPDATE, STATUS_ERROR, OLD_SERIAL },
		{ TASK_UPDATE, STATUS_PENDING, OLD_SERIAL },
	};

	return live[n % COUNT(live)];
}

static void begin_subject(struct fixture *f, int n, unsigned mask, struct ttl ttl)
{
	struct subject *s = &f->subjects[n];
	char text[] = "w0.example.org.";
	struct why why;

	text[1] = (char)('0' + n);
	*s = (struct subject){ .model = { .was = mask, .is = mask, .stored_ttl = ttl } };
	assert_int_equal(name_parse(text, "name", &s->set.name, &why), OK);
	s->set.owner = arena_strdup(f->arena, text);
	s->set.type = RR_A;
	s->set.stored = s->model.stored = mask || ttl.given;
	s->set.stored_ttl = ttl;
	s->model.ttl = mask ? ttl : (struct ttl){ 0 };
	for (unsigned i = 0; i < ADDRESSES; i++)
		if (mask >> i & 1) {
			struct record *row = &s->rows[s->set.was_count++];

			*row = (struct record){ .data = texts[i], .rdata = wires[i],
			                        .rdata_len = 4,
			                        .state = live_state(i + mask) };
			snprintf(row->id, sizeof(row->id), "row %d of set %d", (int)i, n);
		}
	s->set.was = s->rows;
	rrset_begin(&s->set, f->arena);
	f->sets[n] = &s->set;
}

/* ---- a change, to the set and to the model ---- */

struct step {
	enum change_op op;
	int ttl_op;
	uint32_t ttl;
	size_t count;
	uint8_t addresses[ADDRESSES];
};

static bool model_ttl(struct model *m, const struct step *step)
{
	struct ttl ttl = m->ttl;

	if (step->op == CHANGE_DELETE || step->ttl_op == TTL_KEPT)
		return false;
	m->ttl = step->ttl_op == TTL_GIVEN ? (struct ttl){ true, step->ttl }
	                                   : (struct ttl){ 0 };
	return !same_ttl(ttl, m->ttl);
}

/* One record after the other; what is said twice is said once. */
static size_t model_set(struct model *m, const struct step *step, bool new_ttl)
{
	unsigned before = m->is, is = 0;

	for (size_t i = 0; i < step->count; i++)
		is |= 1u << step->addresses[i];
	m->is = is;
	m->paired = true;
	return new_ttl ? 0 : count_bits(before & is);
}

static size_t model_step(struct model *m, const struct step *step)
{
	bool new_ttl = model_ttl(m, step);
	size_t unchanged = 0;

	m->touched = true;
	if (step->op == CHANGE_SET)
		return model_set(m, step, new_ttl);
	if (step->op == CHANGE_DELETE && !step->count) {
		unchanged = !m->is;
		m->is = 0;
	}
	for (size_t i = 0; i < step->count; i++) {
		unsigned bit = 1u << step->addresses[i];
		bool is_there = m->is & bit;

		if (step->op == CHANGE_ADD) {
			unchanged += is_there && !new_ttl;
			m->is |= bit;
		} else {
			unchanged += !is_there;
			m->is &= ~bit;
		}
	}
	return unchanged;
}

static size_t apply_step(struct fixture *f, struct rrset *set, const struct step *step)
{
	struct change change = {
		.op = step->op, .name = set->name, .owner = set->owner, .type = set->type,
		.ttl_op = step->ttl_op, .ttl = step->ttl, .count = step->count,
		.field = "f",
		.records = arena_alloc(f->arena,
		                       (step->count + 1) * sizeof(struct rdata)),
	};

	for (size_t i = 0; i < step->count; i++) {
		int at = step->addresses[i];

		change.records[i] = (struct rdata){ texts[at], wires[at], 4 };
	}
	return rrset_apply(set, &change, f->arena);
}

static void take_step(struct fixture *f, int n, const struct step *step)
{
	struct subject *s = &f->subjects[n];

	assert_int_equal(apply_step(f, &s->set, step), model_step(&s->model, step));
}

static void plan(struct fixture *f)
{
	plan_make(&f->plan, f->sets, SETS, DEFAULT_TTL, SERIAL, f->arena);
}

static void end(struct fixture *f)
{
	plan_clear(&f->plan);
	arena_free(&f->arena);
}

/* ---- the plan, written into rows ---- */

static struct record *find_row(struct record *rows, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].id, id))
			return &rows[i];
	print_error("no row '%s'\n", id);
	assert_true(false);
	return NULL;
}

static enum task want_task(enum row_op op, struct state was)
{
	if (op == ROW_DELETE)
		return TASK_DELETE;
	return was.task == TASK_ADD ? TASK_ADD : TASK_UPDATE;
}

static void write_row(const struct row *row, struct record *rows, size_t *count)
{
	struct record *at = &rows[*count];

	if (row->op == ROW_INSERT) {
		assert_int_equal(row->record.id[0], 0);
		assert_int_equal(row->record.state.task, TASK_ADD);
		++*count;
	} else {
		at = find_row(rows, *count, row->record.id);
		/* no row is written twice */
		assert_int_equal(at->state.serial, OLD_SERIAL);
		assert_int_equal(row->record.state.task, want_task(row->op, at->state));
	}
	if (row->op == ROW_TOUCH || row->op == ROW_DELETE)
		assert_memory_equal(at->rdata, row->record.rdata, 4);
	assert_int_equal(row->record.state.status, STATUS_PENDING);
	assert_int_equal(row->record.state.serial, SERIAL);
	*at = row->record;
}

/* What is served once the plan is written; each address in one row. */
static unsigned mask_written(const struct fixture *f, const struct subject *s)
{
	struct record rows[3 * ADDRESSES];
	size_t count = s->set.was_count;
	unsigned mask = 0;

	memcpy(rows, s->rows, count * sizeof(*rows));
	for (size_t i = 0; i < f->plan.count; i++)
		if (f->plan.rows[i].set == &s->set)
			write_row(&f->plan.rows[i], rows, &count);
	for (size_t i = 0; i < count; i++) {
		int at = address_of(rows[i].rdata, rows[i].rdata_len);

		if (rows[i].state.task == TASK_DELETE)
			continue;
		assert_false(mask >> at & 1);
		assert_string_equal(rows[i].data, texts[at]);
		mask |= 1u << at;
	}
	return mask;
}

static size_t count_rows(const struct fixture *f, const struct subject *s, enum row_op op)
{
	size_t n = 0;

	for (size_t i = 0; i < f->plan.count; i++)
		n += f->plan.rows[i].set == &s->set && f->plan.rows[i].op == op;
	return n;
}

/* As few rows as can be: a `set` moves as many addresses as go and come. */
static void check_rows(const struct fixture *f, const struct subject *s)
{
	const struct model *m = &s->model;
	size_t gone = count_bits(m->was & ~m->is), come = count_bits(m->is & ~m->was);
	size_t pairs = !m->paired ? 0 : gone < come ? gone : come;
	bool retimed = effective(m->stored_ttl) != effective(m->ttl);

	assert_int_equal(count_rows(f, s, ROW_UPDATE), pairs);
	assert_int_equal(count_rows(f, s, ROW_DELETE), gone - pairs);
	assert_int_equal(count_rows(f, s, ROW_INSERT), come - pairs);
	assert_int_equal(count_rows(f, s, ROW_TOUCH),
	                 retimed ? count_bits(m->was & m->is) : 0);
	assert_int_equal(mask_written(f, s), m->is);
}

/* ---- the RRs that go and come ---- */

struct zone_rr {
	bool is_there;
	uint32_t ttl;
};

typedef struct zone_rr zone_rrs[SETS][ADDRESSES];

static void fill_rrs(const struct fixture *f, bool after, zone_rrs rrs)
{
	for (int n = 0; n < SETS; n++)
		for (int i = 0; i < ADDRESSES; i++) {
			const struct model *m = &f->subjects[n].model;
			unsigned mask = after ? m->is : m->was;
			uint32_t ttl = effective(after ? m->ttl : m->stored_ttl);
			bool is_there = mask >> i & 1;

			rrs[n][i] = (struct zone_rr){ is_there, is_there ? ttl : 0 };
		}
}

static struct zone_rr *find_rr(const struct fixture *f, const struct rr *rr, zone_rrs rrs)
{
	for (int n = 0; n < SETS; n++) {
		const struct name *name = &f->subjects[n].set.name;

		if (!memcmp(name->wire, rr->name, name->len))
			return &rrs[n][address_of(rr->rdata, rr->rdata_len)];
	}
	print_error("an RR of a name that no set has\n");
	assert_true(false);
	return NULL;
}

/* Each RR that goes was there with that TTL, and each that comes was not. */
static void move_rrs(const struct fixture *f, const struct buf *list, bool come,
                     zone_rrs rrs)
{
	struct rr rr;
	size_t at = 0;

	while (rr_next(list->data, list->len, &at, &rr)) {
		struct zone_rr *there = find_rr(f, &rr, rrs);

		assert_int_equal(rr.type, RR_A);
		assert_int_equal(there->is_there, !come);
		if (!come)
			assert_int_equal(there->ttl, rr.ttl);
		*there = (struct zone_rr){ come, come ? rr.ttl : 0 };
	}
	assert_int_equal(at, list->len);
}

static void check_rrs(const struct fixture *f)
{
	zone_rrs rrs, want;

	fill_rrs(f, false, rrs);
	fill_rrs(f, true, want);
	move_rrs(f, &f->plan.removed, false, rrs);
	move_rrs(f, &f->plan.added, true, rrs);
	for (int n = 0; n < SETS; n++)
		for (int i = 0; i < ADDRESSES; i++) {
			assert_int_equal(rrs[n][i].is_there, want[n][i].is_there);
			assert_int_equal(rrs[n][i].ttl, want[n][i].ttl);
		}
}

/* ---- the sums ---- */

static bool has_own_row(const struct fixture *f, const struct subject *s)
{
	for (size_t i = 0; i < f->plan.set_count; i++)
		if (f->plan.sets[i] == &s->set)
			return true;
	return false;
}

static bool has_other_rows(const struct fixture *f, const struct subject *s)
{
	return count_rows(f, s, ROW_INSERT) || count_rows(f, s, ROW_DELETE) ||
	       count_rows(f, s, ROW_UPDATE) || count_rows(f, s, ROW_TOUCH);
}

/* True: the TTL in the row changes, even if the served TTL stays the same. */
static bool has_new_ttl(const struct model *m)
{
	return m->touched && !same_ttl(m->ttl, m->stored_ttl);
}

/* Its records change, its own row is new, or it has another TTL and records. */
static bool wants_own_row(const struct fixture *f, const struct subject *s)
{
	const struct model *m = &s->model;

	return has_other_rows(f, s) ||
	       (m->touched && m->is && (!m->stored || has_new_ttl(m)));
}

/* The row of a set that becomes empty keeps its TTL. */
static void check_own_row(const struct fixture *f, const struct subject *s)
{
	assert_int_equal(has_own_row(f, s), wants_own_row(f, s));
	if (has_own_row(f, s) && !s->model.is)
		assert_true(same_ttl(s->set.ttl, s->model.stored_ttl));
}

static void check_sums(const struct fixture *f)
{
	size_t inserted = 0, updated = 0, deleted = 0, touched = 0, retimed = 0, own = 0;
	int64_t records = 0, recordsets = 0;

	for (int n = 0; n < SETS; n++) {
		const struct subject *s = &f->subjects[n];
		const struct model *m = &s->model;

		inserted += count_rows(f, s, ROW_INSERT);
		deleted += count_rows(f, s, ROW_DELETE);
		updated += count_rows(f, s, ROW_UPDATE);
		touched += count_rows(f, s, ROW_TOUCH);
		retimed += has_new_ttl(m) ? count_bits(m->was & m->is) : 0;
		records += (int64_t)count_bits(m->is) - (int64_t)count_bits(m->was);
		recordsets += (m->is != 0) - (m->was != 0);
		own += wants_own_row(f, s);
		check_own_row(f, s);
	}
	assert_int_equal(f->plan.inserted, inserted);
	assert_int_equal(f->plan.updated, updated + retimed);
	assert_int_equal(f->plan.deleted, deleted);
	assert_int_equal(f->plan.count, inserted + updated + touched + deleted);
	assert_int_equal(f->plan.set_count, own);
	assert_true(f->plan.record_delta == records);
	assert_true(f->plan.recordset_delta == recordsets);
	assert_int_equal(plan_is_empty(&f->plan), !f->plan.count && !own);
}

static void check_plan(const struct fixture *f)
{
	for (int n = 0; n < SETS; n++)
		check_rows(f, &f->subjects[n]);
	check_rrs(f);
	check_sums(f);
}

/* ---- any changes at all ---- */

static uint32_t noise(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Among them the default's value, given: it is another TTL and the same RR. */
static uint32_t any_ttl(uint32_t *state)
{
	static const uint32_t ttls[] = { DEFAULT_TTL, 300, 0 };

	return ttls[noise(state) % COUNT(ttls)];
}

static struct step any_step(uint32_t *state)
{
	struct step step = {
		.op = noise(state) % 3,
		.ttl_op = noise(state) % 2 ? TTL_KEPT : (int)(noise(state) % 3),
		.ttl = any_ttl(state),
		.count = noise(state) % 6,
	};

	for (size_t i = 0; i < step.count; i++)
		step.addresses[i] = (uint8_t)(noise(state) % ADDRESSES);
	return step;
}

static void begin_any(struct fixture *f, uint32_t *state)
{
	*f = (struct fixture){ .arena = arena_new() };
	for (int n = 0; n < SETS; n++) {
		bool given = noise(state) % 2;
		struct ttl ttl = { given, given ? any_ttl(state) : 0 };
		unsigned mask = noise(state) % 4 ? noise(state) % (1u << ADDRESSES) : 0;

		begin_subject(f, n, mask, ttl);
	}
}

static void any_changes_give_what_the_model_has(void **unused)
{
	uint32_t state = 88172645;

	(void)unused;
	for (int round = 0; round < 20000; round++) {
		struct fixture f;

		begin_any(&f, &state);
		for (uint32_t steps = noise(&state) % 8; steps > 0; steps--) {
			struct step step = any_step(&state);

			take_step(&f, (int)(noise(&state) % SETS), &step);
		}
		plan(&f);
		check_plan(&f);
		end(&f);
	}
}

/* ---- the cases that have a name ---- */

enum { STEPS_MAX = 3 };

static const struct {
	const char *name;
	unsigned was;
	struct ttl stored_ttl;
	struct step steps[STEPS_MAX];
	size_t step_count;
	size_t inserted, updated, deleted, own_rows;
} cases[] = {
	{ "a set that changes one address is one UPDATE", 0x3, { 0 },
	  { { CHANGE_SET, TTL_KEPT, 0, 2, { 0, 2 } } }, 1, 0, 1, 0, 1 },
	{ "a set that changes the only address is one UPDATE", 0x1, { 0 },
	  { { CHANGE_SET, TTL_KEPT, 0, 1, { 5 } } }, 1, 0, 1, 0, 1 },
	{ "a set of the same in another order is nothing", 0x7, { 0 },
	  { { CHANGE_SET, TTL_KEPT, 0, 3, { 2, 0, 1 } } }, 1, 0, 0, 0, 0 },
	{ "a set of more is an UPDATE and INSERTs", 0x1, { 0 },
	  { { CHANGE_SET, TTL_KEPT, 0, 3, { 1, 2, 3 } } }, 1, 2, 1, 0, 1 },
	{ "a set of fewer is an UPDATE and DELETEs", 0x7, { 0 },
	  { { CHANGE_SET, TTL_KEPT, 0, 1, { 4 } } }, 1, 0, 1, 2, 1 },
	{ "a set without records empties it", 0x3, { 0 },
	  { { CHANGE_SET, TTL_KEPT, 0, 0, { 0 } } }, 1, 0, 0, 2, 1 },
	{ "a new set has its own row", 0, { 0 },
	  { { CHANGE_SET, TTL_GIVEN, 60, 2, { 0, 1 } } }, 1, 2, 0, 0, 1 },
	{ "delete and add do not pair", 0x1, { 0 },
	  { { CHANGE_DELETE, TTL_KEPT, 0, 1, { 0 } },
	    { CHANGE_ADD, TTL_KEPT, 0, 1, { 1 } } },
	  2, 1, 0, 1, 1 },
	{ "what is deleted and added again was never away", 0x3, { 0 },
	  { { CHANGE_DELETE, TTL_KEPT, 0, 0, { 0 } },
	    { CHANGE_ADD, TTL_KEPT, 0, 2, { 1, 0 } } }, 2, 0, 0, 0, 0 },
	{ "what is added and deleted again never came", 0x1, { 0 },
	  { { CHANGE_ADD, TTL_KEPT, 0, 1, { 1 } },
	    { CHANGE_DELETE, TTL_KEPT, 0, 1, { 1 } } },
	  2, 0, 0, 0, 0 },
	{ "a new TTL touches each record", 0x7, { true, 300 },
	  { { CHANGE_ADD, TTL_GIVEN, 60, 1, { 0 } } }, 1, 0, 3, 0, 1 },
	{ "the default's TTL, given, is written down and changes no RR", 0x7, { 0 },
	  { { CHANGE_ADD, TTL_GIVEN, DEFAULT_TTL, 1, { 0 } } }, 1, 0, 3, 0, 1 },
	{ "back to the default", 0x3, { true, 300 },
	  { { CHANGE_SET, TTL_DEFAULT, 0, 2, { 0, 1 } } }, 1, 0, 2, 0, 1 },
	{ "an emptied set does not come back with its old TTL", 0, { true, 300 },
	  { { CHANGE_ADD, TTL_KEPT, 0, 1, { 0 } } }, 1, 1, 0, 0, 1 },
	{ "deleted whole, its own row keeps the TTL", 0x7, { true, 300 },
	  { { CHANGE_DELETE, TTL_KEPT, 0, 0, { 0 } } }, 1, 0, 0, 3, 1 },
};

static void named_cases_cost_what_they_should(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fixture f = { .arena = arena_new() };

		print_message("  %s\n", cases[i].name);
		begin_subject(&f, 0, cases[i].was, cases[i].stored_ttl);
		begin_subject(&f, 1, 0x3, (struct ttl){ 0 });
		begin_subject(&f, 2, 0, (struct ttl){ 0 });
		for (size_t n = 0; n < cases[i].step_count; n++)
			take_step(&f, 0, &cases[i].steps[n]);
		plan(&f);
		check_plan(&f);
		assert_int_equal(f.plan.inserted, cases[i].inserted);
		assert_int_equal(f.plan.updated, cases[i].updated);
		assert_int_equal(f.plan.deleted, cases[i].deleted);
		assert_int_equal(f.plan.set_count, cases[i].own_rows);
		end(&f);
	}
}

/* The row keeps its id and says what it holds now; what goes is what it held. */
static void a_changed_address_is_the_update_of_its_row(void **unused)
{
	struct step step = { CHANGE_SET, TTL_KEPT, 0, 2, { 0, 2 } };
	struct fixture f = { .arena = arena_new() };
	const struct row *row;

	(void)unused;
	for (int n = 0; n < SETS; n++)
		begin_subject(&f, n, 0x3, (struct ttl){ 0 });
	take_step(&f, 1, &step);
	plan(&f);
	assert_int_equal(f.plan.count, 1);
	row = &f.plan.rows[0];
	assert_int_equal(row->op, ROW_UPDATE);
	assert_ptr_equal(row->set, f.sets[1]);
	assert_string_equal(row->record.id, "row 1 of set 1");
	assert_string_equal(row->record.data, "192.0.2.2");
	assert_memory_equal(row->record.rdata, wires[2], 4);
	check_plan(&f);
	end(&f);
}

/* ---- records that are equal but for the case of their names ---- */

enum { RECORDS = 4, MANY = 20000, CHANGES = 500 };

/* How many records were made canonical: the linker sends all such calls here. */
static size_t canonicals;

bool __real_canonical_of_rr(const struct rr *rr, struct canonical *canonical);
bool __wrap_canonical_of_rr(const struct rr *rr, struct canonical *canonical);

bool __wrap_canonical_of_rr(const struct rr *rr, struct canonical *canonical)
{
	canonicals++;
	return __real_canonical_of_rr(rr, canonical);
}

/* Texts until NULL, as records of the type; returns how many. */
static size_t parse_records(struct arena *arena, uint16_t type, const char *const *list,
                            struct rdata *records)
{
	size_t n = 0;
	struct why why;

	for (; n < RECORDS && list[n]; n++) {
		records[n].data = list[n];
		assert_int_equal(rdata_parse(type, list[n], "records", arena,
		                             &records[n].rdata, &records[n].len, &why),
		                 OK);
	}
	return n;
}

static void begin_set(struct rrset *set, uint16_t type, const struct rdata *records,
                      size_t count, struct arena *arena)
{
	struct record *rows = arena_alloc(arena, (count + 1) * sizeof(*rows));
	struct why why;

	for (size_t i = 0; i < count; i++)
		rows[i] = (struct record){ .data = records[i].data,
		                           .rdata = records[i].rdata,
		                           .rdata_len = records[i].len };
	*set = (struct rrset){ .owner = "w.example.org.", .type = type, .was = rows,
	                       .was_count = count };
	assert_int_equal(name_parse(set->owner, "name", &set->name, &why), OK);
	rrset_begin(set, arena);
}

static const struct {
	const char *name;
	uint16_t type;
	const char *was[RECORDS + 1], *expected[RECORDS + 1];
	bool want;
} expectations[] = {
	{ "none, and none", RR_MX, { 0 }, { 0 }, true },
	{ "none, and one", RR_MX, { 0 }, { "1 a." }, false },
	{ "one, and none", RR_MX, { "1 a." }, { 0 }, false },
	{ "in another order", RR_MX, { "1 a.", "2 b." }, { "2 b.", "1 a." }, true },
	{ "in another case", RR_MX, { "1 A.ORG." }, { "1 a.Org." }, true },
	{ "a text's case", RR_TXT, { "\"A\"" }, { "\"a\"" }, false },
	{ "said twice", RR_MX, { "1 a." }, { "1 a.", "1 A." }, true },
	{ "there twice", RR_MX, { "1 a.", "1 A." }, { "1 a." }, true },
	{ "as many, but one twice", RR_MX, { "1 a.", "2 b." }, { "1 a.", "1 a." },
	  false },
	{ "one more", RR_A, { "192.0.2.1" }, { "192.0.2.1", "192.0.2.2" }, false },
	{ "one less", RR_A, { "192.0.2.1", "192.0.2.2" }, { "192.0.2.1" }, false },
	{ "one of a beginning", RR_TXT, { "\"a\"" }, { "\"a\" \"b\"" }, false },
};

static void a_set_is_expected_whatever_its_order_and_case(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(expectations); i++) {
		struct arena *arena = arena_new();
		uint16_t type = expectations[i].type;
		struct rdata was[RECORDS], expected[RECORDS];
		struct change expect = { .op = CHANGE_EXPECT, .records = expected };
		size_t count = parse_records(arena, type, expectations[i].was, was);
		struct rrset set;

		print_message("  %s\n", expectations[i].name);
		expect.count = parse_records(arena, type, expectations[i].expected,
		                             expected);
		begin_set(&set, type, was, count, arena);
		assert_int_equal(rrset_is_expected(&set, &expect, arena),
		                 expectations[i].want);
		arena_free(&arena);
	}
}

static const struct {
	const char *name;
	uint16_t type;
	const char *was[RECORDS + 1], *gone[RECORDS + 1], *left[RECORDS + 1];
	size_t unchanged;
} deletions[] = {
	{ "just that", RR_MX, { "1 a.", "2 b." }, { "1 a." }, { "2 b." }, 0 },
	{ "in another case", RR_MX, { "1 A.", "2 b." }, { "1 a." }, { "2 b." }, 0 },
	{ "of a CNAME", RR_CNAME, { "Foo.Example.org." }, { "foo.example.org." }, { 0 },
	  0 },
	{ "a text's case", RR_TXT, { "\"A\"" }, { "\"a\"" }, { "\"A\"" }, 1 },
	{ "there twice", RR_MX, { "1 A.", "2 b.", "1 a." }, { "1 a." }, { "2 b." }, 0 },
	{ "said twice", RR_MX, { "1 A.", "2 b." }, { "1 a.", "1 A." }, { "2 b." }, 1 },
	{ "not there", RR_MX, { "1 a." }, { "1 b.", "2 a." }, { "1 a." }, 2 },
	{ "the order of others", RR_A, { "192.0.2.9", "192.0.2.1", "192.0.2.5" },
	  { "192.0.2.1" }, { "192.0.2.9", "192.0.2.5" }, 0 },
};

static void what_is_deleted_is_found_whatever_its_case(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(deletions); i++) {
		struct arena *arena = arena_new();
		uint16_t type = deletions[i].type;
		struct rdata was[RECORDS], gone[RECORDS];
		struct change change = { .op = CHANGE_DELETE, .records = gone,
		                         .field = "f" };
		size_t count = parse_records(arena, type, deletions[i].was, was);
		size_t left = 0;
		struct rrset set;

		print_message("  %s\n", deletions[i].name);
		change.count = parse_records(arena, type, deletions[i].gone, gone);
		begin_set(&set, type, was, count, arena);
		assert_int_equal(rrset_apply(&set, &change, arena),
		                 deletions[i].unchanged);
		for (; deletions[i].left[left]; left++) {
			assert_in_range(left + 1, 1, set.wanted_count);
			assert_string_equal(set.wanted[left].data,
			                    deletions[i].left[left]);
		}
		assert_int_equal(set.wanted_count, left);
		arena_free(&arena);
	}
}

static void a_producer_deletes_only_what_it_manages(void **unused)
{
	struct arena *arena = arena_new();
	const char *const texts_was[RECORDS] = { "192.0.2.1", "192.0.2.2" };
	const char *const texts_new[RECORDS] = { "192.0.2.1", "192.0.2.3" };
	struct rdata was[RECORDS], new[RECORDS] = { 0 };
	struct change change = { .op = CHANGE_ADD, .records = new, .field = "f",
	                         .managed_by = "ports" };
	struct rrset set;
	size_t count = parse_records(arena, RR_A, texts_was, was);

	(void)unused;
	change.count = parse_records(arena, RR_A, texts_new, new);
	begin_set(&set, RR_A, was, count, arena);
	assert_int_equal(rrset_apply(&set, &change, arena), 1);
	assert_null(set.wanted[0].managed_by);
	assert_string_equal(set.wanted[2].managed_by, "ports");
	change.op = CHANGE_DELETE;
	change.managed_by = "routes";
	assert_int_equal(rrset_apply(&set, &change, arena), 2);
	change.managed_by = "ports";
	assert_int_equal(rrset_apply(&set, &change, arena), 1);
	assert_int_equal(set.wanted_count, 2);
	assert_string_equal(set.wanted[0].data, "192.0.2.1");
	change.managed_by = NULL;
	assert_int_equal(rrset_apply(&set, &change, arena), 1);
	assert_int_equal(set.wanted_count, 1);
	arena_free(&arena);
}

static const struct {
	const char *name;
	enum change_op op;
	uint16_t type;
	const char *was[RECORDS + 1], *given[RECORDS + 1];
	size_t unchanged, inserted, updated, deleted;
} spellings[] = {
	{ "added in another case", CHANGE_ADD, RR_CNAME, { "a.org." }, { "A.ORG." },
	  1, 0, 0, 0 },
	{ "added twice", CHANGE_ADD, RR_MX, { 0 }, { "1 a.", "1 A." }, 1, 1, 0, 0 },
	{ "set in another case", CHANGE_SET, RR_CNAME, { "a.org." }, { "A.ORG." },
	  1, 0, 0, 0 },
	{ "set twice", CHANGE_SET, RR_CNAME, { "b.org." }, { "a.org.", "A.ORG." },
	  0, 0, 1, 0 },
	{ "a text's case", CHANGE_SET, RR_TXT, { "\"A\"" }, { "\"a\"" }, 0, 0, 1, 0 },
	{ "there twice, and left alone", CHANGE_ADD, RR_MX, { "1 A.", "1 a." },
	  { "2 b." }, 0, 1, 0, 0 },
	{ "there twice, and set", CHANGE_SET, RR_MX, { "1 A.", "1 a." }, { "1 a." },
	  1, 0, 0, 1 },
};

static void records_that_differ_in_case_are_one(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(spellings); i++) {
		struct arena *arena = arena_new();
		uint16_t type = spellings[i].type;
		struct rdata was[RECORDS] = { 0 }, given[RECORDS] = { 0 };
		struct change change = { .op = spellings[i].op, .records = given,
		                         .field = "f" };
		size_t count = parse_records(arena, type, spellings[i].was, was);
		struct rrset set, *sets = &set;
		struct plan plan;

		print_message("  %s\n", spellings[i].name);
		change.count = parse_records(arena, type, spellings[i].given, given);
		begin_set(&set, type, was, count, arena);
		assert_int_equal(rrset_apply(&set, &change, arena),
		                 spellings[i].unchanged);
		plan_make(&plan, &sets, 1, 300, 1, arena);
		assert_int_equal(plan.inserted, spellings[i].inserted);
		assert_int_equal(plan.updated, spellings[i].updated);
		assert_int_equal(plan.deleted, spellings[i].deleted);
		plan_clear(&plan);
		arena_free(&arena);
	}
}

/* RRSIG records have the TTLs of the sets that they cover (RFC 4034 3.1.4). */
static void the_ttl_of_a_signature_is_in_its_data(void **unused)
{
	struct arena *arena = arena_new();
	const char *const texts_was[RECORDS] = {
		"A 8 3 60 20300101000000 20200101000000 1 example.org. AAAA" };
	const char *const texts_new[RECORDS] = {
		"NS 8 3 3600 20300101000000 20200101000000 1 example.org. AAAA" };
	struct rdata was[RECORDS], new[RECORDS] = { 0 };
	struct change change = { .op = CHANGE_ADD, .records = new, .field = "f",
	                         .ttl_op = TTL_GIVEN, .ttl = 777 };
	struct rrset set, *sets = &set;
	struct plan plan;
	struct rr rr;
	size_t count = parse_records(arena, RR_RRSIG, texts_was, was), at = 0;

	(void)unused;
	change.count = parse_records(arena, RR_RRSIG, texts_new, new);
	begin_set(&set, RR_RRSIG, was, count, arena);
	rrset_apply(&set, &change, arena);
	plan_make(&plan, &sets, 1, 300, 1, arena);
	assert_int_equal(plan.updated, 1);	/* by the TTL in the row of the set */
	assert_int_equal(plan.inserted, 1);
	assert_int_equal(plan.removed.len, 0);
	assert_true(rr_next(plan.added.data, plan.added.len, &at, &rr));
	assert_int_equal(rr.ttl, 3600);
	assert_false(rr_next(plan.added.data, plan.added.len, &at, &rr));
	plan_clear(&plan);
	arena_free(&arena);
}

/* "FIRST", "FIRST + 1" ... as preferences of MX records. */
static struct rdata *many_records(struct arena *arena, size_t first)
{
	struct rdata *records = arena_alloc(arena, MANY * sizeof(*records));

	for (size_t i = 0; i < MANY; i++) {
		uint8_t wire[] = { (uint8_t)((first + i) >> 8), (uint8_t)(first + i),
		                   1, 'a', 0 };

		records[i] = (struct rdata){ "", arena_dup(arena, wire, sizeof(wire)),
		                             sizeof(wire) };
	}
	return records;
}

/* Nor once for each change, however many there are. */
static void many_changes_of_a_large_set_cost_no_more(void **unused)
{
	struct arena *arena = arena_new();
	struct rdata *here = many_records(arena, 0);
	struct change expect = { .op = CHANGE_EXPECT };
	struct change gone = { .op = CHANGE_DELETE, .count = 1, .field = "f" };
	struct rrset set;

	(void)unused;
	begin_set(&set, RR_MX, here, MANY, arena);
	canonicals = 0;
	for (size_t i = 0; i < CHANGES; i++) {
		gone.records = &here[MANY - 1 - i];
		assert_false(rrset_is_expected(&set, &expect, arena));
		assert_int_equal(rrset_apply(&set, &gone, arena), 0);
	}
	assert_in_range(canonicals, 1, 2 * MANY + CHANGES);
	assert_int_equal(set.wanted_count, MANY - CHANGES);
	arena_free(&arena);
}

/* Each record is made canonical once, and not once for each that it is compared with. */
static void a_large_set_costs_what_its_records_cost(void **unused)
{
	struct arena *arena = arena_new();
	struct rdata *here = many_records(arena, 0);
	struct rdata *elsewhere = many_records(arena, MANY);
	struct change expect = { .op = CHANGE_EXPECT, .records = here, .count = MANY };
	struct change gone = { .op = CHANGE_DELETE, .records = elsewhere, .count = MANY,
	                       .field = "f" };
	struct rrset set;
	size_t held;

	(void)unused;
	begin_set(&set, RR_MX, here, MANY, arena);
	held = arena_bytes(arena);
	canonicals = 0;
	assert_true(rrset_is_expected(&set, &expect, arena));
	assert_in_range(canonicals, 1, 2 * MANY);
	canonicals = 0;
	assert_int_equal(rrset_apply(&set, &gone, arena), MANY);
	assert_in_range(canonicals, 1, 2 * MANY);
	assert_int_equal(set.wanted_count, MANY);
	gone.records = here;
	canonicals = 0;
	assert_int_equal(rrset_apply(&set, &gone, arena), 0);
	assert_in_range(canonicals, 1, 2 * MANY);
	assert_int_equal(set.wanted_count, 0);
	assert_in_range(arena_bytes(arena) - held, 1, 3 * 2 * MANY * 64);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_cases_cost_what_they_should),
		cmocka_unit_test(a_changed_address_is_the_update_of_its_row),
		cmocka_unit_test(any_changes_give_what_the_model_has),
		cmocka_unit_test(a_set_is_expected_whatever_its_order_and_case),
		cmocka_unit_test(what_is_deleted_is_found_whatever_its_case),
		cmocka_unit_test(a_producer_deletes_only_what_it_manages),
		cmocka_unit_test(records_that_differ_in_case_are_one),
		cmocka_unit_test(the_ttl_of_a_signature_is_in_its_data),
		cmocka_unit_test(a_large_set_costs_what_its_records_cost),
		cmocka_unit_test(many_changes_of_a_large_set_cost_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
