/*
 * A transfer from anybody, message by message. Whatever comes, what is read of it stays
 * within it; an end comes only behind the SOA that all began with, and nothing after that
 * or after a fault; and a record reads the same when it is written down plainly, and has
 * words of printable characters.
 *
 * The input is an octet of how it is asked for, then messages, two octets of length
 * before each; those that are too long are as long as the rest.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/diff_text.h"
#include "dns/axfr_reader.h"
#include "model/rr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ID = 0x102, NOW = 1800000000, IS_SIGNED = 1, RECORDS = 100000 };

static struct canonical record;

static void ask(struct axfr_reader *axfr, uint8_t kind)
{
	static const struct tsig_key key = {
		.name = { .len = 5, .wire = "\3key" }, .hash = HMAC_SHA256,
		.secret = "secret", .secret_len = 6,
	};
	static const struct name zone = { .len = 13, .wire = "\7example\3org" };
	uint8_t question[AXFR_QUERY_MAX];

	axfr_reader_query(axfr, &zone, ID, kind & IS_SIGNED ? &key : NULL, NOW, question);
	axfr->limits = (struct axfr_limits){ RECORDS, 1 << 20 };
}

/* A canonical record is one, and its own canonical form. */
static void check_record(void)
{
	static struct canonical again;
	struct rr rr;
	struct buf plain = { 0 };
	size_t at = 0;

	assert(record.len <= sizeof(record.octets) && record.rdata <= record.len);
	assert(record.len - record.rdata <= UINT16_MAX);
	buf_append(&plain, record.octets, record.rdata);
	buf_u16(&plain, record.len - record.rdata);
	buf_append(&plain, record.octets + record.rdata, record.len - record.rdata);
	assert(rr_next(plain.data, plain.len, &at, &rr) && at == plain.len);
	assert(canonical_of_rr(&rr, &again));
	assert(again.len == record.len);
	assert(!memcmp(again.octets, record.octets, record.len));
	buf_clear(&plain);
}

static void check_words(void)
{
	struct set_diff_side side = { .count = 0 };

	diff_text_add(&side, record.octets, record.len);
	assert(side.count == 1 && side.named == 1);
	assert(memchr(side.record[0].text, '\0', SET_DIFF_TEXT));
	for (const char *at = side.record[0].text; *at; at++)
		assert(*at >= ' ' && *at <= '~');
}

/* The steps that a message brings; the last one is never a record. */
static enum axfr_reader_step hear(struct axfr_reader *axfr, const uint8_t *data,
				  size_t len)
{
	/* of its very size, so that a read behind it is seen */
	uint8_t *message = malloc(len ? len : 1);
	enum axfr_reader_step step;
	bool taken;

	memcpy(message, data, len);
	taken = axfr_reader_add(axfr, message, len, NOW);
	while ((step = axfr_reader_next(axfr, &record)) == AXFR_READER_RECORD) {
		assert(taken && axfr->has_soa);
		check_record();
		check_words();
	}
	assert(taken || step == AXFR_READER_REFUSED || step == AXFR_READER_BROKEN);
	assert(!axfr->fault == (step == AXFR_READER_MORE || step == AXFR_READER_END));
	assert(step != AXFR_READER_END || (axfr->has_soa && axfr->records > 1));
	free(message);
	return step;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct axfr_reader axfr;
	enum axfr_reader_step step = AXFR_READER_MORE;
	size_t at = 1;
	uint8_t kind = size ? data[0] : 0;

	ask(&axfr, kind);
	while (step == AXFR_READER_MORE && size > at + 2) {
		size_t len = data[at] << 8 | data[at + 1];

		at += 2;
		if (len > size - at)
			len = size - at;
		step = hear(&axfr, data + at, len);
		at += len;
	}
	if (step != AXFR_READER_MORE) {
		assert(!axfr_reader_add(&axfr, data, size, NOW) || !size);
		assert(axfr_reader_next(&axfr, &record) == step ||
		       step == AXFR_READER_END);
	}
	assert(!(kind & IS_SIGNED) || step != AXFR_READER_END || !axfr.gap.digest);
	axfr_reader_clear(&axfr);
	return 0;
}
