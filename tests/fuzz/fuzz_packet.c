/*
 * A request from anyone: judged, its cookie too, and answered from a zone, with all that
 * an OPT can have; the answer is well-formed and not longer than was asked for.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/answer.h"
#include "core/cookie.h"
#include "core/query.h"
#include "core/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t records[] =
	"\7example\3org\0\0\6\0\1\0\0\1\54\0\32\1a\0\1b\0"
	"\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	"\7example\3org\0\0\2\0\1\0\0\1\54\0\20\2ns\7example\3org\0"
	"\2ns\7example\3org\0\0\1\0\1\0\0\1\54\0\4\1\2\3\4"
	"\1*\1w\7example\3org\0\0\5\0\1\0\0\1\54\0\20\2ns\7example\3org\0"
	"\1s\7example\3org\0\0\2\0\1\0\0\1\54\0\20\2ns\7example\3org\0";

static struct zone *make_zone(void)
{
	struct name apex = { .len = 13, .wire = "\7example\3org" };
	struct zone_builder *builder = zone_builder_new(&apex);
	struct zone *zone = NULL;
	struct why why;
	struct rr rr;
	size_t at = 0;

	while (rr_next(records, sizeof(records) - 1, &at, &rr))
		zone_builder_add(builder, &rr);
	zone_builder_finish(&builder, &zone, &why);
	assert(zone && zone->record_count == 5);
	return zone;
}

static void must_be_read(const uint8_t *data, size_t len)
{
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct packet_rr rr;
	struct name name;

	packet_read_header(&reader, &header);
	if (header.count[SECTION_QUESTION]) {
		packet_read_name(&reader, &name);
		packet_read_u32(&reader);
	}
	for (int section = SECTION_ANSWER; section < SECTIONS; section++)
		for (int i = 0; i < header.count[section]; i++)
			packet_read_rr(&reader, &rr);
	assert(!reader.broken && reader.at == len && header.flags & FLAG_QR);
}

/* Of its client, with a secret of zeroes. */
static void check_cookie(struct query *query)
{
	static const struct cookie_secrets secrets = { .count = 1 };
	static const struct address client = { .bits = 32 };
	const struct cookie_request request = {
		query->cookie_option, query->cookie_len, &client, 1,
	};

	if (query->has_cookie)
		query->cookie = cookie_check(&secrets, &request);
	assert(!query->has_cookie || query->has_edns);
	assert(!query->has_cookie || query->cookie.result || query->rcode);
}

static void answer_all_ways(struct query *query, const struct zone *zone, bool tcp)
{
	static const struct extended_error error = { 20, "a text" };
	static uint8_t answer[PACKET_MAX];
	size_t len;

	must_be_read(answer, query_answer_truncated(query, answer, sizeof(answer)));
	if (!query->rcode && query->has_question &&
	    name_is_below(&query->name, &zone->apex)) {
		len = answer_build(query, zone, tcp, answer, sizeof(answer));
		must_be_read(answer, len);
		assert(tcp || len <= query->udp_size || query->tsig.present);
	}
	query->error = &error;
	must_be_read(answer,
	             query_answer_rcode(query, query->rcode, answer, sizeof(answer)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct zone *zone;
	struct query query;

	if (!zone)
		zone = make_zone();
	for (int tcp = 0; tcp < 2; tcp++) {
		if (query_read(data, size, tcp, &query) == QUERY_SILENCE)
			continue;
		query.keepalive_ds = 300;
		check_cookie(&query);
		answer_all_ways(&query, zone, tcp);
	}
	return 0;
}
