/*
 * An answer from anybody to an update of ours, and to a query for a set. Whatever it
 * is, what is read stays within it, there are words of printable characters unless the
 * update was taken, and without the server's signature nothing is ever taken. What the
 * server did sign means what its rcode says, and a set that is read is sorted.
 *
 * The input is an octet of how it is asked for, then the message; a server that signs it
 * does so with all of it.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/rrset_query.h"
#include "core/update_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ID = 0x102, NOW = 1800000000, MESSAGE_MAX = 8192, ROOM = 512 };
enum { IS_SIGNED = 1, IS_ANSWERED_SO = 2, IS_KNOWN = 4 };

static const struct tsig_key key = {
	.name = { .len = 5, .wire = "\3key" }, .hash = HMAC_SHA256,
	.secret = "secret", .secret_len = 6,
};
static const struct name zone = { .len = 13, .wire = "\7example\3org" };

/* Of its very size, so that a read behind it is seen. */
struct message {
	uint8_t *data;
	size_t len;
};

/* As the server sends it that was asked by the LEN octets of ASKED. */
static struct message answer_of(uint8_t kind, const uint8_t *asked, size_t len,
                                const uint8_t *data, size_t size)
{
	static uint8_t out[MESSAGE_MAX + ROOM];
	struct packet_writer writer;
	struct message message = { .len = size };
	struct tsig_chain chain;
	struct tsig tsig;

	packet_writer_init(&writer, out, sizeof(out));
	memcpy(out, data, size);
	writer.len = size;
	if ((kind & ~IS_KNOWN) == (IS_SIGNED | IS_ANSWERED_SO) && size >= PACKET_HEADER) {
		assert(tsig_find(asked, len, &tsig) && tsig.present);
		tsig_chain_begin(&chain, &key);
		assert(tsig_verify(&chain, asked, &tsig, NOW) == TSIG_NO_ERROR);
		tsig_sign(&chain, TSIG_NO_ERROR, &tsig, NOW, &writer);
		message.len = writer.len;
	}
	message.data = malloc(message.len ? message.len : 1);
	memcpy(message.data, out, message.len);
	return message;
}

static void check_words(const struct why *why)
{
	assert(memchr(why->text, '\0', sizeof(why->text)) && why->text[0]);
	for (const char *at = why->text; *at; at++)
		assert(*at >= ' ' && *at <= '~');
}

static void try_update(uint8_t kind, const uint8_t *data, size_t size)
{
	static uint8_t asked[PACKET_MAX];
	struct update_sent sent;
	const struct update_message update = {
		.zone = &zone, .key = kind & IS_SIGNED ? &key : NULL, .id = ID,
		.is_known_key = kind & IS_KNOWN, .now = NOW,
	};
	size_t len = update_wire_put(&update, &sent, asked);
	struct message message = answer_of(kind, asked, len, data, size);
	struct why why = { "" };
	enum outcome outcome = update_wire_outcome(&sent, message.data, message.len,
	                                           NOW, &why);

	if (outcome != OUTCOME_APPLIED)
		check_words(&why);
	else
		assert(!why.text[0] && message.len >= PACKET_HEADER);
	if ((kind & ~IS_KNOWN) == IS_SIGNED)
		assert(outcome == OUTCOME_AGAIN || outcome == OUTCOME_PARKED ||
		       (kind & IS_KNOWN && outcome == OUTCOME_POLICY));
	else if (message.len < PACKET_HEADER)
		assert(outcome == OUTCOME_AGAIN);
	else
		assert(outcome == OUTCOME_AGAIN || outcome == OUTCOME_PARKED ||
		       outcome == outcome_of_reply(message.data[3] & 0xf, 0) ||
		       (kind & IS_KNOWN && outcome == OUTCOME_POLICY));
	free(message.data);
}

static void try_query(uint8_t kind, const uint8_t *data, size_t size)
{
	static uint8_t asked[RRSET_QUERY_MAX];
	static struct canonical record;
	struct rrset_query query = { .name = zone, .type = RR_MX };
	size_t len = rrset_query_write(&query, ID, kind & IS_SIGNED ? &key : NULL, NOW,
	                               asked);
	struct message message = answer_of(kind, asked, len, data, size);
	struct rrset_query_buffers buffers = { arena_new(), &record };
	struct rrset set;
	struct why why = { "" };
	enum err err = rrset_query_read(&query, message.data, message.len, NOW, &buffers,
	                                &set, &why);

	if (err)
		check_words(&why);
	else
		assert((kind & ~IS_KNOWN) != IS_SIGNED);
	for (size_t i = 1; !err && i < set.count; i++)
		assert(rdata_compare(set.records[i - 1], set.records[i]) < 0);
	arena_free(&buffers.arena);
	free(message.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t kind;

	if (!size || size > MESSAGE_MAX)
		return 0;
	kind = data[0] & (IS_SIGNED | IS_ANSWERED_SO | IS_KNOWN);
	try_update(kind, data + 1, size - 1);
	try_query(kind, data + 1, size - 1);
	return 0;
}
