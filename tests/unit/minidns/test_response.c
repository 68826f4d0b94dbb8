#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <string.h>

#include "core/response.h"
#include "packets.h"

#define NAME "\7example\3org\0"
#define Q NAME "\0\6\0\1"
#define SOA "\300\14\0\6\0\1\0\0\0\0\0\26\0\0\0\0\0\52\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define A "\300\14\0\1\0\1\0\0\0\0\0\4\1\2\3\4"
#define OK1 "\204\0\0\1\0\1\0\0\0\0"

struct row {
	const char *name;
	const char *packet;
	size_t len;
	enum response_kind kind;
	uint32_t serial;
	bool inexact;			/* not our question octet by octet */
};

#define P(text) text, sizeof(text) - 1

static const struct row rows[] = {
	{ "serial", P("\1\2" OK1 Q SOA), RESPONSE_SERIAL, 42 },
	{ "behind another record", P("\1\2\204\0\0\1\0\2\0\0\0\0" Q A SOA),
	  RESPONSE_SERIAL, 42 },
	{ "owner in capitals", P("\1\2" OK1 Q "\7EXAMPLE\3ORG\0\0\6\0\1\0\0\0\0"
	  "\0\26\0\0\0\0\0\52"
	  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), RESPONSE_SERIAL, 42 },
	{ "lame", P("\1\2\200\0\0\1\0\1\0\0\0\0" Q SOA), RESPONSE_LAME, 0 },
	{ "truncated", P("\1\2\206\0\0\1\0\0\0\0\0\0" Q), RESPONSE_TRUNCATED, 0 },
	{ "no soa", P("\1\2\204\0\0\1\0\0\0\0\0\0" Q), RESPONSE_ABSENT, 0 },
	{ "another type", P("\1\2" OK1 Q A), RESPONSE_ABSENT, 0 },
	{ "soa in authority", P("\1\2\204\0\0\1\0\0\0\1\0\0" Q SOA), RESPONSE_ABSENT, 0 },
	{ "referral", P("\1\2\200\0\0\1\0\0\0\1\0\0" Q "\300\14\0\2\0\1\0\0\0\0\0\2"
	  "\300\14"), RESPONSE_ABSENT, 0 },
	{ "another's soa", P("\1\2" OK1 Q "\0\0\6\0\1\0\0\0\0\0\26\0\0\0\0\0\52\0\0"
	  "\0\0\0\0\0\0\0\0"
	  "\0\0\0\0\0\0"), RESPONSE_ABSENT, 0 },
	{ "refused", P("\1\2\200\5\0\1\0\0\0\0\0\0" Q), RESPONSE_ABSENT, 0 },
	{ "refused, no question", P("\1\2\200\5\0\0\0\0\0\0\0\0"), RESPONSE_ABSENT, 0,
	  true },
	{ "another case", P("\1\2" OK1 "\7eXample\3org\0\0\6\0\1" SOA),
	  RESPONSE_SERIAL, 42, true },
	{ "truncated, another case", P("\1\2\206\0\0\1\0\0\0\0\0\0"
	  "\7eXample\3org\0\0\6\0\1"), RESPONSE_TRUNCATED, 0, true },
	{ "notauth", P("\1\2\200\11\0\1\0\0\0\0\0\0" Q), RESPONSE_ABSENT, 0 },
	{ "nxdomain", P("\1\2\200\3\0\1\0\0\0\0\0\0" Q), RESPONSE_ABSENT, 0 },
	{ "servfail", P("\1\2\200\2\0\1\0\0\0\0\0\0" Q), RESPONSE_FAILED, 0 },
	{ "formerr", P("\1\2\200\1\0\1\0\0\0\0\0\0" Q), RESPONSE_FAILED, 0 },
	{ "notimp", P("\1\2\200\4\0\1\0\0\0\0\0\0" Q), RESPONSE_FAILED, 0 },
	{ "rcode 15", P("\1\2\200\17\0\1\0\0\0\0\0\0" Q), RESPONSE_FAILED, 0 },
	{ "broken soa", P("\1\2" OK1 Q "\300\14\0\6\0\1\0\0\0\0\0\2\0\0"),
	  RESPONSE_FAILED, 0 },
	{ "cut soa", P("\1\2" OK1 Q "\300\14\0\6\0\1\0\0\0\0\0\26\0\0\0\0\0\52"),
	  RESPONSE_FAILED, 0 },
	/* not answers to the question */
	{ "empty", P(""), RESPONSE_MISMATCH, 0 },
	{ "cut header", P("\1\2\204\0\0\1"), RESPONSE_MISMATCH, 0 },
	{ "another id", P("\1\3" OK1 Q SOA), RESPONSE_MISMATCH, 0 },
	{ "a question", P("\1\2\4\0\0\1\0\1\0\0\0\0" Q SOA), RESPONSE_MISMATCH, 0 },
	{ "another opcode", P("\1\2\244\0\0\1\0\1\0\0\0\0" Q SOA), RESPONSE_MISMATCH, 0 },
	{ "no question, no error", P("\1\2\204\0\0\0\0\1\0\0\0\0" SOA),
	  RESPONSE_MISMATCH, 0 },
	{ "two questions", P("\1\2\204\0\0\2\0\1\0\0\0\0" Q Q SOA), RESPONSE_MISMATCH,
	 0 },
	{ "another name", P("\1\2" OK1 "\7example\3net\0\0\6\0\1" SOA),
	  RESPONSE_MISMATCH, 0 },
	{ "another qtype", P("\1\2" OK1 NAME "\0\1\0\1" SOA), RESPONSE_MISMATCH, 0 },
	{ "another class", P("\1\2" OK1 NAME "\0\6\0\3" SOA), RESPONSE_MISMATCH, 0 },
	{ "refused, another name", P("\1\2\200\5\0\1\0\0\0\0\0\0\1x\0\0\6\0\1"),
	  RESPONSE_MISMATCH, 0 },
};

static void each_answer_says_one_thing(void **state)
{
	struct soa_request ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct response got =
		    response_read(&ask, (const uint8_t *)rows[i].packet, rows[i].len, 0);

		print_message("%s: %s\n", rows[i].name, response_kind_name(got.kind));
		assert_int_equal(got.kind, rows[i].kind);
		assert_int_equal(got.serial, rows[i].serial);
		if (got.kind != RESPONSE_MISMATCH)
			assert_int_equal(got.is_exact, !rows[i].inexact);
	}
}

static void the_question_may_be_in_any_case(void **state)
{
	static const char mixed[] =
	    "\1\2\204\0\0\1\0\1\0\0\0\0\7eXamPle\3Org\0\0\6\0\1" SOA;
	struct soa_request ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	struct response lower, same;
	uint8_t data[SOA_REQUEST_MAX];

	(void)state;
	memcpy(ask.zone.wire, "\7eXamPle\3Org", ask.zone.len);
	soa_request_encode(&ask, NULL, 0, data);
	assert_memory_equal(data + PACKET_HEADER, ask.zone.wire, ask.zone.len);
	same = response_read(&ask, (const uint8_t *)mixed, sizeof(mixed) - 1, 0);
	assert_int_equal(same.kind, RESPONSE_SERIAL);
	assert_true(same.is_exact);
	lower = response_read(&ask, (const uint8_t *)rows[0].packet, rows[0].len, 0);
	assert_int_equal(lower.kind, RESPONSE_SERIAL);
	assert_false(lower.is_exact);
}

static enum response_kind read_kind(const struct soa_request *ask, const char *packet,
                                size_t len)
{
	return response_read(ask, (const uint8_t *)packet, len, 0).kind;
}

static void a_notify_is_answered_or_not(void **state)
{
	struct soa_request ask = {
		.id = 0x102, .opcode = OPCODE_NOTIFY, .zone = name_of("example.org."),
	};
	static const char good[] = "\1\2\244\0\0\1\0\0\0\0\0\0" Q;
	static const char refused[] = "\1\2\240\5\0\1\0\0\0\0\0\0" Q;

	(void)state;
	assert_int_equal(read_kind(&ask, good, sizeof(good) - 1), RESPONSE_SERIAL);
	assert_int_equal(read_kind(&ask, refused, sizeof(refused) - 1), RESPONSE_FAILED);
	assert_int_equal(read_kind(&ask, rows[0].packet, rows[0].len), RESPONSE_MISMATCH);
}

static void questions_are_as_the_rfc_has_them(void **state)
{
	static const char query[] = "\1\2\0\0\0\1\0\0\0\0\0\0" Q;
	static const char notify[] = "\1\2\44\0\0\1\0\0\0\0\0\0" Q;
	struct soa_request ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	uint8_t data[SOA_REQUEST_MAX];

	(void)state;
	assert_int_equal(soa_request_encode(&ask, NULL, 0, data), sizeof(query) - 1);
	assert_memory_equal(data, query, sizeof(query) - 1);
	ask.opcode = OPCODE_NOTIFY;
	assert_int_equal(soa_request_encode(&ask, NULL, 0, data), sizeof(notify) - 1);
	assert_memory_equal(data, notify, sizeof(notify) - 1);
}

/* ---- a server that has a key ---- */

enum { NOW = 1800000000 };

static struct tsig_key key_of(const char *name, const char *secret)
{
	struct tsig_key key;
	struct why why;

	assert_int_equal(tsig_key_parse(name, "hmac-sha256", secret, &key, &why), OK);
	return key;
}

/* What the server answers: rows[0] or RCODE, signed as CHAIN says, by its clock. */
static size_t put_answer(struct tsig_chain *chain, const char *packet, size_t packet_len,
                         uint64_t now, uint8_t *data)
{
	struct packet_writer writer;

	packet_writer_init(&writer, data, PACKET_UDP_MAX);
	memcpy(data, packet, packet_len);
	writer.len = packet_len;
	if (chain)
		tsig_sign(chain, TSIG_NO_ERROR, NULL, now, &writer);
	return writer.len;
}

static void only_what_is_signed_counts(void **state)
{
	struct soa_request ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	struct tsig_key key = key_of("key.", "c2VjcmV0c2VjcmV0");
	struct tsig_key other = key_of("key.", "b3RoZXJvdGhlcg==");
	struct tsig_key renamed = key_of("keys.", "c2VjcmV0c2VjcmV0");
	const struct {
		const struct tsig_key *key;
		uint64_t now;
		bool unbound;		/* signed, but not as the answer to ours */
		enum response_kind kind;
		const char *fault;
	} cases[] = {
		{ &key, NOW, false, RESPONSE_SERIAL, NULL },
		{ &key, NOW + 300, false, RESPONSE_SERIAL, NULL },
		{ &key, NOW + 301, false, RESPONSE_MISMATCH, "wrong time" },
		{ &key, NOW, true, RESPONSE_MISMATCH, "invalid MAC" },
		{ &other, NOW, false, RESPONSE_MISMATCH, "invalid MAC" },
		{ &renamed, NOW, false, RESPONSE_MISMATCH, "another key" },
		{ NULL, NOW, false, RESPONSE_MISMATCH, "without" },
	};
	uint8_t question[SOA_REQUEST_MAX], data[PACKET_UDP_MAX];

	(void)state;
	soa_request_encode(&ask, &key, NOW, question);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsig_chain chain = ask.chain;
		struct response got;
		size_t len;

		if (cases[i].key)
			chain.key = *cases[i].key;
		if (cases[i].unbound)
			chain.mac_len = 0;
		len = put_answer(cases[i].key ? &chain : NULL, rows[0].packet,
		                 rows[0].len, cases[i].now, data);
		got = response_read(&ask, data, len, NOW);
		assert_int_equal(got.kind, cases[i].kind);
		assert_int_equal(!got.fault, !cases[i].fault);
		if (got.fault)
			assert_non_null(strstr(got.fault, cases[i].fault));
	}
}

static void an_unsigned_absence_has_a_mark(void **state)
{
	struct soa_request ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	struct tsig_key key = key_of("key.", "c2VjcmV0c2VjcmV0");
	static const struct {
		const char *packet, *fault;
	} cases[] = {
		{ "\1\2\200\5\0\1\0\0\0\0\0\0" Q, "REFUSED, without a TSIG record" },
		{ "\1\2\200\11\0\1\0\0\0\0\0\0" Q, NULL },
		{ "\1\2\200\3\0\1\0\0\0\0\0\0" Q, NULL },
		{ "\1\2\200\2\0\1\0\0\0\0\0\0" Q, NULL },
		{ "\1\2\204\0\0\1\0\0\0\0\0\0" Q, NULL },
	};
	enum { LEN = sizeof("\1\2\200\5\0\1\0\0\0\0\0\0" Q) - 1 };
	uint8_t question[SOA_REQUEST_MAX];

	(void)state;
	soa_request_encode(&ask, &key, NOW, question);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct response got = response_read(
			&ask, (const uint8_t *)cases[i].packet, LEN, NOW);

		assert_int_equal(got.kind, RESPONSE_MISMATCH);
		assert_int_equal(got.is_unsigned_absence, cases[i].fault != NULL);
		assert_non_null(strstr(got.fault, cases[i].fault
		                                  ? cases[i].fault
		                                  : "answers without a TSIG record"));
	}
}

/* In the names of the TSIG record, the other case of a letter is the same letter. */
static bool is_other_case(const struct tsig *tsig, size_t at, int bit)
{
	size_t algorithm = tsig->at + tsig->key.len + 10;

	return bit == 5 && ((at > tsig->at && at < tsig->at + tsig->key.len - 1) ||
			    (at > algorithm && at < algorithm + tsig->algorithm.len - 1));
}

static void no_bit_can_be_flipped(void **state)
{
	struct soa_request ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	struct tsig_key key = key_of("key.", "c2VjcmV0c2VjcmV0");
	uint8_t question[SOA_REQUEST_MAX], data[PACKET_UDP_MAX];
	struct tsig_chain chain;
	struct tsig tsig;
	size_t len;

	(void)state;
	soa_request_encode(&ask, &key, NOW, question);
	chain = ask.chain;
	len = put_answer(&chain, rows[0].packet, rows[0].len, NOW, data);
	assert_int_equal(response_read(&ask, data, len, NOW).kind, RESPONSE_SERIAL);
	assert_true(tsig_find(data, len, &tsig));
	for (size_t i = 0; i < 8 * len; i++) {
		struct response got;

		data[i / 8] ^= 1 << i % 8;
		got = response_read(&ask, data, len, NOW);
		data[i / 8] ^= 1 << i % 8;
		if (!is_other_case(&tsig, i / 8, i % 8))
			assert_int_equal(got.kind, RESPONSE_MISMATCH);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_signed_counts),
		cmocka_unit_test(an_unsigned_absence_has_a_mark),
		cmocka_unit_test(no_bit_can_be_flipped),
		cmocka_unit_test(each_answer_says_one_thing),
		cmocka_unit_test(the_question_may_be_in_any_case),
		cmocka_unit_test(a_notify_is_answered_or_not),
		cmocka_unit_test(questions_are_as_the_rfc_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
