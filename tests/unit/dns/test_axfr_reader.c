#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "dns/axfr_reader.h"
#include "records.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ID = 77, NOW = 1800000000, MESSAGES = 300 };

static struct canonical record;
static struct axfr_reader axfr;

/* ---- what a server sends ---- */

struct message {
	uint8_t data[PACKET_MAX];
	size_t len;
};

static struct message *sent;		/* MESSAGES of them */
static size_t sent_count;

static struct tsig_key key_of(const char *secret)
{
	struct tsig_key key = { .name = name_of("pool.key."), .hash = HMAC_SHA256 };

	key.secret_len = strlen(secret);
	memcpy(key.secret, secret, key.secret_len);
	return key;
}

/* The question; with a key its chain as the server has it. */
static void ask(const struct tsig_key *key, struct tsig_chain *server)
{
	struct name zone = name_of("example.org.");
	uint8_t question[AXFR_QUERY_MAX];
	size_t len = axfr_reader_query(&axfr, &zone, ID, key, NOW, question);
	struct tsig tsig;

	assert_true(tsig_find(question, len, &tsig));
	assert_int_equal(tsig.present, key != NULL);
	if (!key)
		return;
	tsig_chain_begin(server, key);
	assert_int_equal(tsig_verify(server, question, &tsig, NOW), TSIG_NO_ERROR);
}

static struct buf unsaid;		/* messages that the next signature covers */

/* Written here apart from tsig.c, which signs each message (RFC 8945 5.3.1). */
static void sign_behind_a_gap(struct tsig_chain *chain, struct packet_writer *writer)
{
	static const uint8_t algorithm[] = "\13hmac-sha256";
	uint8_t prior[2] = { 0, chain->mac_len }, times[8] = { 0 }, mac[HMAC_MAX];
	const struct hmac_part parts[] = {
		{ prior, 2 }, { chain->mac, chain->mac_len }, { unsaid.data, unsaid.len },
		{ writer->data, writer->len }, { times, sizeof(times) },
	};

	for (int i = 0; i < 4; i++)
		times[2 + i] = (uint32_t)NOW >> (24 - 8 * i);
	times[7] = 200;
	hmac(chain->key.hash, chain->key.secret, chain->key.secret_len, parts,
	     COUNT(parts), mac);
	memcpy(chain->mac, mac, chain->mac_len);
	packet_put(writer, chain->key.name.wire, chain->key.name.len);
	packet_put(writer, "\0\372\0\377\0\0\0\0", 8);
	packet_put_u16(writer,
	               sizeof(algorithm) + sizeof(times) + 2 + chain->mac_len + 6);
	packet_put(writer, algorithm, sizeof(algorithm));
	packet_put(writer, times, sizeof(times));
	packet_put_u16(writer, chain->mac_len);
	packet_put(writer, mac, chain->mac_len);
	packet_put_u16(writer, ID);
	packet_put_u32(writer, 0);
	writer->data[11]++;
	buf_clear(&unsaid);
}

static struct packet_writer *begin_message(void)
{
	static struct packet_writer writer;
	struct name zone = name_of("example.org.");

	packet_writer_init(&writer, sent[sent_count].data, PACKET_MAX - 1000);
	if (!sent_count)
		packet_put_question(&writer, &zone, RR_AXFR, RR_CLASS_IN);
	return &writer;
}

static void put(struct packet_writer *writer, char letter)
{
	struct buf rrs = { 0 };
	struct rr rr;
	size_t at = 0;

	if (letter == 'S' || letter == 's')
		put_soa_rr(&rrs, letter == 'S' ? "example.org." : "EXAMPLE.org.", 17);
	else if (letter == 'O')
		put_soa_rr(&rrs, "example.org.", 18);
	else if (letter == 'B')
		put_soa_rr(&rrs, "below.example.org.", 17);
	else if (letter == 'X')
		put_rr(&rrs, "x.example.org.", RR_NS, 300, "\377", 1);
	else if (letter == 'M')
		put_rr(&rrs, "m.example.org.", RR_ANY, 300, "", 0);
	else
		put_rr(&rrs, "a.example.org.", RR_A, 300, "\1\2\3\4", 4);
	while (rr_next(rrs.data, rrs.len, &at, &rr))
		packet_put_rr(writer, &rr);
	assert_false(writer->full);
	buf_clear(&rrs);
}

static void end_message(struct packet_writer *writer, unsigned count, uint16_t flags,
                        struct tsig_chain *chain)
{
	struct packet_header header = {
		.id = ID, .flags = FLAG_QR | flags, .count = { !sent_count, count },
	};

	writer->limit = PACKET_MAX;
	packet_set_header(writer, &header);
	if (chain && unsaid.len)
		sign_behind_a_gap(chain, writer);
	else if (chain)
		tsig_sign(chain, TSIG_NO_ERROR, NULL, NOW, writer);
	else
		buf_append(&unsaid, writer->data, writer->len);
	sent[sent_count++].len = writer->len;
}

/*
 * Letters are records: S the SOA, A an address, other ones see put(). A '/' ends a
 * message, a '!' does and signs it.
 */
static void script(const char *letters, struct tsig_chain *chain)
{
	struct packet_writer *writer = begin_message();
	unsigned count = 0;

	buf_clear(&unsaid);
	for (const char *at = letters; *at; at++) {
		if (*at != '/' && *at != '!') {
			put(writer, *at);
			count++;
			continue;
		}
		end_message(writer, count, FLAG_AA, *at == '!' ? chain : NULL);
		writer = begin_message();
		count = 0;
	}
}

/* ---- what is heard of it ---- */

/* "SA A E": records by message; then E for the end, B broken, R refused, M for more. */
static const char *hear(size_t from)
{
	static char heard[4096];
	char *to = heard;

	for (size_t i = from; i < sent_count; i++) {
		enum axfr_reader_step step;

		axfr_reader_add(&axfr, sent[i].data, sent[i].len, NOW);
		while ((step = axfr_reader_next(&axfr, &record)) == AXFR_READER_RECORD)
			*to++ = record.type == RR_SOA ? 'S' : 'A';
		*to++ = step == AXFR_READER_MORE ? ' ' : step == AXFR_READER_END ? 'E' :
		        step == AXFR_READER_REFUSED ? 'R' : 'B';
		if (step != AXFR_READER_MORE)
			break;
	}
	*to = '\0';
	return heard;
}

static void messages(void **state)
{
	static const struct {
		const char *sent, *want, *fault;
	} cases[] = {
		{ "SAAS/",        "SAAE",     NULL },
		{ "SS/",          "SE",       NULL },
		{ "Ss/",          "SE",       NULL },		/* the case of a name */
		{ "S/A/A/S/",     "S A A E",  NULL },
		{ "SA/AS/",       "SA AE",    NULL },
		{ "SBS/",         "SSE",      NULL },
		{ "S/",           "S ",       NULL },
		{ "SA/A/",        "SA A ",    NULL },
		{ "AS/",          "B",        "begin the transfer with the SOA record" },
		{ "BS/",          "B",        "begin the transfer with the SOA record" },
		{ "SAO/",         "SAB",      "differs from the first SOA" },
		{ "SSA/",         "SB",       "after the final SOA" },
		{ "SS/A/",        "SE",       NULL },		/* nobody listens */
		{ "SXS/",         "SB",       "malformed record" },
		{ "SMS/",         "SB",       "malformed record" },
		{ "S//S/",        "S B",      "without records" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		sent_count = 0;
		ask(NULL, NULL);
		script(cases[i].sent, NULL);
		assert_string_equal(hear(0), cases[i].want);
		if (cases[i].fault)
			assert_non_null(strstr(axfr.fault, cases[i].fault));
		else
			assert_null(axfr.fault);
		axfr_reader_clear(&axfr);
	}
}

static void signatures(void **state)
{
	static const struct {
		const char *sent, *want, *fault;
	} cases[] = {
		{ "SAS!",          "SAE",        NULL },
		{ "S!A!AS!",       "S A AE",     NULL },
		{ "S!A/A/AS!",     "S A A AE",   NULL },
		{ "S!A/A!A/A!S!",  "S A A A A E", NULL },
		{ "SAS/",          "B",          "without a TSIG record" },
		{ "S/AS!",         "B",          "without a TSIG record" },
		{ "S!AS/",         "S AB",
		  "ends the transfer without a TSIG record" },
		{ "S!A!S/",        "S A B",
		  "ends the transfer without a TSIG record" },
	};
	struct tsig_key key = key_of("secret");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tsig_chain chain;

		sent_count = 0;
		ask(&key, &chain);
		script(cases[i].sent, &chain);
		assert_string_equal(hear(0), cases[i].want);
		if (cases[i].fault)
			assert_non_null(strstr(axfr.fault, cases[i].fault));
		else
			assert_null(axfr.fault);
		axfr_reader_clear(&axfr);
	}
}

/* Ninety-nine in a row need no signature, one more does. */
static void gaps_have_an_end(void **state)
{
	struct tsig_key key = key_of("secret");

	(void)state;
	for (int extra = 0; extra < 2; extra++) {
		char letters[256] = "S!";
		struct tsig_chain chain;

		for (int i = 0; i < TSIG_GAP_MAX + extra; i++)
			strcat(letters, "A/");
		strcat(letters, "S!");
		sent_count = 0;
		ask(&key, &chain);
		script(letters, &chain);
		assert_int_equal(strchr(hear(0), 'E') != NULL, !extra);
		axfr_reader_clear(&axfr);
	}
}

/* Any bit of any message that changes on the way is noticed: the end does not come. */
static void forged_messages_are_noticed(void **state)
{
	struct tsig_key key = key_of("secret");
	struct tsig_chain chain;

	(void)state;
	sent_count = 0;
	ask(&key, &chain);
	script("SA!A/AA/S!", &chain);
	for (size_t i = 0; i < sent_count; i++) {
		for (size_t bit = 8 * 2; bit < 8 * sent[i].len; bit++) {
			struct tsig tsig;
			struct axfr_reader again = axfr;

			assert_true(tsig_find(sent[i].data, sent[i].len, &tsig));
			/* the case of its names is not signed */
			if (tsig.present && bit / 8 >= tsig.at && bit % 8 == 5)
				continue;
			sent[i].data[bit / 8] ^= 1 << bit % 8;
			assert_null(strchr(hear(0), 'E'));
			sent[i].data[bit / 8] ^= 1 << bit % 8;
			axfr_reader_clear(&axfr);
			axfr = again;
		}
	}
	assert_non_null(strchr(hear(0), 'E'));
	axfr_reader_clear(&axfr);
}

static void one_message(const void *octets, size_t len)
{
	memcpy(sent[0].data, octets, len);
	sent[0].len = len;
	sent_count = 1;
}

static void what_is_no_answer(void **state)
{
	static const struct {
		const char *octets;
		size_t len;
		const char *want, *fault;
	} cases[] = {
		{ "", 0, "B", "is not the expected answer" },
		{ "\0\115\200\5\0\0\0\0\0\0\0\0", 12, "R", "REFUSED" },
		{ "\0\115\200\11\0\0\0\0\0\0\0\0", 12, "R", "NOTAUTH" },
		{ "\0\115\200\2\0\0\0\0\0\0\0\0", 12, "R", "SERVFAIL" },
		{ "\0\115\200\0\0\0\0\0\0\0\0\0", 12, "B", "a different query" },
		{ "\0\116\200\5\0\0\0\0\0\0\0\0", 12, "B", "is not the expected answer" },
		{ "\0\115\0\5\0\0\0\0\0\0\0\0", 12, "B", "is not the expected answer" },
		{ "\0\115\240\5\0\0\0\0\0\0\0\0", 12, "B", "is not the expected answer" },
		{ "\0\115\202\0\0\0\0\0\0\0\0\0", 12, "B", "truncated" },
		{ "\0\115\200\5\0\0\0\0\0\0\0\0\0", 13, "B", "malformed" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		ask(NULL, NULL);
		one_message(cases[i].octets, cases[i].len);
		assert_string_equal(hear(0), cases[i].want);
		assert_non_null(strstr(axfr.fault, cases[i].fault));
	}
}

static void a_refused_signature_is_told(void **state)
{
	struct tsig_key key = key_of("secret");
	struct packet_writer *writer;
	struct tsig_chain chain;
	struct tsig tsig = { .key = key.name, .algorithm = name_of("hmac-sha256.") };

	(void)state;
	sent_count = 0;
	ask(&key, &chain);
	writer = begin_message();
	end_message(writer, 0, RCODE_NOTAUTH, NULL);
	tsig_refuse(TSIG_BADKEY, &tsig, NOW, writer);
	sent[0].len = writer->len;
	assert_string_equal(hear(0), "R");
	assert_non_null(strstr(axfr.fault, "BADKEY"));
	axfr_reader_clear(&axfr);
}

static void limits(void **state)
{
	static const struct {
		struct axfr_limits limits;
		const char *want;
	} cases[] = {
		{ { 3, 1000 }, "SA AE" },
		{ { 2, 1000 }, "SA AB" },
		{ { 1, 1000 }, "SA B" },
		{ { 9, 150 },  "SA B" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		sent_count = 0;
		ask(NULL, NULL);
		axfr.limits = cases[i].limits;
		script("SA/AS/", NULL);
		assert_string_equal(hear(0), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		cmocka_unit_test(signatures),
		cmocka_unit_test(gaps_have_an_end),
		cmocka_unit_test(forged_messages_are_noticed),
		cmocka_unit_test(what_is_no_answer),
		cmocka_unit_test(a_refused_signature_is_told),
		cmocka_unit_test(limits),
	};
	int failed;

	sent = calloc(MESSAGES, sizeof(*sent));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(sent);
	return failed;
}
