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
	enum verdict verdict;
	uint32_t serial;
	bool inexact;			/* not our question octet by octet */
};

#define P(text) text, sizeof(text) - 1

static const struct row rows[] = {
	{ "serial", P("\1\2" OK1 Q SOA), VERDICT_SERIAL, 42 },
	{ "behind another record", P("\1\2\204\0\0\1\0\2\0\0\0\0" Q A SOA),
	  VERDICT_SERIAL, 42 },
	{ "owner in capitals", P("\1\2" OK1 Q "\7EXAMPLE\3ORG\0\0\6\0\1\0\0\0\0"
	  "\0\26\0\0\0\0\0\52"
	  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), VERDICT_SERIAL, 42 },
	{ "lame", P("\1\2\200\0\0\1\0\1\0\0\0\0" Q SOA), VERDICT_LAME, 0 },
	{ "truncated", P("\1\2\206\0\0\1\0\0\0\0\0\0" Q), VERDICT_TRUNCATED, 0 },
	{ "no soa", P("\1\2\204\0\0\1\0\0\0\0\0\0" Q), VERDICT_ABSENT, 0 },
	{ "another type", P("\1\2" OK1 Q A), VERDICT_ABSENT, 0 },
	{ "soa in authority", P("\1\2\204\0\0\1\0\0\0\1\0\0" Q SOA), VERDICT_ABSENT, 0 },
	{ "another's soa", P("\1\2" OK1 Q "\0\0\6\0\1\0\0\0\0\0\26\0\0\0\0\0\52\0\0"
	  "\0\0\0\0\0\0\0\0"
	  "\0\0\0\0\0\0"), VERDICT_ABSENT, 0 },
	{ "refused", P("\1\2\200\5\0\1\0\0\0\0\0\0" Q), VERDICT_ABSENT, 0 },
	{ "refused, no question", P("\1\2\200\5\0\0\0\0\0\0\0\0"), VERDICT_ABSENT, 0,
	  true },
	{ "another case", P("\1\2" OK1 "\7eXample\3org\0\0\6\0\1" SOA),
	  VERDICT_SERIAL, 42, true },
	{ "truncated, another case", P("\1\2\206\0\0\1\0\0\0\0\0\0"
	  "\7eXample\3org\0\0\6\0\1"), VERDICT_TRUNCATED, 0, true },
	{ "notauth", P("\1\2\200\11\0\1\0\0\0\0\0\0" Q), VERDICT_ABSENT, 0 },
	{ "nxdomain", P("\1\2\200\3\0\1\0\0\0\0\0\0" Q), VERDICT_ABSENT, 0 },
	{ "servfail", P("\1\2\200\2\0\1\0\0\0\0\0\0" Q), VERDICT_FAILED, 0 },
	{ "formerr", P("\1\2\200\1\0\1\0\0\0\0\0\0" Q), VERDICT_FAILED, 0 },
	{ "notimp", P("\1\2\200\4\0\1\0\0\0\0\0\0" Q), VERDICT_FAILED, 0 },
	{ "rcode 15", P("\1\2\200\17\0\1\0\0\0\0\0\0" Q), VERDICT_FAILED, 0 },
	{ "broken soa", P("\1\2" OK1 Q "\300\14\0\6\0\1\0\0\0\0\0\2\0\0"),
	  VERDICT_FAILED, 0 },
	{ "cut soa", P("\1\2" OK1 Q "\300\14\0\6\0\1\0\0\0\0\0\26\0\0\0\0\0\52"),
	  VERDICT_FAILED, 0 },
	/* not answers to the question */
	{ "empty", P(""), VERDICT_MISMATCH, 0 },
	{ "cut header", P("\1\2\204\0\0\1"), VERDICT_MISMATCH, 0 },
	{ "another id", P("\1\3" OK1 Q SOA), VERDICT_MISMATCH, 0 },
	{ "a question", P("\1\2\4\0\0\1\0\1\0\0\0\0" Q SOA), VERDICT_MISMATCH, 0 },
	{ "another opcode", P("\1\2\244\0\0\1\0\1\0\0\0\0" Q SOA), VERDICT_MISMATCH, 0 },
	{ "no question, no error", P("\1\2\204\0\0\0\0\1\0\0\0\0" SOA),
	  VERDICT_MISMATCH, 0 },
	{ "two questions", P("\1\2\204\0\0\2\0\1\0\0\0\0" Q Q SOA), VERDICT_MISMATCH, 0 },
	{ "another name", P("\1\2" OK1 "\7example\3net\0\0\6\0\1" SOA),
	  VERDICT_MISMATCH, 0 },
	{ "another qtype", P("\1\2" OK1 NAME "\0\1\0\1" SOA), VERDICT_MISMATCH, 0 },
	{ "another class", P("\1\2" OK1 NAME "\0\6\0\3" SOA), VERDICT_MISMATCH, 0 },
	{ "refused, another name", P("\1\2\200\5\0\1\0\0\0\0\0\0\1x\0\0\6\0\1"),
	  VERDICT_MISMATCH, 0 },
};

static void each_answer_says_one_thing(void **state)
{
	struct ask ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judgement got =
		    verdict_of(&ask, (const uint8_t *)rows[i].packet, rows[i].len, 0);

		print_message("%s: %s\n", rows[i].name, verdict_name(got.verdict));
		assert_int_equal(got.verdict, rows[i].verdict);
		assert_int_equal(got.serial, rows[i].serial);
		if (got.verdict != VERDICT_MISMATCH)
			assert_int_equal(got.is_exact, !rows[i].inexact);
	}
}

static void the_question_may_be_in_any_case(void **state)
{
	static const char mixed[] =
	    "\1\2\204\0\0\1\0\1\0\0\0\0\7eXamPle\3Org\0\0\6\0\1" SOA;
	struct ask ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	struct judgement lower, same;
	uint8_t data[ASK_MAX];

	(void)state;
	memcpy(ask.zone.wire, "\7eXamPle\3Org", ask.zone.len);
	ask_encode(&ask, NULL, 0, data);
	assert_memory_equal(data + PACKET_HEADER, ask.zone.wire, ask.zone.len);
	same = verdict_of(&ask, (const uint8_t *)mixed, sizeof(mixed) - 1, 0);
	assert_int_equal(same.verdict, VERDICT_SERIAL);
	assert_true(same.is_exact);
	lower = verdict_of(&ask, (const uint8_t *)rows[0].packet, rows[0].len, 0);
	assert_int_equal(lower.verdict, VERDICT_SERIAL);
	assert_false(lower.is_exact);
}

static enum verdict judge(const struct ask *ask, const char *packet, size_t len)
{
	return verdict_of(ask, (const uint8_t *)packet, len, 0).verdict;
}

static void a_notify_is_answered_or_not(void **state)
{
	struct ask ask = {
		.id = 0x102, .opcode = OPCODE_NOTIFY, .zone = name_of("example.org."),
	};
	static const char good[] = "\1\2\244\0\0\1\0\0\0\0\0\0" Q;
	static const char refused[] = "\1\2\240\5\0\1\0\0\0\0\0\0" Q;

	(void)state;
	assert_int_equal(judge(&ask, good, sizeof(good) - 1), VERDICT_SERIAL);
	assert_int_equal(judge(&ask, refused, sizeof(refused) - 1), VERDICT_FAILED);
	assert_int_equal(judge(&ask, rows[0].packet, rows[0].len), VERDICT_MISMATCH);
}

static void questions_are_as_the_rfc_has_them(void **state)
{
	static const char query[] = "\1\2\0\0\0\1\0\0\0\0\0\0" Q;
	static const char notify[] = "\1\2\44\0\0\1\0\0\0\0\0\0" Q;
	struct ask ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	uint8_t data[ASK_MAX];

	(void)state;
	assert_int_equal(ask_encode(&ask, NULL, 0, data), sizeof(query) - 1);
	assert_memory_equal(data, query, sizeof(query) - 1);
	ask.opcode = OPCODE_NOTIFY;
	assert_int_equal(ask_encode(&ask, NULL, 0, data), sizeof(notify) - 1);
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
		tsig_sign(chain, TSIG_FINE, NULL, now, &writer);
	return writer.len;
}

static void only_what_is_signed_counts(void **state)
{
	struct ask ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	struct tsig_key key = key_of("key.", "c2VjcmV0c2VjcmV0");
	struct tsig_key other = key_of("key.", "b3RoZXJvdGhlcg==");
	struct tsig_key renamed = key_of("keys.", "c2VjcmV0c2VjcmV0");
	const struct {
		const struct tsig_key *key;
		uint64_t now;
		bool unbound;		/* signed, but not as the answer to ours */
		enum verdict verdict;
		const char *fault;
	} cases[] = {
		{ &key, NOW, false, VERDICT_SERIAL, NULL },
		{ &key, NOW + 300, false, VERDICT_SERIAL, NULL },
		{ &key, NOW + 301, false, VERDICT_MISMATCH, "wrong time" },
		{ &key, NOW, true, VERDICT_MISMATCH, "wrongly" },
		{ &other, NOW, false, VERDICT_MISMATCH, "wrongly" },
		{ &renamed, NOW, false, VERDICT_MISMATCH, "another key" },
		{ NULL, NOW, false, VERDICT_MISMATCH, "without" },
	};
	uint8_t question[ASK_MAX], data[PACKET_UDP_MAX];

	(void)state;
	ask_encode(&ask, &key, NOW, question);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsig_chain chain = ask.chain;
		struct judgement got;
		size_t len;

		if (cases[i].key)
			chain.key = *cases[i].key;
		if (cases[i].unbound)
			chain.mac_len = 0;
		len = put_answer(cases[i].key ? &chain : NULL, rows[0].packet,
		                 rows[0].len, cases[i].now, data);
		got = verdict_of(&ask, data, len, NOW);
		assert_int_equal(got.verdict, cases[i].verdict);
		assert_int_equal(!got.fault, !cases[i].fault);
		if (got.fault)
			assert_non_null(strstr(got.fault, cases[i].fault));
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
	struct ask ask = {
		.id = 0x102, .opcode = OPCODE_QUERY, .zone = name_of("example.org."),
	};
	struct tsig_key key = key_of("key.", "c2VjcmV0c2VjcmV0");
	uint8_t question[ASK_MAX], data[PACKET_UDP_MAX];
	struct tsig_chain chain;
	struct tsig tsig;
	size_t len;

	(void)state;
	ask_encode(&ask, &key, NOW, question);
	chain = ask.chain;
	len = put_answer(&chain, rows[0].packet, rows[0].len, NOW, data);
	assert_int_equal(verdict_of(&ask, data, len, NOW).verdict, VERDICT_SERIAL);
	assert_true(tsig_find(data, len, &tsig));
	for (size_t i = 0; i < 8 * len; i++) {
		struct judgement got;

		data[i / 8] ^= 1 << i % 8;
		got = verdict_of(&ask, data, len, NOW);
		data[i / 8] ^= 1 << i % 8;
		if (!is_other_case(&tsig, i / 8, i % 8))
			assert_int_equal(got.verdict, VERDICT_MISMATCH);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_signed_counts),
		cmocka_unit_test(no_bit_can_be_flipped),
		cmocka_unit_test(each_answer_says_one_thing),
		cmocka_unit_test(the_question_may_be_in_any_case),
		cmocka_unit_test(a_notify_is_answered_or_not),
		cmocka_unit_test(questions_are_as_the_rfc_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
