#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdio.h>
#include <string.h>

#include "core/axfr.h"
#include "core/ixfr.h"
#include "packets.h"

/* Transfers are read back record by record and must be what went in. */

static struct query query_for(const char *zone, uint16_t type)
{
	struct query query = {
		.id = 77, .has_question = true, .type = type, .class = RR_CLASS_IN,
	};

	query.raw = query.name = name_of(zone);
	return query;
}

struct sum {
	struct buf rrs;
	int messages;
};

static void add_message(struct sum *sum, const uint8_t *data, size_t len)
{
	struct packet_header header;

	assert_true(read_answers(data, len, &header, &sum->rrs));
	assert_int_equal(header.id, 77);
	assert_int_equal(header.flags, FLAG_QR | FLAG_AA);
	assert_int_equal(header.count[SECTION_QUESTION], !sum->messages);
	assert_int_equal(header.count[SECTION_ADDITIONAL], 0);
	sum->messages++;
}

static void read_axfr(const struct zone *zone, struct sum *sum)
{
	struct query query = query_for("example.org.", RR_AXFR);
	uint8_t data[PACKET_MAX];
	struct axfr axfr;
	size_t len;

	axfr_init(&axfr, &query, zone);
	while ((len = axfr_next(&axfr, data, sizeof(data))))
		add_message(sum, data, len);
}

/* The first and the last record are the SOA; what is between is the zone without it. */
static void check_axfr(const struct buf *rrs, int min_messages)
{
	struct zone *zone = zone_of("example.org.", rrs);
	struct sum sum = { 0 };
	struct buf got = { 0 }, want = { 0 }, body = { 0 };
	struct rr first;
	size_t at = 0, first_len;

	assert_non_null(zone);
	read_axfr(zone, &sum);
	assert_true(rr_next(sum.rrs.data, sum.rrs.len, &at, &first));
	first_len = at;
	assert_int_equal(first.type, RR_SOA);
	assert_memory_equal(sum.rrs.data + sum.rrs.len - first_len, sum.rrs.data,
	                    first_len);
	buf_append(&body, sum.rrs.data, sum.rrs.len - first_len);
	sort_rrs(&body, &got);
	sort_rrs(rrs, &want);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	assert_true(sum.messages >= min_messages);
	assert_int_equal(count_rrs(rrs), zone->record_count);
	zone_release(&zone);
	buf_clear(&sum.rrs);
	buf_clear(&body);
	buf_clear(&got);
	buf_clear(&want);
}

static void small_zone(void **state)
{
	struct buf rrs = { 0 };

	(void)state;
	/* a: an empty non-terminal */
	put_rr(&rrs, "b.a.example.org.", RR_A, 300, "\1\2\3\4", 4);
	put_name_rr(&rrs, "example.org.", RR_NS, "Ns1.Example.org.");
	put_name_rr(&rrs, "example.org.", RR_MX, "mail.example.org.");
	put_soa_rr(&rrs, "example.org.", 5);
	put_rr(&rrs, "b.a.example.org.", RR_A, 300, "\1\2\3\5", 4);
	put_rr(&rrs, "\\000\\001.\\255\\..example.org.", RR_TXT, 7, "\1\0", 2);
	put_rr(&rrs, "*.example.org.", 65280, 0, "", 0);
	check_axfr(&rrs, 1);
	buf_clear(&rrs);
}

static void only_an_soa(void **state)
{
	struct buf rrs = { 0 };

	(void)state;
	put_soa_rr(&rrs, "example.org.", 5);
	check_axfr(&rrs, 1);
	buf_clear(&rrs);
}

static void many_messages(void **state)
{
	struct buf rrs = { 0 };
	uint8_t text[256] = { 255 };
	char owner[64];

	(void)state;
	put_soa_rr(&rrs, "example.org.", 5);
	for (int i = 0; i < 3000; i++) {
		snprintf(owner, sizeof(owner), "h%d.d%d.example.org.", i, i % 7);
		text[1] = i;
		put_rr(&rrs, owner, RR_TXT, 300, text, sizeof(text));
		put_name_rr(&rrs, owner, RR_MX, i % 2 ? "Mail.example.org." : owner);
	}
	check_axfr(&rrs, 10);
	buf_clear(&rrs);
}

static void a_set_larger_than_a_message(void **state)
{
	struct buf rrs = { 0 };
	uint8_t text[64] = { 63 };

	(void)state;
	for (int i = 0; i < 4000; i++) {
		text[1] = i >> 8;
		text[2] = i;
		put_rr(&rrs, "many.example.org.", RR_TXT, 300, text, sizeof(text));
	}
	put_soa_rr(&rrs, "example.org.", 5);
	check_axfr(&rrs, 4);
	buf_clear(&rrs);
}

/* Longest names, largest records: each fills a message nearly or wholly. */
static void nothing_fits_beside(void **state)
{
	static uint8_t rdata[RDATA_MAX];
	char owner[300] = "";
	struct buf rrs = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++)
		strcat(owner, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		              "aaaaaaaaaaaaaaa.");
	strcat(owner, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.example.org.");
	put_soa_rr(&rrs, "example.org.", 5);
	put_rr(&rrs, owner, 65280, 300, rdata, sizeof(rdata));
	put_rr(&rrs, owner, 65281, 300, rdata, sizeof(rdata));
	put_rr(&rrs, "example.org.", 65281, 300, rdata, sizeof(rdata));
	check_axfr(&rrs, 3);
	buf_clear(&rrs);
}

static void what_cannot_be_served_is_no_zone(void **state)
{
	static uint8_t rdata[RDATA_MAX + 1];
	struct buf rrs = { 0 };

	(void)state;
	put_name_rr(&rrs, "example.org.", RR_NS, "ns1.example.org.");
	assert_null(zone_of("example.org.", &rrs));		/* no SOA */
	put_soa_rr(&rrs, "example.org.", 5);
	put_rr(&rrs, "example.org.", 65280, 300, rdata, sizeof(rdata));
	assert_null(zone_of("example.org.", &rrs));		/* too large */
	buf_reset(&rrs);
	put_soa_rr(&rrs, "example.org.", 5);
	put_rr(&rrs, "example.net.", RR_A, 300, "\1\2\3\4", 4);
	assert_null(zone_of("example.org.", &rrs));		/* outside */
	buf_reset(&rrs);
	put_soa_rr(&rrs, "example.org.", 5);
	put_soa_rr(&rrs, "sub.example.org.", 5);
	assert_null(zone_of("example.org.", &rrs));
	buf_clear(&rrs);
}

/* ---- IXFR ---- */

struct journal {
	struct buf halves[2][8];
	struct ixfr_step steps[8];
	int count;
};

static void add_step(struct journal *journal, uint32_t from, uint32_t to, int records)
{
	struct buf *removed = &journal->halves[0][journal->count];
	struct buf *added = &journal->halves[1][journal->count];
	uint8_t address[4] = { 10, journal->count };

	put_soa_rr(removed, "example.org.", from);
	put_soa_rr(added, "example.org.", to);
	for (int i = 0; i < records; i++) {
		address[2] = i >> 8;
		address[3] = i;
		put_rr(i % 2 ? added : removed, "www.example.org.", RR_A, 300,
		       address, 4);
	}
	journal->steps[journal->count++] = (struct ixfr_step){
		from, to, removed->data, added->data, removed->len, added->len,
	};
}

static void journal_clear(struct journal *journal)
{
	for (int i = 0; i < journal->count; i++) {
		buf_clear(&journal->halves[0][i]);
		buf_clear(&journal->halves[1][i]);
	}
}

static struct delta *delta_of(const struct journal *journal, uint32_t from, uint32_t to)
{
	struct name apex = name_of("example.org.");

	return delta_new(&apex, from, to, journal->steps, journal->count);
}

/* The records of a row behind their SOA. */
static void put_behind_soa(struct buf *rrs, const uint8_t *data, size_t len)
{
	struct rr soa;
	size_t at = 0;

	assert_true(rr_next(data, len, &at, &soa));
	buf_append(rrs, data + at, len - at);
}

/*
 * SOA, then one difference, then the SOA. All records of add_step() are different ones,
 * and in the order into which condensing brings them.
 */
static void put_answer(struct buf *rrs, const struct ixfr_step *first,
                       const struct ixfr_step *last)
{
	uint32_t from = first->previous_serial, to = last->serial;

	put_soa_rr(rrs, "example.org.", to);
	put_soa_rr(rrs, "example.org.", from);
	for (const struct ixfr_step *step = first; step <= last; step++)
		put_behind_soa(rrs, step->removed, step->removed_len);
	put_soa_rr(rrs, "example.org.", to);
	for (const struct ixfr_step *step = first; step <= last; step++)
		put_behind_soa(rrs, step->added, step->added_len);
	put_soa_rr(rrs, "example.org.", to);
}

static void check_ixfr(const struct journal *journal, int first, int last)
{
	const struct ixfr_step *steps = journal->steps;
	struct query query = query_for("example.org.", RR_IXFR);
	struct delta *delta =
	    delta_of(journal, steps[first].previous_serial, steps[last].serial);
	struct sum sum = { 0 };
	struct buf want = { 0 };
	uint8_t data[PACKET_MAX];
	struct ixfr ixfr;
	size_t len;

	assert_non_null(delta);
	put_answer(&want, &steps[first], &steps[last]);
	ixfr_init(&ixfr, &query, delta);
	while ((len = ixfr_next(&ixfr, true, data, sizeof(data))))
		add_message(&sum, data, len);
	assert_int_equal(sum.rrs.len, want.len);
	assert_memory_equal(sum.rrs.data, want.data, want.len);
	delta_release(&delta);
	buf_clear(&sum.rrs);
	buf_clear(&want);
}

static void ixfr_is_one_difference(void **state)
{
	struct journal journal = { 0 };

	(void)state;
	add_step(&journal, 4294967295u, 0, 3);
	add_step(&journal, 0, 7, 0);
	add_step(&journal, 7, 9, 20000);
	check_ixfr(&journal, 0, 2);
	check_ixfr(&journal, 0, 1);
	check_ixfr(&journal, 1, 1);
	check_ixfr(&journal, 2, 2);
	journal_clear(&journal);
}

static void a_broken_chain_is_no_delta(void **state)
{
	struct journal journal = { 0 };

	(void)state;
	add_step(&journal, 1, 2, 1);
	add_step(&journal, 3, 4, 1);
	assert_null(delta_of(&journal, 1, 4));
	assert_null(delta_of(&journal, 2, 4));
	assert_null(delta_of(&journal, 1, 3));
	assert_null(delta_of(&journal, 9, 4));
	add_step(&journal, 4, 3, 1);			/* round and round */
	assert_null(delta_of(&journal, 3, 9));
	journal_clear(&journal);
}

static void broken_rows_are_no_delta(void **state)
{
	struct journal journal = { 0 };
	struct ixfr_step *step = &journal.steps[0];
	struct buf foreign = { 0 };
	struct delta *delta;

	(void)state;
	add_step(&journal, 1, 2, 4);
	delta = delta_of(&journal, 1, 2);
	assert_non_null(delta);
	delta_release(&delta);
	for (size_t len = step->added_len - 1; len > 0; len--) {
		/* every cut but that between two records */
		step->added_len = len;
		delta = delta_of(&journal, 1, 2);
		if (delta)
			assert_int_equal(delta->rrs.len, step->removed_len + len);
		delta_release(&delta);
	}
	put_soa_rr(&foreign, "example.org.", 2);
	put_rr(&foreign, "example.net.", RR_A, 300, "\1\2\3\4", 4);
	step->added = foreign.data;
	step->added_len = foreign.len;
	assert_null(delta_of(&journal, 1, 2));
	buf_reset(&foreign);
	put_soa_rr(&foreign, "example.org.", 3);
	step->added = foreign.data;
	step->added_len = foreign.len;
	assert_null(delta_of(&journal, 1, 2));		/* the SOA of another serial */
	buf_clear(&foreign);
	journal_clear(&journal);
}

static void over_udp_it_fits_or_not(void **state)
{
	struct query query = query_for("example.org.", RR_IXFR);
	struct journal journal = { 0 };
	uint8_t data[PACKET_MAX];
	struct ixfr ixfr;

	(void)state;
	query.udp_size = PACKET_UDP_MIN;
	add_step(&journal, 1, 2, 2);
	add_step(&journal, 2, 3, 200);
	for (int large = 0; large < 2; large++) {
		struct delta *delta = delta_of(&journal, 1 + large, 2 + large);

		ixfr_init(&ixfr, &query, delta);
		assert_true(ixfr_next(&ixfr, false, data, sizeof(data)) <=
		            PACKET_UDP_MIN);
		assert_int_equal(ixfr.ended, !large);
		delta_release(&delta);
	}
	journal_clear(&journal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_zone),
		cmocka_unit_test(only_an_soa),
		cmocka_unit_test(many_messages),
		cmocka_unit_test(a_set_larger_than_a_message),
		cmocka_unit_test(nothing_fits_beside),
		cmocka_unit_test(what_cannot_be_served_is_no_zone),
		cmocka_unit_test(ixfr_is_one_difference),
		cmocka_unit_test(a_broken_chain_is_no_delta),
		cmocka_unit_test(broken_rows_are_no_delta),
		cmocka_unit_test(over_udp_it_fits_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
