#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <string.h>

#include "dns/canonical.h"
#include "records.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RDATA(text) text, sizeof(text) - 1

static struct canonical got, want;

/* Rdata in two spellings of each type that has names; the folded one is the second. */
static const struct spelling {
	uint16_t type;
	const char *rdata, *folded;
	size_t len;
} spellings[] = {
	{ RR_NS,    "\2NS\1X", "\2ns\1x", 6 },
	{ RR_CNAME, "\2NS\1X", "\2ns\1x", 6 },
	{ RR_PTR,   "\2NS\1X", "\2ns\1x", 6 },
	{ RR_DNAME, "\2NS\1X", "\2ns\1x", 6 },
	{ RR_MX,    "AB\2NS", "AB\2ns", 6 },
	{ 14,       "\1A\0\1B", "\1a\0\1b", 6 },
	{ 17,       "\1A\0\1B", "\1a\0\1b", 6 },
	{ 18,       "AB\2NS", "AB\2ns", 6 },
	{ 21,       "AB\2NS", "AB\2ns", 6 },
	{ 26,       "AB\1C\0\1D", "AB\1c\0\1d", 8 },
	{ RR_SRV,   "ABCDEF\2NS", "ABCDEF\2ns", 10 },
	{ 35,       "ABCD\1S\0\2XY\2NS", "ABCD\1S\0\2XY\2ns", 14 },
	{ 36,       "AB\2NS", "AB\2ns", 6 },
	{ 45,       "A\3B\2NS\0KEY", "A\3B\2ns\0KEY", 10 },
	{ 45,       "A\0BKEY", "A\0BKEY", 6 },
	{ 45,       "A\1BABCDKEY", "A\1BABCDKEY", 10 },
	{ RR_RRSIG, "ABCDEFGHIJKLMNOPQR\1S\0XY", "ABCDEFGHIJKLMNOPQR\1s\0XY", 23 },
	{ RR_NSEC,  "\2NS\0AB", "\2ns\0AB", 6 },
	{ 55,       "\1P\0\2HKK\2NS\0\1A", "\1P\0\2HKK\2ns\0\1a", 14 },
	{ 64,       "AB\2NS\0KEY", "AB\2ns\0KEY", 9 },
	{ 65,       "AB\0KEY", "AB\0KEY", 6 },
	{ 107,      "AB\2NS", "AB\2ns", 6 },
	{ 38,       "\170A\2NS", "\170A\2ns", 6 },
	{ 38,       "\0ABCDEFGHIJKLMNOP", "\0ABCDEFGHIJKLMNOP", 17 },
	{ 38,       "\200\2NS", "\200\2ns", 5 },
	{ 260,      "A\3\2NS", "A\3\2ns", 6 },
	{ 260,      "A\2\2NS", "A\2\2NS", 6 },
	/* what has no names keeps its case */
	{ RR_TXT,   "\2NS\1X", "\2NS\1X", 5 },
	{ RR_A,     "ABCD", "ABCD", 4 },
	{ 65280,    "\2NS\1X", "\2NS\1X", 5 },
	{ 13,       "\2PC\1X", "\2PC\1X", 5 },
	{ 99,       "\2NS\1X", "\2NS\1X", 5 },
};

static struct rr rr_of(const struct name *owner, uint16_t type, const void *rdata,
                       size_t len)
{
	return (struct rr){ .name = owner->wire, .type = type, .ttl = 300,
	                    .rdata = rdata, .rdata_len = len };
}

static void names_are_folded(void **state)
{
	struct name owner = name_of("wWw.Example.org.");
	struct name lower = name_of("www.example.org.");

	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++) {
		const struct spelling *s = &spellings[i];
		struct rr rr = rr_of(&owner, s->type, s->rdata, s->len);

		assert_true(canonical_of_rr(&rr, &got));
		assert_int_equal(got.len, lower.len + CANONICAL_FIXED + s->len);
		assert_memory_equal(got.octets, lower.wire, lower.len);
		assert_memory_equal(got.octets + got.rdata, s->folded, s->len);
	}
}

/* Every octet counts, but the case of a letter in a name. */
static void every_bit_matters(void **state)
{
	struct name owner = name_of("www.example.org.");

	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++) {
		const struct spelling *s = &spellings[i];
		struct rr rr = rr_of(&owner, s->type, s->folded, s->len);

		assert_true(canonical_of_rr(&rr, &want));
		for (size_t bit = 0; bit < 8 * s->len; bit++) {
			uint8_t rdata[64];
			uint8_t octet = s->folded[bit / 8], flip = 1 << bit % 8;
			struct rr other = rr_of(&owner, s->type, rdata, s->len);
			bool is_case = flip == 0x20 && isalpha(octet) &&
			               s->rdata[bit / 8] != s->folded[bit / 8];

			memcpy(rdata, s->folded, s->len);
			rdata[bit / 8] ^= flip;
			if (canonical_of_rr(&other, &got))
				assert_int_equal(is_case,
				                 got.len == want.len &&
				                 !memcmp(got.octets, want.octets,
				                         got.len));
		}
	}
}

static void owner_type_class_and_ttl_matter(void **state)
{
	struct name owner = name_of("www.example.org.");
	struct name other = name_of("w.example.org.");
	struct rr rr = rr_of(&owner, RR_A, RDATA("\1\2\3\4"));
	struct rr changed[4] = { rr, rr, rr, rr };

	(void)state;
	assert_true(canonical_of_rr(&rr, &want));
	changed[0].name = other.wire;
	changed[1].type = 65280;
	changed[2].ttl = 301;
	changed[3].rdata_len = 3;
	for (size_t i = 0; i < COUNT(changed); i++) {
		assert_true(canonical_of_rr(&changed[i], &got));
		assert_true(got.len != want.len ||
		            memcmp(got.octets, want.octets, got.len));
	}
}

/* A message with a question for OWNER, then RR; what is read of it. */
static bool through_a_message(const struct rr *rr, struct canonical *to)
{
	static uint8_t data[PACKET_MAX];
	static struct packet_writer writer;
	struct name owner = name_of("example.org.");
	struct packet_reader reader;
	struct packet_header header = { .count = { 1, 1 } };
	struct packet_rr read;
	struct name name;

	packet_writer_init(&writer, data, sizeof(data));
	packet_put_question(&writer, &owner, RR_AXFR, RR_CLASS_IN);
	packet_put_rr(&writer, rr);
	packet_set_header(&writer, &header);
	reader = packet_reader(data, writer.len);
	packet_read_header(&reader, &header);
	packet_read_name(&reader, &name);
	packet_read_u32(&reader);
	packet_read_rr(&reader, &read);
	return canonical_of_packet(&reader, &read, to);
}

static void compression_does_not_matter(void **state)
{
	static const uint16_t types[] = { RR_NS, RR_CNAME, RR_PTR, RR_MX, RR_SOA };
	struct name owner = name_of("www.example.org.");
	struct name target = name_of("Mail.Example.org.");

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		uint8_t rdata[2 * NAME_MAX_WIRE + 20] = { 0, 10 };
		size_t len = types[i] == RR_MX ? 2 : 0;
		struct rr rr = rr_of(&owner, types[i], rdata, 0);

		memcpy(rdata + len, target.wire, target.len);
		len += target.len;
		if (types[i] == RR_SOA) {
			memcpy(rdata + len, target.wire, target.len);
			len += target.len + 20;
		}
		rr.rdata_len = len;
		assert_true(canonical_of_rr(&rr, &want));
		assert_true(through_a_message(&rr, &got));
		assert_int_equal(got.len, want.len);
		assert_memory_equal(got.octets, want.octets, want.len);
	}
}

/* Compressed by hand, in a type that nobody should compress: it is read all the same. */
static void what_should_not_be_compressed_is_read(void **state)
{
	static const uint8_t message[] =
	    "\0\1\x80\0\0\0\0\1\0\0\0\0"
	    "\3Sub\7Example\3org\0\0\41\0\1\0\0\1\54\0\10\0\1\0\2\0\3\300\20";
	struct name owner = name_of("sub.example.org.");
	struct packet_reader reader = packet_reader(message, sizeof(message) - 1);
	struct rr rr = rr_of(&owner, RR_SRV, RDATA("\0\1\0\2\0\3\7example\3org"));
	struct packet_header header;
	struct packet_rr read;

	(void)state;
	rr.rdata_len++;			/* the root's zero */
	packet_read_header(&reader, &header);
	packet_read_rr(&reader, &read);
	assert_true(canonical_of_packet(&reader, &read, &got));
	assert_true(canonical_of_rr(&rr, &want));
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.octets, want.octets, want.len);
}

static void what_is_malformed_is_refused(void **state)
{
	static const struct {
		uint16_t type;
		const char *rdata;
		size_t len;
	} cases[] = {
		{ RR_NS,  RDATA("") },
		{ RR_NS,  RDATA("\3ns") },
		{ RR_NS,  RDATA("\300\0") },		/* it points nowhere */
		{ RR_NS,  RDATA("\100a\0") },
		{ RR_MX,  RDATA("\0") },
		{ RR_SOA, RDATA("\0") },
		{ RR_SRV, RDATA("\0\1\0\2\0") },
		{ 35,     RDATA("ABCD\5S") },
		{ 45,     RDATA("A\3B") },
		{ 55,     RDATA("\377P\0\1") },
		{ 55,     RDATA("\1P\0\1HK\3ns") },
		{ 38,     RDATA("\0A") },
	};
	struct name owner = name_of("www.example.org.");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rr rr = rr_of(&owner, cases[i].type, cases[i].rdata,
		                     cases[i].len);

		assert_false(canonical_of_rr(&rr, &got));
	}
}

/* A list of short pointers to a long name would be longer than rdata can be. */
static void names_do_not_grow_beyond_rdata(void **state)
{
	static uint8_t message[PACKET_MAX];
	static const uint8_t head[] = "\0\1\x80\0\0\0\0\2\0\0\0\0";
	struct buf buf = { 0 };
	struct packet_reader reader;
	struct packet_header header;
	struct packet_rr read;

	(void)state;
	buf_append(&buf, head, sizeof(head) - 1);
	for (int i = 0; i < 3; i++) {
		buf_u8(&buf, 63);
		for (int k = 0; k < 63; k++)
			buf_u8(&buf, 'a');
	}
	buf_append(&buf, "\0\0\1\0\1\0\0\0\0\0\4\1\2\3\4", 15);
	buf_append(&buf, "\300\14\0\67\0\1\0\0\0\0", 10);
	buf_u16(&buf, 4 + 1 + 2 * 1000);
	buf_append(&buf, "\1P\0\0H", 5);
	for (int i = 0; i < 1000; i++)
		buf_append(&buf, "\300\14", 2);
	memcpy(message, buf.data, buf.len);
	reader = packet_reader(message, buf.len);
	packet_read_header(&reader, &header);
	packet_read_rr(&reader, &read);
	assert_true(canonical_of_packet(&reader, &read, &got));
	packet_read_rr(&reader, &read);
	assert_int_equal(read.type, 55);
	assert_false(canonical_of_packet(&reader, &read, &got));
	assert_true(got.len <= CANONICAL_MAX);
	buf_clear(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_folded),
		cmocka_unit_test(every_bit_matters),
		cmocka_unit_test(owner_type_class_and_ttl_matter),
		cmocka_unit_test(compression_does_not_matter),
		cmocka_unit_test(what_should_not_be_compressed_is_read),
		cmocka_unit_test(what_is_malformed_is_refused),
		cmocka_unit_test(names_do_not_grow_beyond_rdata),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
