/* packets -- makes zones from records, and reads the records of answers. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/zone.h"
#include "dns/packet.h"
#include "model/rr.h"
#include "../dns/records.h"

/*
 * Makes a zone from RRS, which must contain the SOA record. NULL: mini-DNS cannot serve
 * the zone.
 */
static inline struct zone *zone_of(const char *apex, const struct buf *rrs)
{
	struct name name = name_of(apex);
	struct zone_builder *builder = zone_builder_new(&name);
	struct zone *zone = NULL;
	struct why why;
	struct rr rr;
	size_t at = 0;

	while (rr_next(rrs->data, rrs->len, &at, &rr))
		zone_builder_add(builder, &rr);
	assert(at == rrs->len);
	if (zone_builder_finish(&builder, &zone, &why))
		return NULL;
	return zone;
}

/*
 * Writes two numbers about the rdata of TYPE. BEFORE: the number of octets before the
 * first name that may be compressed. NAMES: the number of names that may be compressed.
 */
static inline void layout(uint16_t type, int *before, int *names)
{
	*before = type == RR_MX ? 2 : 0;
	*names = type == RR_SOA ? 2 :
		 type == RR_NS || type == RR_CNAME || type == RR_PTR || type == RR_MX;
}

static inline bool expand(const struct packet_reader *reader, const struct packet_rr *rr,
                   struct buf *rdata)
{
	struct packet_reader in = packet_rdata(reader, rr);
	struct name name;
	int before, names;

	layout(rr->type, &before, &names);
	if (rr->rdata_len < before)
		return false;
	buf_append(rdata, in.data + in.at, before);
	in.at += before;
	while (names--) {
		packet_read_name(&in, &name);
		buf_append(rdata, name.wire, name.len);
	}
	if (in.broken)
		return false;
	buf_append(rdata, in.data + in.at, in.len - in.at);
	return true;
}

static inline bool read_answer(struct packet_reader *reader, struct buf *rrs)
{
	struct packet_rr rr;
	struct buf rdata = { 0 };
	bool good;

	packet_read_rr(reader, &rr);
	good = !reader->broken && rr.class == RR_CLASS_IN && expand(reader, &rr, &rdata);
	if (good) {
		struct rr out = {
			.name = rr.name.wire, .type = rr.type, .ttl = rr.ttl,
			.rdata_len = rdata.len, .rdata = rdata.data,
		};

		rr_append(rrs, &out);
	}
	buf_clear(&rdata);
	return good;
}

/*
 * Appends all records of the answer section to RRS, without compression. For an
 * independent test, uses the layouts of RFC 1035 in this file instead of packet.c.
 * False: the message is malformed.
 */
static inline bool read_answers(const uint8_t *data, size_t len,
                                struct packet_header *header, struct buf *rrs)
{
	struct packet_reader reader = packet_reader(data, len);
	struct name name;

	packet_read_header(&reader, header);
	for (int i = 0; i < header->count[SECTION_QUESTION]; i++) {
		packet_read_name(&reader, &name);
		packet_read_u32(&reader);
	}
	for (int i = 0; i < header->count[SECTION_ANSWER]; i++)
		if (!read_answer(&reader, rrs))
			return false;
	if (!header->count[SECTION_AUTHORITY] && !header->count[SECTION_ADDITIONAL])
		return !reader.broken && reader.at == len;
	return !reader.broken;
}

static inline size_t count_rrs(const struct buf *rrs)
{
	struct rr rr;
	size_t at = 0, count = 0;

	while (rr_next(rrs->data, rrs->len, &at, &rr))
		count++;
	return count;
}

struct slice {
	const uint8_t *data;
	size_t len;
};

static inline int compare_slices(const void *left, const void *right)
{
	const struct slice *a = left, *b = right;
	int order = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

/*
 * Appends the records in FROM to TO, sorted by their octets. Two groups of records are
 * equal if their sorted forms are equal.
 */
static inline void sort_rrs(const struct buf *from, struct buf *to)
{
	size_t count = count_rrs(from), at = 0, start = 0;
	struct slice *slices = calloc(count + 1, sizeof(*slices));
	struct rr rr;

	for (size_t i = 0; rr_next(from->data, from->len, &at, &rr); i++, start = at)
		slices[i] = (struct slice){ from->data + start, at - start };
	qsort(slices, count, sizeof(*slices), compare_slices);
	for (size_t i = 0; i < count; i++)
		buf_append(to, slices[i].data, slices[i].len);
	free(slices);
}
