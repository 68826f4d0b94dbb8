#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/zone_at_serial.h"
#include "packets.h"

/*
 * A zone goes through random serials. The model keeps what it was at each. The view of
 * the last zone and of a delta to it must have the same records.
 */

enum { SERIALS = 8, NAMES = 12, ADDRESSES = 3, RUNS = 300 };

#define FIRST 4294967293u		/* the serials go on from 0 */

/* Of a name: which of the addresses it has, a bit each, and with which TTL. */
struct set {
	unsigned addresses;
	uint32_t ttl;
};

struct story {
	struct set sets[SERIALS][NAMES];
	struct buf removed[SERIALS], added[SERIALS];
	struct ixfr_step steps[SERIALS];
};

static uint32_t chance = 1;

static unsigned draw(unsigned below)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 16) % below;
}

static void put_address(struct buf *rrs, unsigned name, unsigned address, uint32_t ttl,
                        bool loud)
{
	uint8_t rdata[4] = { 192, 0, 2, address };
	char owner[40];

	snprintf(owner, sizeof(owner), loud ? "WWW%u.Example.org." : "www%u.example.org.",
	         name);
	put_rr(rrs, owner, RR_A, ttl, rdata, sizeof(rdata));
}

/* What BEFORE has and AFTER has not, or not so. */
static void put_less(struct buf *rrs, unsigned name, const struct set *before,
                     const struct set *after)
{
	unsigned kept = before->ttl == after->ttl ? after->addresses : 0;

	for (unsigned address = 0; address < ADDRESSES; address++)
		if (before->addresses & ~kept & 1u << address)
			put_address(rrs, name, address, before->ttl, false);
}

static void change(struct story *story, int i, unsigned name)
{
	const struct set *before = &story->sets[i - 1][name];
	struct set *after = &story->sets[i][name];

	after->addresses = draw(1 << ADDRESSES);
	after->ttl = 300 + draw(2) * 300;
	put_less(&story->removed[i], name, before, after);
	put_less(&story->added[i], name, after, before);
}

static void next_serial(struct story *story, int i)
{
	put_soa_rr(&story->removed[i], "example.org.", FIRST + i - 1);
	put_soa_rr(&story->added[i], "example.org.", FIRST + i);
	memcpy(story->sets[i], story->sets[i - 1], sizeof(story->sets[i]));
	for (unsigned name = 0; name < NAMES; name++)
		if (draw(4) == 0)
			change(story, i, name);
	story->steps[i - 1] = (struct ixfr_step){
		FIRST + i - 1, FIRST + i, story->removed[i].data, story->added[i].data,
		story->removed[i].len, story->added[i].len,
	};
}

static void tell(struct story *story)
{
	memset(story, 0, sizeof(*story));
	for (int i = 1; i < SERIALS; i++)
		next_serial(story, i);
}

static void story_clear(struct story *story)
{
	for (int i = 0; i < SERIALS; i++) {
		buf_clear(&story->removed[i]);
		buf_clear(&story->added[i]);
	}
}

static void put_zone(const struct story *story, int i, struct buf *rrs, bool loud)
{
	put_soa_rr(rrs, "example.org.", FIRST + i);
	for (unsigned name = 0; name < NAMES; name++)
		for (unsigned address = 0; address < ADDRESSES; address++)
			if (story->sets[i][name].addresses & 1u << address)
				put_address(rrs, name, address,
				            story->sets[i][name].ttl, loud);
}

/* ---- sets of canonical records ---- */

struct octets {
	struct slice item[NAMES * ADDRESSES + 2];
	size_t count;
};

static void put_octets(struct octets *all, const struct canonical *record)
{
	uint8_t *copy = test_malloc(record->len);

	memcpy(copy, record->octets, record->len);
	all->item[all->count++] = (struct slice){ copy, record->len };
}

static void octets_clear(struct octets *all)
{
	while (all->count)
		test_free((void *)all->item[--all->count].data);
}

static void octets_of_rrs(const struct buf *rrs, struct octets *all)
{
	static struct canonical record;
	struct rr rr;
	size_t at = 0;

	while (rr_next(rrs->data, rrs->len, &at, &rr)) {
		assert_true(canonical_of_rr(&rr, &record));
		put_octets(all, &record);
	}
}

static void octets_of_past(struct zone_at_serial *view, struct octets *all)
{
	static struct canonical record;

	zone_at_serial_rewind(view);
	while (zone_at_serial_next(view, &record))
		put_octets(all, &record);
	assert_false(zone_at_serial_next(view, &record));
}

static void assert_same(struct octets *a, struct octets *b)
{
	assert_int_equal(a->count, b->count);
	qsort(a->item, a->count, sizeof(a->item[0]), compare_slices);
	qsort(b->item, b->count, sizeof(b->item[0]), compare_slices);
	for (size_t i = 0; i < a->count; i++)
		assert_int_equal(compare_slices(&a->item[i], &b->item[i]), 0);
}

/* ---- the tests ---- */

static void check(const struct story *story, const struct zone *zone, int i)
{
	struct name apex = name_of("example.org.");
	struct delta *delta = i == SERIALS - 1 ? NULL :
		delta_new(&apex, FIRST + i, FIRST + SERIALS - 1, story->steps,
		          SERIALS - 1);
	struct zone_at_serial *view = zone_at_serial_new(zone, delta, 7);
	struct octets was = { .count = 0 }, found = { .count = 0 };
	struct buf rrs = { 0 };

	assert_non_null(view);
	put_zone(story, i, &rrs, false);
	octets_of_rrs(&rrs, &was);
	for (int again = 0; again < 2; again++) {
		octets_of_past(view, &found);
		assert_same(&found, &was);
		octets_clear(&found);
	}
	octets_clear(&was);
	buf_clear(&rrs);
	zone_at_serial_free(&view);
	delta_release(&delta);
}

/* The zone of today may write its owners in another case than the journal. */
static void it_is_what_it_was(void **state)
{
	struct story story;

	(void)state;
	for (int run = 0; run < RUNS; run++) {
		struct buf rrs = { 0 };
		struct zone *zone;

		tell(&story);
		put_zone(&story, SERIALS - 1, &rrs, run % 2);
		zone = zone_of("example.org.", &rrs);
		for (int i = 0; i < SERIALS; i++)
			check(&story, zone, i);
		zone_release(&zone);
		buf_clear(&rrs);
		story_clear(&story);
	}
}

/* From serial 1 to 2; the halves begin with their SOAs. */
static struct delta *delta_of(const struct buf *removed, const struct buf *added)
{
	struct name apex = name_of("example.org.");

	return delta_new(&apex, 1, 2, &(struct ixfr_step){
		1, 2, removed->data, added->data, removed->len, added->len }, 1);
}

/* Two records that differ only in how a name is written are two in the journal. */
static void a_name_in_another_case(void **state)
{
	struct buf rrs = { 0 }, removed = { 0 }, added = { 0 };
	struct octets was = { .count = 0 }, found = { .count = 0 };

	(void)state;
	put_soa_rr(&removed, "example.org.", 1);
	put_soa_rr(&added, "example.org.", 2);
	put_name_rr(&added, "example.org.", RR_MX, "mail.example.org.");
	struct delta *delta = delta_of(&removed, &added);
	put_soa_rr(&rrs, "example.org.", 2);
	put_name_rr(&rrs, "example.org.", RR_MX, "Mail.example.org.");
	put_name_rr(&rrs, "example.org.", RR_MX, "mail.example.org.");
	struct zone *zone = zone_of("example.org.", &rrs);
	struct zone_at_serial *view = zone_at_serial_new(zone, delta, 7);

	buf_reset(&rrs);
	put_soa_rr(&rrs, "example.org.", 1);
	put_name_rr(&rrs, "example.org.", RR_MX, "Mail.example.org.");
	octets_of_rrs(&rrs, &was);
	octets_of_past(view, &found);
	assert_same(&found, &was);
	octets_clear(&was);
	octets_clear(&found);
	zone_at_serial_free(&view);
	zone_release(&zone);
	delta_release(&delta);
	buf_clear(&rrs);
	buf_clear(&removed);
	buf_clear(&added);
}

static struct zone *zone_at(uint32_t serial)
{
	struct buf rrs = { 0 };
	struct zone *zone;

	put_soa_rr(&rrs, "example.org.", serial);
	zone = zone_of("example.org.", &rrs);
	buf_clear(&rrs);
	return zone;
}

/* Of some octets, or a few less. */
static struct delta *delta_of_size(size_t octets)
{
	struct buf removed = { 0 }, added = { 0 };
	struct delta *delta;

	put_soa_rr(&removed, "example.org.", 1);
	put_soa_rr(&added, "example.org.", 2);
	for (unsigned i = 0; removed.len + added.len + 60 < octets; i++) {
		uint8_t address[4] = { 10, i >> 16, i >> 8, i };

		put_rr(&removed, "www.example.org.", RR_A, 300, address, 4);
	}
	delta = delta_of(&removed, &added);
	buf_clear(&removed);
	buf_clear(&added);
	return delta;
}

static void no_way_to_this_zone(void **state)
{
	struct zone *zone = zone_at(3);
	struct delta *delta = delta_of_size(500);

	(void)state;
	assert_null(zone_at_serial_new(zone, delta, 7));
	delta_release(&delta);
	zone_release(&zone);
}

static void a_bound(void **state)
{
	struct zone *zone = zone_at(2);

	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct delta *delta = delta_of_size(ZONE_AT_SERIAL_OCTETS + more * 100);
		struct zone_at_serial *view = zone_at_serial_new(zone, delta, 7);

		assert_int_equal(!view, more);
		zone_at_serial_free(&view);
		delta_release(&delta);
	}
	zone_release(&zone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_what_it_was),
		cmocka_unit_test(a_name_in_another_case),
		cmocka_unit_test(no_way_to_this_zone),
		cmocka_unit_test(a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
