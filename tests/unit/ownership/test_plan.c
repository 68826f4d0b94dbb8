#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include "../rounds.h"
#include "zone_words.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* "A create WANTED, AAAA none FOREIGN", by type; what is held has a "!". */
static void describe(const struct plan *plan, struct buf *text)
{
	char lines[8][48];
	size_t count = 0;

	for (size_t i = 0; i < plan->count && count < COUNT(lines); i++) {
		const struct plan_item *item = &plan->items[i];
		char type[16];

		rrtype_format(item->type, type);
		snprintf(lines[count++], sizeof(lines[0]), "%s %s %s%s", type,
		         plan_step_name(item->step), plan_reason_name(item->reason),
		         item->is_held ? "!" : "");
	}
	qsort(lines, count, sizeof(lines[0]), by_text);
	for (size_t i = 0; i < count; i++)
		buf_printf(text, "%s%s", i ? ", " : "", lines[i]);
}

static bool source_is_complete = true;

static void check(const char *zone, const char *made_text, const char *wanted,
                  const struct plan_rules *rules, const char *want_text)
{
	struct view *view = view_of(zone);
	struct buf text = { 0 };
	struct plan plan;

	print_message("  %s | %s\n", zone, wanted);
	each_token(view, made_text, made);
	each_token(view, wanted, want);
	plan_make(view, rules, source_is_complete, &plan);
	describe(&plan, &text);
	assert_string_equal(buf_string(&text), want_text);
	buf_clear(&text);
	view_free(&view);
}

/* ---- what is done, by what is there and whose that is ---- */

static const struct {
	const char *zone, *made, *wanted, *want;
} rows[] = {
	/* b1 */
	{ "", "", "A:192.0.2.1", "A create WANTED" },
	/* b2 */
	{ "A:192.0.2.1", "", "A:192.0.2.1", "A none UNMANAGED_EQUAL" },
	/* b3 */
	{ "A:192.0.2.9", "", "A:192.0.2.1", "A none UNMANAGED" },
	{ "A:192.0.2.1", "", "A:192.0.2.1 A:192.0.2.2", "A none UNMANAGED" },
	{ "A:192.0.2.9", "", "", "" },
	/* b4 */
	{ "A:192.0.2.1 A~them", "", "A:192.0.2.1", "A none FOREIGN" },
	{ "A:192.0.2.9 A~mate", "", "A:192.0.2.1", "A none FOREIGN" },
	{ "A:192.0.2.9 A~them", "", "", "" },
	/* b5 */
	{ "A:192.0.2.1 A~us", "", "A:192.0.2.1", "A none WANTED" },
	{ "A:192.0.2.1 A~us", "", "A%300:192.0.2.1", "A none WANTED" },
	/* b6 */
	{ "A:192.0.2.9 A~us", "", "A:192.0.2.1", "A update WANTED" },
	{ "A:192.0.2.1 A~us", "", "A%60:192.0.2.1", "A update WANTED" },
	{ "A:192.0.2.1 A~us", "", "A@test/2:192.0.2.1", "A update WANTED" },
	/* b7 */
	{ "A:192.0.2.1 A~us", "", "", "A delete UNWANTED" },
	/* b8 */
	{ "A~us", "", "A:192.0.2.1", "A create REPAIR" },
	/* b9 */
	{ "A~us", "", "", "A unmark ORPHAN_MARK" },
	/* b10 */
	{ "A~them", "", "A:192.0.2.1", "A none FOREIGN_ORPHAN" },
	{ "A~them", "", "", "" },
	/* b11 */
	{ "A:192.0.2.1", "A:192.0.2.1", "A:192.0.2.1", "A none MARK_LOST" },
	{ "A:192.0.2.1", "A:192.0.2.1", "", "" },
	/* b12 */
	{ "A:192.0.2.9 A~us", "A:192.0.2.1", "A:192.0.2.1", "A update DRIFT" },
	{ "A:192.0.2.1 A~us", "A:192.0.2.1", "A:192.0.2.2", "A update WANTED" },
	/* b13 */
	{ "A:192.0.2.1 A~bad", "", "A:192.0.2.1", "A none BAD_MARK" },
	{ "A:192.0.2.1 A~bad", "", "", "" },
	/* b14 */
	{ "A:192.0.2.1 A~us A~them", "", "A:192.0.2.2", "A none CONTESTED" },
	{ "A:192.0.2.1 A~us A~them", "", "", "" },
	{ "A:192.0.2.1 A~us A~bad", "", "A:192.0.2.2", "A none CONTESTED" },
	/* b15 */
	{ "CNAME:x.example.net.", "", "A:192.0.2.1", "A none FOREIGN_CNAME" },
	{ "CNAME:x.example.net. CNAME~them", "", "A:192.0.2.1", "A none FOREIGN_CNAME" },
	/* b16 */
	{ "A:192.0.2.1", "", "AAAA:2001:db8::1", "AAAA none NAME_SHARED" },
	{ "A:192.0.2.1 A~them", "", "AAAA:2001:db8::1", "AAAA none NAME_SHARED" },
	{ "A:192.0.2.1", "", "CNAME:x.example.net.", "CNAME none NAME_SHARED" },
	{ "HINFO:a+b", "", "AAAA:2001:db8::1", "AAAA create WANTED" },
	{ "HINFO:a+b", "", "CNAME:x.example.net.", "CNAME none NAME_SHARED" },
	/* nobody can own the NS set of the apex: it keeps no name from its owner */
	{ "=/NS:ns.example.net.", "", "=/A:192.0.2.1", "A create WANTED" },
	{ "=/NS:ns.example.net. =/A:192.0.2.1 =/A~us", "", "=/A:192.0.2.1 =/MX:1+x.",
	  "A none WANTED, MX create WANTED" },
	{ "=/NS:ns.example.net. =/MX:1+x.", "", "=/A:192.0.2.1", "A none NAME_SHARED" },
	{ "=/NS:ns.example.net.", "", "=/CNAME:x.example.net.",
	  "CNAME none NAME_SHARED" },
	{ "NS:ns.example.net.", "", "A:192.0.2.1", "A none OCCLUDED" },
	/* b17 */
	{ "sub/NS:ns.example.net.", "", "a.sub/A:192.0.2.1", "A none OCCLUDED" },
	{ "sub/NS:ns.example.net.", "", "sub/A:192.0.2.1", "A none OCCLUDED" },
	{ "sub/DNAME:x.example.net.", "", "a.b.sub/A:192.0.2.1", "A none OCCLUDED" },
	{ "=/DNAME:x.example.net.", "", "A:192.0.2.1", "A none OCCLUDED" },
	{ "=/NS:ns.example.net.", "", "A:192.0.2.1", "A create WANTED" },
	/* b18 */
	{ "", "", "=/NS:ns.example.net.", "NS none PROTECTED" },
	{ "", "", "CAA:0+issue+x", "CAA none PROTECTED" },
	/* b19 */
	{ "", "", "A@port/n/1:192.0.2.1 A@service/a/b:192.0.2.2",
	  "A create WANTED, A none LOST_RESOLUTION" },
	{ "", "", "CNAME@service/a/b:x.example.net. A@port/n/1:192.0.2.2",
	  "A create WANTED, CNAME none LOST_RESOLUTION" },

	/* ---- one type takes the place of another ---- */
	{ "A:192.0.2.1 A~us", "", "CNAME:x.example.net.",
	  "A delete UNWANTED, CNAME create WANTED" },
	{ "A:192.0.2.1 A~us AAAA:2001:db8::1 AAAA~us", "", "CNAME:x.example.net.",
	  "A delete UNWANTED, AAAA delete UNWANTED, CNAME create WANTED" },
	{ "CNAME:x.example.net. CNAME~us", "", "A:192.0.2.1 AAAA:2001:db8::1",
	  "A create WANTED, AAAA create WANTED, CNAME delete UNWANTED" },
	{ "A:192.0.2.1 A~us TXT:x", "", "CNAME:x.example.net.",
	  "A none BLOCKED, CNAME none NAME_SHARED" },
	{ "A:192.0.2.1 A~us AAAA~them", "", "AAAA:2001:db8::1",
	  "A none BLOCKED, AAAA none FOREIGN_ORPHAN" },
	{ "A:192.0.2.1 A~us AAAA:2001:db8::1", "", "AAAA:2001:db8::1",
	  "A delete UNWANTED, AAAA none UNMANAGED_EQUAL" },

	/* ---- the place of a mark ---- */
	{ "_own-a.www/TXT:data", "", "A:192.0.2.1", "A none NO_MARK" },
	{ "_own-a.www/CNAME:x.example.net.", "", "A:192.0.2.1", "A none NO_MARK" },
	{ "A:192.0.2.1 _own-a.www/TXT:data", "", "", "" },
	{ "", "", "_wildcard/A:192.0.2.1", "A none NO_MARK" },
	{ "", "", "*/A:192.0.2.1", "A create WANTED" },
	{ "*/A:192.0.2.1 */A~us", "", "*/A:192.0.2.1", "A none WANTED" },
	{ "*/A:192.0.2.1 */A~us _wildcard/A:192.0.2.1", "", "", "A delete UNWANTED" },
	{ "", "", "sub/NS:ns.example.net.", "NS create WANTED" },
};

static void the_table_of_what_is_done(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check(rows[i].zone, rows[i].made, rows[i].wanted, &usual, rows[i].want);
}

/* ---- in each form of marks, and from one to another ---- */

#define VAGUE "A none VAGUE_MARK"
/* As external-dns once marked each set: by the name, and by name and type. */
#define TWINS "a-team/A:192.0.2.1 a-team/A~us!plain? a-team/A~us"

static const struct {
	const char *form, *former, *zone, *made, *wanted, *want;
} stories[] = {
	/* a mark of old: of what we know to have made, or want as it is, and no more */
	{ "plain", NULL, "A:192.0.2.1 A~us!plain?", "", "A:192.0.2.1",
	  "A update WANTED" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain?", "", "A:192.0.2.2", VAGUE },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain?", "", "", "" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain?", "A:192.0.2.9", "A:192.0.2.2",
	  "A update DRIFT" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain?", "A:192.0.2.1", "",
	  "A delete UNWANTED" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain? MX:1+x.", "A:192.0.2.1", "",
	  "A delete UNWANTED" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain? MX:1+x.", "", "A:192.0.2.1 MX:2+y.",
	  "A update WANTED, MX none VAGUE_MARK" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain? AAAA:2001:db8::1", "AAAA:2001:db8::1",
	  "", "" },
	{ "plain", NULL, "A~us!plain?", "", "A:192.0.2.1", "A create REPAIR" },
	{ "plain", NULL, "A~us!plain?", "", "", "TXT unmark ORPHAN_MARK" },
	{ "plain", NULL, "A~us!plain?", "", "CAA:0+issue+x",
	  "CAA none PROTECTED, TXT none BLOCKED" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain? A~them!plain?", "", "A:192.0.2.1",
	  "A none CONTESTED" },
	{ "plain", NULL, "A:192.0.2.1 A&~them=192.0.2.1 A~us!plain?", "", "A:192.0.2.2",
	  "A none FOREIGN, TXT unmark ORPHAN_MARK" },
	{ "plain", NULL, "A:192.0.2.1 A&~them=192.0.2.1 A~us!plain?", "", "",
	  "TXT unmark ORPHAN_MARK" },
	{ "plain", NULL, "A:192.0.2.1 A&~them=192.0.2.1 A~us!plain?", "", "A&:192.0.2.2",
	  "A update WANTED" },
	{ "txt-", NULL, "A:192.0.2.1 A~us!txt-?", "", "A:192.0.2.1", "A update WANTED" },
	{ "txt-", NULL, "A:192.0.2.1 A~us!plain?", "", "A:192.0.2.1", "A none BAD_MARK" },
	{ "-own", NULL, "A:192.0.2.1 A~us!-own?", "", "A:192.0.2.1", "A update WANTED" },
	{ "seed", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.1", "A none WANTED" },
	{ "seed", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.2", VAGUE },
	{ "seed", NULL, "A:192.0.2.1 A~us", "A:192.0.2.1", "", "A delete UNWANTED" },
	{ "seed", NULL, "A:192.0.2.1 A~us AAAA:2001:db8::1", "A:192.0.2.1", "",
	  "A delete UNWANTED" },
	{ "seed", NULL, "A:192.0.2.1 A~us MX:1+x.", "", "A:192.0.2.1 AAAA:2001:db8::1",
	  "A none WANTED, AAAA none NAME_SHARED" },
	{ "seed", NULL, "", "", "A:192.0.2.1 AAAA:2001:db8::1",
	  "A create WANTED, AAAA create WANTED" },
	{ "seed", NULL, "MX:1+x.", "", "A:192.0.2.1", "A none NAME_SHARED" },
	{ "seed", NULL, "HINFO:a+b", "", "A:192.0.2.1", "A none NAME_SHARED" },
	{ "seed", NULL, "=/NS:x.", "", "=/A:192.0.2.1", "A none NAME_SHARED" },
	{ "seed", NULL, "A:192.0.2.1 A~them", "", "A:192.0.2.1", "A none FOREIGN" },
	{ "seed", NULL, "", "", "A&:192.0.2.1", "A none NO_MARK" },
	{ "seed", NULL, "CNAME:x. CNAME~us", "", "", "CNAME delete UNWANTED" },
	{ "seed", NULL, "TXT:a=b TXT~us", "", "", "TXT delete UNWANTED" },
	{ "seed", NULL, "TXT:a=b", "", "A:192.0.2.1", "A none NAME_SHARED" },
	{ "seed", NULL, "TXT:a", "", "A:192.0.2.1", "A none FOREIGN_ORPHAN" },
	{ "none", NULL, "A:192.0.2.1 A~us", "", "", "A delete UNWANTED" },
	{ "none", NULL, "A:192.0.2.1 A~them", "", "A:192.0.2.2", "A none FOREIGN" },
	{ "none", NULL, "A:192.0.2.1 A~us A~them", "", "", "" },
	{ "none", NULL, "A:192.0.2.1 A~us A~them!ours", "", "", "" },
	{ "none", NULL, "_own-a.www/TXT:a", "", "A:192.0.2.1", "A create WANTED" },
	{ "none", NULL, "", "", "=/A:192.0.2.1", "A create WANTED" },

	/* marks that speak against us, in whatever form */
	{ "ours", NULL, "A:192.0.2.1 A~them!plain", "", "A:192.0.2.1", "A none FOREIGN" },
	{ "ours", NULL, "A:192.0.2.1 A~us A~them!plain", "", "", "" },
	{ "ours", NULL, "A:192.0.2.1 A~us A~them!plain?", "", "A:192.0.2.2",
	  "A none CONTESTED" },
	{ "ours", NULL, "AAAA:2001:db8::1 AAAA~us A~them!plain?", "", "",
	  "AAAA delete UNWANTED" },
	{ "ours", "txt-", "A:192.0.2.1 A~us A~them!txt-", "", "", "" },
	{ "ours", NULL, "A:192.0.2.1 A~us A~them!txt-", "", "", "A delete UNWANTED" },
	{ "seed", NULL, "CNAME:x. CNAME~us CNAME~them!ours", "", "", "" },
	{ "seed", NULL, "AAAA:2001:db8::1 AAAA~us AAAA~them", "AAAA:2001:db8::1", "",
	  "" },

	/* from one form to another, and between two */
	{ "ours", "plain", "A:192.0.2.1 A~us!plain", "", "A:192.0.2.1",
	  "A update WANTED" },
	{ "ours", "plain", "A:192.0.2.1 A~us!plain", "", "", "A delete UNWANTED" },
	{ "ours", "plain", "A:192.0.2.1 A~us!plain A~us", "", "A:192.0.2.1",
	  "A update WANTED" },
	{ "ours", "plain", "A~us!plain A~us", "", "", "A unmark ORPHAN_MARK" },
	{ "ours", "seed", "A:192.0.2.1 A~us!seed", "", "A:192.0.2.1", "A update WANTED" },
	{ "ours", "seed", "AAAA:2001:db8::1 AAAA~us!seed", "AAAA:2001:db8::1", "",
	  "AAAA delete UNWANTED" },
	{ "ours", "txt-", "A:192.0.2.1 A~us!plain", "", "A:192.0.2.1",
	  "A none BAD_MARK" },
	{ "plain", "ours", "A:192.0.2.1 A~us!ours", "", "A:192.0.2.1",
	  "A update WANTED" },
	{ "plain", "ours", "A:192.0.2.1 A~us!ours", "", "", "A delete UNWANTED" },
	{ "seed", "ours", "A:192.0.2.1 A~us!ours", "", "A:192.0.2.1", "A update WANTED" },
	{ "seed", "ours", "A:192.0.2.1 A~us!ours MX:1+x.", "", "A:192.0.2.1",
	  "A none NAME_SHARED" },
	{ "seed", "ours", "A:192.0.2.1 A~us!ours AAAA:2001:db8::1 AAAA~us!ours", "",
	  "A:192.0.2.1 AAAA:2001:db8::1", "A update WANTED, AAAA update WANTED" },
	{ "seed", "plain", "NS:x. A~us!plain?", "", "sub/A:192.0.2.1 NS:x.",
	  "A create WANTED, NS update WANTED" },
	{ "plain", "txt-", "foo/A:192.0.2.1 foo/A~us!txt- a-foo/TXT:a", "", "", "" },

	/* one mark of ours, and two sets that it could be for: what we know decides */
	{ "plain", NULL, "team/A:192.0.2.9 " TWINS, "",
	  "team/A:192.0.2.1 a-team/A:192.0.2.1", "A none VAGUE_MARK, A none WANTED" },
	{ "plain", NULL, "team/A:192.0.2.9 " TWINS, "", "a-team/A:192.0.2.1",
	  "A none WANTED" },
	{ "plain", NULL, "team/A:192.0.2.9 " TWINS, "", "a-team/A@test/2:192.0.2.1",
	  "A update WANTED" },
	{ "plain", NULL, "team/A:192.0.2.9 " TWINS, "team/A:192.0.2.9",
	  "team/A:192.0.2.1 a-team/A:192.0.2.1", "A none WANTED, A update WANTED" },
	{ "plain", NULL, "team/A:192.0.2.9 " TWINS, "",
	  "team/A:192.0.2.9 a-team/A:192.0.2.1", "A none WANTED, A none WANTED" },
	{ "plain", NULL, TWINS, "", "team/A:192.0.2.1 a-team/A:192.0.2.1",
	  "A none VAGUE_MARK, A none WANTED, TXT unmark ORPHAN_MARK" },
	{ "plain", NULL, TWINS, "", "a-team/MX:1+x. a-team/A:192.0.2.1",
	  "A none WANTED, MX create WANTED" },
	{ "seed", NULL, "ns-sub/A:192.0.2.3 sub/NS:x. sub/NS~us", "ns-sub/A:192.0.2.3",
	  "ns-sub/A:192.0.2.3 sub/NS:x.", "A none NO_MARK, NS none WANTED" },
	{ "plain", "txt-", "A:192.0.2.1 A~us!txt-", "", "A:192.0.2.1",
	  "A update WANTED" },
	{ "plain", "txt-", "A:192.0.2.1 A~us!txt-", "A:192.0.2.1", "A:192.0.2.2",
	  "A update WANTED" },
	{ "plain", "txt-", "A:192.0.2.1 A~us!txt-", "A:192.0.2.1", "",
	  "A delete UNWANTED" },
	{ "plain", "txt-", "A:192.0.2.1 A~us!txt-", "", "A:192.0.2.2",
	  "A none VAGUE_MARK" },
	{ "plain", "txt-", "A:192.0.2.1 A~us!txt-", "", "", "" },

	/* a mark of ours is where it would be read as another's */
	{ "plain", NULL, "foo/A:192.0.2.1 foo/A~us a-foo/A:192.0.2.2", "", "", "" },
	{ "plain", NULL, "a-foo/A:192.0.2.2", "", "foo/A:192.0.2.1", "A none NO_MARK" },
	{ "ours", NULL, "a-foo/A:192.0.2.2", "", "foo/A:192.0.2.1", "A create WANTED" },
	{ "plain", "txt-", "foo/A:192.0.2.1", "", "a-foo/TXT:a", "TXT none NO_MARK" },
	{ "txt-", NULL, "wild/A:192.0.2.1", "", "*/A:192.0.2.1", "A create WANTED" },
	{ "txt-", NULL, "", "", "wild/A:192.0.2.1", "A none NO_MARK" },
	{ "txt-", NULL, "", "", "=/A:192.0.2.1", "A none NO_MARK" },

	/* a wish at the place of a mark of another set of ours */
	{ "ours", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.1 _own-a.www/CNAME:x.",
	  "A none WANTED, CNAME none NAME_SHARED" },
	{ "ours", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.1 _own-a.www/TXT:a",
	  "A none WANTED, TXT none NAME_SHARED" },
	{ "ours", NULL, "", "", "A:192.0.2.1 _own-a.www/CNAME:x.",
	  "A create WANTED, CNAME none NAME_SHARED" },
	{ "plain", NULL, "A:192.0.2.1 A~us!plain", "", "A:192.0.2.1 a-www/TXT:a",
	  "A none WANTED, TXT none NAME_SHARED" },
	{ "plain", NULL, "TXT:a TXT~us TXT~them!plain?", "", "txt-www/CNAME:x.",
	  "CNAME none NAME_SHARED" },
	{ "-own", NULL, "A:192.0.2.1 A~us!-own?", "A:192.0.2.1", "www-own/CNAME:x.",
	  "A delete UNWANTED, CNAME none NAME_SHARED" },
	{ "ours", "plain", "A:192.0.2.1 A~us!plain", "", "A:192.0.2.1 a-www/CNAME:x.",
	  "A update WANTED, CNAME none NAME_SHARED" },
	{ "plain", NULL, "A~us!plain?", "", "CNAME:x.", "CNAME create REPAIR" },

	/* what no zone can have */
	{ "ours", NULL, "", "", "TXT:heritage=mate,x=y", "TXT none IMPOSSIBLE" },
	{ "ours", NULL, "", "", "TXT:heritage=external-dns", "TXT none IMPOSSIBLE" },
	{ "ours", NULL, "TXT:a TXT~us", "", "TXT:heritage=mate",
	  "TXT none IMPOSSIBLE" },
	{ "ours", NULL, "", "", "TXT:us", "TXT create WANTED" },
	{ "seed", NULL, "", "", "TXT:us", "TXT none IMPOSSIBLE" },
	{ "ours", "seed", "", "", "TXT:us", "TXT none IMPOSSIBLE" },
	{ "ours", NULL, "CNAME:z. CNAME~us", "", "CNAME:x. CNAME:y.",
	  "CNAME none IMPOSSIBLE" },
	{ "ours", NULL, "", "", "A@a,b:192.0.2.1", "A none IMPOSSIBLE" },
	{ "ours", NULL, "", "", "A@a,b:192.0.2.1 A@port/1:192.0.2.2",
	  "A create WANTED, A none IMPOSSIBLE" },
	{ "ours", NULL, "", "", "CNAME:x. CNAME:y. CNAME@port/1:z.",
	  "CNAME create WANTED, CNAME none IMPOSSIBLE" },
	{ "ours", NULL, "A:192.0.2.1 A~us", "", "CNAME:x. CNAME:y.",
	  "A none BLOCKED, CNAME none IMPOSSIBLE" },
	{ "ours", NULL, "A:192.0.2.1 A~us", "", "CNAME@a,b:x. AAAA:2001:db8::1",
	  "A none BLOCKED, AAAA create WANTED, CNAME none IMPOSSIBLE" },

	/* what a delegation hides */
	{ "ours", NULL, "a.sub/A:192.0.2.1", "", "sub/NS:x.", "NS none HIDES" },
	{ "ours", NULL, "a.sub/A:192.0.2.1 a.sub/A~us", "", "sub/NS:x. a.sub/A:192.0.2.1",
	  "A none WANTED, NS none HIDES" },
	{ "ours", NULL, "a.sub/MX:1+x. a.sub/MX~us", "", "sub/NS:x. a.sub/MX:1+x.",
	  "MX none WANTED, NS none HIDES" },
	{ "plain", NULL, "a.sub/A:192.0.2.1 a.sub/A~them", "", "sub/NS:x.",
	  "NS none HIDES" },
	{ "none", NULL, "a.sub/A:192.0.2.1 a.sub/A~us", "", "sub/NS:x. a.sub/A:192.0.2.1",
	  "A none WANTED, NS create WANTED" },
	{ "none", NULL, "a.sub/MX:1+x. a.sub/MX~us", "", "sub/NS:x. a.sub/MX:1+x.",
	  "MX none WANTED, NS none HIDES" },
	{ "ours", NULL, "a.subb/A:192.0.2.1", "", "sub/NS:x.", "NS create WANTED" },
	/* but not what goes with it: the marks of what was at its name */
	{ "ours", NULL, "A:192.0.2.1 A~us", "", "NS:x.",
	  "A delete UNWANTED, NS create WANTED" },
	{ "ours", NULL, "MX:1+x. MX~us A:192.0.2.1 A~us", "", "NS:x.",
	  "A delete UNWANTED, MX delete UNWANTED, NS create WANTED" },
	{ "ours", NULL, "A~us", "", "NS:x.", "A unmark ORPHAN_MARK, NS create WANTED" },
	{ "ours", NULL, "A:192.0.2.1 A~us AAAA:2001:db8::1 AAAA~us", "",
	  "A:192.0.2.1 NS:x.", "A none WANTED, AAAA none BLOCKED, NS none HIDES" },
	{ "ours", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.2 NS:x.",
	  "A update WANTED, NS none HIDES" },
	{ "ours", NULL, "A:192.0.2.1 A~us A~them!plain", "", "NS:x.",
	  "NS none NAME_SHARED" },
	{ "ours", NULL, "A:192.0.2.1 A~us MX~them", "", "NS:x.",
	  "A none BLOCKED, NS none HIDES" },
	{ "ours", NULL, "", "", "A:192.0.2.1 NS:x.", "A create WANTED, NS none HIDES" },
	{ "ours", NULL, "", "", "MX:1+x. NS:y.", "MX create WANTED, NS none HIDES" },
	{ "plain", NULL, "", "", "A:192.0.2.1 NS:x.",
	  "A create WANTED, NS create WANTED" },
	{ "plain", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.1 NS:x.",
	  "A none WANTED, NS create WANTED" },
	{ "plain", "ours", "A:192.0.2.1 A~us!ours", "", "A:192.0.2.1 NS:x.",
	  "A update WANTED, NS create WANTED" },
	{ "plain", NULL, "MX:1+x. MX~us", "", "MX:1+x. NS:y.",
	  "MX none WANTED, NS none HIDES" },
	{ "ours", NULL, "sub/NS:y. sub/NS~us a.sub/A:192.0.2.1", "", "sub/NS:x.",
	  "NS update WANTED" },
	/* glue: the zone shows no mark of it, and with a table it needs no mark */
	{ "ours", NULL, "sub/NS:a.sub.example.com. sub/NS~us", "",
	  "sub/NS:a.sub.example.com. a.sub/A:192.0.2.1",
	  "A none NO_MARK, NS none WANTED" },
	{ "plain", NULL, "sub/NS:a.sub.example.com. sub/NS~us", "",
	  "sub/NS:a.sub.example.com. a.sub/A:192.0.2.1",
	  "A none NO_MARK, NS none WANTED" },
	{ "none", NULL, "sub/NS:a.sub.example.com. sub/NS~us", "",
	  "sub/NS:a.sub.example.com. a.sub/A:192.0.2.1",
	  "A create WANTED, NS none WANTED" },
	{ "none", NULL, "", "", "sub/NS:a.sub.example.com. a.sub/A:192.0.2.1",
	  "A create WANTED, NS create WANTED" },
	{ "none", NULL, "sub/NS:a.sub.example.com. sub/NS~us a.sub/A:192.0.2.1 "
	  "a.sub/A~us", "", "sub/NS:a.sub.example.com. a.sub/A:192.0.2.2",
	  "A update WANTED, NS none WANTED" },
	{ "none", NULL, "sub/NS:a.sub.example.com. sub/NS~us a.sub/A:192.0.2.1 "
	  "a.sub/A~us", "", "", "A delete UNWANTED, NS delete UNWANTED" },
	{ "-own", NULL, "NS:x. NS~us!-own?", "", "A:192.0.2.1 A@test/2:192.0.2.2 NS:x.",
	  "A none OCCLUDED, A none OCCLUDED, NS update WANTED" },
};

static void the_same_in_each_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(stories); i++) {
		words_form = stories[i].form;
		words_former = stories[i].former;
		print_message("  %s from %s", words_form,
		              words_former ? words_former : "nowhere");
		check(stories[i].zone, stories[i].made, stories[i].wanted, &usual,
		      stories[i].want);
	}
	words_form = "ours";
	words_former = NULL;
}

/* ---- policies ---- */

static struct plan_rules with_policy(enum plan_policy policy)
{
	struct plan_rules rules = usual;

	rules.policy = policy;
	return rules;
}

static void what_a_policy_lets_be_done(void **state)
{
	static const struct {
		const char *zone, *wanted, *sync, *upsert, *create;
	} cases[] = {
		{ "", "A:192.0.2.1",
		  "A create WANTED", "A create WANTED", "A create WANTED" },
		{ "A~us", "A:192.0.2.1",
		  "A create REPAIR", "A create REPAIR", "A create REPAIR" },
		{ "A:192.0.2.9 A~us", "A:192.0.2.1",
		  "A update WANTED", "A update WANTED", "A none POLICY" },
		{ "A:192.0.2.1 A~us", "",
		  "A delete UNWANTED", "A none POLICY", "A none POLICY" },
		{ "A~us", "",
		  "A unmark ORPHAN_MARK", "A none POLICY", "A none POLICY" },
		{ "A:192.0.2.1 A~us", "CNAME:x.example.net.",
		  "A delete UNWANTED, CNAME create WANTED",
		  "A delete UNWANTED, CNAME create WANTED",
		  "A none POLICY, CNAME none POLICY" },
		{ "A:192.0.2.1 A~us", "NS:x.",
		  "A delete UNWANTED, NS create WANTED",
		  "A delete UNWANTED, NS create WANTED",
		  "A none POLICY, NS none POLICY" },
		{ "A:192.0.2.1 A~us AAAA:2001:db8::1 AAAA~us", "A:192.0.2.1",
		  "A none WANTED, AAAA delete UNWANTED",
		  "A none WANTED, AAAA none POLICY",
		  "A none WANTED, AAAA none POLICY" },
	};
	struct plan_rules sync = with_policy(POLICY_SYNC);
	struct plan_rules upsert = with_policy(POLICY_UPSERT_ONLY);
	struct plan_rules create = with_policy(POLICY_CREATE_ONLY);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		check(cases[i].zone, "", cases[i].wanted, &sync, cases[i].sync);
		check(cases[i].zone, "", cases[i].wanted, &upsert, cases[i].upsert);
		check(cases[i].zone, "", cases[i].wanted, &create, cases[i].create);
	}
}

static void what_was_changed_by_hand_may_stay(void **state)
{
	struct plan_rules rules = usual;

	(void)state;
	rules.keeps_drift = true;
	check("A:192.0.2.9 A~us", "A:192.0.2.1", "A:192.0.2.1", &rules, "A none DRIFT");
	check("A:192.0.2.1 A~us", "A:192.0.2.1", "A:192.0.2.2", &rules,
	      "A update WANTED");
	check("A~us", "A:192.0.2.1", "A:192.0.2.1", &rules, "A create REPAIR");
	check("A:192.0.2.9 A~us AAAA:2001:db8::1 AAAA~us", "A:192.0.2.1", "A:192.0.2.1",
	      &rules, "A none DRIFT, AAAA delete UNWANTED");
}

static void a_lost_mark_is_claimed_again_if_we_may(void **state)
{
	struct plan_rules rules = usual;

	(void)state;
	rules.reclaims = true;
	check("A:192.0.2.1", "A:192.0.2.1", "A:192.0.2.1", &rules, "A update MARK_LOST");
	check("A:192.0.2.9", "A:192.0.2.1", "A:192.0.2.1", &rules, "A none MARK_LOST");
	check("A:192.0.2.1", "", "A:192.0.2.1", &rules, "A none UNMANAGED_EQUAL");
	check("A:192.0.2.1 A~them", "A:192.0.2.1", "A:192.0.2.1", &rules,
	      "A none FOREIGN");
}

static void sets_may_stand_beside_those_of_others(void **state)
{
	struct plan_rules rules = usual;

	(void)state;
	rules.by_set = true;
	check("A:192.0.2.1 A~them", "", "AAAA:2001:db8::1", &rules, "AAAA create WANTED");
	check("A:192.0.2.1", "", "CNAME:x.example.net.", &rules,
	      "CNAME none NAME_SHARED");
	check("CNAME:x.example.net.", "", "A:192.0.2.1", &rules, "A none FOREIGN_CNAME");
	check("=/NS:ns.example.net. =/MX:1+x.", "", "=/A:192.0.2.1", &rules,
	      "A create WANTED");
	check("=/NS:ns.example.net. =/A:192.0.2.9 =/A~them", "", "=/A:192.0.2.1", &rules,
	      "A none FOREIGN");
}

static void names_outside_the_filter_are_left_alone(void **state)
{
	struct name within[] = { name_of("in.example.com.") };
	struct name without[] = { name_of("out.in.example.com.") };
	struct plan_rules rules = usual;

	(void)state;
	rules.within = within;
	rules.within_count = 1;
	rules.without = without;
	rules.without_count = 1;
	check("", "", "a.in/A:192.0.2.1", &rules, "A create WANTED");
	check("", "", "in/A:192.0.2.1", &rules, "A create WANTED");
	check("", "", "notin/A:192.0.2.1", &rules, "A none FILTERED");
	check("", "", "a.out.in/A:192.0.2.1", &rules, "A none FILTERED");
	check("b.notin/A:192.0.2.1 b.notin/A~us", "", "", &rules, "A none FILTERED");
	check("b.in/A:192.0.2.1 b.in/A~us", "", "", &rules, "A delete UNWANTED");
}

/* ---- names that several owners share ---- */

/* What the set becomes: addresses by their last octet, as "1 2". */
static void check_part(const char *zone, const char *wanted, const char *want_text,
                       const char *becomes)
{
	struct view *view = view_of(zone);
	struct buf text = { 0 }, left = { 0 };
	struct plan plan;

	print_message("  %s | %s\n", zone, wanted);
	each_token(view, wanted, want);
	plan_make(view, &usual, true, &plan);
	describe(&plan, &text);
	assert_string_equal(buf_string(&text), want_text);
	for (size_t i = 0; plan.count && i < plan.items[0].becomes.count; i++)
		buf_printf(&left, "%s%d", i ? " " : "",
		           plan.items[0].becomes.records[i].octets[3]);
	assert_string_equal(buf_string(&left), becomes);
	buf_clear(&left);
	buf_clear(&text);
	view_free(&view);
}

#define ONE "A:192.0.2.1 "
#define TWO "A:192.0.2.2 "
#define THREE "A:192.0.2.3 "

static void owners_share_a_name(void **state)
{
	static const struct {
		const char *zone, *wanted, *want, *becomes;
	} parts[] = {
		/* the first to come, and the second */
		{ "", "A&:192.0.2.1", "A create WANTED", "1" },
		{ ONE "A&~them=192.0.2.1", "A&:192.0.2.2", "A update WANTED", "1 2" },
		{ ONE "A&~them=192.0.2.1", "A&:192.0.2.1", "A update WANTED", "1" },
		{ ONE "A&~them=192.0.2.1", "A:192.0.2.2", "A none FOREIGN", "" },
		{ ONE "A~them", "A&:192.0.2.2", "A none FOREIGN", "" },
		{ ONE "A&~them=192.0.2.1 A~bad", "A&:192.0.2.2", "A none CONTESTED", "" },
		{ "A&~them=192.0.2.1", "A&:192.0.2.2", "A create WANTED", "2" },
		/* both are there */
		{ ONE TWO "A&~them=192.0.2.1 A&~us=192.0.2.2", "A&:192.0.2.2",
		  "A none WANTED", "1 2" },
		{ ONE TWO "A&~them=192.0.2.1 A&~us=192.0.2.2", "A&:192.0.2.3",
		  "A update WANTED", "1 3" },
		{ ONE TWO "A&~them=192.0.2.1,192.0.2.2 A&~us=192.0.2.2", "A&:192.0.2.3",
		  "A update WANTED", "1 2 3" },
		{ ONE TWO "A&~them=192.0.2.1 A&~us=192.0.2.2", "A:192.0.2.3",
		  "A update WANTED", "1 3" },
		{ ONE "A&~them=192.0.2.1 A&~us=192.0.2.2", "A&:192.0.2.2",
		  "A update WANTED", "1 2" },
		/* one goes */
		{ ONE TWO "A&~them=192.0.2.1 A&~us=192.0.2.2", "",
		  "A leave UNWANTED", "1" },
		{ ONE TWO "A&~them=192.0.2.1,192.0.2.2 A&~us=192.0.2.2", "",
		  "A leave UNWANTED", "1 2" },
		{ TWO "A&~them=192.0.2.1 A&~us=192.0.2.2", "", "A delete UNWANTED", "" },
		{ ONE TWO THREE "A&~them=192.0.2.1 A&~us=192.0.2.2", "",
		  "A leave UNWANTED", "1 3" },
		{ ONE "A&~them=192.0.2.1", "", "", "" },
		/* who is alone has it all */
		{ ONE "A&~us=192.0.2.1", "", "A delete UNWANTED", "" },
		{ ONE "A&~us=192.0.2.1", "A&:192.0.2.1", "A none WANTED", "" },
		{ ONE "A&~us=192.0.2.1", "A&:192.0.2.2", "A update WANTED", "2" },
		{ ONE "A&~us=192.0.2.1", "A:192.0.2.1", "A update WANTED", "1" },
		{ ONE "A~us", "A&:192.0.2.1", "A update WANTED", "1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(parts); i++)
		check_part(parts[i].zone, parts[i].wanted, parts[i].want,
		           parts[i].becomes);
	check("CNAME:x.example.net. CNAME&~them=x.example.net.", "",
	      "CNAME&:y.example.net.", &usual, "CNAME none NAME_SHARED");
	check("", "", "CNAME:x.example.net. CNAME:y.example.net.", &usual,
	      "CNAME none IMPOSSIBLE");
}

static void the_mark_says_what_we_know(void **state)
{
	struct view *view = view_of(ONE TWO "A&~them=192.0.2.1 A&~us=192.0.2.2");
	struct plan plan;
	struct mark mark;

	(void)state;
	each_token(view, "A&:192.0.2.3 b/A:192.0.2.1", want);
	plan_make(view, &usual, true, &plan);
	assert_int_equal(plan.count, 2);
	plan_mark(view, &plan.items[0], &mark);
	assert_string_equal(mark_get(&mark, "owner"), "us");
	assert_string_equal(mark_get(&mark, "shared"), "true");
	assert_int_equal(strlen(mark_get(&mark, "part")), 16);
	plan_mark(view, &plan.items[1], &mark);
	assert_string_equal(mark_get(&mark, "resource"), "test/1");
	assert_null(mark_get(&mark, "shared"));
	view_free(&view);
}

/* ---- too much at once ---- */

/* COUNT sets of ours: the first KEPT are wanted, of these the first CHANGED changed. */
static void make_many(struct plan *plan, struct view **view, size_t count, size_t kept,
                      size_t changed, const struct plan_rules *rules, bool is_complete)
{
	struct name apex = name_of("example.com.");

	*view = view_new(&apex, 1);
	for (size_t i = 0; i < count; i++) {
		char text[80];

		snprintf(text, sizeof(text), "h%zu/A:192.0.2.1 h%zu/A~us", i, i);
		each_token(*view, text, put_in_zone);
	}
	settle(*view);
	for (size_t i = 0; i < kept; i++) {
		char text[80];

		snprintf(text, sizeof(text), "h%zu/A:192.0.2.%d", i, i < changed ? 2 : 1);
		each_token(*view, text, want);
	}
	plan_make(*view, rules, is_complete, plan);
}

static void deletions_and_updates_are_held_when_they_are_too_many(void **state)
{
	static const struct {
		size_t count, kept, changed;
		bool is_complete;
		size_t held, deletes, updates;
	} cases[] = {
		{ 100, 100,   0, true,    0,   0,  0 },
		{ 100,  70,   0, true,    0,  30,  0 },
		{ 100,  69,   0, true,   31,  31,  0 },
		{ 100,  69,   5, true,   31,  31,  5 },
		{ 100,   0,   0, true,  100, 100,  0 },
		{ 100,  99,   0, false,   1,   1,  0 },
		{ 100, 100,  30, true,    0,   0, 30 },
		{ 100, 100,  31, true,   31,   0, 31 },
		{ 100,  99,  31, true,   31,   1, 31 },
		{   9,   0,   0, true,    0,   9,  0 },
		{   9,   0,   0, false,   9,   9,  0 },
		{  10,   6,   0, true,    4,   4,  0 },
	};
	struct plan_rules rules = usual;

	(void)state;
	rules.max_delete_pct = rules.max_update_pct = 30;
	rules.min_records = 10;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct plan plan;
		struct view *view;

		print_message("  %zu\n", i);
		make_many(&plan, &view, cases[i].count, cases[i].kept, cases[i].changed,
		          &rules, cases[i].is_complete);
		assert_int_equal(plan.ours, cases[i].count);
		assert_int_equal(plan.steps[STEP_DELETE], cases[i].deletes);
		assert_int_equal(plan.steps[STEP_UPDATE], cases[i].updates);
		assert_int_equal(plan.held, cases[i].held);
		view_free(&view);
	}
}

static void what_changes_its_type_is_held_whole(void **state)
{
	struct plan_rules rules = usual;

	(void)state;
	rules.max_update_pct = 30;
	check("A:192.0.2.1 A~us", "", "CNAME:x.example.net.", &rules,
	      "A delete UNWANTED!, CNAME create WANTED!");
	rules.max_update_pct = 100;
	rules.max_delete_pct = 30;
	check("A:192.0.2.1 A~us", "", "CNAME:x.example.net.", &rules,
	      "A delete UNWANTED, CNAME create WANTED");
}

/* What could have been wanted, had all been heard: nothing of that is lost. */
static void a_source_that_is_not_complete_holds_what_it_could_lose(void **state)
{
	static const struct {
		const char *form, *former, *zone, *made, *wanted, *want;
	} cases[] = {
		{ "ours", NULL, "", "", "A:192.0.2.1", "A create WANTED" },
		{ "ours", NULL, "A~us", "", "A:192.0.2.1", "A create REPAIR" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "", "A delete UNWANTED!" },
		{ "ours", NULL, "A~us", "", "", "A unmark ORPHAN_MARK!" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.2",
		  "A update WANTED!" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.1 A:192.0.2.2",
		  "A update WANTED" },
		{ "ours", NULL, "A:192.0.2.1 A:192.0.2.2 A~us", "", "A:192.0.2.1",
		  "A update WANTED!" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "A%60:192.0.2.1",
		  "A update WANTED" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "A@test/2:192.0.2.1",
		  "A update WANTED!" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "A:192.0.2.9", "A:192.0.2.2",
		  "A update DRIFT!" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "CNAME:x.",
		  "A delete UNWANTED!, CNAME create WANTED!" },
		{ "ours", NULL, "CNAME:x. CNAME~us", "", "A:192.0.2.1",
		  "A create WANTED!, CNAME delete UNWANTED!" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "AAAA:2001:db8::1",
		  "A delete UNWANTED!, AAAA create WANTED!" },
		{ "ours", NULL, "A:192.0.2.1 A~us", "", "A:192.0.2.1 AAAA:2001:db8::1",
		  "A none WANTED, AAAA create WANTED" },
		{ "ours", NULL, ONE TWO "A&~them=192.0.2.1 A&~us=192.0.2.2", "", "",
		  "A leave UNWANTED!" },
		{ "ours", NULL, ONE TWO "A&~them=192.0.2.1 A&~us=192.0.2.2", "",
		  "A&:192.0.2.3", "A update WANTED!" },
		{ "ours", "plain", "A:192.0.2.1 A~us!plain", "", "A:192.0.2.1",
		  "A update WANTED" },
		{ "ours", "plain", "A:192.0.2.1 A~us!plain", "", "A@test/2:192.0.2.1",
		  "A update WANTED!" },
		{ "plain", NULL, "A~us!plain?", "", "", "TXT unmark ORPHAN_MARK!" },
		{ "seed", NULL, "A:192.0.2.1 A~us", "A:192.0.2.1", "A:192.0.2.2",
		  "A update WANTED!" },
		{ "none", NULL, "A:192.0.2.1 A~us", "", "A@test/2:192.0.2.1",
		  "A update WANTED!" },
	};

	(void)state;
	source_is_complete = false;
	for (size_t i = 0; i < COUNT(cases); i++) {
		words_form = cases[i].form;
		words_former = cases[i].former;
		check(cases[i].zone, cases[i].made, cases[i].wanted, &usual,
		      cases[i].want);
	}
	source_is_complete = true;
	words_form = "ours";
	words_former = NULL;
}

/* A resource that wants nothing of a name keeps what is there, and loses to who wants. */
static void a_wish_without_records_is_impossible(void **state)
{
	static const struct {
		const char *zone, *wanted, *want;
	} cases[] = {
		{ "", "", "A none IMPOSSIBLE" },
		{ "A:192.0.2.1 A~us", "", "A none IMPOSSIBLE" },
		{ "A:192.0.2.1 A~us", "A@port/1:192.0.2.2",
		  "A none IMPOSSIBLE, A update WANTED" },
		{ "CNAME:x. CNAME~us", "", "A none IMPOSSIBLE, CNAME none BLOCKED" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct view *view = view_of(cases[i].zone);
		struct name name = name_of("www.example.com.");
		struct desired nothing = { .rrset.type = RR_A, .resource = "test/9" };
		struct buf text = { 0 };
		struct plan plan;

		each_token(view, cases[i].wanted, want);
		plan_add_endpoint(view, &name, &nothing);
		plan_make(view, &usual, true, &plan);
		describe(&plan, &text);
		assert_string_equal(buf_string(&text), cases[i].want);
		buf_clear(&text);
		view_free(&view);
	}
}

/* What cannot be ours takes no room at its name, however much of it is wanted. */
static void a_name_is_not_filled_with_what_cannot_be_ours(void **state)
{
	enum { FIRST = 1000, COUNT_OF_TYPES = 3000 };
	struct view *view = view_of("A:192.0.2.1 A~us HINFO:a+b");
	struct name name = name_of("www.example.com.");
	struct rdata rdata = { (const uint8_t *)"abcd", 4 };
	struct plan plan;

	(void)state;
	for (uint16_t i = 0; i < COUNT_OF_TYPES; i++) {
		struct desired desired = { .rrset = { (uint16_t)(FIRST + i), 0, 1, 1,
		                                      &rdata },
		                           .resource = "test/1" };

		plan_add_endpoint(view, &name, &desired);
	}
	each_token(view, "A:192.0.2.1 HINFO:c+d AAAA:2001:db8::1", want);
	plan_make(view, &usual, true, &plan);
	assert_int_equal(plan.count, COUNT_OF_TYPES + 3);
	assert_int_equal(plan.reasons[REASON_PROTECTED], COUNT_OF_TYPES + 1);
	assert_int_equal(plan.reasons[REASON_WANTED], 2);
	assert_int_equal(view_find(view, &name)->types, 3);
	view_free(&view);
}

/* ---- whatever the zone is ---- */

static const char *const zone_words[] = {
	"A:192.0.2.1", "A:192.0.2.2", "A~us", "A~them", "A~bad", "A~mate",
	"AAAA:2001:db8::1", "AAAA~us", "AAAA~them", "CNAME:x.example.net.", "CNAME~us",
	"CNAME~them", "TXT:a", "TXT~us", "TXT~them", "HINFO:a+b", "_own-a.www/TXT:b",
	"_own-cname.www/CNAME:y.example.net.", "=/DNAME:x.example.net.",
};
static const char *const wish_words[] = {
	"A:192.0.2.1", "A:192.0.2.2", "A@port/1:192.0.2.3", "AAAA:2001:db8::1",
	"AAAA:2001:db8::2", "CNAME:x.example.net.", "CNAME@route/1:y.example.net.",
	"TXT:a",
};

static void some_words(const char *const *words, size_t count, char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		if (random() % 4 == 0) {
			strcat(text, words[i]);
			strcat(text, " ");
		}
}

/* By the words alone: has the zone such a set or such a mark? */
static bool has_word(const char *zone, const char *type, char sign, const char *rest)
{
	char word[32];

	snprintf(word, sizeof(word), " %s%c%s", type, sign, rest);
	return strstr(zone, word);
}

/* Only marks of ours are at it. */
static bool is_only_ours(const char *zone, const char *type)
{
	return has_word(zone, type, '~', "us") && !has_word(zone, type, '~', "them") &&
	       !has_word(zone, type, '~', "bad") && !has_word(zone, type, '~', "mate");
}

static void check_step(const char *zone, const struct plan *plan, size_t at)
{
	const struct plan_item *item = &plan->items[at];
	char type[16];

	rrtype_format(item->type, type);
	if (item->step == STEP_NONE)
		return;
	if (item->step == STEP_CREATE)
		assert_false(has_word(zone, type, ':', ""));
	else
		assert_true(is_only_ours(zone, type));
	if (item->step == STEP_CREATE && has_word(zone, type, '~', ""))
		assert_true(is_only_ours(zone, type));
}

/* After the plan a CNAME is alone, or as alone as it was. */
static void check_cname(const char *zone, const struct plan *plan)
{
	static const char *const types[] = { "A", "AAAA", "CNAME", "TXT", "HINFO" };
	bool is[COUNT(types)], created = false;
	size_t others = 0;

	for (size_t i = 0; i < COUNT(types); i++) {
		is[i] = has_word(zone, types[i], ':', "");
		for (size_t j = 0; j < plan->count; j++) {
			const struct plan_item *item = &plan->items[j];

			if (item->type != type_of(types[i]))
				continue;
			created |= item->step == STEP_CREATE;
			is[i] = item->step == STEP_NONE ? is[i]
			                                : item->step != STEP_DELETE &&
			                                  item->step != STEP_UNMARK;
		}
		others += i != 2 && is[i];
	}
	if (created)
		assert_false(is[2] && others);
}

static void no_plan_touches_what_is_not_ours(void **state)
{
	size_t done = 0;

	(void)state;
	srandom(7);
	for (int round = 0; round < rounds(20000); round++) {
		char zone[512] = " ", wishes[512];
		struct plan plan;

		some_words(zone_words, COUNT(zone_words), zone + 1);
		some_words(wish_words, COUNT(wish_words), wishes);
		struct view *view = view_of(zone);
		each_token(view, wishes, want);
		plan_make(view, &usual, true, &plan);
		for (size_t i = 0; i < plan.count; i++) {
			check_step(zone, &plan, i);
			done += plan.items[i].step != STEP_NONE;
		}
		check_cname(zone, &plan);
		view_free(&view);
	}
	assert_true(done > (size_t)rounds(5000));
}

/* ---- orders ---- */

static void older_orders_go_first_and_newer_ones_wait(void **state)
{
	static const struct {
		const char *zone, *wanted;
		enum plan_order_kind deeds[2];	/* the older one first */
		const char *want;
		size_t waits[2];		/* of each, as is not done yet */
	} cases[] = {
		{ "A:192.0.2.1 A~us", "", { ORDER_RELEASE, ORDER_TRANSFER },
		  "A unmark RELEASED", { 0, 1 } },
		{ "A:192.0.2.1 A~us", "", { ORDER_TRANSFER, ORDER_RELEASE },
		  "A update GIVEN", { 0, 1 } },
		/* one that the set does not fit is none for it */
		{ "A:192.0.2.1", "A:192.0.2.1", { ORDER_RELEASE, ORDER_ADOPT },
		  "A update ADOPTED", { 0, 0 } },
		{ "A:192.0.2.1 A~us", "A:192.0.2.1", { ORDER_ADOPT, ORDER_RELEASE },
		  "A unmark RELEASED", { 0, 0 } },
		/* what fits only when the older one was done */
		{ "A:192.0.2.1 A~us", "A:192.0.2.1", { ORDER_RELEASE, ORDER_ADOPT },
		  "A unmark RELEASED", { 0, 1 } },
		{ "A:192.0.2.1 A~us", "", { ORDER_RELEASE, ORDER_ADOPT },
		  "A unmark RELEASED", { 0, 0 } },
		{ "A:192.0.2.1 A~them", "", { ORDER_RELEASE, ORDER_TRANSFER }, "",
		  { 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct view *view = view_of(cases[i].zone);
		struct name name = name_of("www.example.com.");
		const enum plan_order_kind *deeds = cases[i].deeds;
		struct plan_order orders[2] = { { .kind = deeds[0], .to = "them" },
		                                { .kind = deeds[1], .to = "them" } };
		struct buf text = { 0 };
		struct plan plan;

		each_token(view, cases[i].wanted, want);
		for (size_t at = 0; at < COUNT(orders); at++)
			plan_order(view, &name, &orders[at]);
		plan_make(view, &usual, true, &plan);
		describe(&plan, &text);
		print_message("  %s | %s\n", cases[i].zone, cases[i].want);
		assert_string_equal(buf_string(&text), cases[i].want);
		for (size_t at = 0; at < COUNT(orders); at++)
			assert_int_equal(orders[at].waiting, cases[i].waits[at]);
		buf_clear(&text);
		view_free(&view);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_what_is_done),
		cmocka_unit_test(the_same_in_each_form),
		cmocka_unit_test(what_a_policy_lets_be_done),
		cmocka_unit_test(what_was_changed_by_hand_may_stay),
		cmocka_unit_test(a_lost_mark_is_claimed_again_if_we_may),
		cmocka_unit_test(sets_may_stand_beside_those_of_others),
		cmocka_unit_test(names_outside_the_filter_are_left_alone),
		cmocka_unit_test(owners_share_a_name),
		cmocka_unit_test(the_mark_says_what_we_know),
		cmocka_unit_test(deletions_and_updates_are_held_when_they_are_too_many),
		cmocka_unit_test(what_changes_its_type_is_held_whole),
		cmocka_unit_test(a_source_that_is_not_complete_holds_what_it_could_lose),
		cmocka_unit_test(a_wish_without_records_is_impossible),
		cmocka_unit_test(a_name_is_not_filled_with_what_cannot_be_ours),
		cmocka_unit_test(no_plan_touches_what_is_not_ours),
		cmocka_unit_test(older_orders_go_first_and_newer_ones_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
