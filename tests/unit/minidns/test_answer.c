#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/answer.h"
#include "core/response.h"
#include "core/soa_cache.h"
#include "packets.h"

/* A zone of all the cases, and what it says to each question. */

enum { T = 300 };

#define LONG_LABEL "sixty-octets-abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrst"
#define LONG LONG_LABEL "." LONG_LABEL "." LONG_LABEL \
	".fifty-two-octets-abcdefghijklmnopqrstuvwxyz-abcdefgh"

struct row {
	const char *name;
	uint16_t type;
	enum rcode rcode;
	bool authoritative;
	int counts[3];			/* answer, authority, additional */
	const char *answer;		/* the last answer, or the first authority */
	uint16_t answer_type;
};

static const struct row rows[] = {
	{ "example.org.", RR_SOA, 0, true, { 1, 0, 0 }, "example.org.", RR_SOA },
	{ "example.org.", RR_NS, 0, true, { 2, 0, 2 }, "example.org.", RR_NS },
	{ "example.org.", RR_MX, 0, true, { 1, 0, 2 }, "example.org.", RR_MX },
	{ "example.org.", RR_ANY, 0, true, { 1, 0, 0 }, "example.org.", RR_SOA },
	{ "mail.example.org.", RR_A, 0, true, { 1, 0, 0 }, "mail.example.org.", RR_A },
	{ "MAIL.example.ORG.", RR_AAAA, 0, true, { 1, 0, 0 },
	  "mail.example.org.", RR_AAAA },
	{ "mail.example.org.", RR_TXT, 0, true, { 0, 1, 0 }, "example.org.", RR_SOA },
	{ "none.example.org.", RR_A, RCODE_NXDOMAIN, true, { 0, 1, 0 },
	  "example.org.", RR_SOA },
	/* an empty non-terminal is there, and has nothing */
	{ "ent.example.org.", RR_A, 0, true, { 0, 1, 0 }, "example.org.", RR_SOA },
	{ "x.ent.example.org.", RR_A, RCODE_NXDOMAIN, true, { 0, 1, 0 },
	  "example.org.", RR_SOA },
	/* aliases */
	{ "www.example.org.", RR_A, 0, true, { 2, 0, 0 }, "mail.example.org.", RR_A },
	{ "www.example.org.", RR_CNAME, 0, true, { 1, 0, 0 },
	  "www.example.org.", RR_CNAME },
	{ "www.example.org.", RR_ANY, 0, true, { 1, 0, 0 },
	  "www.example.org.", RR_CNAME },
	{ "www.example.org.", RR_TXT, 0, true, { 1, 1, 0 },
	  "www.example.org.", RR_CNAME },
	{ "dead.example.org.", RR_A, RCODE_NXDOMAIN, true, { 1, 1, 0 },
	  "dead.example.org.", RR_CNAME },
	{ "out.example.org.", RR_A, 0, true, { 1, 0, 0 }, "out.example.org.", RR_CNAME },
	{ "loop.example.org.", RR_A, 0, true, { 2, 0, 0 },
	  "loop2.example.org.", RR_CNAME },
	{ "self.example.org.", RR_A, 0, true, { 1, 0, 0 },
	  "self.example.org.", RR_CNAME },
	{ "chain1.example.org.", RR_A, 0, true, { 17, 0, 0 },
	  "chain17.example.org.", RR_CNAME },
	/* DNAME (RFC 6672): what is below it is elsewhere, its own name is here */
	{ "far.example.org.", RR_DNAME, 0, true, { 1, 0, 0 },
	  "far.example.org.", RR_DNAME },
	{ "far.example.org.", RR_A, 0, true, { 1, 0, 0 }, "far.example.org.", RR_A },
	{ "far.example.org.", RR_MX, 0, true, { 0, 1, 0 }, "example.org.", RR_SOA },
	{ "a.far.example.org.", RR_A, 0, true, { 2, 0, 0 },
	  "a.far.example.org.", RR_CNAME },
	{ "hidden.far.example.org.", RR_TXT, 0, true, { 2, 0, 0 },
	  "hidden.far.example.org.", RR_CNAME },
	{ "x.y.near.example.org.", RR_A, RCODE_NXDOMAIN, true, { 2, 1, 0 },
	  "x.y.near.example.org.", RR_CNAME },
	{ "below.near.example.org.", RR_A, 0, true, { 3, 0, 0 },
	  "below.ent.example.org.", RR_A },
	{ "below.near.example.org.", RR_CNAME, 0, true, { 2, 0, 0 },
	  "below.near.example.org.", RR_CNAME },
	{ "below.near.example.org.", RR_ANY, 0, true, { 2, 0, 0 },
	  "below.near.example.org.", RR_CNAME },
	{ "x.wide.example.org.", RR_A, 0, true, { 2, 0, 0 },
	  "x.wide.example.org.", RR_CNAME },
	{ LONG ".far.example.org.", RR_A, RCODE_YXDOMAIN, true, { 1, 0, 0 },
	  "far.example.org.", RR_DNAME },
	{ "cut.far.example.org.", RR_A, 0, true, { 2, 0, 0 },
	  "cut.far.example.org.", RR_CNAME },
	{ "x.dname.sub.example.org.", RR_A, 0, false, { 0, 1, 1 },
	  "sub.example.org.", RR_NS },
	{ "down.example.org.", RR_A, 0, true, { 1, 1, 1 },
	  "down.example.org.", RR_CNAME },
	/* wildcards (RFC 4592 2.2.1) */
	{ "host3.w.example.org.", RR_MX, 0, true, { 1, 0, 0 },
	  "host3.w.example.org.", RR_MX },
	{ "a.b.c.w.example.org.", RR_MX, 0, true, { 1, 0, 0 },
	  "a.b.c.w.example.org.", RR_MX },
	{ "host3.w.example.org.", RR_A, 0, true, { 0, 1, 0 }, "example.org.", RR_SOA },
	{ "host1.w.example.org.", RR_MX, 0, true, { 0, 1, 0 }, "example.org.", RR_SOA },
	{ "sub.*.w.example.org.", RR_MX, 0, true, { 0, 1, 0 }, "example.org.", RR_SOA },
	{ "_telnet._tcp.host1.w.example.org.", RR_SRV, RCODE_NXDOMAIN, true, { 0, 1, 0 },
	  "example.org.", RR_SOA },
	{ "x.host1.w.example.org.", RR_MX, RCODE_NXDOMAIN, true, { 0, 1, 0 },
	  "example.org.", RR_SOA },
	{ "*.w.example.org.", RR_MX, 0, true, { 1, 0, 0 }, "*.w.example.org.", RR_MX },
	{ "ghost.*.w.example.org.", RR_MX, RCODE_NXDOMAIN, true, { 0, 1, 0 },
	  "example.org.", RR_SOA },
	/* delegations */
	{ "sub.example.org.", RR_A, 0, false, { 0, 1, 1 }, "sub.example.org.", RR_NS },
	{ "sub.example.org.", RR_NS, 0, false, { 0, 1, 1 }, "sub.example.org.", RR_NS },
	{ "a.b.sub.example.org.", RR_A, 0, false, { 0, 1, 1 },
	  "sub.example.org.", RR_NS },
	{ "ns.sub.example.org.", RR_A, 0, false, { 0, 1, 1 }, "sub.example.org.", RR_NS },
	{ "sub.example.org.", RR_DS, 0, true, { 1, 0, 0 }, "sub.example.org.", RR_DS },
	{ "x.sub.example.org.", RR_DS, 0, false, { 0, 1, 1 }, "sub.example.org.", RR_NS },
};

static void fill(struct buf *rrs)
{
	put_soa_rr(rrs, "example.org.", 5);
	put_name_rr(rrs, "example.org.", RR_NS, "mail.example.org.");
	put_name_rr(rrs, "example.org.", RR_NS, "ns.example.net.");
	put_name_rr(rrs, "example.org.", RR_MX, "Mail.Example.org.");
	put_rr(rrs, "mail.example.org.", RR_A, T, "\1\2\3\4", 4);
	put_rr(rrs, "mail.example.org.", RR_AAAA, T,
	       "\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10", 16);
	put_rr(rrs, "below.ent.example.org.", RR_A, T, "\1\2\3\4", 4);
	put_name_rr(rrs, "www.example.org.", RR_CNAME, "Mail.example.org.");
	put_name_rr(rrs, "dead.example.org.", RR_CNAME, "nowhere.example.org.");
	put_name_rr(rrs, "out.example.org.", RR_CNAME, "example.net.");
	put_name_rr(rrs, "loop.example.org.", RR_CNAME, "loop2.example.org.");
	put_name_rr(rrs, "loop2.example.org.", RR_CNAME, "loop.example.org.");
	put_name_rr(rrs, "self.example.org.", RR_CNAME, "self.example.org.");
	for (int i = 1; i < 20; i++) {
		char owner[NAME_MAX_TEXT], target[NAME_MAX_TEXT];

		snprintf(owner, sizeof(owner), "chain%d.example.org.", i);
		snprintf(target, sizeof(target), "chain%d.example.org.", i + 1);
		put_name_rr(rrs, owner, RR_CNAME, target);
	}
	put_name_rr(rrs, "down.example.org.", RR_CNAME, "www.sub.example.org.");
	put_name_rr(rrs, "far.example.org.", RR_DNAME, "a-longer.example.net.");
	put_rr(rrs, "far.example.org.", RR_A, T, "\1\2\3\4", 4);
	put_rr(rrs, "hidden.far.example.org.", RR_TXT, T, "\1x", 2);
	put_name_rr(rrs, "cut.far.example.org.", RR_NS, "ns.example.net.");
	put_name_rr(rrs, "near.example.org.", RR_DNAME, "ent.example.org.");
	put_name_rr(rrs, "wide.example.org.", RR_DNAME, "wider.wide.example.org.");
	put_name_rr(rrs, "dname.sub.example.org.", RR_DNAME, "example.net.");
	put_name_rr(rrs, "*.w.example.org.", RR_MX, "host1.example.net.");
	put_rr(rrs, "sub.*.w.example.org.", RR_TXT, T, "\1x", 2);
	put_rr(rrs, "host1.w.example.org.", RR_A, T, "\1\2\3\4", 4);
	put_rr(rrs, "_ssh._tcp.host1.w.example.org.", RR_SRV, T, "\0\0\0\0\0\26\0", 7);
	put_name_rr(rrs, "sub.example.org.", RR_NS, "ns.sub.example.org.");
	put_rr(rrs, "sub.example.org.", RR_DS, T, "\0\1\10\2\1\2\3\4", 8);
	put_rr(rrs, "ns.sub.example.org.", RR_A, T, "\1\2\3\4", 4);
}

static int set_up(void **state)
{
	struct buf rrs = { 0 };

	fill(&rrs);
	*state = zone_of("example.org.", &rrs);
	buf_clear(&rrs);
	return !*state;
}

static int tear_down(void **state)
{
	struct zone *zone = *state;

	zone_release(&zone);
	return 0;
}

static struct query query_for(const char *name, uint16_t type)
{
	struct query query = {
		.id = 9, .has_question = true, .type = type, .class = RR_CLASS_IN,
		.udp_size = PACKET_UDP_MIN,
	};

	query.raw = query.name = name_of(name);
	name_fold(&query.name);
	return query;
}

/* The record that a row names: the last answer, or else the first of the authority. */
static void find_named(struct packet_reader *reader, const struct packet_header *header,
                       struct packet_rr *rr)
{
	struct name name;
	int count = header->count[SECTION_ANSWER] ? header->count[SECTION_ANSWER] : 1;

	packet_read_name(reader, &name);
	packet_read_u32(reader);
	for (int i = 0; i < count; i++)
		packet_read_rr(reader, rr);
	assert_false(reader->broken);
}

static void check(const struct zone *zone, const struct row *row)
{
	struct query query = query_for(row->name, row->type);
	uint8_t data[PACKET_MAX];
	size_t len = answer_build(&query, zone, true, data, sizeof(data));
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct packet_rr rr;
	struct name want = name_of(row->answer);

	print_message("%s %d\n", row->name, row->type);
	packet_read_header(&reader, &header);
	assert_int_equal(header.flags & FLAG_RCODE, row->rcode);
	assert_int_equal(!!(header.flags & FLAG_AA), row->authoritative);
	for (int i = 0; i < 3; i++)
		assert_int_equal(header.count[SECTION_ANSWER + i], row->counts[i]);
	find_named(&reader, &header, &rr);
	name_fold(&rr.name);
	assert_true(name_equal(&rr.name, &want));
	assert_int_equal(rr.type, row->answer_type);
}

static void each_question_has_its_answer(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(*state, &rows[i]);
}

static void what_does_not_fit_is_cut(void **state)
{
	struct buf rrs = { 0 };
	uint8_t data[PACKET_MAX], address[4] = { 10 };
	struct packet_header header;
	struct packet_reader reader;
	struct zone *zone;

	(void)state;
	put_soa_rr(&rrs, "example.org.", 5);
	for (int i = 0; i < 100; i++) {
		address[3] = i;
		put_rr(&rrs, "many.example.org.", RR_A, T, address, 4);
	}
	zone = zone_of("example.org.", &rrs);
	for (int i = 0; i < 4; i++) {
		struct query query = query_for("many.example.org.", RR_A);
		bool tcp = i & 1, edns = i & 2;
		size_t len;

		query.udp_size = i & 2 ? PACKET_UDP_MAX : PACKET_UDP_MIN;
		query.has_edns = edns;
		len = answer_build(&query, zone, tcp, data, sizeof(data));
		reader = packet_reader(data, len);
		packet_read_header(&reader, &header);
		assert_int_equal(!!(header.flags & FLAG_TC), !tcp);
		assert_int_equal(header.count[SECTION_ANSWER], tcp ? 100 : 0);
		assert_int_equal(header.count[SECTION_ADDITIONAL], edns);
		assert_true(tcp || len <= query.udp_size);
	}
	zone_release(&zone);
	buf_clear(&rrs);
}

/*
 * 12 of header, 22 of question, 29 times 16 of records, whose owner is the question's, 11
 * of OPT: 509 of 512. A cookie takes 28.
 */
static void a_cookie_takes_its_room(void **state)
{
	struct buf rrs = { 0 };
	uint8_t data[PACKET_MAX], address[4] = { 10 };
	struct zone *zone;

	(void)state;
	put_soa_rr(&rrs, "example.org.", 5);
	for (int i = 0; i < 29; i++) {
		address[3] = i;
		put_rr(&rrs, "many.example.org.", RR_A, T, address, 4);
	}
	zone = zone_of("example.org.", &rrs);
	for (int cookie = 0; cookie < 2; cookie++) {
		struct query query = query_for("many.example.org.", RR_A);
		struct packet_header header;
		struct packet_reader reader;
		size_t len;

		query.has_edns = true;
		query.has_cookie = cookie;
		query.cookie.result = COOKIE_CLIENT_ONLY;
		len = answer_build(&query, zone, false, data, sizeof(data));
		reader = packet_reader(data, len);
		packet_read_header(&reader, &header);
		assert_int_equal(!!(header.flags & FLAG_TC), cookie);
		assert_int_equal(header.count[SECTION_ANSWER], cookie ? 0 : 29);
		assert_int_equal(len, cookie ? 12 + 22 + 11 + 28 : 509);
	}
	zone_release(&zone);
	buf_clear(&rrs);
}

static struct head head_with(const char *zone, const char *mname, const char *rname)
{
	struct name primary = name_of(mname), mailbox = name_of(rname);
	struct soa soa = { primary.wire, mailbox.wire, 7, 3600, 600, 86400, 60 };
	struct head head = { .name = name_of(zone), .soa_ttl = T };
	struct buf rdata = { 0 };

	soa_append_rdata(&rdata, &soa);
	memcpy(head.soa, rdata.data, rdata.len);
	head.soa_len = rdata.len;
	buf_clear(&rdata);
	return head;
}

/* Whoever asks: with EDNS, or room for nothing, over TCP, by a name in other letters. */
static void same_answer(const struct soa_cache *cache, const struct head *head,
                        const char *asked, bool edns, uint16_t udp_size, bool tcp)
{
	uint8_t made[PACKET_MAX], ready[PACKET_MAX];
	struct rr soa = head_soa(head);
	struct query query = query_for(asked, RR_SOA);
	size_t record_len, len;
	const uint8_t *record = soa_cache_record(cache, &query.raw, 1, &record_len);

	assert_int_equal(!!record, query.raw.len == head->name.len &&
	                 !memcmp(query.raw.wire, head->name.wire, query.raw.len));
	if (!record)
		return;
	query.has_edns = edns;
	query.udp_size = udp_size;
	query.wants_keepalive = tcp;
	len = query_answer_ready(&query, FLAG_AA, record, record_len, tcp, ready,
	                         sizeof(ready));
	assert_int_equal(answer_soa(&query, &soa, tcp, made, sizeof(made)), len);
	assert_memory_equal(ready, made, len);
}

static void a_ready_soa_is_as_one_that_is_made(void **state)
{
	static const char *const names[] = {
		".", "example.org.", "ns1.example.org.", "NS1.Example.ORG.",
		"hostmaster.ns1.example.org.", "org.", "ns1.example.net.", LONG ".org.",
	};
	enum { NAMES = sizeof(names) / sizeof(names[0]) };

	(void)state;
	for (int i = 0; i < NAMES * NAMES * NAMES; i++) {
		struct head head = head_with(names[i % NAMES], names[i / NAMES % NAMES],
		                             names[i / NAMES / NAMES]);
		struct soa_cache *cache = soa_cache_new(1, 1 << 20);

		name_fold(&head.name);
		soa_cache_put(cache, &head, 0);
		for (int how = 0; how < 8; how++)
			same_answer(cache, &head, names[i % NAMES], how & 1,
			            how & 2 ? 1232 : 100, how & 4);
		soa_cache_free(&cache);
	}
}

/* Its signature is over what it says, and the query may be answered once more. */
static void a_ready_soa_is_signed(void **state)
{
	struct head head = head_with("example.org.", "ns1.example.org.",
	                             "h.example.org.");
	struct soa_request ask = { .id = 9, .opcode = OPCODE_QUERY, .zone = head.name };
	struct soa_cache *cache = soa_cache_new(1, 1 << 20);
	uint8_t asked[SOA_REQUEST_MAX], answer[PACKET_MAX];
	struct response response;
	struct tsig_key key;
	struct query query;
	const uint8_t *record;
	size_t record_len, len;
	struct why why;

	(void)state;
	soa_cache_put(cache, &head, 0);
	assert_int_equal(tsig_key_parse("key.example.", "hmac-sha256", "c2VjcmV0", &key,
	                                &why), OK);
	len = soa_request_encode(&ask, &key, 1000, asked);
	query_read(asked, len, false, &query);
	assert_int_equal(query_verify(&query, asked, &key, 1000), QUERY_SERVE);
	record = soa_cache_record(cache, &query.raw, 1, &record_len);
	for (int i = 0; i < 2; i++) {
		struct soa_request asker = ask;	/* who hears the first, or the second */

		len = query_answer_ready(&query, FLAG_AA, record, record_len, false,
		                         answer, sizeof(answer));
		response = response_read(&asker, answer, len, 1000);
		assert_int_equal(response.kind, RESPONSE_SERIAL);
		assert_int_equal(response.serial, 7);
	}
	answer[PACKET_HEADER + 20] ^= 1;
	assert_int_not_equal(response_read(&ask, answer, len, 1000).kind,
	                     RESPONSE_SERIAL);
	soa_cache_free(&cache);
}

static void nodes_stand_in_canonical_order(void **state)
{
	const struct zone *zone = *state;

	for (uint32_t i = 1; i < zone->node_count; i++)
		assert_true(name_compare_wire(zone_name(zone, i - 1),
		                              zone_name(zone, i)) < 0);
	for (uint32_t i = 0; i < zone->node_count; i++)
		assert_int_equal(zone_find(zone, zone_name(zone, i)), i);
	assert_int_equal(zone_find(zone, name_of("nope.example.org.").wire), ZONE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_question_has_its_answer),
		cmocka_unit_test(what_does_not_fit_is_cut),
		cmocka_unit_test(a_cookie_takes_its_room),
		cmocka_unit_test(a_ready_soa_is_as_one_that_is_made),
		cmocka_unit_test(a_ready_soa_is_signed),
		cmocka_unit_test(nodes_stand_in_canonical_order),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
