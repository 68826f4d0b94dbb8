#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include "core/update.h"
#include "zone_words.h"

/* ---- a server, by the words of RFC 2136 ---- */

enum { ZONE_MAX = 64, DATA_MAX = 512 };

struct stored {
	struct name name;
	uint16_t type;
	uint32_t ttl;
	uint16_t len;
	uint8_t data[DATA_MAX];
};

struct server {
	struct stored zone[ZONE_MAX];
	size_t count;
};

static bool is_record(const struct stored *record, const struct update_rr *rr)
{
	return record->type == rr->type && name_equal(&record->name, &rr->name) &&
	       record->len == rr->rdata.len &&
	       !memcmp(record->data, rr->rdata.octets, record->len);
}

static size_t count_set(const struct server *server, const struct name *name,
                        uint16_t type)
{
	size_t count = 0;

	for (size_t i = 0; i < server->count; i++)
		count += name_equal(&server->zone[i].name, name) &&
		         (!type || server->zone[i].type == type);
	return count;
}

static bool has_record(const struct server *server, const struct update_rr *rr)
{
	for (size_t i = 0; i < server->count; i++)
		if (is_record(&server->zone[i], rr))
			return true;
	return false;
}

/* 3.2.3: of a set that is told by its records there must be just so many. */
static size_t count_told(const struct update_rrs *rrs, const struct update_rr *like)
{
	size_t count = 0;

	for (size_t i = 0; i < rrs->count; i++)
		count += rrs->rrs[i].kind == UPDATE_SET_IS &&
		         rrs->rrs[i].type == like->type &&
		         name_equal(&rrs->rrs[i].name, &like->name);
	return count;
}

static bool holds(const struct server *server, const struct update_rrs *rrs,
                  const struct update_rr *rr)
{
	switch (rr->kind) {
	case UPDATE_NO_NAME:
		return !count_set(server, &rr->name, 0);
	case UPDATE_NO_SET:
		return !count_set(server, &rr->name, rr->type);
	case UPDATE_SET_IS:
		return has_record(server, rr) &&
		       count_set(server, &rr->name, rr->type) == count_told(rrs, rr);
	default:
		assert_true(false);
		return false;
	}
}

static void drop(struct server *server, size_t at)
{
	server->zone[at] = server->zone[--server->count];
}

/* 3.4.2.2: nothing comes beside a CNAME, and no CNAME beside another set. */
static bool is_ignored(const struct server *server, const struct update_rr *rr)
{
	size_t cnames = count_set(server, &rr->name, RR_CNAME);

	return rr->type == RR_CNAME ? count_set(server, &rr->name, 0) > cnames : cnames;
}

static void put_record(struct server *server, const struct update_rr *rr)
{
	struct stored *to = &server->zone[server->count];

	assert_true(server->count < ZONE_MAX && rr->rdata.len <= DATA_MAX);
	if (is_ignored(server, rr) || has_record(server, rr))
		return;
	*to = (struct stored){ .name = rr->name, .type = rr->type, .ttl = rr->ttl,
	                       .len = rr->rdata.len };
	memcpy(to->data, rr->rdata.octets, rr->rdata.len);
	server->count++;
}

static void make_change(struct server *server, const struct update_rr *rr)
{
	if (rr->kind == UPDATE_ADD) {
		put_record(server, rr);
		return;
	}
	for (size_t i = server->count; i-- > 0; )
		if (rr->kind == UPDATE_DELETE
		    ? is_record(&server->zone[i], rr)
		    : server->zone[i].type == rr->type &&
		      name_equal(&server->zone[i].name, &rr->name))
			drop(server, i);
}

/* False: a prerequisite does not hold, and nothing was done. */
static bool take(struct server *server, const struct update *update)
{
	const struct update_rrs *required = &update->prerequisites;

	for (size_t i = 0; i < required->count; i++)
		if (!holds(server, required, &required->rrs[i]))
			return false;
	for (size_t i = 0; i < update->changes.count; i++)
		make_change(server, &update->changes.rrs[i]);
	return true;
}

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
		for (const struct holding *holding = node->holdings; holding;
		     holding = holding->next)
			for (size_t i = 0; i < holding->is.count; i++) {
				rr.type = holding->is.type;
				rr.rdata = holding->is.records[i];
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

static void begin_round(struct round *round, const struct server *server,
                        const char *wishes)
{
	round->view = read_server(server);
	each_token(round->view, wishes, want);
	plan_make(round->view, &usual, true, &round->plan);
	update_make(round->view, round->plan.items, round->plan.count, TTL,
	            &round->update);
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

/* ---- whatever the zone is, and whoever writes meanwhile ---- */

static const char *const words[] = {
	"A:192.0.2.1", "A:192.0.2.2", "A~us", "A~them", "A&~us=192.0.2.1",
	"A&~them=192.0.2.2", "AAAA:2001:db8::1", "AAAA~us", "CNAME:x.example.net.",
	"CNAME~us", "TXT:a", "TXT~us", "TXT~them", "MX:10+mx.example.net.",
	"_own-a.www/TXT:b", "_own-aaaa.www/CNAME:y.example.net.", "_own-cname.www/TXT:c",
};
static const char *const wishes[] = {
	"A:192.0.2.1", "A:192.0.2.3", "A&:192.0.2.1", "A%60:192.0.2.1",
	"AAAA:2001:db8::1", "AAAA:2001:db8::2", "CNAME:x.example.net.",
	"CNAME:z.example.net.", "TXT:a",
};

static void some(const char *const *from, size_t count, int one_in, char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		if (random() % one_in == 0) {
			strcat(text, from[i]);
			strcat(text, " ");
		}
}

static bool is_mark_of(const struct stored *record, const char *owner)
{
	struct arena *arena = arena_new();
	struct mark mark;
	enum mark_kind kind = mark_read(record->data, record->len, false, arena, &mark);
	bool is = record->type == RR_TXT && kind == MARK_OWNED &&
	          !strcmp(mark_get(&mark, "owner"), owner);

	arena_free(&arena);
	return is;
}

/* Whose sets the records are that are not marks, by what the zone said before. */
static bool is_of_ours(const struct view *before, const struct stored *record)
{
	const struct node *node = view_find(before, &record->name);
	const struct holding *holding = node ? node_holding(node, record->type) : NULL;

	if (!holding || !holding->ours)
		return false;
	return holding->whose == WHOSE_OURS || holding->whose == WHOSE_SHARED;
}

/* All that was another's is there yet. */
static void check_others(const struct view *view, const struct server *before,
                         const struct server *after)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct stored *record = &before->zone[i];
		struct update_rr rr = { .name = record->name, .type = record->type,
		                        .rdata = { record->data, record->len } };

		if (!is_mark_of(record, "us") && !is_of_ours(view, record))
			assert_true(has_record(after, &rr));
	}
}

/* Soon there is nothing to do: who joined a shared name may have more there only then. */
static void check_settles(struct server *server, const char *wanted)
{
	struct round round;
	size_t changes = 1;

	for (int i = 0; changes && i < 3; i++) {
		begin_round(&round, server, wanted);
		changes = round.update.changes.count;
		assert_true(take(server, &round.update));
		end_round(&round);
	}
	assert_int_equal(changes, 0);
}

static void one_update_does_what_was_planned_and_no_more(void **state)
{
	size_t sent = 0;

	(void)state;
	srandom(3);
	for (int i = 0; i < 20000; i++) {
		char zone[1024], wanted[1024];
		struct server before, after;
		struct round round;

		some(words, COUNT(words), 4, zone);
		some(wishes, COUNT(wishes), 4, wanted);
		before = after = server_of(zone);
		begin_round(&round, &before, wanted);
		if (round.update.changes.count) {
			assert_true(take(&after, &round.update));
			check_others(round.view, &before, &after);
			check_settles(&after, wanted);
			sent++;
		}
		end_round(&round);
	}
	assert_true(sent > 3000);
}

/* The zone is another by the time that it comes: it is refused, or harms nobody. */
static void who_was_faster_loses_nothing(void **state)
{
	size_t refused = 0, taken = 0;

	(void)state;
	srandom(4);
	for (int i = 0; i < 20000; i++) {
		char zone[1024], wanted[1024];
		struct server read, now, after;
		struct round round;
		struct view *view;

		some(words, COUNT(words), 4, zone);
		some(wishes, COUNT(wishes), 4, wanted);
		read = server_of(zone);
		strcat(zone, words[(size_t)random() % COUNT(words)]);
		now = after = server_of(zone);
		begin_round(&round, &read, wanted);
		if (round.update.changes.count) {
			bool was_taken = take(&after, &round.update);

			view = read_server(&now);
			taken += was_taken;
			refused += !was_taken;
			if (was_taken)
				check_others(view, &now, &after);
			else
				assert_memory_equal(&now, &after, sizeof(now));
			view_free(&view);
		}
		end_round(&round);
	}
	assert_true(taken > 1000 && refused > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_update_says),
		cmocka_unit_test(a_cname_that_replaces_meets_nothing),
		cmocka_unit_test(what_is_held_is_not_sent),
		cmocka_unit_test(one_update_does_what_was_planned_and_no_more),
		cmocka_unit_test(who_was_faster_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
