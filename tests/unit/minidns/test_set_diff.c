#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/diff_text.h"
#include "core/zone_walk.h"
#include "packets.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct set_diff_keys keys = {
	{ "0123456789abcdef" }, { "fedcba9876543210" },
};

static struct canonical record;

/* A record of number I: its owner, and what it says. */
static const struct canonical *numbered(unsigned i, const char *text)
{
	char owner[32];
	struct buf rrs = { 0 };
	uint8_t rdata[64];
	struct rr rr;
	size_t at = 0;

	snprintf(owner, sizeof(owner), "h%u.example.org.", i);
	rdata[0] = strlen(text);
	memcpy(rdata + 1, text, rdata[0]);
	put_rr(&rrs, owner, RR_TXT, 300, rdata, 1 + rdata[0]);
	assert_true(rr_next(rrs.data, rrs.len, &at, &rr));
	assert_true(canonical_of_rr(&rr, &record));
	buf_clear(&rrs);
	return &record;
}

static const struct canonical *of_type(uint16_t type, const void *rdata, size_t len)
{
	struct name owner = name_of("example.org.");
	struct rr rr = { .name = owner.wire, .type = type, .ttl = 300, .rdata = rdata,
	                 .rdata_len = len };

	assert_true(canonical_of_rr(&rr, &record));
	return &record;
}

/*
 * What is on each side: numbers from FIRST to END, but SKIP; EDITED says something else.
 * The k'th of theirs is (k * STEP) % count: in another order.
 */
struct side {
	unsigned first, end, skip, edited, step;
	unsigned twice;			/* this one comes once more */
};

enum { NONE = UINT32_MAX };

static void walk(const struct side *side,
                 void (*take)(struct set_diff *, const struct canonical *),
                 struct set_diff *diff)
{
	unsigned count = side->end - side->first;

	for (unsigned k = 0; k < count; k++) {
		unsigned i = side->first + (uint64_t)k * side->step % count;

		if (i != side->skip)
			take(diff, numbered(i, i == side->edited ? "edited"
			                                         : "text"));
		if (i == side->twice)
			take(diff, numbered(i, "text"));
	}
}

/* As a comparison does it; *looks is how often theirs went by. */
static enum set_diff_result compare(const struct side *theirs, const struct side *ours,
                                    struct set_diff_side found[2], int *looks)
{
	struct set_diff *diff = set_diff_new(&keys);
	enum set_diff_result result = SET_DIFF_EQUAL;

	*looks = 1;
	memset(found, 0, 2 * sizeof(*found));
	walk(theirs, set_diff_remote, diff);
	walk(ours, set_diff_local, diff);
	if (!set_diff_equal(diff)) {
		if (set_diff_second_pass(diff)) {
			walk(theirs, set_diff_remote_again, diff);
			++*looks;
		}
		walk(ours, set_diff_find, diff);
		result = set_diff_found(diff, &found[0], &found[1]);
	}
	set_diff_free(&diff);
	return result;
}

static void sets(void **state)
{
	static const struct {
		struct side theirs, ours;
		enum set_diff_result want;
		uint64_t extra, lacking;
		int looks;
	} cases[] = {
#define PLAIN(first, end) { first, end, NONE, NONE, 1, NONE }
		{ PLAIN(0, 0), PLAIN(0, 0), SET_DIFF_EQUAL, 0, 0, 1 },
		{ PLAIN(0, 9), PLAIN(0, 9), SET_DIFF_EQUAL, 0, 0, 1 },
		{ { 0, 10, NONE, NONE, 7, NONE }, PLAIN(0, 10), SET_DIFF_EQUAL, 0, 0, 1 },
		{ PLAIN(0, 9), PLAIN(0, 8), SET_DIFF_DIFFERENT, 1, 0, 1 },
		{ PLAIN(0, 8), PLAIN(0, 9), SET_DIFF_DIFFERENT, 0, 1, 1 },
		{ PLAIN(0, 9), PLAIN(9, 18), SET_DIFF_DIFFERENT, 9, 9, 1 },
		{ PLAIN(0, 0), PLAIN(0, 20000), SET_DIFF_DIFFERENT, 0, 20000, 1 },
		{ { 0, 9, NONE, 4, 1, NONE }, PLAIN(0, 9), SET_DIFF_DIFFERENT, 1, 1, 1 },
		/* twice is once */
		{ { 0, 9, NONE, NONE, 1, 3 }, PLAIN(0, 9), SET_DIFF_EQUAL, 0, 0, 1 },
		{ PLAIN(0, 9), { 0, 9, NONE, NONE, 1, 3 }, SET_DIFF_EQUAL, 0, 0, 1 },
		{ { 0, 9, 5, NONE, 1, 3 }, PLAIN(0, 9), SET_DIFF_DIFFERENT, 0, 1, 1 },
		/* more than can be kept */
		{ { 0, 100000, NONE, NONE, 7, NONE }, PLAIN(0, 100000),
		  SET_DIFF_EQUAL, 0, 0, 1 },
		{ { 0, 100000, NONE, 77, 7, NONE }, PLAIN(0, 100000),
		  SET_DIFF_DIFFERENT, 1, 1, 2 },
		{ { 0, 100000, 99999, NONE, 7, NONE }, PLAIN(0, 100000),
		  SET_DIFF_DIFFERENT, 0, 1, 2 },
		{ { 0, 100000, NONE, NONE, 7, 5000 }, PLAIN(0, 100000),
		  SET_DIFF_EQUAL, 0, 0, 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct set_diff_side found[2];
		int looks;
		enum set_diff_result got =
		    compare(&cases[i].theirs, &cases[i].ours, found, &looks);

		if (got != cases[i].want)
			print_error("case %zu\n", i);
		assert_int_equal(got, cases[i].want);
		assert_int_equal(found[0].count, cases[i].extra);
		assert_int_equal(found[1].count, cases[i].lacking);
		assert_int_equal(looks, cases[i].looks);
		assert_false(found[0].more);
	}
}

/* Of a large zone that is another one only a part is looked into, and it says so. */
static void all_of_a_large_one_differs(void **state)
{
	const struct side theirs = PLAIN(0, 50000), ours = PLAIN(50000, 100000);
	struct set_diff_side found[2];
	int looks;

	(void)state;
	assert_int_equal(compare(&theirs, &ours, found, &looks), SET_DIFF_DIFFERENT);
	assert_true(found[0].count > 4000 && found[0].count <= 8192);
	assert_true(found[1].count > 4000 && found[1].count <= 50000);
	assert_true(found[0].more && found[1].more);
	assert_int_equal(found[0].named, SET_DIFF_NAMED);
}

/* What changes while it is looked at twice is no difference. */
static void a_second_look_that_sees_too_much(void **state)
{
	const struct side theirs = PLAIN(0, 20000), ours = PLAIN(20000, 40000);
	const struct side later = PLAIN(0, 60000);
	struct set_diff *diff = set_diff_new(&keys);
	struct set_diff_side found[2];

	(void)state;
	walk(&theirs, set_diff_remote, diff);
	walk(&ours, set_diff_local, diff);
	assert_true(set_diff_second_pass(diff));
	walk(&later, set_diff_remote_again, diff);
	walk(&ours, set_diff_find, diff);
	assert_int_equal(set_diff_found(diff, &found[0], &found[1]), SET_DIFF_UNKNOWN);
	set_diff_free(&diff);
}

/* The sum of a set changes with every bit of every record in it. */
static void every_bit_matters(void **state)
{
	struct set_diff *diff = set_diff_new(&keys);
	struct canonical one = *numbered(1, "some text");

	(void)state;
	for (size_t bit = 0; bit < 8 * one.len; bit++) {
		struct canonical other = one;

		other.octets[bit / 8] ^= 1 << bit % 8;
		set_diff_remote(diff, &other);
		set_diff_local(diff, &one);
		assert_false(set_diff_equal(diff));
		set_diff_remote(diff, &one);
		set_diff_local(diff, &other);
		assert_true(set_diff_equal(diff));
	}
	set_diff_free(&diff);
}

enum { THEIRS = 1, OURS = 2 };

/* What a server adds when it signs is no difference; what somebody adds is. */
static void signers(void **state)
{
	static const struct {
		uint16_t type;
		int rrsig, record;	/* on which sides */
		bool equal;
	} cases[] = {
		{ RR_DNSKEY, 0,             THEIRS,        false },
		{ RR_DNSKEY, 0,             OURS,          false },
		{ RR_DNSKEY, 0,             THEIRS | OURS, true },
		{ RR_DNSKEY, THEIRS,        THEIRS,        true },
		{ RR_DNSKEY, THEIRS,        OURS,          true },
		{ RR_DNSKEY, OURS,          THEIRS | OURS, false },
		{ RR_DNSKEY, THEIRS | OURS, THEIRS | OURS, true },
		{ RR_DNSKEY, THEIRS | OURS, THEIRS,        false },
		{ RR_NSEC3,  THEIRS,        THEIRS,        true },
		{ 51,        THEIRS,        THEIRS,        true },
		{ 59,        THEIRS,        THEIRS,        true },
		{ 60,        THEIRS,        THEIRS,        true },
		{ 63,        THEIRS,        THEIRS,        true },
		{ 65534,     THEIRS,        THEIRS,        true },
		{ RR_DS,     THEIRS,        THEIRS,        false },
		{ RR_TXT,    THEIRS,        THEIRS,        false },
		{ RR_TXT,    THEIRS,        OURS,          false },
	};
	static const char rrsig[] = "ABCDEFGHIJKLMNOPQR\0XY";

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct set_diff *diff = set_diff_new(&keys);

		for (int side = THEIRS; side <= OURS; side++) {
			void (*take)(struct set_diff *, const struct canonical *) =
			    side == THEIRS ? set_diff_remote : set_diff_local;

			take(diff, of_type(RR_A, "\1\2\3\4", 4));
			if (cases[i].rrsig & side)
				take(diff, of_type(RR_RRSIG, rrsig, sizeof(rrsig)));
			if (cases[i].record & side)
				take(diff, of_type(cases[i].type, "\1A\1B", 4));
		}
		assert_int_equal(set_diff_equal(diff), cases[i].equal);
		set_diff_free(&diff);
	}
}

static void words_name_records(void **state)
{
	static const struct {
		struct side theirs, ours;
		const char *want;
	} cases[] = {
		{ { 0, 9, NONE, 4, 1, NONE }, PLAIN(0, 9),
		  "serves 1 record that is not in serial 17 (h4.example.org. 300 TXT "
		  "\"edited\") and lacks 1 record (h4.example.org. 300 TXT \"text\")" },
		{ PLAIN(0, 8), PLAIN(0, 9),
		  "lacks 1 record of serial 17 (h8.example.org. 300 TXT \"text\")" },
		{ PLAIN(0, 9), PLAIN(0, 8),
		  "serves 1 record that is not in serial 17 (h8.example.org. 300 TXT "
		  "\"text\")" },
		{ PLAIN(0, 0), PLAIN(0, 4),
		  "lacks 4 records of serial 17 (h0.example.org. 300 TXT \"text\"; "
		  "h1.example.org. 300 TXT \"text\"; h2.example.org. 300 TXT \"text\"; "
		  "...)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct set_diff_side found[2];
		char words[DIFF_TEXT_MAX];
		int looks;

		compare(&cases[i].theirs, &cases[i].ours, found, &looks);
		diff_text_format(&found[0], &found[1], 17, words);
		assert_string_equal(words, cases[i].want);
	}
}

/* Whatever stands in a record, its words are short, printable and end. */
/* The pool manager compares the words, and each process has its own keys. */
static void words_are_the_same_in_each_process(void **state)
{
	static const struct set_diff_keys other = {
		{ "fedcba9876543210" }, { "another key here" },
	};
	static const struct {
		const struct set_diff_keys *keys;
		unsigned step;
	} processes[] = { { &keys, 1 }, { &other, 1 }, { &keys, 7 }, { &other, 7 } };
	char words[COUNT(processes)][DIFF_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(processes); i++) {
		struct side theirs = { 0, 50, NONE, NONE, processes[i].step, NONE };
		struct side ours = { 20, 70, NONE, NONE, processes[i].step, NONE };
		struct set_diff *diff = set_diff_new(processes[i].keys);
		struct set_diff_side remote, local;

		walk(&theirs, set_diff_remote, diff);
		walk(&ours, set_diff_local, diff);
		assert_false(set_diff_second_pass(diff));
		walk(&ours, set_diff_find, diff);
		assert_int_equal(set_diff_found(diff, &remote, &local),
		                 SET_DIFF_DIFFERENT);
		diff_text_format(&remote, &local, 17, words[i]);
		assert_string_equal(words[i], words[0]);
		set_diff_free(&diff);
	}
	assert_non_null(strstr(words[0], "serves 20 records that are not in serial 17 "
	                       "(h0.example.org. 300 TXT \"text\"; h1."));
}

static void words_are_harmless(void **state)
{
	struct set_diff_side theirs = { 0 }, ours = { 0 };
	char words[DIFF_TEXT_MAX];
	uint8_t rdata[1000];

	(void)state;
	for (unsigned type = 1; type < 70; type++)
		for (unsigned len = 0; len < 300; len += 7) {
			struct set_diff_side side = { 0 };
			struct name owner = name_of("\\000\\027[2J\\010.example.org.");
			struct rr rr = { .name = owner.wire, .type = type, .ttl = 300,
			                 .rdata = rdata, .rdata_len = len };

			memset(rdata, (int)(type * 7 + len), sizeof(rdata));
			if (!canonical_of_rr(&rr, &record))
				continue;
			diff_text_add(&side, record.octets, record.len);
			diff_text_add(&theirs, record.octets, record.len);
			diff_text_add(&ours, record.octets, record.len);
			for (const char *at = side.record[0].text; *at; at++)
				assert_true(*at >= ' ' && *at <= '~');
			assert_non_null(strstr(side.record[0].text, "\\000\\027"));
		}
	diff_text_format(&theirs, &ours, 17, words);
	assert_true(strlen(words) > 200 && strlen(words) < DIFF_TEXT_MAX - 1);
}

/* A walk of a zone goes by each record once, whatever its sets and nodes are. */
static void a_walk_sees_all(void **state)
{
	struct buf rrs = { 0 }, got = { 0 }, all = { 0 }, want = { 0 };
	struct zone_walk at;
	struct zone *zone;
	struct rr rr;

	(void)state;
	put_soa_rr(&rrs, "example.org.", 5);
	put_name_rr(&rrs, "example.org.", RR_NS, "ns1.example.org.");
	put_rr(&rrs, "b.a.example.org.", RR_A, 300, "\1\2\3\4", 4);
	put_rr(&rrs, "b.a.example.org.", RR_A, 300, "\1\2\3\5", 4);
	put_rr(&rrs, "z.y.x.example.org.", RR_TXT, 7, "\1\0", 2);
	zone = zone_of("example.org.", &rrs);
	at = zone_walk(zone);
	while (zone_walk_next(&at, &rr))
		rr_append(&all, &rr);
	assert_false(zone_walk_next(&at, &rr));
	sort_rrs(&all, &got);
	sort_rrs(&rrs, &want);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	zone_release(&zone);
	buf_clear(&rrs);
	buf_clear(&all);
	buf_clear(&got);
	buf_clear(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets),
		cmocka_unit_test(all_of_a_large_one_differs),
		cmocka_unit_test(a_second_look_that_sees_too_much),
		cmocka_unit_test(every_bit_matters),
		cmocka_unit_test(signers),
		cmocka_unit_test(words_name_records),
		cmocka_unit_test(words_are_the_same_in_each_process),
		cmocka_unit_test(words_are_harmless),
		cmocka_unit_test(a_walk_sees_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
