/*
 * All records that a zone takes come out of an AXFR. Any rows of a journal are judged;
 * where a history is possible, and only there, its one difference leads to its end.
 */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "core/axfr.h"
#include "core/ixfr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct name apex = { .len = 13, .wire = "\7example\3org" };

static struct query query_for(uint16_t type)
{
	struct query query = { .has_question = true, .type = type, .class = RR_CLASS_IN };

	query.raw = query.name = apex;
	return query;
}

static uint64_t count_records(const uint8_t *data, size_t len)
{
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct packet_rr rr;
	struct name name;

	packet_read_header(&reader, &header);
	for (int i = 0; i < header.count[SECTION_QUESTION]; i++) {
		packet_read_name(&reader, &name);
		packet_read_u32(&reader);
	}
	for (int i = 0; i < header.count[SECTION_ANSWER]; i++)
		packet_read_rr(&reader, &rr);
	assert(!reader.broken && reader.at == len);
	return header.count[SECTION_ANSWER];
}

static void try_axfr(const uint8_t *data, size_t size)
{
	static uint8_t message[PACKET_MAX];
	struct zone_builder *builder = zone_builder_new(&apex);
	struct query query = query_for(RR_AXFR);
	struct zone *zone = NULL;
	struct axfr axfr;
	struct why why;
	struct rr rr;
	uint64_t records = 0;
	size_t at = 0, len;

	while (rr_next(data, size, &at, &rr))
		zone_builder_add(builder, &rr);
	if (zone_builder_finish(&builder, &zone, &why))
		return;
	axfr_init(&axfr, &query, zone);
	while ((len = axfr_next(&axfr, message, sizeof(message))))
		records += count_records(message, len);
	assert(records == zone->record_count + 1);
	zone_release(&zone);
}

/* ---- rows of any octets ---- */

enum { MAX_STEPS = 64 };

/* A half begins with each SOA; the last one may be empty. Returns how many there are. */
static size_t find_halves(const uint8_t *data, size_t size, size_t start[2 * MAX_STEPS])
{
	size_t count = 0, at = 0, last = 0;
	struct rr rr;

	for (; rr_next(data, size, &at, &rr); last = at)
		if (rr.type == RR_SOA && count < 2 * MAX_STEPS)
			start[count++] = last;
	if (count % 2)
		start[count++] = at;
	return count;
}

static void try_rows(const uint8_t *data, size_t size)
{
	static uint8_t message[PACKET_MAX];
	struct query query = query_for(RR_IXFR);
	struct ixfr_step steps[MAX_STEPS];
	size_t start[2 * MAX_STEPS + 1], len;
	size_t count = find_halves(data, size, start) / 2;
	struct delta *delta;
	struct ixfr ixfr;
	uint64_t records = 0;

	start[2 * count] = size;
	for (size_t i = 0; i < count; i++) {
		const size_t *at = start + 2 * i;

		steps[i] = (struct ixfr_step){ i + 1, i + 2, data + at[0], data + at[1],
		                               at[1] - at[0], at[2] - at[1] };
	}
	delta = delta_new(&apex, 1, count + 1, steps, count);
	if (!delta)
		return;
	ixfr_init(&ixfr, &query, delta);
	while ((len = ixfr_next(&ixfr, true, message, sizeof(message))))
		records += count_records(message, len);
	assert(records == delta->records + 2);
	delta_release(&delta);
}

/* ---- histories ---- */

/*
 * An octet is a record of KINDS, written in one of four ways: with a TTL and a case. From
 * END on it is the end of a half. Whether a kind is there when all begins, the first word
 * on it tells.
 */
enum { KINDS = 16, WAYS = 4, END = KINDS * WAYS, UNKNOWN = -2, ABSENT = -1 };

struct history {
	struct buf half[2 * MAX_STEPS];
	size_t halves;
	int begin[KINDS], now[KINDS];	/* a way, or none */
	bool possible;
};

static void put_soa(struct buf *rrs, uint32_t serial)
{
	static const uint8_t root[] = { 0 };
	struct soa soa = { .mname = root, .rname = root, .serial = serial };
	struct buf rdata = { 0 };

	soa_append_rdata(&rdata, &soa);
	rr_append(rrs, &(struct rr){ .name = apex.wire, .type = RR_SOA,
	                             .rdata = rdata.data, .rdata_len = rdata.len });
	buf_clear(&rdata);
}

static void put_kind(struct buf *rrs, int kind, int way)
{
	uint8_t owner[15] = { 1, (way & 1 ? 'A' : 'a') + kind / 4 };
	uint8_t text[2] = { 1, 'A' + kind % 4 };

	memcpy(owner + 2, apex.wire, apex.len);
	rr_append(rrs, &(struct rr){ .name = owner, .type = RR_TXT, .ttl = way / 2,
	                             .rdata = text, .rdata_len = sizeof(text) });
}

static void read_kind(const struct packet_reader *reader, const struct packet_rr *rr,
                      int *kind, int *way)
{
	uint8_t letter = rr->name.wire[1];

	assert(rr->type == RR_TXT && rr->rdata_len == 2 && rr->ttl < WAYS / 2);
	*kind = (tolower(letter) - 'a') * 4 + reader->data[rr->rdata + 1] - 'A';
	*way = (int)rr->ttl * 2 + !!isupper(letter);
	assert(*kind >= 0 && *kind < KINDS);
}

static void begin_half(struct history *history)
{
	struct buf *half = &history->half[history->halves++];

	put_soa(half, history->halves / 2 + 1);
}

static void note(struct history *history, int kind, int way)
{
	bool added = history->halves % 2 == 0;
	int *now = &history->now[kind];

	if (*now == UNKNOWN)
		*now = history->begin[kind] = added ? ABSENT : way;
	if (added ? *now != ABSENT : *now != way)
		history->possible = false;
	*now = added ? way : ABSENT;
	put_kind(&history->half[history->halves - 1], kind, way);
}

static void read_history(struct history *history, const uint8_t *data, size_t size)
{
	*history = (struct history){ .possible = true };
	for (int i = 0; i < KINDS; i++)
		history->begin[i] = history->now[i] = UNKNOWN;
	begin_half(history);
	for (size_t i = 0; i < size; i++) {
		if (data[i] < END)
			note(history, data[i] % KINDS, data[i] / KINDS);
		else if (history->halves < 2 * MAX_STEPS)
			begin_half(history);
	}
	if (history->halves % 2)
		begin_half(history);
}

/* Where an answer stands: the newest SOA, the old one, removed, the new one, added. */
struct place {
	int zone[KINDS], removed[KINDS];
	size_t soas;
};

static void apply(struct place *place, int kind, int way)
{
	assert(place->soas == 2 || place->soas == 3);
	if (place->soas == 2) {
		assert(place->zone[kind] == way);
		place->zone[kind] = ABSENT;
		place->removed[kind] = way;
	} else {
		assert(place->zone[kind] < 0 && place->removed[kind] != way);
		place->zone[kind] = way;
	}
}

static void apply_message(struct place *place, const uint8_t *data, size_t len)
{
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct packet_rr rr;
	struct name name;
	int kind, way;

	packet_read_header(&reader, &header);
	for (int i = 0; i < header.count[SECTION_QUESTION]; i++) {
		packet_read_name(&reader, &name);
		packet_read_u32(&reader);
	}
	for (int i = 0; i < header.count[SECTION_ANSWER]; i++) {
		packet_read_rr(&reader, &rr);
		if (rr.type == RR_SOA) {
			place->soas++;
			continue;
		}
		read_kind(&reader, &rr, &kind, &way);
		apply(place, kind, way);
	}
}

static void check_answer(const struct history *history, const struct delta *delta)
{
	static uint8_t message[PACKET_MAX];
	struct query query = query_for(RR_IXFR);
	struct place place = { .soas = 0 };
	struct ixfr ixfr;
	size_t len;

	for (int i = 0; i < KINDS; i++) {
		place.zone[i] = history->begin[i];
		place.removed[i] = ABSENT;
	}
	ixfr_init(&ixfr, &query, delta);
	while ((len = ixfr_next(&ixfr, true, message, sizeof(message))))
		apply_message(&place, message, len);
	assert(place.soas == 4);
	assert(!memcmp(place.zone, history->now, sizeof(place.zone)));
}

static void try_history(const uint8_t *data, size_t size)
{
	struct ixfr_step steps[MAX_STEPS];
	struct history history;
	struct delta *delta;
	size_t count;

	read_history(&history, data, size);
	count = history.halves / 2;
	for (size_t i = 0; i < count; i++) {
		const struct buf *half = &history.half[2 * i];

		steps[count - 1 - i] = (struct ixfr_step){
			i + 1, i + 2, half[0].data, half[1].data,
			half[0].len, half[1].len,
		};
	}
	delta = delta_new(&apex, 1, count + 1, steps, count);
	/* a single one is not looked into */
	assert(count == 1 || history.possible == !!delta);
	if (delta && count > 1)
		check_answer(&history, delta);
	delta_release(&delta);
	for (size_t i = 0; i < history.halves; i++)
		buf_clear(&history.half[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t soa[] = "\7example\3org\0\0\6\0\1\0\0\1\54\0\32\1a\0\1b\0"
				     "\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	struct buf rrs = { 0 };

	buf_append(&rrs, soa, sizeof(soa) - 1);
	buf_append(&rrs, data, size);
	try_axfr(rrs.data, rrs.len);
	try_rows(data, size);
	try_history(data, size);
	buf_clear(&rrs);
	return 0;
}
