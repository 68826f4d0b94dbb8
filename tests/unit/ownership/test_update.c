#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include "model_server.h"
#include "zone_words.h"

/* ---- from words to the server, and from there to a plan ---- */

static struct server server_of(const char *zone)
{
	struct view *view = view_of(zone);
	struct server server = { 0 };

	for (const struct node *node = view_first(view); node; node = node->next) {
		struct update_rr rr = { .kind = UPDATE_ADD, .ttl = TTL };

		node_name(node, &rr.name);
		rr.type = RR_TXT;
		for (size_t i = 0; i < node->marks.count; i++) {
			rr.rdata = node->marks.records[i];
			put_record(&server, &rr);
		}
		for (const struct view_set *set = node->sets; set;
		     set = set->next)
			for (size_t i = 0; i < set->rrset.count; i++) {
				rr.type = set->rrset.type;
				rr.rdata = set->rrset.records[i];
				put_record(&server, &rr);
			}
	}
	view_free(&view);
	return server;
}

static struct view *read_server(const struct server *server)
{
	struct name apex = name_of("example.com.");
	struct view *view = view_new(&apex, 1);

	for (size_t i = 0; i < server->count; i++) {
		const struct stored *record = &server->zone[i];

		view_add(view, &record->name, record->type, record->ttl,
		         (struct rdata){ record->data, record->len });
	}
	settle(view);
	return view;
}

/* A view of the server, what is planned for it, and the one update of that. */
struct round {
	struct view *view;
	struct plan plan;
	struct update update;
};

static void begin_round_with(struct round *round, const struct server *server,
                             const char *made_text, const char *wishes)
{
	round->view = read_server(server);
	each_token(round->view, made_text, made);
	each_token(round->view, wishes, want);
	plan_make(round->view, &usual, true, &round->plan);
	update_make(round->view, round->plan.items, round->plan.count, TTL,
	            &round->update);
}

static void begin_round(struct round *round, const struct server *server,
                        const char *wishes)
{
	begin_round_with(round, server, "", wishes);
}

static void end_round(struct round *round)
{
	view_free(&round->view);
}

/* ---- what an update says ---- */

static void describe_rr(const struct update_rr *rr, struct buf *text)
{
	static const char *const signs[] = {
		[UPDATE_SET_IS]     = "is",
		[UPDATE_NO_SET]     = "no",
		[UPDATE_NO_NAME]    = "unused",
		[UPDATE_DELETE_SET] = "drop",
		[UPDATE_DELETE]     = "del",
		[UPDATE_ADD]        = "add",
	};
	char name[NAME_MAX_TEXT + 1], type[16] = "";

	name_format(&rr->name, name);
	*strstr(name, ".example.com.") = '\0';
	if (rr->type)
		rrtype_format(rr->type, type);
	buf_printf(text, "%s%s %s%s%s", text->len ? ", " : "", signs[rr->kind], name,
	           *type ? " " : "", type);
	if (rr->rdata.len == 4)
		buf_printf(text, " %d", rr->rdata.octets[3]);
}

static void check_text(const struct update_rrs *rrs, const char *want_text)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < rrs->count; i++)
		describe_rr(&rrs->rrs[i], &text);
	assert_string_equal(buf_string(&text), want_text);
	buf_clear(&text);
}

/* That there is no such set? */
static bool is_asked_for(const struct update_rrs *rrs, const struct name *name,
                         uint16_t type)
{
	for (size_t i = 0; i < rrs->count; i++)
		if (rrs->rrs[i].kind == UPDATE_NO_SET && rrs->rrs[i].type == type &&
		    name_equal(&rrs->rrs[i].name, name))
			return true;
	return false;
}

static const struct {
	const char *zone, *wishes, *required, *changes;
} updates[] = {
	{ "A:192.0.2.1 A~us", "A:192.0.2.1", "", "" },
	{ "A:192.0.2.1", "A:192.0.2.2", "", "" },
	{ "", "A:192.0.2.1 A:192.0.2.2",
	  "no www A, no www CNAME, no _own-a.www TXT, no _own-a.www CNAME",
	  "add www A 1, add www A 2, add _own-a.www TXT" },
	{ "", "CNAME:x.example.net.",
	  "unused www, no _own-cname.www TXT, no _own-cname.www CNAME",
	  "add www CNAME, add _own-cname.www TXT" },
	{ "A~us", "A:192.0.2.1",
	  "no www A, no www CNAME, is _own-a.www TXT", "add www A 1" },
	{ "A:192.0.2.1 A:192.0.2.2 A~us", "A:192.0.2.2 A:192.0.2.3",
	  "is www A 1, is www A 2, is _own-a.www TXT",
	  "del www A 1, add www A 3" },
	{ "A:192.0.2.1 A~us", "A%60:192.0.2.1",
	  "is www A 1, is _own-a.www TXT", "drop www A, add www A 1" },
	{ "A:192.0.2.1 A~us", "A@test/2:192.0.2.1",
	  "is www A 1, is _own-a.www TXT", "del _own-a.www TXT, add _own-a.www TXT" },
	{ "A:192.0.2.1 A~us", "",
	  "is www A 1, is _own-a.www TXT", "drop www A, del _own-a.www TXT" },
	{ "A~us", "", "no www A, is _own-a.www TXT", "del _own-a.www TXT" },
	{ "A:192.0.2.1 A~us _own-a.www/TXT:other", "",
	  "is www A 1, is _own-a.www TXT, is _own-a.www TXT",
	  "drop www A, del _own-a.www TXT" },
	{ "CNAME:x.example.net. CNAME~us", "A:192.0.2.1",
	  "no www A, is www CNAME, is _own-cname.www TXT, no _own-a.www TXT, "
	  "no _own-a.www CNAME",
	  "drop www CNAME, del _own-cname.www TXT, add www A 1, add _own-a.www TXT" },
	{ "A:192.0.2.1 A&~them=192.0.2.1", "A&:192.0.2.2",
	  "is www A 1, is _own-a.www TXT", "add www A 2, add _own-a.www TXT" },
	{ "A:192.0.2.1 A:192.0.2.2 A&~them=192.0.2.1 A&~us=192.0.2.2", "",
	  "is www A 1, is www A 2, is _own-a.www TXT, is _own-a.www TXT",
	  "del www A 2, del _own-a.www TXT" },
};

static void what_an_update_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(updates); i++) {
		struct server server = server_of(updates[i].zone);
		struct round round;

		print_message("  %s | %s\n", updates[i].zone, updates[i].wishes);
		begin_round(&round, &server, updates[i].wishes);
		check_text(&round.update.prerequisites, updates[i].required);
		check_text(&round.update.changes, updates[i].changes);
		end_round(&round);
	}
}

#define TWINS "a-team/A:192.0.2.1 a-team/A~us!plain? a-team/A~us"

/* The same in other forms, and from one to another; required of NULL: very much. */
static const struct {
	const char *form, *former, *zone, *made, *wishes, *required, *changes;
} moves[] = {
	/* a mark moves with its set's update */
	{ "ours", "plain", "A:192.0.2.1 A~us!plain", "", "A:192.0.2.1",
	  "is www A 1, is a-www TXT, no _own-a.www TXT, no _own-a.www CNAME",
	  "del a-www TXT, add _own-a.www TXT" },
	{ "ours", "plain", "A:192.0.2.1 A~us!plain A~us", "", "A:192.0.2.1",
	  "is www A 1, is _own-a.www TXT, is a-www TXT", "del a-www TXT" },
	{ "ours", "plain", "A:192.0.2.1 A~us!plain A~us", "", "",
	  "is www A 1, is _own-a.www TXT, is a-www TXT",
	  "drop www A, del _own-a.www TXT, del a-www TXT" },
	{ "ours", "plain", "A~us!plain A~us", "", "",
	  "no www A, is _own-a.www TXT, is a-www TXT",
	  "del _own-a.www TXT, del a-www TXT" },
	{ "seed", "ours", "A:192.0.2.1 A~us!ours", "", "A:192.0.2.1",
	  "is www A 1, is _own-a.www TXT, no www TXT, no www CNAME",
	  "del _own-a.www TXT, add www TXT" },
	{ "none", "ours", "A:192.0.2.1 A~us!ours", "", "A:192.0.2.1",
	  "is www A 1, is _own-a.www TXT", "del _own-a.www TXT" },
	{ "ours", NULL, "A:192.0.2.1 A~us", "", "NS:x.", NULL,
	  "drop www A, del _own-a.www TXT, add www NS, add ns-www TXT" },
	{ "seed", "plain", "A~us!plain?", "", "NS:x.", NULL,
	  "del www TXT, add www NS, add ns-www TXT" },
	{ "plain", NULL, "A~us!plain?", "", "CNAME:x.", NULL,
	  "del www TXT, add www CNAME, add cname-www TXT" },
	/* one of old is for all sets that it can be for, and goes with the last */
	{ "plain", NULL, "A:192.0.2.1 MX:1+x. A~us!plain?", "A:192.0.2.1", "",
	  "is www A 1, is www TXT", "drop www A" },
	{ "plain", NULL, "A:192.0.2.1 MX:1+x. A~us!plain?", "A:192.0.2.1 MX:1+x.", "",
	  "is www A 1, is www MX, is www TXT", "drop www A, drop www MX, del www TXT" },
	{ "plain", NULL, "A:192.0.2.1 MX:1+x. A~us!plain?", "", "A:192.0.2.1 MX:1+x.",
	  "is www MX, is www A 1, is www TXT, no mx-www TXT, no mx-www CNAME, "
	  "no a-www TXT, no a-www CNAME",
	  "del www TXT, add mx-www TXT, add a-www TXT" },
	{ "seed", NULL, "A:192.0.2.1 AAAA:2001:db8::1 A~us", "A:192.0.2.1",
	  "AAAA:2001:db8::1", "is www A 1, is www TXT", "drop www A" },
	{ "seed", NULL, "A:192.0.2.1 AAAA:2001:db8::1 A~us", "A:192.0.2.1 "
	  "AAAA:2001:db8::1", "",
	  "is www A 1, is www AAAA, is www TXT",
	  "drop www A, drop www AAAA, del www TXT" },
	{ "seed", NULL, "", "", "A:192.0.2.1 AAAA:2001:db8::1",
	  "unused www, unused www, no www TXT, no www CNAME",
	  "add www AAAA, add www A 1, add www TXT" },
	/* of a copy that names no type only the copy goes */
	{ "txt-", "seed", "*/CNAME:x. */CNAME~us */CNAME~us!txt-?", "", "*/CNAME:x.",
	  "no * TXT, is txt-* TXT, is txt-cname-wild TXT", "del txt-* TXT" },
	/* what may be another name's stays */
	{ "-own", "seed", "TXT:a=b TXT~us txt-www/NS:x. txt-www/NS~us!seed",
	  "", "txt-www/NS:x.",
	  "is txt-www NS, is ns-txt-www TXT, is txt-www-own TXT, "
	  "no ns-txt-www-own TXT, no ns-txt-www-own CNAME",
	  "del ns-txt-www TXT, add ns-txt-www-own TXT" },
	/* one that could be for two sets goes with what is ours of them */
	{ "plain", "txt-", "A:192.0.2.1 A~us!txt-", "", "A:192.0.2.1",
	  "is www A 1, is txt-a-www TXT, no a-www TXT, no a-www CNAME",
	  "del txt-a-www TXT, add a-www TXT" },
	{ "plain", NULL, "team/A:192.0.2.9 " TWINS, "", "",
	  "is a-team A 1, is a-a-team TXT, is a-team TXT",
	  "drop a-team A, del a-a-team TXT, del a-team TXT" },
	{ "plain", NULL, "team/A:192.0.2.9 " TWINS, "", "a-team/A:192.0.2.2",
	  "is a-team A 1, is a-a-team TXT, is a-team TXT",
	  "del a-team A 1, add a-team A 2" },
	{ "plain", NULL, TWINS, "", "a-team/A:192.0.2.2",
	  "is a-team A 1, is a-a-team TXT, is a-team TXT",
	  "del a-team A 1, del a-team TXT, add a-team A 2" },
	/* text beside marks is told as one set, and dropped record by record */
	{ "seed", NULL, "A:192.0.2.1 A~us TXT:a=b TXT~us", "A:192.0.2.1", "A:192.0.2.1",
	  "is www TXT, is www TXT 98, is txt-www TXT",
	  "del www TXT 98, del txt-www TXT" },
	{ "seed", NULL, "A:192.0.2.1 A~us TXT:a=b TXT~us", "A:192.0.2.1", "TXT:a=b",
	  "is www A 1, is www TXT, is www TXT 98, is txt-www TXT",
	  "drop www A, del www TXT" },
	{ "seed", NULL, "A:192.0.2.1 A~us TXT:a=b TXT~us", "A:192.0.2.1",
	  "A:192.0.2.1 TXT%60:a=b", "is www TXT, is www TXT 98, is txt-www TXT",
	  "del www TXT 98, add www TXT 98" },
	/* of a set that is shared all marks are as they were read */
	{ "ours", "plain", "A:192.0.2.1 A&~them=192.0.2.1!plain", "", "A&:192.0.2.2",
	  "is www A 1, is a-www TXT, no _own-a.www TXT, no _own-a.www CNAME",
	  "add www A 2, add _own-a.www TXT" },
	{ "ours", "plain", "A:192.0.2.1 A&~them=192.0.2.1!plain A&~us=192.0.2.1", "", "",
	  "is www A 1, is _own-a.www TXT, is a-www TXT", "del _own-a.www TXT" },
};

static void what_an_update_says_in_other_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(moves); i++) {
		words_form = moves[i].form;
		words_former = moves[i].former;
		struct server server = server_of(moves[i].zone);
		struct round round;

		print_message("  %s %s | %s\n", words_form, moves[i].zone,
		              moves[i].wishes);
		begin_round_with(&round, &server, moves[i].made, moves[i].wishes);
		if (moves[i].required)
			check_text(&round.update.prerequisites, moves[i].required);
		check_text(&round.update.changes, moves[i].changes);
		assert_true(take(&server, &round.update));
		end_round(&round);
	}
	words_form = "ours";
	words_former = NULL;
}

static size_t count_kind(const struct update_rrs *rrs, enum update_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < rrs->count; i++)
		count += rrs->rrs[i].kind == kind;
	return count;
}

/* Where a name is in use, "nothing else" is said for each type that a zone may have. */
static void what_must_be_alone_asks_for_each_type(void **state)
{
	static const struct {
		const char *form, *zone, *wishes;
	} cases[] = {
		{ "ours", "A:192.0.2.1 A~us", "CNAME:x." },
		{ "plain", "TXT:a TXT~us", "NS:x." },
		{ "seed", "A:192.0.2.1 A~us", "A:192.0.2.1 AAAA:2001:db8::1" },
		{ "seed", "A~us", "AAAA:2001:db8::1" },
		{ "plain", "A~us!plain?", "CNAME:x." },
	};
	static const uint16_t some_types[] = { RR_A, RR_NS, RR_CNAME, RR_SOA, RR_PTR, 13,
	                                       RR_MX, RR_TXT, RR_AAAA, RR_SRV, RR_NAPTR,
	                                       RR_DNAME, RR_DS, RR_SSHFP, RR_DNSKEY,
	                                       RR_TLSA, RR_SVCB, RR_HTTPS, RR_CAA, 99,
	                                       3, 7, 11, 14, 38, 264 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		words_form = cases[i].form;
		struct server server = server_of(cases[i].zone);
		struct name www = name_of("www.example.com.");
		struct round round;

		begin_round(&round, &server, cases[i].wishes);
		const struct update_rrs *required = &round.update.prerequisites;

		print_message("  %s | %s\n", cases[i].zone, cases[i].wishes);
		assert_true(count_kind(required, UPDATE_NO_SET) > 60);
		for (size_t j = 0; j < COUNT(some_types); j++)
			assert_true(!count_set(&server, &www, some_types[j]) ==
			            is_asked_for(required, &www, some_types[j]));
		assert_true(take(&server, &round.update));
		end_round(&round);
	}
	words_form = "ours";
}

/* What has to be at a mark's place is as it was, and it has one TTL. */
static void a_mark_beside_others_has_their_ttl(void **state)
{
	struct server server = server_of("A:192.0.2.1 A&~them=192.0.2.1");
	struct round round;

	(void)state;
	for (size_t i = 0; i < server.count; i++)
		server.zone[i].ttl = 77;
	begin_round(&round, &server, "A&:192.0.2.2");
	assert_true(take(&server, &round.update));
	for (size_t i = 0; i < server.count; i++)
		assert_int_equal(server.zone[i].ttl, 77);
	assert_int_equal(server.count, 4);
	end_round(&round);
}

/* A CNAME that takes the place of something: nothing else may come meanwhile. */
static void a_cname_that_replaces_meets_nothing(void **state)
{
	static const char *const comers[] = {
		"TXT:new", "MX:10+mx.example.net.", "AAAA:2001:db8::9",
		"SRV:1+1+1+x.example.net.",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(comers); i++) {
		char meanwhile[128];
		struct server server = server_of("A:192.0.2.1 A~us"), moved;
		struct round round;

		snprintf(meanwhile, sizeof(meanwhile), "A:192.0.2.1 A~us %s", comers[i]);
		moved = server_of(meanwhile);
		begin_round(&round, &server, "CNAME:x.example.net.");
		assert_false(take(&moved, &round.update));
		assert_true(take(&server, &round.update));
		end_round(&round);
	}
}

/* A TTL cannot be required: theirs may be lost, but no record is. */
static void a_ttl_that_changes_meanwhile_changes_no_record(void **state)
{
	static const char *const wishes[] = {
		"A:192.0.2.1 A:192.0.2.3", "A%60:192.0.2.1 A%60:192.0.2.2",
		"A:192.0.2.1 A:192.0.2.2", "A@test/2:192.0.2.2", "",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wishes); i++) {
		struct server server = server_of("A:192.0.2.1 A:192.0.2.2 A~us "
		                                 "b/A:192.0.2.9");
		struct server moved = server;
		struct round round;

		for (size_t j = 0; j < moved.count; j++)
			moved.zone[j].ttl = 999;
		begin_round(&round, &server, wishes[i]);
		assert_true(take(&server, &round.update));
		assert_true(take(&moved, &round.update));
		assert_int_equal(moved.count, server.count);
		for (size_t j = 0; j < server.count; j++) {
			assert_int_equal(moved.zone[j].len, server.zone[j].len);
			assert_memory_equal(moved.zone[j].data, server.zone[j].data,
			                    server.zone[j].len);
		}
		end_round(&round);
	}
}

static void what_is_held_is_not_sent(void **state)
{
	struct server server = server_of("A:192.0.2.1 A~us");
	struct plan_rules rules = usual;
	struct round round;

	(void)state;
	rules.max_delete_pct = 30;
	begin_round(&round, &server, "");
	plan_make(round.view, &rules, true, &round.plan);
	assert_int_equal(round.plan.held, 1);
	update_make(round.view, round.plan.items, round.plan.count, TTL,
	            &round.update);
	assert_int_equal(round.update.changes.count, 0);
	end_round(&round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_update_says),
		cmocka_unit_test(what_an_update_says_in_other_forms),
		cmocka_unit_test(what_must_be_alone_asks_for_each_type),
		cmocka_unit_test(a_mark_beside_others_has_their_ttl),
		cmocka_unit_test(a_cname_that_replaces_meets_nothing),
		cmocka_unit_test(a_ttl_that_changes_meanwhile_changes_no_record),
		cmocka_unit_test(what_is_held_is_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
