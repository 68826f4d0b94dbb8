/* All records that a zone takes come out of an AXFR; any journal rows are judged. */
#include <assert.h>
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

/* Two rows: the input, cut where its first octet says. */
static void try_ixfr(const uint8_t *data, size_t size)
{
	static uint8_t message[PACKET_MAX];
	struct query query = query_for(RR_IXFR);
	size_t cut = size ? data[0] * size / 256 : 0, len;
	struct ixfr_step step = { 1, 2, data, data + cut, cut, size - cut };
	struct delta *delta = delta_new(&apex, 1, 2, &step, 1);
	struct ixfr ixfr;
	uint64_t records = 0;

	if (!delta)
		return;
	ixfr_init(&ixfr, &query, delta);
	while ((len = ixfr_next(&ixfr, true, message, sizeof(message))))
		records += count_records(message, len);
	assert(records == delta->records + 2);
	delta_release(&delta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t soa[] = "\7example\3org\0\0\6\0\1\0\0\1\54\0\32\1a\0\1b\0"
				     "\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	struct buf rrs = { 0 };

	buf_append(&rrs, soa, sizeof(soa) - 1);
	buf_append(&rrs, data, size);
	try_axfr(rrs.data, rrs.len);
	try_ixfr(data, size);
	buf_clear(&rrs);
	return 0;
}
