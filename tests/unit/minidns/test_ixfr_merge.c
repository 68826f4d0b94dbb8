#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdio.h>
#include <string.h>

#include "core/ixfr.h"
#include "core/ixfr_merge.h"
#include "packets.h"

/*
 * One difference must do to a set of records what its steps do. The model knows nothing
 * of how: it is a list of records as octets, in which they are looked for one by one.
 */

enum { MAX_SET = 512, MAX_STEPS = 48 };

struct set {
	struct slice rr[MAX_SET];
	size_t count;
};

static bool is_same(struct slice a, struct slice b)
{
	return a.len == b.len && !memcmp(a.data, b.data, a.len);
}

static size_t find(const struct set *set, struct slice rr)
{
	size_t i = 0;

	while (i < set->count && !is_same(set->rr[i], rr))
		i++;
	return i;
}

static void insert(struct set *set, struct slice rr)
{
	assert_int_equal(find(set, rr), set->count);
	assert_true(set->count < MAX_SET);
	set->rr[set->count++] = rr;
}

static void take_out(struct set *set, struct slice rr)
{
	size_t at = find(set, rr);

	assert_true(at < set->count);
	set->rr[at] = set->rr[--set->count];
}

static void assert_equal_sets(const struct set *a, const struct set *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++)
		assert_true(find(b, a->rr[i]) < b->count);
}

/* The records of one half behind its SOA, which is that of SERIAL. Returns its end. */
static size_t read_half(const struct buf *rrs, size_t at, uint32_t serial,
                        struct set *half)
{
	struct soa soa;
	struct rr rr;

	*half = (struct set){ .count = 0 };
	assert_true(rr_next(rrs->data, rrs->len, &at, &rr));
	assert_int_equal(rr.type, RR_SOA);
	assert_true(soa_parse(rr.rdata, rr.rdata_len, &soa));
	assert_int_equal(soa.serial, serial);
	for (size_t start = at; rr_next(rrs->data, rrs->len, &at, &rr); start = at) {
		if (rr.type == RR_SOA)
			return start;
		insert(half, (struct slice){ rrs->data + start, at - start });
	}
	assert_int_equal(at, rrs->len);
	return at;
}

/* ---- journals ---- */

struct journal {
	struct buf removed[MAX_STEPS], added[MAX_STEPS];
	uint32_t serial[MAX_STEPS + 1];
	size_t count;
};

static void begin_step(struct journal *journal, uint32_t serial)
{
	put_soa_rr(&journal->removed[journal->count], "example.org.",
	           journal->serial[journal->count]);
	put_soa_rr(&journal->added[journal->count], "example.org.", serial);
	journal->serial[++journal->count] = serial;
}

static void journal_clear(struct journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		buf_clear(&journal->removed[i]);
		buf_clear(&journal->added[i]);
	}
}

/* FROM, TO: numbers of serials. The rows come from behind, to be put in order. */
static struct delta *delta_of(const struct journal *journal, size_t from, size_t to)
{
	struct ixfr_step steps[MAX_STEPS];
	struct name apex = name_of("example.org.");

	for (size_t i = 0; i < journal->count; i++) {
		const struct buf *removed = &journal->removed[i];
		const struct buf *added = &journal->added[i];

		steps[journal->count - 1 - i] = (struct ixfr_step){
			journal->serial[i], journal->serial[i + 1],
			removed->data, added->data, removed->len, added->len,
		};
	}
	return delta_new(&apex, journal->serial[from], journal->serial[to], steps,
	                 journal->count);
}

/* ---- a history by chance ---- */

static uint32_t dice = 1;

static uint32_t roll(uint32_t sides)
{
	dice = dice * 1103515245 + 12345;
	return (dice >> 16) % sides;
}

/* What a record is; how it is written is up to a dice each time that it comes. */
static const struct {
	const char *owner, *upper;
	uint16_t type;
	const char *rdata;
	size_t len;
} kinds[] = {
	{ "example.org.",     "EXAMPLE.ORG.",     RR_A,   "\1\2\3\4", 4 },
	{ "a.example.org.",   "A.example.org.",   RR_A,   "\1\2\3\4", 4 },
	{ "a.example.org.",   "A.example.org.",   RR_A,   "\1\2\3\5", 4 },
	{ "a.example.org.",   "a.Example.org.",   RR_TXT, "\1a",      2 },
	{ "a.example.org.",   "a.example.orG.",   RR_TXT, "\1A",      2 },
	{ "a.example.org.",   "a.EXAMPLE.org.",   RR_TXT, "\1a\1a",   4 },
	{ "a.example.org.",   "a.EXAMPLE.org.",   RR_KEY, "\1a\1a",   4 },
	{ "a.a.example.org.", "A.a.example.org.", RR_TXT, "\1a",      2 },
	{ "aa.example.org.",  "aA.example.org.",  RR_TXT, "\1a",      2 },
	{ "b.example.org.",   "B.example.org.",   RR_A,   "\1\2\3\4", 4 },
	{ "*.example.org.",   "*.EXAMPLE.org.",   65280,  "",         0 },
	{ "*.example.org.",   "*.EXAMPLE.org.",   65280,  "\0",       1 },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct state {
	bool present;
	struct buf rr;			/* as it was written */
};

static void write_anew(int kind, struct buf *rr)
{
	buf_reset(rr);
	put_rr(rr, roll(8) ? kinds[kind].owner : kinds[kind].upper, kinds[kind].type,
	       roll(4) ? 300 : 300 + roll(3), kinds[kind].rdata, kinds[kind].len);
}

static void change_some(struct state *states, struct journal *journal)
{
	struct buf *removed = &journal->removed[journal->count - 1];
	struct buf *added = &journal->added[journal->count - 1];

	for (int i = 0; i < KINDS; i++) {
		struct state *state = &states[i];
		bool was = state->present;

		if (roll(3))
			continue;
		if (was)
			buf_append(removed, state->rr.data, state->rr.len);
		state->present = !was || !roll(2);
		if (!state->present)
			continue;
		write_anew(i, &state->rr);
		buf_append(added, state->rr.data, state->rr.len);
	}
}

/* Copies, for the states go on. */
static void note(const struct state *states, struct buf *zone)
{
	for (int i = 0; i < KINDS; i++)
		if (states[i].present)
			buf_append(zone, states[i].rr.data, states[i].rr.len);
}

static void read_set(const struct buf *zone, struct set *set)
{
	struct rr rr;
	size_t at = 0;

	*set = (struct set){ .count = 0 };
	for (size_t start = 0; rr_next(zone->data, zone->len, &at, &rr); start = at)
		insert(set, (struct slice){ zone->data + start, at - start });
}

/* What the answer says, record by record, on what there was. */
static void check_delta(const struct journal *journal, size_t from, size_t to,
                        const struct buf *zones)
{
	struct delta *delta = delta_of(journal, from, to);
	struct set zone, wanted, removed, added;
	size_t at;

	assert_non_null(delta);
	at = read_half(&delta->rrs, 0, journal->serial[from], &removed);
	assert_int_equal(delta->newest_soa, at);
	at = read_half(&delta->rrs, at, journal->serial[to], &added);
	assert_int_equal(at, delta->rrs.len);
	assert_int_equal(delta->records, removed.count + added.count + 2);
	read_set(&zones[from], &zone);
	read_set(&zones[to], &wanted);
	for (size_t i = 0; i < removed.count; i++)
		take_out(&zone, removed.rr[i]);
	for (size_t i = 0; i < added.count; i++) {
		if (to - from > 1)	/* of a single step the journal's word counts */
			assert_int_equal(find(&removed, added.rr[i]), removed.count);
		insert(&zone, added.rr[i]);
	}
	assert_equal_sets(&zone, &wanted);
	delta_release(&delta);
}

static void try_history(uint32_t serial)
{
	struct journal journal = { .serial = { serial } };
	struct state states[KINDS] = { { .present = false } };
	struct buf zones[MAX_STEPS + 1] = { { 0 } };
	size_t steps = 1 + roll(MAX_STEPS);

	for (int i = 0; i < KINDS; i++) {
		write_anew(i, &states[i].rr);
		states[i].present = roll(2);
	}
	note(states, &zones[0]);
	for (size_t i = 1; i <= steps; i++) {
		begin_step(&journal, serial += 1 + roll(1000));
		change_some(states, &journal);
		note(states, &zones[i]);
	}
	for (size_t from = 0; from < steps; from += 1 + roll(5))
		for (size_t to = from + 1; to <= steps; to += 1 + roll(5))
			check_delta(&journal, from, to, zones);
	check_delta(&journal, 0, steps, zones);
	for (size_t i = 0; i <= steps; i++)
		buf_clear(&zones[i]);
	for (int i = 0; i < KINDS; i++)
		buf_clear(&states[i].rr);
	journal_clear(&journal);
}

static void one_difference_does_what_its_steps_do(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++)
		try_history(i % 3 ? roll(65536) : UINT32_MAX - roll(20000));
}

/* ---- what it looks like ---- */

/* "-a3 +a3": a.example.org. removed and added, with a TTL of 3; "|": the next step. */
static void put_steps(struct journal *journal, const char *text)
{
	char owner[] = "?.example.org.";

	begin_step(journal, 2);
	for (; *text; text++) {
		bool added = *text == '+';

		if (*text == '|')
			begin_step(journal, journal->serial[journal->count] + 1);
		if (*text != '+' && *text != '-')
			continue;
		owner[0] = text[1];
		put_rr(added ? &journal->added[journal->count - 1]
		             : &journal->removed[journal->count - 1],
		       owner, RR_A, text[2] - '0', "\1\2\3\4", 4);
	}
}

static void say_half(const struct set *half, char sign, char *text)
{
	for (size_t i = 0; i < half->count; i++) {
		const uint8_t *rr = half->rr[i].data;
		char word[8];

		/* the last octet of the TTL, behind owner, type and class */
		snprintf(word, sizeof(word), "%s%c%c%d", *text ? " " : "", sign, rr[1],
		         rr[15 + 4 + 3]);
		strcat(text, word);
	}
}

static void say(const struct journal *journal, char *text)
{
	struct delta *delta = delta_of(journal, 0, journal->count);
	struct set removed, added;
	size_t at;

	*text = '\0';
	if (!delta) {
		strcpy(text, "impossible");
		return;
	}
	at = read_half(&delta->rrs, 0, 1, &removed);
	read_half(&delta->rrs, at, journal->serial[journal->count], &added);
	say_half(&removed, '-', text);
	say_half(&added, '+', text);
	delta_release(&delta);
}

static const struct {
	const char *steps, *want;
} cases[] = {
	{ "|",                        "" },
	{ "+a3|-a3",                  "" },
	{ "-a3|+a3",                  "" },
	{ "+a3|-a3|+a3",              "+a3" },
	{ "-a3|+a3|-a3",              "-a3" },
	{ "-a3 +a3|",                 "" },
	{ "+a3|+b3",                  "+a3 +b3" },
	{ "-b3|-a3",                  "-a3 -b3" },
	{ "-a3 +a6|",                 "-a3 +a6" },
	{ "-a3 +a6|-a6 +a9",          "-a3 +a9" },
	{ "-a3 +a6|-a6 +a3",          "" },
	{ "-a3 +a6|-a6",              "-a3" },
	{ "-a3|+a6|-a6|+a9",          "-a3 +a9" },
	{ "+a3|-a3 +a6",              "+a6" },
	{ "+a3 -b3|-a3 +b3|+c3",      "+c3" },
	{ "-A3|+a3",                  "-A3 +a3" },
	{ "-A3 +a3|-a3 +A3",          "" },
	/* contradictions */
	{ "+a3|+a3",                  "impossible" },
	{ "+a3|+a6",                  "impossible" },
	{ "+a3|+A3",                  "impossible" },
	{ "-a3|-a3",                  "impossible" },
	{ "-a3|-a6",                  "impossible" },
	{ "-a3|-A3",                  "impossible" },
	{ "+a3|-a6",                  "impossible" },
	{ "+a3|-A3",                  "impossible" },
	{ "-a3 -a3|",                 "impossible" },
	{ "+a3 +a3|",                 "impossible" },
	{ "-a3 +a6|-a3",              "impossible" },
	{ "-a3|+a3|+a3",              "impossible" },
	{ "+b3|-b3|+a3|-a3|-a3",      "impossible" },
};

static void each_history_has_its_difference(void **state)
{
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct journal journal = { .serial = { 1 } };

		put_steps(&journal, cases[i].steps);
		say(&journal, text);
		assert_string_equal(text, cases[i].want);
		journal_clear(&journal);
	}
}

/* What stands in the journal is sent, in its order: nobody looks into it. */
static void a_single_step_is_sent_as_it_is(void **state)
{
	struct journal journal = { .serial = { 1 } };
	struct delta *delta;

	(void)state;
	put_steps(&journal, "-z3 -a3 -a3 +b3 +a3");
	delta = delta_of(&journal, 0, 1);
	assert_non_null(delta);
	assert_int_equal(delta->records, 7);
	assert_memory_equal(delta->rrs.data, journal.removed[0].data,
	                    journal.removed[0].len);
	assert_memory_equal(delta->rrs.data + delta->newest_soa, journal.added[0].data,
	                    journal.added[0].len);
	delta_release(&delta);
	journal_clear(&journal);
}

/* An SOA that was changed meanwhile is what the client has, and what it is to have. */
static void the_soas_are_the_first_and_the_last(void **state)
{
	struct journal journal = { .serial = { 1 } };
	struct delta *delta;
	struct rr first, last, found;
	size_t at = 0;

	(void)state;
	put_steps(&journal, "||");
	/* the last octet of the TTL, behind owner, type and class */
	journal.removed[0].data[13 + 7] = 77;
	journal.added[2].data[13 + 7] = 99;
	delta = delta_of(&journal, 0, 3);
	assert_non_null(delta);
	rr_next(journal.removed[0].data, journal.removed[0].len, &(size_t){ 0 }, &first);
	rr_next(journal.added[2].data, journal.added[2].len, &(size_t){ 0 }, &last);
	assert_true(rr_next(delta->rrs.data, delta->rrs.len, &at, &found));
	assert_int_equal(found.ttl, first.ttl);
	assert_memory_equal(found.rdata, first.rdata, first.rdata_len);
	assert_int_equal(delta->newest_soa, at);
	assert_true(rr_next(delta->rrs.data, delta->rrs.len, &at, &found));
	assert_int_equal(found.ttl, last.ttl);
	assert_int_equal(found.ttl % 256, 99);
	assert_memory_equal(found.rdata, last.rdata, last.rdata_len);
	assert_int_equal(at, delta->rrs.len);
	delta_release(&delta);
	journal_clear(&journal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_difference_does_what_its_steps_do),
		cmocka_unit_test(each_history_has_its_difference),
		cmocka_unit_test(a_single_step_is_sent_as_it_is),
		cmocka_unit_test(the_soas_are_the_first_and_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
