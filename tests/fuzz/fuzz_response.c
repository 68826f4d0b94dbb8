/*
 * An answer to a poll from anywhere: only a whole one to the question counts; and of a
 * server that has a key, only what is signed with it.
 *
 * The last octet of the input says what it is: an answer to a question without a
 * signature; one to a question that has one, by somebody without the key; or what the
 * server itself signs. That must be read as if nobody had signed anything, if the clocks
 * agree; and with one bit flipped it must not count.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/response.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Before the last octet: which bit is flipped, and how wrong the server's clock is. */
enum { TAIL = 4, CLOCK_STEP_S = 4, NOW = 1800000000 };
enum { IS_NOTIFY = 1, IS_SIGNED = 2, IS_FORGED = 4, HASH_SHIFT = 3 };

static struct ask ask_of(uint8_t kind)
{
	return (struct ask){
		.id = 0x102,
		.opcode = kind & IS_NOTIFY ? OPCODE_NOTIFY : OPCODE_QUERY,
		.zone = { .len = 13, .wire = "\7example\3org" },
	};
}

static void judge(const struct ask *ask, const uint8_t *data, size_t size)
{
	struct judgement judgement = verdict_of(ask, data, size, NOW);

	assert(judgement.verdict < VERDICT_COUNT);
	if (judgement.verdict != VERDICT_MISMATCH)
		assert(size >= PACKET_HEADER && data[0] == 1 && data[1] == 2 &&
		       data[2] & 0x80);
	if (judgement.verdict == VERDICT_ABSENT)	/* SERVFAIL, and its like, never is */
		assert(ask->opcode == OPCODE_QUERY &&
		       (judgement.rcode == RCODE_NOERROR ||
		        judgement.rcode == RCODE_REFUSED ||
		        judgement.rcode == RCODE_NOTAUTH ||
		        judgement.rcode == RCODE_NXDOMAIN));
	if (judgement.verdict == VERDICT_SERIAL && ask->opcode == OPCODE_QUERY)
		assert(size >= PACKET_HEADER + 17 + 34 && data[2] & 4);
}

/* Nothing is learned of the zone. */
static void assert_refused(const struct judgement *judgement)
{
	assert(judgement->verdict == VERDICT_MISMATCH);
}

static struct tsig_key key_of(uint8_t kind)
{
	return (struct tsig_key){
		.name = { .len = 5, .wire = "\3key" },
		.hash = (kind >> HASH_SHIFT) % HMAC_HASHES,
		.secret = "secret", .secret_len = 6,
	};
}

/* The question as the server gets it: its side of the chain. */
static struct tsig_chain take_question(struct ask *ask, const struct tsig_key *key)
{
	uint8_t question[ASK_MAX];
	size_t len = ask_encode(ask, key, NOW, question);
	struct tsig_chain chain;
	struct tsig tsig;

	assert(tsig_find(question, len, &tsig) && tsig.present);
	tsig_chain_begin(&chain, key);
	assert(tsig_verify(&chain, question, &tsig, NOW) == TSIG_FINE);
	return chain;
}

/*
 * What is not signed: the id, which may be another one on the way and comes back as the
 * original one (RFC 8945 4.2), and the case of letters in the names of the TSIG record.
 */
static bool is_unsigned(const struct tsig *tsig, size_t at, uint8_t octet, uint8_t bit)
{
	size_t algorithm = tsig->at + tsig->key.len + 10;
	bool is_name = (at >= tsig->at && at < tsig->at + tsig->key.len) ||
		       (at >= algorithm && at < algorithm + tsig->algorithm.len);

	octet |= 0x20;
	return at < 2 || (is_name && bit == 0x20 && octet >= 'a' && octet <= 'z');
}

static void flip_and_judge(const struct ask *ask, uint8_t *data, size_t len, unsigned bit)
{
	size_t at = bit / 8 % len;
	struct judgement judgement;
	struct tsig tsig;

	assert(tsig_find(data, len, &tsig) && tsig.present);
	if (is_unsigned(&tsig, at, data[at], 1 << bit % 8))
		return;
	data[at] ^= 1 << bit % 8;
	judgement = verdict_of(ask, data, len, NOW);
	assert_refused(&judgement);
}

/* MESSAGE is what the server has to say, and signs by its own clock. */
static void judge_signed(uint8_t kind, const uint8_t *message, size_t len,
                         const uint8_t *tail)
{
	static uint8_t data[PACKET_MAX];
	struct ask plain = ask_of(kind), ask = plain;
	struct tsig_key key = key_of(kind);
	struct tsig_chain chain = take_question(&ask, &key);
	struct judgement wanted = verdict_of(&plain, message, len, NOW), got;
	unsigned late_s = tail[2] * CLOCK_STEP_S;
	struct packet_writer writer;

	packet_writer_init(&writer, data, sizeof(data));
	memcpy(data, message, len);
	writer.len = len;
	tsig_sign(&chain, TSIG_FINE, NULL, NOW - late_s, &writer);
	got = verdict_of(&ask, data, writer.len, NOW);
	if (late_s > TSIG_FUDGE_S) {
		assert_refused(&got);
	} else {
		assert(got.verdict == wanted.verdict && got.rcode == wanted.rcode);
		assert(got.serial == wanted.serial && !got.fault);
		flip_and_judge(&ask, data, writer.len, tail[0] << 8 | tail[1]);
	}
}

static void judge_forged(uint8_t kind, const uint8_t *data, size_t len)
{
	struct ask ask = ask_of(kind);
	struct tsig_key key = key_of(kind);
	struct judgement judgement;

	take_question(&ask, &key);
	judgement = verdict_of(&ask, data, len, NOW);
	assert_refused(&judgement);
}

/* Can it be signed: a whole message, that is not yet? */
static bool is_message(const uint8_t *data, size_t len)
{
	struct tsig tsig;

	return len < PACKET_MAX - ASK_MAX && tsig_find(data, len, &tsig) && !tsig.present;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t kind = size ? data[size - 1] : 0;
	struct ask ask = ask_of(kind);

	if (size < TAIL || !(kind & IS_SIGNED))
		judge(&ask, data, size);
	else if (kind & IS_FORGED)
		judge_forged(kind, data, size - TAIL);
	else if (is_message(data, size - TAIL))
		judge_signed(kind, data, size - TAIL, data + size - TAIL);
	return 0;
}
