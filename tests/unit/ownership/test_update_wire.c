#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dns/records.h"
#include "core/update_wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RDATA(text) { (const uint8_t *)(text), sizeof(text) - 1 }

enum { ID = 0x102, NOW = 1800000000, HEAD = PACKET_HEADER + 13 + 4 };

static uint8_t data[PACKET_MAX];
static struct update_sent sent;
static bool is_known_key;

static struct tsig_key key_of(const char *name)
{
	return (struct tsig_key){ .name = name_of(name), .hash = HMAC_SHA256,
	                          .secret = "secret", .secret_len = 6 };
}

static struct update_rr rr_of(enum update_kind kind, const char *name, uint16_t type)
{
	return (struct update_rr){ .kind = kind, .name = name_of(name), .type = type,
	                           .ttl = 300 };
}

static size_t put_all(const struct update *const *updates, size_t count,
                      const struct tsig_key *key)
{
	struct name zone = name_of("example.com.");

	return update_wire_put(&(struct update_message){
		.zone = &zone, .updates = updates, .count = count, .key = key, .id = ID,
		.is_known_key = is_known_key, .now = NOW,
	}, &sent, data);
}

static size_t put_one(const struct update *update, const struct tsig_key *key)
{
	return put_all(&update, 1, key);
}

static unsigned count_of(enum section section)
{
	return data[4 + 2 * section] << 8 | data[5 + 2 * section];
}

/* ---- the message ---- */

/* RFC 2136 2.4 and 2.5, by hand; the owner is "a" and a pointer to the zone's name. */
static const struct {
	enum update_kind kind;
	uint16_t type;
	struct rdata rdata;
	struct rdata want;		/* behind the owner */
} kinds[] = {
	{ UPDATE_SET_IS, RR_A, RDATA("\300\0\2\1"),
	  RDATA("\0\1\0\1\0\0\0\0\0\4\300\0\2\1") },
	{ UPDATE_NO_SET, RR_A, { 0 }, RDATA("\0\1\0\376\0\0\0\0\0\0") },
	{ UPDATE_NO_NAME, 0, { 0 }, RDATA("\0\377\0\376\0\0\0\0\0\0") },
	{ UPDATE_DELETE_SET, RR_TXT, { 0 },
	  RDATA("\0\20\0\377\0\0\0\0\0\0") },
	{ UPDATE_DELETE, RR_A, RDATA("\300\0\2\1"),
	  RDATA("\0\1\0\376\0\0\0\0\0\4\300\0\2\1") },
	{ UPDATE_ADD, RR_TXT, RDATA("\2hi"),
	  RDATA("\0\20\0\1\0\0\1\54\0\3\2hi") },
	/* a name in rdata is not compressed */
	{ UPDATE_ADD, RR_CNAME, RDATA("\1b\7example\3com\0"),
	  RDATA("\0\5\0\1\0\0\1\54\0\17\1b\7example\3com\0") },
	/* what has no rdata has none, whatever stands there */
	{ UPDATE_DELETE_SET, RR_A, RDATA("\300\0\2\1"),
	  RDATA("\0\1\0\377\0\0\0\0\0\0") },
};

static void test_octets_of_each_kind(void **state)
{
	static const uint8_t head[] = "\1\2\50\0\0\1\0\0\0\0\0\0\7example\3com\0\0\6\0\1";
	static const uint8_t owner[] = "\1a\300\14";

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct update_rr rr = rr_of(kinds[i].kind, "a.example.com.",
		                            kinds[i].type);
		bool is_change = kinds[i].kind >= UPDATE_DELETE_SET;
		struct update update = { 0 };
		size_t len;

		rr.rdata = kinds[i].rdata;
		*(is_change ? &update.changes : &update.prerequisites) =
		    (struct update_rrs){ &rr, 1, 1 };
		len = put_one(&update, NULL);
		assert_int_equal(len, HEAD + 4 + kinds[i].want.len);
		assert_int_equal(count_of(SECTION_ANSWER), !is_change);
		assert_int_equal(count_of(SECTION_AUTHORITY), is_change);
		assert_int_equal(count_of(SECTION_ADDITIONAL), 0);
		data[7] = data[9] = 0;
		assert_memory_equal(data, head, HEAD);
		assert_memory_equal(data + HEAD, owner, 4);
		assert_memory_equal(data + HEAD + 4, kinds[i].want.octets,
		                    kinds[i].want.len);
	}
}

/* What two updates ask for stands there once; what differs in anything stays. */
static void test_a_prerequisite_is_said_once(void **state)
{
	struct update_rr rrs[] = {
		rr_of(UPDATE_SET_IS, "a.example.com.", RR_A),
		rr_of(UPDATE_SET_IS, "a.example.com.", RR_A),
		rr_of(UPDATE_SET_IS, "b.example.com.", RR_A),
		rr_of(UPDATE_SET_IS, "a.example.com.", RR_TXT),
		rr_of(UPDATE_NO_SET, "a.example.com.", RR_TXT),
		rr_of(UPDATE_NO_NAME, "a.example.com.", 0),
	};
	struct update_rr add = rr_of(UPDATE_ADD, "a.example.com.", RR_A);
	struct update updates[2];
	const struct update *both[2] = { &updates[0], &updates[1] };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		rrs[i].rdata = (struct rdata)RDATA("\1\2\3\4");
	rrs[1].rdata = (struct rdata)RDATA("\1\2\3\5");
	add.rdata = rrs[0].rdata;
	for (size_t i = 0; i < 2; i++)
		updates[i] = (struct update){ { rrs, COUNT(rrs), COUNT(rrs) },
		                              { &add, 1, 1 } };
	assert_true(put_all(both, 2, NULL));
	assert_int_equal(count_of(SECTION_ANSWER), COUNT(rrs));
	/* a change is no prerequisite */
	assert_int_equal(count_of(SECTION_AUTHORITY), 2);
}

static void test_it_is_signed(void **state)
{
	struct tsig_key key = key_of("key.example.");
	struct update_rr rr = rr_of(UPDATE_DELETE_SET, "a.example.com.", RR_A);
	struct update update = { .changes = { &rr, 1, 1 } };
	struct tsig_chain chain;
	struct tsig tsig;
	size_t len = put_one(&update, &key);

	(void)state;
	assert_int_equal(count_of(SECTION_ADDITIONAL), 1);
	assert_true(tsig_find(data, len, &tsig) && tsig.present);
	tsig_chain_begin(&chain, &key);
	assert_int_equal(tsig_verify(&chain, data, &tsig, NOW), TSIG_NO_ERROR);
	assert_int_equal(tsig.time, NOW);
}

/* ---- sizes ---- */

static struct rdata zeroes_of(size_t len)
{
	static const uint8_t zeroes[UINT16_MAX];

	return (struct rdata){ zeroes, (uint16_t)len };
}

static struct update_rr *many(size_t count, uint16_t rdata_len)
{
	struct update_rr *rrs = calloc(count, sizeof(*rrs));
	char name[64];

	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "n%zu.other.test.", i);
		rrs[i] = rr_of(UPDATE_ADD, name, RR_TXT);
		rrs[i].rdata = zeroes_of(rdata_len);
	}
	return rrs;
}

static void test_it_takes_no_more_than_was_said(void **state)
{
	(void)state;
	for (size_t count = 0; count < 300; count += 7) {
		struct update_rr *rrs = many(count, (uint16_t)(count % 50));
		struct update update = { { rrs, count, count }, { rrs, count, count } };
		struct batch_size size = update_wire_size(&update);
		size_t len = put_one(&update, NULL);

		assert_int_equal(size.changes, count);
		assert_true(len && len <= HEAD + size.octets);
		free(rrs);
	}
}

static void test_what_does_not_fit_is_not_written(void **state)
{
	struct tsig_key key = key_of("key.example.");
	struct update_rr rr = rr_of(UPDATE_ADD, "a.other.test.", RR_TXT);
	struct update update = { .changes = { &rr, 1, 1 } };
	size_t rest = PACKET_MAX - put_one(&update, NULL), room;

	(void)state;
	rr.rdata = zeroes_of(rest);
	assert_int_equal(put_one(&update, NULL), PACKET_MAX);
	room = tsig_room_of(&key);
	assert_int_equal(put_one(&update, &key), 0);
	rr.rdata.len = (uint16_t)(rest - room);
	assert_in_range(put_one(&update, &key), PACKET_MAX - room, PACKET_MAX);
	rr.rdata.len++;
	assert_int_equal(put_one(&update, &key), 0);
	rr.rdata.len = (uint16_t)rest + 1;
	assert_int_equal(put_one(&update, NULL), 0);
}

/* The longest zone and key there can be leave UPDATE_WIRE_ROOM. */
static void test_room_in_any_message(void **state)
{
	struct tsig_key key = key_of(".");
	struct update_rr rr = rr_of(UPDATE_ADD, "a.other.test.", RR_TXT);
	struct update update = { .changes = { &rr, 1, 1 } };
	const struct update *updates[] = { &update };
	struct name longest = { .len = NAME_MAX_WIRE };

	(void)state;
	for (int at = 0; at < NAME_MAX_WIRE - 1; at += 1 + longest.wire[at])
		longest.wire[at] = at < 192 ? 63 : 61;
	key.name = longest;
	rr.rdata = zeroes_of(UPDATE_WIRE_ROOM - 10 - rr.name.len);
	assert_int_equal(update_wire_size(&update).octets, UPDATE_WIRE_ROOM);
	assert_true(update_wire_put(&(struct update_message){
		.zone = &longest, .updates = updates, .count = 1, .key = &key, .id = ID,
		.now = NOW,
	}, &sent, data));
}

/* ---- answers ---- */

enum signing { RIGHT, UNSIGNED, FORGED, OF_ANOTHER_KEY, CHANGED, OF_ANOTHER_TIME };

struct answer {
	uint16_t id, flags;
	enum signing signing;
	enum tsig_error error;
	bool bare;			/* the error, without a signature */
	uint16_t cut;			/* octets at its end */
};

/* The question as the server has it. */
static void ask(const struct tsig_key *key, struct tsig_chain *server, struct tsig *tsig)
{
	struct update_rr rr = rr_of(UPDATE_DELETE_SET, "a.example.com.", RR_A);
	struct update update = { .changes = { &rr, 1, 1 } };
	size_t len = put_one(&update, key);

	assert_true(len && tsig_find(data, len, tsig));
	assert_int_equal(tsig->present, key != NULL);
	if (!key)
		return;
	tsig_chain_begin(server, key);
	assert_int_equal(tsig_verify(server, data, tsig, NOW), TSIG_NO_ERROR);
}

static void sign(const struct answer *answer, struct tsig_chain *server,
                 const struct tsig *tsig, struct packet_writer *writer)
{
	uint64_t now = answer->error == TSIG_BADTIME ? NOW + 7200
	             : answer->signing == OF_ANOTHER_TIME ? NOW + 301 : NOW;

	if (answer->signing == OF_ANOTHER_KEY)
		server->key.name = name_of("other.example.");
	if (answer->bare)
		tsig_refuse(answer->error, tsig, NOW, writer);
	else if (answer->signing != UNSIGNED)
		tsig_sign(server, answer->error, tsig, now, writer);
	if (answer->signing == FORGED)
		writer->data[writer->len - 20] ^= 1;
	if (answer->signing == CHANGED)
		writer->data[3] ^= 1;		/* the rcode */
}

static enum outcome hear(bool is_signed, const struct answer *answer, struct why *why)
{
	struct tsig_key key = key_of("key.example.");
	const struct packet_header header = { answer->id, answer->flags, { 0 } };
	static uint8_t packet[PACKET_UDP_MAX];
	struct packet_writer writer;
	struct tsig_chain server;
	struct tsig tsig;
	enum outcome outcome;
	uint8_t *exact;
	size_t len;

	ask(is_signed ? &key : NULL, &server, &tsig);
	packet_writer_init(&writer, packet, sizeof(packet));
	packet_set_header(&writer, &header);
	if (is_signed)
		sign(answer, &server, &tsig, &writer);
	len = writer.len - answer->cut;
	exact = malloc(len);
	memcpy(exact, packet, len);
	strcpy(why->text, "?");
	outcome = update_wire_outcome(&sent, exact, len, NOW, why);
	free(exact);
	return outcome;
}

enum { ANSWER = FLAG_QR | OPCODE_UPDATE << OPCODE_SHIFT };

static const struct {
	const char *words;
	enum outcome want;
} of_rcode[16] = {
	{ "", OUTCOME_APPLIED },
	{ "answers with FORMERR", OUTCOME_PARKED },
	{ "answers with SERVFAIL", OUTCOME_UNABLE },
	{ "answers with NXDOMAIN", OUTCOME_CHANGED },
	{ "answers with NOTIMP", OUTCOME_PARKED },
	{ "answers with REFUSED", OUTCOME_POLICY },
	{ "answers with YXDOMAIN", OUTCOME_CONFLICT },
	{ "answers with YXRRSET", OUTCOME_CONFLICT },
	{ "answers with NXRRSET", OUTCOME_CHANGED },
	{ "answers with NOTAUTH", OUTCOME_PARKED },
	{ "answers with NOTZONE", OUTCOME_FAILED },
	{ "answers with an error", OUTCOME_AGAIN },
	{ "answers with an error", OUTCOME_AGAIN },
	{ "answers with an error", OUTCOME_AGAIN },
	{ "answers with an error", OUTCOME_AGAIN },
	{ "answers with an error", OUTCOME_AGAIN },
};

static void test_every_rcode(void **state)
{
	struct why why;

	(void)state;
	for (int i = 0; i < 2 * 16; i++) {
		struct answer answer = { .id = ID, .flags = ANSWER | i / 2 };

		assert_int_equal(hear(i % 2, &answer, &why), of_rcode[i / 2].want);
		assert_string_equal(why.text, of_rcode[i / 2].words);
	}
}

static const struct {
	const char *words;
	bool is_signed;
	struct answer answer;
	enum outcome want;
} answers[] = {
	{ "sends a message that is not the expected answer", false, { ID + 1, ANSWER },
	  OUTCOME_AGAIN },
	{ "sends a message that is not the expected answer", true, { ID + 1, ANSWER },
	  OUTCOME_AGAIN },
	{ "sends a message that is not the expected answer", false,
	  { ID, OPCODE_UPDATE << OPCODE_SHIFT }, OUTCOME_AGAIN },
	{ "sends a message that is not the expected answer", false, { ID, FLAG_QR },
	  OUTCOME_AGAIN },
	{ "sends a message that is not the expected answer", false,
	  { ID, ANSWER, .cut = 1 },
	  OUTCOME_AGAIN },
	{ "sends a message that is not the expected answer", false,
	  { ID, ANSWER, .cut = 12 },
	  OUTCOME_AGAIN },
	{ "sends a malformed message", true, { ID, ANSWER, .cut = 1 }, OUTCOME_AGAIN },
	{ "sends a malformed message", true, { ID, ANSWER, .cut = 70 }, OUTCOME_AGAIN },
	{ "answers without a TSIG record", true,
	  { ID, ANSWER, UNSIGNED }, OUTCOME_AGAIN },
	{ "answers without a TSIG record (REFUSED)", true, { ID, ANSWER | 5, UNSIGNED },
	  OUTCOME_AGAIN },
	{ "sends an answer with an invalid MAC", true,
	  { ID, ANSWER, FORGED }, OUTCOME_AGAIN },
	{ "sends an answer with an invalid MAC (FORMERR)", true, { ID, ANSWER, CHANGED },
	  OUTCOME_AGAIN },
	{ "signs its answer with another key", true, { ID, ANSWER, OF_ANOTHER_KEY },
	  OUTCOME_AGAIN },
	{ "signs its answer with a wrong time: compare the clocks", true,
	  { ID, ANSWER, OF_ANOTHER_TIME }, OUTCOME_AGAIN },
	/* RFC 8945 5.3.2: the server cannot sign these */
	{ "answers with BADKEY: check that the server has the key", true,
	  { ID, ANSWER | 9, .error = TSIG_BADKEY, .bare = true }, OUTCOME_PARKED },
	{ "answers with BADSIG: compare the secrets of the key", true,
	  { ID, ANSWER | 9, .error = TSIG_BADSIG, .bare = true }, OUTCOME_PARKED },
	/* no error at all, under no signature at all */
	{ "answers with BADSIG: compare the secrets of the key", true,
	  { ID, ANSWER, .error = TSIG_BADSIG, .bare = true }, OUTCOME_AGAIN },
	/* and these it can */
	{ "answers with BADTIME: compare the clocks (NOTAUTH)", true,
	  { ID, ANSWER | 9, .error = TSIG_BADTIME, .bare = true }, OUTCOME_AGAIN },
	{ "answers with BADTRUNC: the server requires a longer MAC (NOTAUTH)", true,
	  { ID, ANSWER | 9, .error = TSIG_BADTRUNC, .bare = true }, OUTCOME_AGAIN },
	{ "answers with BADTIME: the server's clock shows "
	  "2027-01-15T10:00:00.000Z, and the local clock shows 2027-01-15T08:00:00.000Z",
	  true,
	  { ID, ANSWER | 9, .error = TSIG_BADTIME },
	  OUTCOME_PARKED },
	{ "answers with BADTRUNC: the server requires a longer MAC", true,
	  { ID, ANSWER | 9, .error = TSIG_BADTRUNC }, OUTCOME_PARKED },
	{ "sends an answer with an invalid MAC (NOTAUTH)", true,
	  { ID, ANSWER | 9, FORGED, TSIG_BADTIME }, OUTCOME_AGAIN },
};

static void test_answers(void **state)
{
	struct why why;

	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++) {
		enum outcome outcome = hear(answers[i].is_signed, &answers[i].answer,
		                            &why);

		assert_string_equal(why.text, answers[i].words);
		assert_int_equal(outcome, answers[i].want);
	}
}

/* Knot's answer to who may not: of a server that knows the key it is no wrong key. */
static void test_badkey_of_a_known_key(void **state)
{
	struct answer answer = { ID, ANSWER | 9, .error = TSIG_BADKEY, .bare = true };
	struct why why;

	(void)state;
	is_known_key = true;
	assert_int_equal(hear(true, &answer, &why), OUTCOME_POLICY);
	assert_non_null(strstr(why.text, "BADKEY, although the server has the key"));
	answer.error = TSIG_BADSIG;
	assert_int_equal(hear(true, &answer, &why), OUTCOME_PARKED);
	is_known_key = false;
}

static void test_a_signature_nobody_asked_for(void **state)
{
	struct tsig_key key = key_of("key.example.");
	struct packet_header header = { ID, ANSWER, { 0 } };
	static uint8_t packet[PACKET_UDP_MAX];
	struct packet_writer writer;
	struct tsig_chain server;
	struct tsig tsig;
	struct why why;

	(void)state;
	ask(NULL, &server, &tsig);
	packet_writer_init(&writer, packet, sizeof(packet));
	packet_set_header(&writer, &header);
	tsig_chain_begin(&server, &key);
	tsig_sign(&server, TSIG_NO_ERROR, NULL, NOW, &writer);
	assert_int_equal(update_wire_outcome(&sent, packet, writer.len, NOW, &why),
	                 OUTCOME_AGAIN);
	assert_string_equal(why.text, "sends a signed answer to an unsigned message");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_octets_of_each_kind),
		cmocka_unit_test(test_a_prerequisite_is_said_once),
		cmocka_unit_test(test_it_is_signed),
		cmocka_unit_test(test_it_takes_no_more_than_was_said),
		cmocka_unit_test(test_what_does_not_fit_is_not_written),
		cmocka_unit_test(test_room_in_any_message),
		cmocka_unit_test(test_every_rcode),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_badkey_of_a_known_key),
		cmocka_unit_test(test_a_signature_nobody_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
