#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/rr.h"

static const struct rr records[] = {
	{ (const uint8_t *)"\3www\7example", RR_A, 300, 4,
	  (const uint8_t *)"\300\0\2\1" },
	{ (const uint8_t *)"", RR_NS, 0, 5, (const uint8_t *)"\1a\1b" },
	{ (const uint8_t *)"\1*\0", 65280, RR_TTL_MAX, 0, (const uint8_t *)"" },
};

enum { RECORDS = sizeof(records) / sizeof(records[0]) };

static void check_equal(const struct rr *got, const struct rr *want)
{
	assert_string_equal((const char *)got->name, (const char *)want->name);
	assert_int_equal(got->type, want->type);
	assert_int_equal(got->ttl, want->ttl);
	assert_int_equal(got->rdata_len, want->rdata_len);
	assert_memory_equal(got->rdata, want->rdata, want->rdata_len);
}

static void append_and_next(void **state)
{
	struct buf buf = { 0 };
	struct rr rr;
	size_t at = 0, len = 0;

	(void)state;
	for (int i = 0; i < RECORDS; i++) {
		rr_append(&buf, &records[i]);
		len += rr_wire_len(&records[i]);
		assert_int_equal(buf.len, len);
	}
	for (int i = 0; i < RECORDS; i++) {
		assert_true(rr_next(buf.data, buf.len, &at, &rr));
		check_equal(&rr, &records[i]);
	}
	assert_int_equal(at, buf.len);
	assert_false(rr_next(buf.data, buf.len, &at, &rr));
	buf_clear(&buf);
}

static void wire_is_that_of_a_message(void **state)
{
	static const uint8_t want[] =
		"\3www\7example\0" "\0\1" "\0\1" "\0\0\1\54" "\0\4" "\300\0\2\1";
	struct buf buf = { 0 };

	(void)state;
	rr_append(&buf, &records[0]);
	assert_int_equal(buf.len, sizeof(want) - 1);
	assert_memory_equal(buf.data, want, buf.len);
	buf_clear(&buf);
}

/* Each copy has exactly the octets that are there, so that ASan sees a read too far. */
static void cut_short(void **state)
{
	struct buf buf = { 0 };

	(void)state;
	rr_append(&buf, &records[0]);
	for (size_t len = 0; len < buf.len; len++) {
		uint8_t *cut = malloc(len ? len : 1);
		struct rr rr;
		size_t at = 0;

		memcpy(cut, buf.data, len);
		assert_false(rr_next(cut, len, &at, &rr));
		assert_int_equal(at, 0);
		free(cut);
	}
	buf_clear(&buf);
}

static void other_classes_are_refused(void **state)
{
	struct buf buf = { 0 };
	struct rr rr;
	size_t at = 0;

	(void)state;
	rr_append(&buf, &records[1]);
	buf.data[4] = RR_CLASS_CH;
	assert_false(rr_next(buf.data, buf.len, &at, &rr));
	buf_clear(&buf);
}

static void soa_and_back(void **state)
{
	const struct soa soa = {
		.mname = (const uint8_t *)"\2ns\7example",
		.rname = (const uint8_t *)"\1h\0",
		.serial = 4294967295u, .refresh = 1, .retry = 2, .expire = 3,
		.minimum = 2147483647,
	};
	struct soa got;
	struct buf buf = { 0 };

	(void)state;
	soa_append_rdata(&buf, &soa);
	assert_true(soa_parse(buf.data, buf.len, &got));
	assert_string_equal((const char *)got.mname, (const char *)soa.mname);
	assert_string_equal((const char *)got.rname, (const char *)soa.rname);
	assert_int_equal(got.serial, soa.serial);
	assert_int_equal(got.refresh, soa.refresh);
	assert_int_equal(got.retry, soa.retry);
	assert_int_equal(got.expire, soa.expire);
	assert_int_equal(got.minimum, soa.minimum);
	buf_u8(&buf, 0);
	for (size_t len = 0; len <= buf.len; len++)
		assert_int_equal(soa_parse(buf.data, len, &got), len == buf.len - 1);
	buf_clear(&buf);
}

static void the_ttl_of_a_signature_is_in_its_data(void **state)
{
	static const uint8_t rdata[] = "\0\2\10\2" "\0\0\16\20" "0000000000" "\0";
	static const struct {
		uint16_t type;
		size_t len;
		uint32_t want;
	} cases[] = {
		{ RR_RRSIG, sizeof(rdata) - 1, 3600 },
		{ RR_RRSIG, 8, 3600 },
		{ RR_RRSIG, 7, 60 },
		{ RR_A, sizeof(rdata) - 1, 60 },
		{ 24, sizeof(rdata) - 1, 60 },		/* SIG */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rr_served_ttl(cases[i].type, rdata, cases[i].len, 60),
		                 cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ttl_of_a_signature_is_in_its_data),
		cmocka_unit_test(append_and_next),
		cmocka_unit_test(wire_is_that_of_a_message),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(other_classes_are_refused),
		cmocka_unit_test(soa_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
