#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <string.h>

#include "core/query.h"
#include "packets.h"

/*
 * The malformed packets and the probes of RFC 8906 (ISC's genreport), each as
 * octets behind the id 0x0043, and what must come of it.
 */

#define HEAD(flags, counts) "\0\103" flags counts
#define ONE "\0\1\0\0\0\0\0\0"
#define ONE_AN "\0\1\0\1\0\0\0\0"
#define ONE_NS "\0\1\0\0\0\1\0\0"
#define ONE_AR "\0\1\0\0\0\0\0\1"
#define TWO_AR "\0\1\0\0\0\0\0\2"
#define QUERY "\0\0"
#define NOTIFY "\44\0"
#define NAME "\7example\3org\0"
#define SOA_Q NAME "\0\6\0\1"
#define AXFR_Q NAME "\0\374\0\1"
#define IXFR_Q NAME "\0\373\0\1"
#define OPT "\0\0\51\20\0\0\0\0\0\0\0"
/* with the length of the options, and these */
#define OPT_OF(len, options) "\0\0\51\20\0\0\0\0\0" "\0" len options
#define COOKIE(len, data) "\0\12\0" len data
#define EIGHT "abcdefgh"
#define COOKIE_7 COOKIE("\7", "abcdefg")
#define COOKIE_8 COOKIE("\10", EIGHT)
#define COOKIE_24 COOKIE("\30", EIGHT EIGHT EIGHT)
#define KEEPALIVE "\0\13\0\0"
#define NSID "\0\3\0\0"
#define PADDING "\0\14\0\4\0\0\0\0"
#define UNKNOWN "\375\351\0\3abc"
#define NONE_AR "\0\0\0\0\0\0\0\1"
#define SOA_RR "\300\14\0\6\0\1\0\0\0\0\0\26\0\0\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define SHORT_SOA_RR "\300\14\0\6\0\1\0\0\0\0\0\5\0\0\0\0\0"
#define TSIG_HEAD "\3key\0\0\372\0\377\0\0\0\0"
#define TSIG_BODY "\13hmac-sha256\0\0\0\0\0\0\1\1\54\0\0\0\103\0\0\0\0"
#define TSIG TSIG_HEAD "\0\35" TSIG_BODY

struct row {
	const char *name;
	const char *packet;
	size_t len;
	int udp, tcp;			/* rcode; one of the two below */
};

enum { SILENCE = -1, ASKS_COOKIE = -2, SERVE = RCODE_NOERROR };

#define P(text) text, sizeof(text) - 1
#define BOTH(rcode) rcode, rcode

static const char long_name[] =
	HEAD(QUERY, ONE)
	"\77aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	"\77aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	"\77aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	"\77aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0\0\6\0\1";

static const struct row rows[] = {
	/* RFC 8906 */
	{ "dns", P(HEAD(QUERY, ONE) SOA_Q), BOTH(SERVE) },
	{ "ad", P(HEAD("\0\40", ONE) SOA_Q), BOTH(SERVE) },
	{ "cd", P(HEAD("\0\20", ONE) SOA_Q), BOTH(SERVE) },
	{ "rd", P(HEAD("\1\0", ONE) SOA_Q), BOTH(SERVE) },
	{ "aaflag", P(HEAD("\4\0", ONE) SOA_Q), BOTH(SERVE) },
	{ "tcflag", P(HEAD("\2\0", ONE) SOA_Q), BOTH(SERVE) },
	{ "raflag", P(HEAD("\0\200", ONE) SOA_Q), BOTH(SERVE) },
	{ "zflag", P(HEAD("\0\100", ONE) SOA_Q), BOTH(SERVE) },
	{ "type1000", P(HEAD(QUERY, ONE) NAME "\3\350\0\1"), BOTH(SERVE) },
	{ "type0", P(HEAD(QUERY, ONE) NAME "\0\0\0\1"), BOTH(SERVE) },
	{ "type65535", P(HEAD(QUERY, ONE) NAME "\377\377\0\1"), BOTH(SERVE) },
	{ "any", P(HEAD(QUERY, ONE) NAME "\0\377\0\1"), BOTH(SERVE) },
	{ "opcode15", P(HEAD("\170\0", ONE) SOA_Q), BOTH(RCODE_NOTIMP) },
	{ "opcode15 header only", P(HEAD("\170\0", "\0\0\0\0\0\0\0\0")),
	  BOTH(RCODE_NOTIMP) },
	{ "update", P(HEAD("\50\0", ONE) SOA_Q), BOTH(RCODE_NOTIMP) },
	{ "iquery", P(HEAD("\10\0", ONE) SOA_Q), BOTH(RCODE_NOTIMP) },
	{ "edns", P(HEAD(QUERY, ONE_AR) SOA_Q OPT), BOTH(SERVE) },
	{ "edns1", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\1\0\0\0\0"),
	  BOTH(RCODE_BADVERS) },
	{ "ednsopt", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\0\0\0\4\0\144\0\0"),
	  BOTH(SERVE) },
	{ "edns1opt", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\1\0\0\0\4\0\144\0\0"),
	  BOTH(RCODE_BADVERS) },
	{ "ednsflags", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\0\100\0\0"),
	  BOTH(SERVE) },
	{ "do", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\200\0\0\0"), BOTH(SERVE) },
	{ "chaos", P(HEAD(QUERY, ONE) "\7version\4bind\0\0\20\0\3"),
	  BOTH(RCODE_REFUSED) },
	/* malformed */
	{ "empty", P(""), BOTH(SILENCE) },
	{ "short_hdr", P("\0\103\0\0\0\1\0\0\0\0\0"), BOTH(SILENCE) },
	{ "qr_set", P(HEAD("\200\0", ONE) SOA_Q), BOTH(SILENCE) },
	{ "hdr_only", P(HEAD(QUERY, "\0\0\0\0\0\0\0\0")), BOTH(RCODE_FORMERR) },
	{ "noquestion", P(HEAD(QUERY, "\0\0\0\0\0\0\0\1") OPT), BOTH(RCODE_FORMERR) },
	{ "qd1_noq", P(HEAD(QUERY, ONE)), BOTH(RCODE_FORMERR) },
	{ "short_q", P(HEAD(QUERY, ONE) NAME "\0\6"), BOTH(RCODE_FORMERR) },
	{ "two_q", P(HEAD(QUERY, "\0\2\0\0\0\0\0\0") SOA_Q "\1x\0\0\1\0\1"),
	  BOTH(RCODE_FORMERR) },
	{ "dup_q", P(HEAD(QUERY, "\0\2\0\0\0\0\0\0") SOA_Q SOA_Q), BOTH(RCODE_FORMERR) },
	{ "name_too_long", long_name, sizeof(long_name) - 1, BOTH(RCODE_FORMERR) },
	{ "label64", P(HEAD(QUERY, ONE) "\100aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	               "aaaaaaaaaaaaaaaaaaaaaaaaaa\0\0\6\0\1"), BOTH(RCODE_FORMERR) },
	{ "label_bits80", P(HEAD(QUERY, ONE) "\200a\0\0\6\0\1"), BOTH(RCODE_FORMERR) },
	{ "ptr_self", P(HEAD(QUERY, ONE) "\300\14\0\6\0\1"), BOTH(RCODE_FORMERR) },
	{ "ptr_fwd", P(HEAD(QUERY, ONE) "\300\22\0\6\0\1\1a\0"), BOTH(RCODE_FORMERR) },
	{ "ptr_loop", P(HEAD(QUERY, ONE) "\1a\300\14\0\6\0\1"), BOTH(RCODE_FORMERR) },
	{ "ptr_oob", P(HEAD(QUERY, ONE) "\377\377\0\6\0\1"), BOTH(RCODE_FORMERR) },
	{ "ptr_zero", P(HEAD(QUERY, ONE) "\300\0\0\6\0\1"), BOTH(RCODE_FORMERR) },
	{ "ptr_header", P(HEAD(QUERY, ONE) "\300\4\0\6\0\1"), BOTH(RCODE_FORMERR) },
	{ "counts_ffff", P(HEAD(QUERY, "\0\1\377\377\377\377\377\377") SOA_Q),
	  BOTH(RCODE_FORMERR) },
	{ "ar_missing", P(HEAD(QUERY, ONE_AR) SOA_Q), BOTH(RCODE_FORMERR) },
	{ "rdlen_over", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\0\0\0\377"),
	  BOTH(RCODE_FORMERR) },
	{ "two_opt", P(HEAD(QUERY, TWO_AR) SOA_Q OPT OPT), BOTH(RCODE_FORMERR) },
	{ "opt_owner", P(HEAD(QUERY, ONE_AR) SOA_Q "\1a" OPT), BOTH(RCODE_FORMERR) },
	{ "opt_in_an", P(HEAD(QUERY, ONE_AN) SOA_Q OPT), BOTH(RCODE_FORMERR) },
	{ "opt_badlen", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\0\0\0\4\0\12\0\10"),
	  BOTH(RCODE_FORMERR) },
	{ "opt_badlen, version 1",
	  P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\1\0\0\0\4\0\12\0\10"),
	  BOTH(RCODE_FORMERR) },
	{ "qtypeasanswer", P(HEAD(QUERY, ONE_AN) SOA_Q SOA_RR), BOTH(RCODE_FORMERR) },
	{ "class0", P(HEAD(QUERY, ONE) NAME "\0\6\0\0"), BOTH(RCODE_FORMERR) },
	{ "class_any", P(HEAD(QUERY, ONE) NAME "\0\6\0\377"), BOTH(RCODE_FORMERR) },
	{ "class_none", P(HEAD(QUERY, ONE) NAME "\0\6\0\376"), BOTH(RCODE_FORMERR) },
	{ "trailing garbage", P(HEAD(QUERY, ONE) SOA_Q "garbage"), BOTH(SERVE) },
	{ "nul_label", P(HEAD(QUERY, ONE) "\3a\0b\0\0\6\0\1"), BOTH(SERVE) },
	{ "root", P(HEAD(QUERY, ONE) "\0\0\6\0\1"), BOTH(SERVE) },
	/* transfers */
	{ "axfr", P(HEAD(QUERY, ONE) AXFR_Q), RCODE_FORMERR, SERVE },
	{ "axfr_class3", P(HEAD(QUERY, ONE) NAME "\0\374\0\3"),
	  RCODE_FORMERR, RCODE_NOTAUTH },
	{ "ixfr", P(HEAD(QUERY, ONE_NS) IXFR_Q SOA_RR), BOTH(SERVE) },
	{ "ixfr_noauth", P(HEAD(QUERY, ONE) IXFR_Q), BOTH(RCODE_FORMERR) },
	{ "ixfr_badsoa", P(HEAD(QUERY, ONE_NS) IXFR_Q SHORT_SOA_RR),
	  BOTH(RCODE_FORMERR) },
	{ "ixfr_notsoa",
	  P(HEAD(QUERY, ONE_NS) IXFR_Q "\300\14\0\1\0\1\0\0\0\0\0\4\1\2\3\4"),
	  BOTH(RCODE_FORMERR) },
	{ "ixfr, another's soa", P(HEAD(QUERY, ONE_NS) IXFR_Q "\1x" SOA_RR),
	  BOTH(RCODE_FORMERR) },
	{ "soa in authority", P(HEAD(QUERY, ONE_NS) SOA_Q SOA_RR), BOTH(RCODE_FORMERR) },
	/* NOTIFY */
	{ "notify", P(HEAD(NOTIFY, ONE) SOA_Q), BOTH(RCODE_REFUSED) },
	{ "notify with soa", P(HEAD(NOTIFY, ONE_AN) SOA_Q SOA_RR), BOTH(RCODE_REFUSED) },
	{ "notify_noq", P(HEAD(NOTIFY, "\0\0\0\0\0\0\0\0")), BOTH(RCODE_FORMERR) },
	{ "notify_auth", P(HEAD(NOTIFY, ONE_NS) SOA_Q SOA_RR), BOTH(RCODE_FORMERR) },
	{ "notify_shortsoa", P(HEAD(NOTIFY, ONE_AN) SOA_Q SHORT_SOA_RR),
	  BOTH(RCODE_FORMERR) },
	/* COOKIE (RFC 7873 5.2) */
	{ "cookie of 0", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\4", COOKIE("\0", ""))),
	  BOTH(RCODE_FORMERR) },
	{ "cookie of 7", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\13", COOKIE_7)),
	  BOTH(RCODE_FORMERR) },
	{ "cookie of 8", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\14", COOKIE_8)),
	  BOTH(SERVE) },
	{ "cookie of 9",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\15", COOKIE("\11", EIGHT "a"))),
	  BOTH(RCODE_FORMERR) },
	{ "cookie of 15",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\23", COOKIE("\17", EIGHT "abcdefg"))),
	  BOTH(RCODE_FORMERR) },
	{ "cookie of 16",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\24", COOKIE("\20", EIGHT EIGHT))),
	  BOTH(SERVE) },
	{ "cookie of 24", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\34", COOKIE_24)),
	  BOTH(SERVE) },
	{ "cookie of 40",
	  P(HEAD(QUERY, ONE_AR) SOA_Q
	    OPT_OF("\54", COOKIE("\50", EIGHT EIGHT EIGHT EIGHT EIGHT))), BOTH(SERVE) },
	{ "cookie of 41",
	  P(HEAD(QUERY, ONE_AR) SOA_Q
	    OPT_OF("\55", COOKIE("\51", EIGHT EIGHT EIGHT EIGHT EIGHT "a"))),
	  BOTH(RCODE_FORMERR) },
	{ "two cookies, the first good",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\27", COOKIE_8 COOKIE_7)), BOTH(SERVE) },
	{ "two cookies, the second good",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\27", COOKIE_7 COOKIE_8)),
	  BOTH(RCODE_FORMERR) },
	{ "a cookie behind others",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\26", UNKNOWN NSID COOKIE_7)),
	  BOTH(RCODE_FORMERR) },
	{ "cookie alone", P(HEAD(QUERY, NONE_AR) OPT_OF("\14", COOKIE_8)),
	  BOTH(ASKS_COOKIE) },
	{ "cookie alone, with a server's",
	  P(HEAD(QUERY, NONE_AR) OPT_OF("\34", COOKIE_24)), BOTH(ASKS_COOKIE) },
	{ "cookie alone, malformed", P(HEAD(QUERY, NONE_AR) OPT_OF("\13", COOKIE_7)),
	  BOTH(RCODE_FORMERR) },
	{ "cookie alone, edns1",
	  P(HEAD(QUERY, NONE_AR) "\0\0\51\20\0\0\1\0\0" "\0\14" COOKIE_8),
	  BOTH(RCODE_BADVERS) },
	{ "cookie alone, notify", P(HEAD(NOTIFY, NONE_AR) OPT_OF("\14", COOKIE_8)),
	  BOTH(RCODE_FORMERR) },
	{ "cookie alone, signed",
	  P(HEAD(QUERY, "\0\0\0\0\0\0\0\2") OPT_OF("\14", COOKIE_8) TSIG),
	  BOTH(RCODE_NOTAUTH) },
	{ "cookie alone, an answer before it",
	  P(HEAD(QUERY, "\0\0\0\1\0\0\0\1") "\0\0\1\0\1\0\0\0\0\0\0"
	    OPT_OF("\14", COOKIE_8)),
	  BOTH(RCODE_FORMERR) },
	{ "no question, other options",
	  P(HEAD(QUERY, NONE_AR) OPT_OF("\10", NSID KEEPALIVE)), BOTH(RCODE_FORMERR) },
	/* other options: edns-tcp-keepalive (RFC 7828), and what we do not know */
	{ "keepalive", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\4", KEEPALIVE)),
	  BOTH(SERVE) },
	{ "keepalive with data",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\6", "\0\13\0\2\1\54")),
	  SERVE, RCODE_FORMERR },
	{ "options twice",
	  P(HEAD(QUERY, ONE_AR) SOA_Q
	    OPT_OF("\56", NSID NSID PADDING PADDING UNKNOWN UNKNOWN KEEPALIVE KEEPALIVE)),
	  BOTH(SERVE) },
	{ "half an option", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\7", NSID "\0\3\0")),
	  BOTH(RCODE_FORMERR) },
	/* TSIG */
	{ "tsig", P(HEAD(QUERY, ONE_AR) SOA_Q TSIG), BOTH(RCODE_NOTAUTH) },
	{ "tsig behind opt", P(HEAD(QUERY, TWO_AR) SOA_Q OPT TSIG), BOTH(RCODE_NOTAUTH) },
	{ "tsig_notlast", P(HEAD(QUERY, TWO_AR) SOA_Q TSIG OPT), BOTH(RCODE_FORMERR) },
	{ "two_tsig", P(HEAD(QUERY, TWO_AR) SOA_Q TSIG TSIG), BOTH(RCODE_FORMERR) },
	{ "tsig_class_in",
	  P(HEAD(QUERY, ONE_AR) SOA_Q "\3key\0\0\372\0\1\0\0\0\0\0\35" TSIG_BODY),
	  BOTH(RCODE_FORMERR) },
	{ "tsig_empty", P(HEAD(QUERY, ONE_AR) SOA_Q TSIG_HEAD "\0\0"),
	  BOTH(RCODE_FORMERR) },
	{ "tsig_mac_over", P(HEAD(QUERY, ONE_AR) SOA_Q TSIG_HEAD "\0\35"
	                     "\13hmac-sha256\0\0\0\0\0\0\1\1\54\377\377\0\103\0\0\0\0"),
	  BOTH(RCODE_FORMERR) },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int outcome(const struct row *row, bool tcp, struct query *query)
{
	enum query_verdict verdict =
	    query_read((const uint8_t *)row->packet, row->len, tcp, query);

	if (query->tsig.present)
		verdict = query_verify(query, (const uint8_t *)row->packet, NULL, 0);
	switch (verdict) {
	case QUERY_SILENCE:
		return SILENCE;
	case QUERY_REFUSED:
		assert_int_not_equal(query->rcode, RCODE_NOERROR);
		return query->rcode;
	case QUERY_COOKIE:
		assert_int_equal(query->rcode, RCODE_NOERROR);
		return ASKS_COOKIE;
	case QUERY_SERVE:
		return SERVE;
	}
	return ASKS_COOKIE - 1;
}

static void each_packet_gets_its_due(void **state)
{
	struct query query;

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		print_message("%s\n", rows[i].name);
		assert_int_equal(outcome(&rows[i], false, &query), rows[i].udp);
		assert_int_equal(outcome(&rows[i], true, &query), rows[i].tcp);
	}
}

/* What is sent back is well-formed, has the id, the question, and only what is ours. */
static void check_answer(const struct row *row, struct query *query)
{
	uint8_t data[PACKET_MAX];
	bool asked = query->has_question;
	size_t len = query_answer_rcode(query, query->rcode, data, sizeof(data));
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct packet_rr rr;
	struct name name;

	packet_read_header(&reader, &header);
	assert_int_equal(header.id, 0x43);
	assert_int_equal(header.flags & (FLAG_QR | FLAG_AA | FLAG_TC), FLAG_QR);
	assert_int_equal(header.flags & 0x00e0, 0);	/* RA, Z, AD */
	assert_int_equal(header.flags & FLAG_RCODE, query->rcode & FLAG_RCODE);
	assert_int_equal(header.count[SECTION_QUESTION], asked);
	if (asked) {
		packet_read_name(&reader, &name);
		assert_memory_equal(data + PACKET_HEADER, row->packet + PACKET_HEADER, 4);
		packet_read_u32(&reader);
	}
	for (int i = 0; i < header.count[SECTION_ADDITIONAL]; i++)
		packet_read_rr(&reader, &rr);
	assert_false(reader.broken);
	assert_int_equal(reader.at, len);
	if (query->tsig.present && query->rcode == RCODE_NOTAUTH)
		assert_int_equal(data[len - 3], 17);	/* BADKEY */
}

static void refusals_are_well_formed(void **state)
{
	struct query query;

	(void)state;
	for (int i = 0; i < ROWS; i++)
		if (outcome(&rows[i], false, &query) > 0)
			check_answer(&rows[i], &query);
}

static void all_cuts_are_survived(void **state)
{
	struct query query;
	uint8_t *copy;

	(void)state;
	for (int i = 0; i < ROWS; i++)
		for (size_t len = 0; len < rows[i].len; len++) {
			copy = malloc(len ? len : 1);	/* its end is watched */
			memcpy(copy, rows[i].packet, len);
			query_read(copy, len, true, &query);
			free(copy);
		}
}

static void sizes_are_bounded(void **state)
{
	static const struct { const char *size; int want; } sizes[] = {
		{ "\0\0", 512 }, { "\1\377", 512 }, { "\2\0", 512 }, { "\4\0", 1024 },
		{ "\20\0", 1232 }, { "\377\377", 1232 },
	};
	char packet[] = HEAD(QUERY, ONE_AR) SOA_Q OPT;
	struct query query;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memcpy(packet + sizeof(packet) - 1 - 8, sizes[i].size, 2);
		query_read((uint8_t *)packet, sizeof(packet) - 1, false, &query);
		assert_int_equal(query.udp_size, sizes[i].want);
	}
}

static void the_name_is_folded_and_echoed_as_it_was(void **state)
{
	static const char packet[] = HEAD(QUERY, ONE) "\7ExAmPlE\3OrG\0\0\6\0\1";
	struct name want = name_of("example.org.");
	uint8_t data[PACKET_MAX];
	struct query query;

	(void)state;
	query_read((const uint8_t *)packet, sizeof(packet) - 1, false, &query);
	assert_true(name_equal(&query.name, &want));
	query_answer_rcode(&query, RCODE_REFUSED, data, sizeof(data));
	assert_memory_equal(data + PACKET_HEADER, packet + PACKET_HEADER, 17);
}

/* ---- what the OPT of an answer has ---- */

#define OUR_OPT(ttl, len) "\0\0\51\4\320" ttl "\0" len
#define FINE "\0\0\0\0"
#define OUR_COOKIE "\0\12\0\30" EIGHT "ABCDEFGHIJKLMNOP"
#define OUR_KEEPALIVE "\0\13\0\2\1\54"
#define OUR_ERROR "\0\17\0\6\0\24text"

static const struct extended_error short_error = { 20, "text" };

static const struct opt_row {
	const char *name;
	const char *packet;
	size_t len;
	bool tcp;
	const struct extended_error *error;
	const char *want;		/* all behind the question */
	size_t want_len;
} opt_rows[] = {
	{ "none", P(HEAD(QUERY, ONE) SOA_Q), true, &short_error, P("") },
	{ "plain", P(HEAD(QUERY, ONE_AR) SOA_Q OPT), true, NULL, P(OUR_OPT(FINE, "\0")) },
	{ "payload 0", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\0\0\0\0\0\0\0\0"), false,
	  NULL, P(OUR_OPT(FINE, "\0")) },
	{ "DO", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\200\0\0\0"), false, NULL,
	  P(OUR_OPT("\0\0\200\0", "\0")) },
	{ "DO and Z", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\377\377\0\0"), false,
	  NULL, P(OUR_OPT("\0\0\200\0", "\0")) },
	{ "Z", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\0\177\377\0\0"), false, NULL,
	  P(OUR_OPT(FINE, "\0")) },
	{ "version 1", P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\1\0\0\0\0"), false,
	  NULL, P(OUR_OPT("\1\0\0\0", "\0")) },
	{ "version 255, a cookie",
	  P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\0\377\0\0" "\0\14" COOKIE_8), false,
	  NULL, P(OUR_OPT("\1\0\0\0", "\34") OUR_COOKIE) },
	{ "extended rcode in a question",
	  P(HEAD(QUERY, ONE_AR) SOA_Q "\0\0\51\20\0\7\0\0\0\0\0"), false, NULL,
	  P(OUR_OPT(FINE, "\0")) },
	{ "NSID, padding, unknown ones",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\23", NSID PADDING UNKNOWN)), true, NULL,
	  P(OUR_OPT(FINE, "\0")) },
	{ "cookie", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\14", COOKIE_8)), false, NULL,
	  P(OUR_OPT(FINE, "\34") OUR_COOKIE) },
	{ "two cookies",
	  P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\30", COOKIE_8 COOKIE("\10", "hgfedcba"))),
	  false, NULL, P(OUR_OPT(FINE, "\34") OUR_COOKIE) },
	{ "malformed cookie", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\13", COOKIE_7)), false,
	  NULL, P(OUR_OPT(FINE, "\0")) },
	{ "cookie, FORMERR", P(HEAD(QUERY, TWO_AR) SOA_Q OPT_OF("\14", COOKIE_8) OPT),
	  false, NULL, P(OUR_OPT(FINE, "\34") OUR_COOKIE) },
	{ "cookie alone", P(HEAD(QUERY, NONE_AR) OPT_OF("\14", COOKIE_8)), false, NULL,
	  P(OUR_OPT(FINE, "\34") OUR_COOKIE) },
	{ "keepalive over UDP", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\4", KEEPALIVE)),
	  false, NULL, P(OUR_OPT(FINE, "\0")) },
	{ "keepalive", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\10", KEEPALIVE KEEPALIVE)),
	  true, NULL, P(OUR_OPT(FINE, "\6") OUR_KEEPALIVE) },
	{ "an error", P(HEAD(QUERY, ONE_AR) SOA_Q OPT), false, &short_error,
	  P(OUR_OPT(FINE, "\12") OUR_ERROR) },
	{ "all", P(HEAD(QUERY, ONE_AR) SOA_Q OPT_OF("\20", KEEPALIVE COOKIE_8)), true,
	  &short_error, P(OUR_OPT(FINE, "\54") OUR_COOKIE OUR_KEEPALIVE OUR_ERROR) },
};

/* As it would be judged: with a cookie that a test can tell. */
static void read_opt_row(const struct opt_row *row, struct query *query)
{
	query_read((const uint8_t *)row->packet, row->len, row->tcp, query);
	query->cookie.result = cookie_len_is_good(query->cookie_len) ? COOKIE_CLIENT_ONLY
								     : COOKIE_MALFORMED;
	memcpy(query->cookie.answer, query->cookie_option, COOKIE_CLIENT_LEN);
	memcpy(query->cookie.answer + COOKIE_CLIENT_LEN, "ABCDEFGHIJKLMNOP",
	       COOKIE_LEN - COOKIE_CLIENT_LEN);
	query->keepalive_ds = 300;
	query->error = row->error;
}

static const struct opt_row *opt_row_of(const char *name)
{
	const struct opt_row *row = opt_rows;

	while (strcmp(row->name, name))
		row++;
	return row;
}

static void answers_have_their_options(void **state)
{
	uint8_t data[PACKET_MAX];
	struct query query;

	(void)state;
	for (size_t i = 0; i < sizeof(opt_rows) / sizeof(opt_rows[0]); i++) {
		const struct opt_row *row = &opt_rows[i];
		size_t front, len;

		print_message("%s\n", row->name);
		read_opt_row(row, &query);
		front = PACKET_HEADER + (query.has_question ? query.raw.len + 4 : 0);
		/* twice: it leaves the query as it was */
		query_answer_truncated(&query, data, sizeof(data));
		assert_int_equal(data[2] & FLAG_TC >> 8, FLAG_TC >> 8);
		len = query_answer_rcode(&query, query.rcode, data, sizeof(data));
		assert_int_equal(data[2] & FLAG_TC >> 8, 0);
		assert_int_equal(len, front + row->want_len);
		assert_memory_equal(data + front, row->want, row->want_len);
	}
}

static void badcookie_stands_in_both_places(void **state)
{
	uint8_t data[PACKET_MAX];
	struct query query;

	(void)state;
	read_opt_row(&opt_rows[1], &query);
	query_answer_rcode(&query, RCODE_BADCOOKIE, data, sizeof(data));
	assert_int_equal(data[3] & FLAG_RCODE, 7);
	assert_int_equal(data[PACKET_HEADER + 17 + 5], 1);
}

/* It does not make the answer longer than the client takes. */
static void a_text_without_room_is_left_out(void **state)
{
	const struct { size_t len, want; } texts[] = { { 466, 6 + 466 }, { 467, 6 } };
	char text[1000] = { 0 };
	struct extended_error error = { 20, text };
	uint8_t data[PACKET_MAX];
	struct query query;
	size_t len;

	(void)state;
	for (int i = 0; i < 2; i++) {
		read_opt_row(&opt_rows[2], &query);
		memset(text, 'x', texts[i].len);
		query.error = &error;
		len = query_answer_rcode(&query, RCODE_REFUSED, data, sizeof(data));
		assert_int_equal(len, PACKET_HEADER + 17 + 11 + texts[i].want);
	}
}

/* Of a transfer only the first message has all of them, and the others a cookie. */
static void the_second_message_has_less(void **state)
{
	const struct { const char *row; size_t first, second; } cases[] = {
		{ "plain", 11, 0 }, { "keepalive", 11 + 6, 0 },
		{ "cookie", 11 + 28, 11 + 28 },
		{ "all", 11 + 44, 11 + 28 },
	};
	const uint16_t nothing[SECTIONS] = { 0 };
	const size_t front = PACKET_HEADER + 17;
	struct packet_writer writer;
	uint8_t data[PACKET_MAX];
	struct query query;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		read_opt_row(opt_row_of(cases[i].row), &query);
		query_answer_begin(&query, true, data, sizeof(data), &writer);
		query_answer_end(&query, 0, RCODE_NOERROR, nothing, &writer);
		assert_int_equal(writer.len, front + cases[i].first);
		query_answer_begin(&query, true, data, sizeof(data), &writer);
		query_answer_end(&query, 0, RCODE_NOERROR, nothing, &writer);
		assert_int_equal(writer.len, PACKET_HEADER + cases[i].second);
		assert_int_equal(writer.limit, sizeof(data));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_packet_gets_its_due),
		cmocka_unit_test(refusals_are_well_formed),
		cmocka_unit_test(all_cuts_are_survived),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(answers_have_their_options),
		cmocka_unit_test(badcookie_stands_in_both_places),
		cmocka_unit_test(a_text_without_room_is_left_out),
		cmocka_unit_test(the_second_message_has_less),
		cmocka_unit_test(the_name_is_folded_and_echoed_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
