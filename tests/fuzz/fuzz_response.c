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

static struct soa_request ask_of(uint8_t kind)
{
	return (struct soa_request){
		.id = 0x102,
		.opcode = kind & IS_NOTIFY ? OPCODE_NOTIFY : OPCODE_QUERY,
		.zone = { .len = 13, .wire = "\7example\3org" },
	};
}

static void check(const struct soa_request *ask, const uint8_t *data, size_t size)
{
	struct response response = response_read(ask, data, size, NOW);

	assert(response.kind < RESPONSE_KINDS);
	if (response.kind != RESPONSE_MISMATCH)
		assert(size >= PACKET_HEADER && data[0] == 1 && data[1] == 2 &&
		       data[2] & 0x80);
	if (response.kind == RESPONSE_ABSENT)	/* never SERVFAIL, or its like */
		assert(ask->opcode == OPCODE_QUERY &&
		       (response.rcode == RCODE_NOERROR ||
		        response.rcode == RCODE_REFUSED ||
		        response.rcode == RCODE_NOTAUTH ||
		        response.rcode == RCODE_NXDOMAIN));
	if (response.kind == RESPONSE_SERIAL && ask->opcode == OPCODE_QUERY)
		assert(size >= PACKET_HEADER + 17 + 34 && data[2] & 4);
}

/* Nothing is learned of the zone. */
static void assert_refused(const struct response *response)
{
	assert(response->kind == RESPONSE_MISMATCH);
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
static struct tsig_chain take_question(struct soa_request *ask,
                                       const struct tsig_key *key)
{
	uint8_t question[SOA_REQUEST_MAX];
	size_t len = soa_request_encode(ask, key, NOW, question);
	struct tsig_chain chain;
	struct tsig tsig;

	assert(tsig_find(question, len, &tsig) && tsig.present);
	tsig_chain_begin(&chain, key);
	assert(tsig_verify(&chain, question, &tsig, NOW) == TSIG_NO_ERROR);
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

static void flip_and_check(const struct soa_request *ask, uint8_t *data, size_t len,
                           unsigned bit)
{
	size_t at = bit / 8 % len;
	struct response response;
	struct tsig tsig;

	assert(tsig_find(data, len, &tsig) && tsig.present);
	if (is_unsigned(&tsig, at, data[at], 1 << bit % 8))
		return;
	data[at] ^= 1 << bit % 8;
	response = response_read(ask, data, len, NOW);
	assert_refused(&response);
}

/* MESSAGE is what the server has to say, and signs by its own clock. */
static void check_signed(uint8_t kind, const uint8_t *message, size_t len,
                         const uint8_t *tail)
{
	static uint8_t data[PACKET_MAX];
	struct soa_request plain = ask_of(kind), ask = plain;
	struct tsig_key key = key_of(kind);
	struct tsig_chain chain = take_question(&ask, &key);
	struct response wanted = response_read(&plain, message, len, NOW), got;
	unsigned late_s = tail[2] * CLOCK_STEP_S;
	struct packet_writer writer;

	packet_writer_init(&writer, data, sizeof(data));
	memcpy(data, message, len);
	writer.len = len;
	tsig_sign(&chain, TSIG_NO_ERROR, NULL, NOW - late_s, &writer);
	got = response_read(&ask, data, writer.len, NOW);
	if (late_s > TSIG_FUDGE_S) {
		assert_refused(&got);
	} else {
		assert(got.kind == wanted.kind && got.rcode == wanted.rcode);
		assert(got.serial == wanted.serial && !got.fault);
		flip_and_check(&ask, data, writer.len, tail[0] << 8 | tail[1]);
	}
}

static void check_forged(uint8_t kind, const uint8_t *data, size_t len)
{
	struct soa_request ask = ask_of(kind);
	struct tsig_key key = key_of(kind);
	struct response response;

	take_question(&ask, &key);
	response = response_read(&ask, data, len, NOW);
	assert_refused(&response);
}

/* Can it be signed: a whole message, that is not yet? */
static bool is_message(const uint8_t *data, size_t len)
{
	struct tsig tsig;

	return len < PACKET_MAX - SOA_REQUEST_MAX && tsig_find(data, len,
	                                                       &tsig) && !tsig.present;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t kind = size ? data[size - 1] : 0;
	struct soa_request ask = ask_of(kind);

	if (size < TAIL || !(kind & IS_SIGNED))
		check(&ask, data, size);
	else if (kind & IS_FORGED)
		check_forged(kind, data, size - TAIL);
	else if (is_message(data, size - TAIL))
		check_signed(kind, data, size - TAIL, data + size - TAIL);
	return 0;
}
