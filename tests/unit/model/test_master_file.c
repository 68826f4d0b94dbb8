#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <fcntl.h>
#include <ldns/ldns.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/master_file.h"
#include "model/presentation.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct why why;
static char folder[] = "/tmp/zfmasterXXXXXX";
static int folder_fd = -1;

static void keep_warning(void *self, const char *text)
{
	buf_printf(self, "%s\n", text);
}

static void print_record(const struct rr *rr, struct buf *printed)
{
	char name[NAME_MAX_TEXT + 1], type[16];

	for (const uint8_t *octet = rr->name; *octet; octet++)
		assert_false(*octet >= 'A' && *octet <= 'Z');
	name_format_wire(rr->name, name);
	rrtype_format(rr->type, type);
	buf_printf(printed, "%s %u %s ", name, rr->ttl, type);
	assert_int_equal(rdata_format(rr->type, rr->rdata, rr->rdata_len, printed, &why),
	                 OK);
	buf_text(printed, "\n");
}

/*
 * Reads TEXT as a master file; in *printed one line a record, after its place if AT is
 * true; the first error ends it.
 */
static enum err read_text(const char *text, const struct master_options *options, bool at,
                          struct buf *printed)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");
	struct master_file *master = master_file_open(file, "zone", options);
	struct rr rr;
	bool found;
	enum err err;

	while (!(err = master_file_next(master, &rr, &found, &why)) && found) {
		if (at)
			buf_printf(printed, "%s:%d ", master_file_path(master),
			           master_file_line(master));
		print_record(&rr, printed);
	}
	master_file_close(&master);
	assert_null(master);
	fclose(file);
	return err;
}

static enum err read_zone(const char *text, const char *origin, struct buf *printed)
{
	return read_text(text, &(struct master_options){ .origin = origin, .folder = -1 },
	                 false, printed);
}

#define TTL "$TTL 77\n"

static void master_files(void **state)
{
	static const struct {
		const char *zone, *want;
	} cases[] = {
		{ "", "" },
		{ "\n ; nothing\n\t\n", "" },
		{ TTL "@ IN A 192.0.2.1", "example.org. 77 A 192.0.2.1\n" },
		{ TTL "WWW 5 IN A 192.0.2.1\r\n", "www.example.org. 5 A 192.0.2.1\n" },
		{ "a IN 5 A 192.0.2.1\nb 6 A 192.0.2.1\nc A 192.0.2.1\n",
		  "a.example.org. 5 A 192.0.2.1\nb.example.org. 6 A 192.0.2.1\n"
		  "c.example.org. 6 A 192.0.2.1\n" },
		{ "$TTL 1h\na 5 A 192.0.2.1\nb A 192.0.2.1\n",
		  "a.example.org. 5 A 192.0.2.1\nb.example.org. 3600 A 192.0.2.1\n" },
		{ TTL "a A 192.0.2.1\n  A 192.0.2.2\n\tTXT x ; A 192.0.2.3\n",
		  "a.example.org. 77 A 192.0.2.1\na.example.org. 77 A 192.0.2.2\n"
		  "a.example.org. 77 TXT \"x\"\n" },
		{ TTL "$ORIGIN sub\na NS b\n$ORIGIN net. ; other\na NS b\n@ NS @\n",
		  "a.sub.example.org. 77 NS b.sub.example.org.\na.net. 77 NS b.net.\n"
		  "net. 77 NS net.\n" },
		{ TTL "@ SOA ns hostmaster ( 1 ; serial\n 2\n\n 3 4 ; (\n 5 )\n"
		  " A 192.0.2.1\n",
		  "example.org. 77 SOA ns.example.org. hostmaster.example.org. "
		  "1 2 3 4 5\n"
		  "example.org. 77 A 192.0.2.1\n" },
		{ TTL "t TXT \"a;b\" ( \"c(\"\n \"d)\" ) ; \"\n",
		  "t.example.org. 77 TXT \"a;b\" \"c(\" \"d)\"\n" },
		{ TTL "t 1d2h A 192.0.2.1\n", "t.example.org. 93600 A 192.0.2.1\n" },
		{ TTL "a\\.b CLASS1 TYPE65280 \\# 2 00ff\n",
		  "a\\.b.example.org. 77 TYPE65280 \\# 2 00ff\n" },
		{ TTL "in in ns in\n", "in.example.org. 77 NS in.example.org.\n" },
		{ TTL "a APL\n", "a.example.org. 77 APL \n" },
		/* CR ends a line, as in BIND, but not in a comment */
		{ TTL "a A 192.0.2.1\rb A 192.0.2.2\r\r\n A 192.0.2.3 ; \rc A\n",
		  "a.example.org. 77 A 192.0.2.1\nb.example.org. 77 A 192.0.2.2\n"
		  "b.example.org. 77 A 192.0.2.3\n" },
		{ TTL "a A (\r192.0.2.1\r\n)\r\n", "a.example.org. 77 A 192.0.2.1\n" },
		{ TTL "t TXT a\\\tb\n", "t.example.org. 77 TXT \"a\tb\"\n" },
		{ TTL "*.w MX 10 .\n", "*.w.example.org. 77 MX 10 .\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf printed = { 0 };

		if (read_zone(cases[i].zone[0] ? cases[i].zone : "\n", "example.org.",
		              &printed))
			print_error("%s\n", why.text);
		assert_string_equal(buf_string(&printed), cases[i].want);
		buf_clear(&printed);
	}
}

static void broken_master_files(void **state)
{
	static const struct {
		const char *zone, *want;	/* how the reason begins */
	} cases[] = {
		{ " A 192.0.2.1\n",
		  "zone:1: the first record must begin with an owner name, for "
		  "example @ for the domain itself, not with a blank" },
		{ "A 192.0.2.1\n",
		  "zone:1: a TTL must be a time from 0 to 2147483647 seconds, not "
		  "'192.0.2.1'. The first word of the line, 'A', counts as the owner "
		  "name. If the line has no owner name, begin the line with a blank" },
		{ "NS CH ns1.example.net.\n",
		  "zone:1: the class must be IN, not 'CH': zonefleet stores no records "
		  "of other classes. The first word of the line, 'NS', counts as the "
		  "owner name. " },
		{ "\n\na A 192.0.2\n",
		  "zone:3: data: field 1 must be an IPv4 address" },
		{ "a (\n\nA\n) 1\nb A 1\n",    "zone:1: data: field 1" },
		{ "a 5 A 192.0.2.1\nb A (192.0.2.1\n",
		  "zone:2: has a parenthesis that is not closed" },
		{ "a TXT \"x\ny\"\n",          "zone:1: has a quote that is not closed" },
		{ "a TXT \"x",                 "zone:1: has a quote that is not closed" },
		{ "a TXT x\\",                 "zone:1: ends in a backslash" },
		{ "a TXT x\x01\n",             "zone:1: contains a control character" },
		{ "\na A\r192.0.2.1\n",
		  "zone:2: data: has too few fields (a carriage return "
		  "without a line feed ended this line: end lines with a line feed)" },
		{ "\na 5 A 192.0.2.1\r\nb\r\n",
		  "zone:3: the record has no type: write its type and data, for example "
		  "A 192.0.2.1" },
		{ "a 5 A 192.0.2.1\rb 5 A x\nc 5 A x\n", "zone:1: data: field 1" },
		{ "\r\n\ra A 192.0.2\r\n",    "zone:2: data: field 1" },
		{ "a 5 A 192.0.2.1\r\n\rA 192.0.2.2\n", "zone:2: a TTL must be" },
		{ "a TXT x\\\r\n",
		  "zone:1: contains a carriage return: remove it, or write it as \\013" },
		{ "a TXT \"x\ry\"\n",        "zone:1: contains a carriage return" },
		{ "a CH A 192.0.2.1\n", "zone:1: the class must be IN, not 'CH'" },
		{ "a 5 hesiod A 192.0.2.1\n",
		  "zone:1: the class must be IN, not 'hesiod'" },
		{ "a CLASS3 A 192.0.2.1\n",
		  "zone:1: the class must be IN, not 'CLASS3'" },
		{ "a NONE A 192.0.2.1\n", "zone:1: the class must be IN, not 'NONE'" },
		{ "a IN CH A 192.0.2.1\n",
		  "zone:1: the class must be IN, not 'CH': zonefleet stores no "
		  "records of other classes" },
		{ "a CLASSX A 192.0.2.1\n",
		  "zone:1: type: must be a record type, not 'CLASSX'" },
		{ "\xef\xbb\xbf$TTL 5\n",
		  "zone:1: the file begins with a byte order mark" },
		{ "a 5 5 A 192.0.2.1\n", "zone:1: type: must be a record type, not '5'" },
		{ "a IN 5\n",                  "zone:1: the record has no type" },
		{ "a 2147483648 A 192.0.2.1\n","zone:1: a TTL must" },
		{ "a 5x A 192.0.2.1\n",        "zone:1: a TTL must" },
		{ "a AXFR 192.0.2.1\n",        "zone:1: type: zonefleet cannot store" },
		{ "a..b A 192.0.2.1\n",        "zone:1: owner: the name" },
		{ "\"a\" A 192.0.2.1\n", "zone:1: an owner name must not be in quotes" },
		{ "a \"5\" A 192.0.2.1\n",
		  "zone:1: a TTL, a class and a type must not be" },
		{ "a IN \"A\" 192.0.2.1\n",
		  "zone:1: a TTL, a class and a type must not be" },
		{ "a A 192.0.2.1 192.0.2.2\n", "zone:1: data: has too many fields" },
		{ "$DATE 20260101\n",
		  "zone:1: a directive must be $ORIGIN, $TTL, $INCLUDE or $GENERATE, not "
		  "'$DATE'" },
		{ "$ORIGIN\n",                 "zone:1: $ORIGIN must have one value" },
		{ "$ORIGIN a b\n",             "zone:1: $ORIGIN must have one value" },
		{ "$ORIGIN \"a\"\n",           "zone:1: $ORIGIN must have one value" },
		{ "$TTL \"5\"\n",              "zone:1: $TTL must have one value" },
		{ "$TTL\n",                    "zone:1: $TTL must have one value" },
		{ "$TTL 5 6\n",                "zone:1: $TTL must have one value" },
		{ "$TTL -1\n",                 "zone:1: $TTL must have" },
		{ "$ORIGIN a..\n",             "zone:1: $ORIGIN: the name" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf printed = { 0 };

		assert_int_equal(read_zone(cases[i].zone, "example.org.", &printed),
		                 ERR_INVALID);
		assert_memory_equal(why.text, cases[i].want, strlen(cases[i].want));
		buf_clear(&printed);
	}
}

static void origin_is_checked(void **state)
{
	struct buf printed = { 0 };

	(void)state;
	assert_int_equal(read_zone("a A 192.0.2.1\n", "example.org", &printed),
	                 ERR_INVALID);
	assert_memory_equal(why.text, "zone:0: $ORIGIN: ", 17);
	buf_clear(&printed);
}

/* Checks what a zone with this SOA record gives: records or a reason, and warnings. */
struct outcome {
	const char *zone, *want, *warnings;
};

#define SOA(ttl) "@ " ttl "SOA . . 1 2 3 4 7200\n"
#define SOA_IS(ttl) "example.org. " ttl " SOA . . 1 2 3 4 7200\n"
#define NO_TTL "the record has no TTL: write $TTL before the first record"
#define MINIMUM \
	"zone:1: the SOA record has no TTL, and there is no $TTL before it: its " \
	"minimum, 7200, is the TTL of this record and of the records without a TTL\n"

static void check_outcome(const struct outcome *outcome)
{
	struct buf printed = { 0 }, warnings = { 0 };
	const struct master_options options = {
		.origin = "example.org.", .folder = folder_fd, .warn = keep_warning,
		.self = &warnings,
	};
	enum err err = read_text(outcome->zone, &options, false, &printed);

	if (err)
		buf_printf(&printed, "%.*s", (int)strcspn(outcome->want, "!"), why.text);
	if (err && strchr(outcome->want, '!'))
		buf_text(&printed, "!");
	assert_string_equal(buf_string(&printed), outcome->want);
	assert_string_equal(buf_string(&warnings),
	                    outcome->warnings ? outcome->warnings : "");
	buf_clear(&printed);
	buf_clear(&warnings);
}

#define SAYS(line, stated, first) \
	"zone:" line ": the TTL is " stated ", but earlier records of this record set " \
	"have the TTL " first ": the record gets the TTL " first "\n"

/* Each row is what named-compilezone of BIND 9.18 makes of the zone, or its refusal. */
static void ttls_as_in_bind(void **state)
{
	static const struct outcome cases[] = {
		{ SOA("") "a A 192.0.2.1\n",
		  SOA_IS("7200") "a.example.org. 7200 A 192.0.2.1\n", MINIMUM },
		{ SOA("") "@ 5 A 192.0.2.1\na A 192.0.2.1\n",
		  SOA_IS("7200") "example.org. 5 A 192.0.2.1\n"
		  "a.example.org. 7200 A 192.0.2.1\n", MINIMUM },
		{ SOA("") "$TTL 8\na A 192.0.2.1\n",
		  SOA_IS("7200") "a.example.org. 8 A 192.0.2.1\n", MINIMUM },
		{ SOA("60 ") "a A 192.0.2.1\nb 5 A 192.0.2.1\nc A 192.0.2.1\n",
		  SOA_IS("60") "a.example.org. 60 A 192.0.2.1\n"
		  "b.example.org. 5 A 192.0.2.1\nc.example.org. 5 A 192.0.2.1\n" },
		{ "a 7 A 192.0.2.1\n" SOA(""),
		  "a.example.org. 7 A 192.0.2.1\n" SOA_IS("7") },
		{ "$TTL 99\n" SOA("") "a 5 A 192.0.2.1\nb A 192.0.2.1\n",
		  SOA_IS("99") "a.example.org. 5 A 192.0.2.1\n"
		  "b.example.org. 99 A 192.0.2.1\n" },
		{ "a A 192.0.2.1\n" SOA(""), "zone:1: " NO_TTL "!" },
		{ "$GENERATE 1-2 a$ A 192.0.2.1\n" SOA(""), "zone:1: " NO_TTL "!" },
		{ "@ SOA . . 1 2 3 4 2147483648\n", "zone:1: the SOA record has no TTL, "
		  "and its minimum is above 2147483647!" },
		{ "x 5 A 192.0.2.1\nx 9 A 192.0.2.2\n A 192.0.2.3\ny A 192.0.2.4\n",
		  "x.example.org. 5 A 192.0.2.1\nx.example.org. 5 A 192.0.2.2\n"
		  "x.example.org. 5 A 192.0.2.3\ny.example.org. 5 A 192.0.2.4\n",
		  SAYS("2", "9", "5") },
		{ "$TTL 9\nx 11 A 192.0.2.1\nx A 192.0.2.2\nx 5 MX 1 .\n"
		  "x 7 A 192.0.2.3\n",
		  "x.example.org. 11 A 192.0.2.1\nx.example.org. 11 A 192.0.2.2\n"
		  "x.example.org. 5 MX 1 .\nx.example.org. 11 A 192.0.2.3\n",
		  SAYS("3", "9", "11") SAYS("5", "7", "11") },
		/* a later run of the owner has its own TTL: central takes the last one */
		{ "x 5 A 192.0.2.1\ny 6 A 192.0.2.2\nx 7 A 192.0.2.3\n",
		  "x.example.org. 5 A 192.0.2.1\ny.example.org. 6 A 192.0.2.2\n"
		  "x.example.org. 7 A 192.0.2.3\n" },
		{ "x 5 A 192.0.2.1\n$GENERATE 1-1 x 8 A 192.0.2.$\nx A 192.0.2.3\n",
		  "x.example.org. 5 A 192.0.2.1\nx.example.org. 8 A 192.0.2.1\n"
		  "x.example.org. 5 A 192.0.2.3\n", SAYS("3", "8", "5") },
		{ "x 8 RRSIG A 8 2 9 20300101000000 20200101000000 1 . AAAA\n"
		  "x 7 RRSIG MX 8 2 7 20300101000000 20200101000000 1 . AAAA\n"
		  "x 10 RRSIG A 8 2 9 20300101000000 20200101000000 2 . AAAA\n",
		  "x.example.org. 8 RRSIG A 8 2 9 20300101000000 20200101000000 1 . "
		  "AAAA\n"
		  "x.example.org. 7 RRSIG MX 8 2 7 20300101000000 20200101000000 1 . "
		  "AAAA\n"
		  "x.example.org. 8 RRSIG A 8 2 9 20300101000000 20200101000000 2 . "
		  "AAAA\n", SAYS("3", "10", "8") },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_outcome(&cases[i]);
}

#define X_A "x.example.org. 77 A 192.0.2.1\n"

/* A line has no owner only if its first character is a blank. */
static void owners_as_in_bind(void **state)
{
	static const struct outcome cases[] = {
		{ TTL "x A 192.0.2.1\n(60) A 192.0.2.2\n",
		  X_A "60.example.org. 77 A 192.0.2.2\n" },
		{ TTL "x A 192.0.2.1\n( 60) A 192.0.2.2\n",
		  X_A "60.example.org. 77 A 192.0.2.2\n" },
		{ TTL "x A 192.0.2.1\n(\n 60) A 192.0.2.2\n",
		  X_A "60.example.org. 77 A 192.0.2.2\n" },
		{ TTL "x A 192.0.2.1\n( ; c\n60) A 192.0.2.2\n",
		  X_A "60.example.org. 77 A 192.0.2.2\n" },
		{ TTL "x A 192.0.2.1\n(y\n)A 192.0.2.2\n",
		  X_A "y.example.org. 77 A 192.0.2.2\n" },
		{ TTL "x A 192.0.2.1\n (60) MX 1 .\n", X_A "x.example.org. 60 MX 1 .\n" },
		{ TTL "x A 192.0.2.1\n\t(\n60) MX 1 .\n",
		  X_A "x.example.org. 60 MX 1 .\n" },
		{ TTL "x A 192.0.2.1\nx(60) MX 1 .\n", X_A "x.example.org. 60 MX 1 .\n" },
		{ TTL "x A 192.0.2.1\n()\n(;\n)\n", X_A },
		{ TTL "x A 192.0.2.1\n($TTL 5)\ny A 192.0.2.1\n",
		  X_A "y.example.org. 5 A 192.0.2.1\n" },
		{ TTL "x A 192.0.2.1\n $TTL 5\n",
		  X_A "zone:3: type: must be a record type, not '$TTL': if zonefleet "
		  "does not know a type by its name, write its number and data as, for "
		  "example, TYPE261 \\# 2 0102" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_outcome(&cases[i]);
}

#define A(name, address) name ".example.org. 77 A 192.0.2." address "\n"

/* Each row is what named-compilezone of BIND 9.18 makes of the directive. */
static void generated_as_in_bind(void **state)
{
	static const struct outcome cases[] = {
		{ TTL "$GENERATE 1-3 host$ A 192.0.2.$\n",
		  A("host1", "1") A("host2", "2") A("host3", "3") },
		{ TTL "$generate 1-6/3 a A 192.0.2.$\n", A("a", "1") A("a", "4") },
		{ TTL "$GENERATE 0-0 a$ A 192.0.2.$\n", A("a0", "0") },
		{ TTL "$GENERATE 2147483647-2147483647 a$ A 192.0.2.1\n",
		  A("a2147483647", "1") },
		{ TTL "$GENERATE 1-1 a\\$$ A 192.0.2.$\n", A("a\\0361", "1") },
		{ TTL "$GENERATE 1-1 a$$ A 192.0.2.$\n", A("a\\036", "1") },
		{ TTL "$GENERATE 1-1 a$$$ A 192.0.2.$\n", A("a\\0361", "1") },
		{ TTL "$GENERATE 1-1 a\\\\$ A 192.0.2.$\n", A("a\\\\1", "1") },
		{ TTL "$GENERATE 30-31 a${0,4,d}.${-1,4,o}.${1,4,x}.${1,4,X}.${0,7,n}."
		  "${0,3,N} A 192.0.2.1\n",
		  A("a0030.0035.001f.001f.e.1.0.0.e.1", "1")
		  A("a0031.0036.0020.0020.f.1.0.0.f.1", "1") },
		{ TTL "$GENERATE 30-30 @ TXT ${0,3,X}.${0,0,N}.${0,3,x}.${0,0,n}\n",
		  "example.org. 77 TXT \"01E.E.1.01e.e.1\"\n" },
		{ TTL "$GENERATE 30-31 a${0}.${-1,4}.${1,0,x}.${1,0,n}.${256,3,n} 7 IN "
		  "CNAME b$\n",
		  "a30.0029.1f.f.1.e.1.1.example.org. 7 CNAME b30.example.org.\n"
		  "a31.0030.20.0.2.f.1.1.example.org. 7 CNAME b31.example.org.\n" },
		{ TTL "$GENERATE 1-2 a${5}-$ A 192.0.2.$\n",
		  A("a6-6", "1") A("a7-7", "2") },
		{ TTL "$GENERATE 1-1 a${+3,4,d} A 192.0.2.$\n", A("a0004", "1") },
		{ TTL "$GENERATE 30-30 a${-40} A 192.0.2.$\n", A("a-10", "30") },
		{ TTL "$GENERATE 30-30 a${-40,5} A 192.0.2.$\n", A("a-0010", "30") },
		{ TTL "$GENERATE 30-30 a${-40,5,x} A 192.0.2.$\n", A("afffffff6", "30") },
		{ TTL "$GENERATE 30-30 a${-40,5,n} A 192.0.2.$\n",
		  A("a6.f.f.f.f.f.f.f", "30") },
		{ TTL "$GENERATE 3-4 @ MX \"10 m$\"\n",
		  "example.org. 77 MX 10 m3.example.org.\n"
		  "example.org. 77 MX 10 m4.example.org.\n" },
		{ TTL "$GENERATE 3-3 @ MX \"10\tm$\"\n",
		  "example.org. 77 MX 10 m3.example.org.\n" },
		{ TTL "$GENERATE 3-3 @ TXT \"a b $\"\n",
		  "example.org. 77 TXT \"a\" \"b\" \"3\"\n" },
		{ TTL "$GENERATE 3-3 @ TXT \"\\\"a b $\\\"\"\n",
		  "example.org. 77 TXT \"a b 3\"\n" },
		{ TTL "$GENERATE 3-3 ( @\n A ) 192.0.2.$ ; x\n",
		  "example.org. 77 A 192.0.2.3\n" },
		{ "b 9 A 192.0.2.1\n$GENERATE 3-3 a$ IN 5 A 192.0.2.$\n  MX 1 .\n",
		  "b.example.org. 9 A 192.0.2.1\na3.example.org. 5 A 192.0.2.3\n"
		  "b.example.org. 5 MX 1 .\n" },
		{ TTL "$ORIGIN s\n$GENERATE 1-1 *.$ CNAME $.x.\n",
		  "*.1.s.example.org. 77 CNAME 1.x.\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_outcome(&cases[i]);
}

static void broken_generate(void **state)
{
	static const struct {
		const char *words, *want;	/* after the place */
	} cases[] = {
		{ "1 a A 192.0.2.1",               "$GENERATE: the range must be" },
		{ "2-1 a A 192.0.2.1",             "$GENERATE: the range must be" },
		{ "-1-2 a A 192.0.2.1",            "$GENERATE: the range must be" },
		{ "1-2x a A 192.0.2.1",            "$GENERATE: the range must be" },
		{ "1-2/ a A 192.0.2.1",            "$GENERATE: the range must be" },
		{ "1-2/0 a A 192.0.2.1",           "$GENERATE: the range must be" },
		{ "1-2147483648 a A 192.0.2.1",    "$GENERATE: the range must be" },
		{ "0-65536 a A 192.0.2.1",
		  "$GENERATE: the range must have at most 65536 numbers" },
		{ "",                              "$GENERATE must have the form" },
		{ "1-2 a",                         "$GENERATE must have the form" },
		{ "1-2 a A",                       "$GENERATE must have the form" },
		{ "1-2 a 5 IN 192.0.2.1",          "$GENERATE must have the form" },
		{ "1-2 \"a\" A 192.0.2.1",         "$GENERATE must have the form" },
		{ "\"1-2\" a A 192.0.2.1",         "$GENERATE must have the form" },
		{ "1-2 a \"A\" 192.0.2.1",         "$GENERATE must have the form" },
		{ "1-2 a CH A",                    "the class must be IN, not 'CH'" },
		{ "1-2 a 5x A 192.0.2.1",          "a TTL must be" },
		{ "1-2 a MX 10 m$",      "$GENERATE: DATA of several words must be in" },
		{ "1-2 a A 192.0.2.300",           "data: field 1 must be an IPv4" },
		{ "1-2 a TXT \"\\\"$\"",           "has a quote that is not closed" },
		{ "1-2 a..$ A 192.0.2.1",          "owner: the name" },
		{ "1-2 a${0,70} A 192.0.2.1",      "owner: the name" },
		{ "1-2 a${0,128} A 192.0.2.1",     "$GENERATE: the form of a number" },
		{ "1-2 a${0,} A 192.0.2.1",        "$GENERATE: the form of a number" },
		{ "1-2 a${,3} A 192.0.2.1",        "$GENERATE: the form of a number" },
		{ "1-2 a${} A 192.0.2.1",          "$GENERATE: the form of a number" },
		{ "1-2 a${ A 192.0.2.1",           "$GENERATE: the form of a number" },
		{ "1-2 a${0,3,y} A 192.0.2.1",     "$GENERATE: the form of a number" },
		{ "1-2 a${0,3,d A 192.0.2.1",      "$GENERATE: the form of a number" },
		{ "1-2 a${0x10,3} A 192.0.2.1",    "$GENERATE: the form of a number" },
		{ "1-2 a${2147483648} A 192.0.2.1","$GENERATE: the form of a number" },
	};
	char zone[256], want[256];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf printed = { 0 };

		snprintf(zone, sizeof(zone), TTL "\n$GENERATE %s\n", cases[i].words);
		snprintf(want, sizeof(want), "zone:3: %s", cases[i].want);
		assert_int_equal(read_zone(zone, "example.org.", &printed), ERR_INVALID);
		assert_memory_equal(why.text, want, strlen(want));
		buf_clear(&printed);
	}
}

static void generate_is_bounded(void **state)
{
	struct buf printed = { 0 }, zone = { 0 };
	size_t lines = 0;

	(void)state;
	assert_int_equal(read_zone(TTL "$GENERATE 1-65536 a A 192.0.2.1\n",
	                           "example.org.", &printed), OK);
	for (size_t i = 0; i < printed.len; i++)
		lines += printed.data[i] == '\n';
	assert_int_equal(lines, 65536);
	buf_text(&zone, TTL "$GENERATE 1-2 a TXT ");
	for (int i = 0; i < 1000; i++)
		buf_text(&zone, "${0,100}");
	buf_text(&zone, "\n");
	assert_int_equal(read_zone(buf_string(&zone), "example.org.", &printed),
	                 ERR_INVALID);
	assert_non_null(strstr(why.text, "must have at most 2047 characters"));
	buf_clear(&printed);
	buf_clear(&zone);
}

/* Writes FOLDER/NAME. */
static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_files(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/sub", folder);
	mkdir(path, 0700);
	write_file("sub/two", "i A 192.0.2.7\n A 192.0.2.8\n");
	write_file("sub/deep", "$ORIGIN deep\n$TTL 5\ni A 192.0.2.7\n");
	write_file("sub/same", "  MX 1 .\n");
	write_file("sub/cut", "i A 192.0.2.7");
	write_file("sub/empty", "");
	write_file("sub/bad", "\ni A 192.0.2\n");
	write_file("sub/chain", "c A 192.0.2.6\n$INCLUDE sub/two c\n A 192.0.2.5\n");
	write_file("loop", "$INCLUDE loop\n");
	snprintf(path, sizeof(path), "%s/inside", folder);
	assert_int_equal(symlink("sub/two", path), 0);
	snprintf(path, sizeof(path), "%s/outside", folder);
	assert_int_equal(symlink("/etc/hostname", path), 0);
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
}

/* As in BIND, and RFC 1035 5.1: the origin and the last owner come back. */
static void included_files(void **state)
{
	static const struct {
		const char *zone, *want;
	} cases[] = {
		{ TTL "l A 192.0.2.1\n$INCLUDE sub/two\n A 192.0.2.2\nk A 192.0.2.3\n",
		  "zone:2 " A("l", "1") "sub/two:1 " A("i", "7") "sub/two:2 " A("i", "8")
		  "zone:4 " A("l", "2") "zone:5 " A("k", "3") },
		{ TTL "$INCLUDE \"sub/two\" o ; c\nk A 192.0.2.3\n",
		  "sub/two:1 " A("i.o", "7") "sub/two:2 " A("i.o", "8")
		  "zone:3 " A("k", "3") },
		{ TTL "$ORIGIN m\n$include inside @\nk A 192.0.2.3\n",
		  "inside:1 " A("i.m", "7") "inside:2 " A("i.m", "8")
		  "zone:4 " A("k.m", "3") },
		{ TTL "$INCLUDE sub/deep o\nk A 192.0.2.3\n",
		  "sub/deep:3 i.deep.o.example.org. 5 A 192.0.2.7\n"
		  "zone:3 k.example.org. 5 A 192.0.2.3\n" },
		{ TTL "l A 192.0.2.1\n$INCLUDE sub/same\n$INCLUDE sub/empty\n"
		  "$INCLUDE sub/cut\n",
		  "zone:2 " A("l", "1") "sub/same:1 l.example.org. 77 MX 1 .\n"
		  "sub/cut:1 " A("i", "7") },
		{ TTL "$INCLUDE sub/../sub/chain\nd A 192.0.2.4\n",
		  "sub/../sub/chain:1 " A("c", "6") "sub/two:1 " A("i.c", "7")
		  "sub/two:2 " A("i.c", "8") "sub/../sub/chain:3 " A("c", "5")
		  "zone:3 " A("d", "4") },
	};
	const struct master_options options = {
		.origin = "example.org.", .folder = folder_fd,
	};

	(void)state;
	make_files();
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf printed = { 0 };

		if (read_text(cases[i].zone, &options, true, &printed))
			print_error("%s\n", why.text);
		assert_string_equal(buf_string(&printed), cases[i].want);
		buf_clear(&printed);
	}
}

static void broken_include(void **state)
{
	static const struct outcome cases[] = {
		{ TTL "$INCLUDE\n", "zone:2: $INCLUDE must have the form!" },
		{ TTL "$INCLUDE a b c\n", "zone:2: $INCLUDE must have the form!" },
		{ TTL "$INCLUDE none\n",
		  "zone:2: $INCLUDE: cannot read 'none': No such!" },
		{ TTL "$INCLUDE sub\n",
		  "zone:2: $INCLUDE: cannot read 'sub': the file must be a regular "
		  "file" },
		{ TTL "$INCLUDE pipe\n",
		  "zone:2: $INCLUDE: cannot read 'pipe': the file must be a regular "
		  "file" },
		{ TTL "$INCLUDE /etc/hostname\n", "zone:2: $INCLUDE: cannot read "
		  "'/etc/hostname': the file must be in the folder of the main file!" },
		{ TTL "$INCLUDE ../x\n", "zone:2: $INCLUDE: cannot read '../x': the file "
		  "must be in the folder of the main file, or in a folder below it" },
		{ TTL "$INCLUDE outside\n",
		  "zone:2: $INCLUDE: cannot read 'outside': the file must be in the "
		  "folder of the main file, or in a folder below it" },
		{ TTL "$INCLUDE sub/two a..\n", "zone:2: $INCLUDE: origin: the name!" },
		{ TTL "$INCLUDE sub/bad\n", "sub/bad:2: data: field 1 must be an IPv4!" },
		{ TTL "$INCLUDE sub/empty\n A 192.0.2.1\n",
		  "zone:3: the first record must begin with an owner name" },
		{ TTL "$INCLUDE loop\n", "loop:1: $INCLUDE: files can include other "
		  "files at most 10 levels deep" },
	};
	struct buf printed = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_outcome(&cases[i]);
	assert_int_equal(read_zone("$INCLUDE sub/two\n", "example.org.", &printed),
	                 ERR_INVALID);
	assert_memory_equal(why.text, "zone:1: $INCLUDE works only in a file", 37);
	buf_clear(&printed);
}

/* Files that include many files do not multiply without end. */
static void includes_are_bounded(void **state)
{
	struct buf many = { 0 }, printed = { 0 };
	const struct master_options options = {
		.origin = "example.org.", .folder = folder_fd,
	};

	(void)state;
	for (int i = 0; i < 40; i++)
		buf_text(&many, "$INCLUDE sub/empty\n");
	write_file("many", buf_string(&many));
	buf_reset(&many);
	for (int i = 0; i < 40; i++)
		buf_text(&many, "$INCLUDE many\n");
	assert_int_equal(read_text(buf_string(&many), &options, false, &printed),
	                 ERR_INVALID);
	assert_non_null(strstr(why.text, "at most 1000 files can be included in total"));
	buf_clear(&many);
	buf_clear(&printed);
}

static void check_rdata_as_ldns(const struct rr *rr, const ldns_rr *want)
{
	size_t at = 0;

	for (size_t i = 0; i < ldns_rr_rd_count(want); i++) {
		const ldns_rdf *rdf = ldns_rr_rdf(want, i);

		assert_true(ldns_rdf_size(rdf) <= rr->rdata_len - at);
		assert_memory_equal(rr->rdata + at, ldns_rdf_data(rdf),
		                    ldns_rdf_size(rdf));
		at += ldns_rdf_size(rdf);
	}
	assert_int_equal(at, rr->rdata_len);
}

static ldns_rr *next_of_ldns(FILE *file, ldns_rdf **origin, ldns_rdf **prev)
{
	ldns_status status;
	ldns_rr *rr = NULL;
	uint32_t ttl = 0;

	do
		status = ldns_rr_new_frm_fp(&rr, file, &ttl, origin, prev);
	while (status == LDNS_STATUS_SYNTAX_EMPTY && !feof(file));
	return status == LDNS_STATUS_OK ? rr : NULL;
}

/* ZONE_FILE=path names a real zone: each record is the one that ldns reads. */
static void real_zones_are_read_as_by_ldns(void **state)
{
	const char *path = getenv("ZONE_FILE");
	FILE *ours = path ? fopen(path, "r") : NULL, *theirs = path ? fopen(path,
	                                                                    "r") : NULL;
	ldns_rdf *origin, *prev = NULL;
	struct master_file *master;
	struct rr rr;
	bool found;
	ldns_rr *want;

	(void)state;
	if (!ours || !theirs)
		skip();
	origin = ldns_dname_new_frm_str(".");
	master = master_file_open(ours, path,
	                          &(struct master_options){ .origin = ".",
	                                                    .folder = -1 });
	while ((want = next_of_ldns(theirs, &origin, &prev))) {
		assert_int_equal(master_file_next(master, &rr, &found, &why), OK);
		assert_true(found);

		ldns_rdf *owner = ldns_rr_owner(want);

		ldns_dname2canonical(owner);
		assert_memory_equal(rr.name, ldns_rdf_data(owner), ldns_rdf_size(owner));
		assert_int_equal(rr.type, ldns_rr_get_type(want));
		assert_int_equal(rr.ttl, ldns_rr_ttl(want));
		check_rdata_as_ldns(&rr, want);
		ldns_rr_free(want);
	}
	assert_int_equal(master_file_next(master, &rr, &found, &why), OK);
	assert_false(found);
	master_file_close(&master);
	ldns_rdf_deep_free(origin);
	ldns_rdf_deep_free(prev);
	fclose(ours);
	fclose(theirs);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder_fd < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	close(folder_fd);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(master_files),
		cmocka_unit_test(broken_master_files),
		cmocka_unit_test(origin_is_checked),
		cmocka_unit_test(ttls_as_in_bind),
		cmocka_unit_test(owners_as_in_bind),
		cmocka_unit_test(generated_as_in_bind),
		cmocka_unit_test(broken_generate),
		cmocka_unit_test(generate_is_bounded),
		cmocka_unit_test(included_files),
		cmocka_unit_test(broken_include),
		cmocka_unit_test(includes_are_bounded),
		cmocka_unit_test(real_zones_are_read_as_by_ldns),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
