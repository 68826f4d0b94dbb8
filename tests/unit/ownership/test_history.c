/*
 * Zones with a history: who put each record there is known to whoever made the zone up,
 * and what the core makes of the marks is not asked. Whatever is planned and sent, what
 * others put there stays, to the TTL, and what comes has our mark.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include "../rounds.h"
#include "model_server.h"
#include "rr_words.h"

#define HEAD "heritage=external-dns,external-dns/owner="

enum {
	SETS_MAX = 6, WISHES_MAX = 5, RECORDS_MAX = 3, CLAIMS_MAX = 40,
	ROUNDS = 12000, SETTLED_WITHIN = 3,
};

/* ---- where marks are, by words alone ---- */

static const struct form {
	const char *prefix, *suffix, *wildcard;
	bool is_same, is_none;
} forms[] = {
	{ "_own-%{record_type}.", "", "_wildcard" },
	{ "", "", "" },
	{ "txt-", "", "wild" },
	{ "", "-own", "" },
	{ "", "-%{record_type}", "" },
	{ .is_same = true },
	{ .is_none = true },
};

enum { OURS, PLAIN, TXT, SUFFIX, TYPED_SUFFIX, SEED, NONE };

static struct mark_form form_of(const struct form *form)
{
	struct mark_form parsed;
	struct why why;

	if (form->is_same || form->is_none)
		return form->is_same ? mark_form_seed : mark_form_none;
	assert_int_equal(mark_form_parse(form->prefix, form->suffix, form->wildcard,
	                                 "mark", &parsed, &why), OK);
	return parsed;
}

static bool is_any_of(const char *word, const char *words)
{
	const char *at = strstr(words, word);

	return at && (at == words || at[-1] == ' ') && strchr(" ", at[strlen(word)]);
}

static void expand(const char *affix, const char *type, char text[64])
{
	const char *at = strstr(affix, "%{record_type}");

	if (at)
		snprintf(text, 64, "%.*s%s%s", (int)(at - affix), affix, type,
		         at + strlen("%{record_type}"));
	else
		snprintf(text, 64, "%s", affix);
}

/* TYPE of "": as external-dns once did. False: there is no such place. */
static bool place_of(const struct form *form, const char *name, const char *type,
                     char place[256])
{
	char before[64], after[64], first[64];
	bool has_type = strstr(form->prefix ? form->prefix : "", "%{") ||
	                strstr(form->suffix ? form->suffix : "", "%{");
	size_t len = strcspn(name, ".");

	if (form->is_none || (has_type && !*type))
		return false;
	if (form->is_same && !is_any_of(type, "ns cname txt")) {
		snprintf(place, 256, "%s", name);
		return true;
	}
	if (form->is_same ||
	    (form == &forms[OURS] && is_any_of(type, "ns dname")))
		return place_of(&forms[PLAIN], name, type, place);
	expand(form->prefix, type, before);
	expand(form->suffix, type, after);
	snprintf(first, sizeof(first), "%.*s", (int)len, name);
	if (!strcmp(first, "*") && *form->wildcard && *type)
		snprintf(first, sizeof(first), "%s", form->wildcard);
	snprintf(place, 256, "%s%s%s%s%s%s", before, has_type ? "" : type,
	         has_type || !*type ? "" : "-", first, after, name + len);
	len = strlen(place);
	return len >= 12 && !strcmp(place + len - 12, "example.com.") &&
	       (len == 12 || place[len - 13] == '.');
}

/* ---- what there is to choose from ---- */

static const char *const names[] = {
	"www.example.com.", "www.example.com.", "foo.example.com.", "a-foo.example.com.",
	"1.example.com.", "mx-1.example.com.", "txt-www.example.com.",
	"_own-a.www.example.com.", "*.example.com.", "_wildcard.example.com.",
	"wild.example.com.", "example.com.", "sub.example.com.", "a.sub.example.com.",
	"cname-www.example.com.", "foo-own.example.com.", "www-a.example.com.",
	"ns-sub.example.com.", "a-own.example.com.",
};

static const struct kind {
	uint16_t type;
	const char *word, *data[4];
} kinds[] = {
	{ RR_A,     "a",     { "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4" } },
	{ RR_A,     "a",     { "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4" } },
	{ RR_AAAA,  "aaaa",  { "2001:db8::1", "2001:db8::2", "2001:db8::3",
	                       "2001:db8::4" } },
	{ RR_CNAME, "cname", { "x.example.net.", "y.example.net.", "z.example.net.",
	                       "x.example.net." } },
	{ RR_TXT,   "txt",   { "a", "v=spf1+-all", "b", "c+d" } },
	{ RR_MX,    "mx",    { "10+x.example.net.", "20+y.example.net.",
	                       "30+x.example.net.", "10+x.example.net." } },
	{ RR_NS,    "ns",    { "x.example.net.", "y.example.net.", "z.example.net.",
	                       "x.example.net." } },
	{ RR_DNAME, "dname", { "x.example.net.", "y.example.net.", "z.example.net.",
	                       "x.example.net." } },
	{ 13,       "",      { "a+b", "c+d", "e+f", "g+h" } },		/* HINFO */
};

enum { KINDS = COUNT(kinds), DATA = 4 };

/* As they were parsed once, at the start. */
static struct arena *lasting;
static struct name parsed_names[COUNT(names)];
static struct rdata parsed[KINDS][DATA];

static int set_up(void **state)
{
	(void)state;
	lasting = arena_new();
	for (size_t i = 0; i < COUNT(names); i++)
		parsed_names[i] = name_of(names[i]);
	for (size_t i = 0; i < KINDS; i++)
		for (size_t j = 0; j < DATA; j++)
			parsed[i][j] = rdata_of(kinds[i].type, kinds[i].data[j], lasting);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&lasting);
	return 0;
}

static size_t pick(size_t count)
{
	return (size_t)random() % count;
}

/* HISTORY_SEED (3) makes other histories. */
static unsigned seed(void)
{
	const char *text = getenv("HISTORY_SEED");

	return text ? (unsigned)atoi(text) : 3;
}

static bool chance(int one_in)
{
	return random() % one_in == 0;
}

/* ---- a zone, and what is known of it ---- */

enum who { WE, THEY, NOBODY, BOTH, TOGETHER, WHO_COUNT };

struct set {
	size_t name, kind;
	enum who who;
	unsigned records;		/* bits: of its kind's data */
	unsigned our_part, their_part;	/* of TOGETHER */
	uint32_t ttl;
	bool has_made;
	unsigned made;
};

struct want {
	size_t name, kind;
	unsigned records;
	uint32_t ttl;			/* 0: any */
	const char *resource;
	bool is_shared;
	bool is_a_mark;			/* a TXT set that reads as one */
};

/* A row of the table, in the form that has no marks in the zone. */
struct row {
	struct name name;
	uint16_t type;
	char owner[8], resource[64], part[80];
	bool is_shared;
};

struct world {
	const struct form *form, *former;	/* former of NULL: none */
	struct plan_rules rules;
	bool is_complete;
	struct server server;
	struct set sets[SETS_MAX];
	size_t set_count;
	struct want wants[WISHES_MAX];
	size_t want_count;
	struct row rows[CLAIMS_MAX];
	size_t row_count;
	bool has_vague[COUNT(names)];	/* marks of ours that name no type */
	bool is_read[COUNT(names)][KINDS];	/* what a mark of ours could be for */
};

static size_t name_index(size_t at)
{
	return at == 1 ? 0 : at;	/* "www" is there twice: it comes more often */
}

static bool is_single(size_t kind)
{
	return kinds[kind].type == RR_CNAME || kinds[kind].type == RR_DNAME;
}

static unsigned some_records(size_t kind)
{
	return is_single(kind) ? 1u << pick(3) : 1u + (unsigned)pick(7);
}

static struct set *set_at(struct world *world, size_t name, uint16_t type)
{
	for (size_t i = 0; i < world->set_count; i++)
		if (world->sets[i].name == name &&
		    kinds[world->sets[i].kind].type == type)
			return &world->sets[i];
	return NULL;
}

static struct stored *put(struct server *server, const struct name *name, uint16_t type,
                          uint32_t ttl, struct rdata rdata)
{
	return put_record(server, &(struct update_rr){ UPDATE_ADD, *name, type, ttl,
	                                               rdata });
}

/* What is alike needs to be there once only. */
static struct rrset set_of(size_t kind, unsigned records, struct arena *arena)
{
	struct rrset set = { .type = kinds[kind].type };

	for (size_t i = 0; i < DATA; i++)
		if (records & 1u << i)
			rrset_push(&set, TTL, parsed[kind][i], arena);
	rrset_sort(&set);
	return set;
}

/* ---- marks ---- */

static struct rdata text_rdata(const char *text, struct arena *arena)
{
	size_t len = strlen(text);
	uint8_t *octets = arena_alloc(arena, len + 1);

	assert_true(len < 256);
	octets[0] = (uint8_t)len;
	memcpy(octets + 1, text, len);
	return (struct rdata){ octets, (uint16_t)(len + 1) };
}

static const char *hashes_of(size_t kind, unsigned records, struct arena *arena)
{
	struct rrset set = set_of(kind, records, arena);

	return share_part(&set, arena);
}

static bool is_place_of(const struct form *form, const char *name, const char *type,
                        const char *place)
{
	char at[256];

	return form && place_of(form, name, type, at) && !strcmp(at, place);
}

/* What a mark of ours at PLACE could be for, by the words of both forms. */
static void note_readings(struct world *world, const char *place)
{
	const struct form *const in[] = { world->form, world->former };

	for (size_t i = 0; i < 2 * COUNT(names); i++) {
		const struct form *form = in[i % 2];
		size_t name = i / 2;

		world->has_vague[name] |= is_place_of(form, names[name], "", place);
		for (size_t kind = 0; kind < KINDS - 1; kind++)
			world->is_read[name][kind] |=
			    is_place_of(form, names[name], kinds[kind].word, place);
	}
}

/* Of OWNER, at PLACE; false: nothing can be there. */
static bool put_mark(struct world *world, const char *place, const char *text,
                     bool is_kept)
{
	struct name name = name_of(place);
	struct stored *stored;
	uint32_t ttl = TTL;

	if (!strstr(text, "them"))
		note_readings(world, place);
	for (size_t i = 0; i < world->server.count; i++)
		if (world->server.zone[i].type == RR_TXT &&
		    name_equal(&world->server.zone[i].name, &name))
			ttl = world->server.zone[i].ttl;
	stored = put(&world->server, &name, RR_TXT, ttl, text_rdata(text, lasting));
	if (stored)
		stored->is_kept = is_kept;
	return stored;
}

static void add_row(struct world *world, const struct set *set, const char *owner,
                    bool is_shared, unsigned part)
{
	struct row *row = &world->rows[world->row_count++];

	assert_true(world->row_count <= CLAIMS_MAX);
	*row = (struct row){ .name = parsed_names[set->name],
	                     .type = kinds[set->kind].type, .is_shared = is_shared };
	strcpy(row->owner, owner);
	strcpy(row->resource, chance(2) ? "test/1" : "test/2");
	if (is_shared)
		strcpy(row->part, hashes_of(set->kind, part, lasting));
}

/* In the seed's form only what cannot stand beside TXT records has a mark of a type. */
static bool is_vague_in(const struct form *form, const struct set *set)
{
	return form->is_same && !is_any_of(kinds[set->kind].word, "ns cname txt");
}

static bool mark_typed(struct world *world, const struct form *form,
                       const struct set *set, const char *owner, bool is_kept)
{
	char place[256], text[128];
	bool is_bare;

	if (form->is_none) {
		add_row(world, set, owner, false, 0);
		return true;
	}
	if (!place_of(form, names[set->name], kinds[set->kind].word, place))
		return false;
	is_bare = world->form->is_same && !strcmp(place, names[set->name]);
	snprintf(text, sizeof(text),
	         is_bare ? "%s%s" : "%s%s,external-dns/resource=test/%d",
	         is_bare ? "" : HEAD, owner, (int)pick(2) + 1);
	world->has_vague[set->name] |= is_vague_in(form, set) && !strcmp(owner, "us");
	return put_mark(world, place, text, is_kept);
}

static bool mark_untyped(struct world *world, const struct form *form,
                         const struct set *set, const char *owner, bool is_kept)
{
	char place[256], text[128];

	snprintf(text, sizeof(text), HEAD "%s,external-dns/resource=test/1", owner);
	if (!place_of(form, names[set->name], "", place))
		return false;
	world->has_vague[set->name] |= !strcmp(owner, "us");
	return put_mark(world, place, text, is_kept);
}

static void keep_set(struct world *world, const struct set *set, unsigned records)
{
	for (size_t i = 0; i < world->server.count; i++) {
		struct stored *stored = &world->server.zone[i];

		if (stored->type != kinds[set->kind].type ||
		    !name_equal(&stored->name, &parsed_names[set->name]))
			continue;
		for (size_t j = 0; j < DATA; j++)
			if (records & 1u << j &&
			    stored->len == parsed[set->kind][j].len &&
			    !memcmp(stored->data, parsed[set->kind][j].octets,
			            stored->len))
				stored->is_kept = true;
	}
}

/* Is it called as a wildcard's mark is? We write none for it. */
static bool is_called_wild(const struct form *form, const struct set *set)
{
	size_t len = form->wildcard ? strlen(form->wildcard) : 0;

	return len && !strncmp(names[set->name], form->wildcard, len) &&
	       names[set->name][len] == '.';
}

/* Ours by its type's mark in a form of ours, or by one of old. False: by none. */
static bool mark_as_ours(struct world *world, const struct set *set)
{
	bool is_hinfo = !*kinds[set->kind].word;
	bool has_former = world->former && !is_called_wild(world->former, set);
	bool is_old = chance(4) && kinds[set->kind].type != RR_AAAA;
	const struct form *form = has_former && chance(2) ? world->former : world->form;

	if (is_hinfo || is_called_wild(world->form, set))
		return false;
	if (is_old && !form->is_same && mark_untyped(world, form, set, "us", false)) {
		world->has_vague[set->name] = true;
		return true;
	}
	if (!mark_typed(world, form, set, "us", false))
		return false;
	world->has_vague[set->name] |= is_vague_in(form, set);
	if (!form->is_same && !form->is_none && kinds[set->kind].type != RR_AAAA &&
	    chance(3))
		mark_untyped(world, form, set, "us", false);	/* external-dns did so */
	if (form == world->former && world->form == &forms[OURS] &&
	    !is_vague_in(form, set) && chance(3))
		mark_typed(world, world->form, set, "us", false);
	return true;
}

static bool mark_as_theirs(struct world *world, const struct set *set)
{
	const struct form *in[] = { world->form, world->former, &forms[OURS],
	                            &forms[PLAIN] };
	const struct form *form = in[pick(COUNT(in))];

	if (!form || !*kinds[set->kind].word)
		form = world->form;
	if (!*kinds[set->kind].word)
		return false;
	if (chance(3) && !form->is_same && kinds[set->kind].type != RR_AAAA)
		return mark_untyped(world, form, set, "them", true);
	return mark_typed(world, form, set, "them", true);
}

static bool mark_part(struct world *world, const struct set *set, const char *owner,
                      unsigned part, bool is_kept)
{
	char place[256], text[300];

	if (world->form->is_none) {
		add_row(world, set, owner, true, part);
		return true;
	}
	if (!place_of(world->form, names[set->name], kinds[set->kind].word, place))
		return false;
	snprintf(text, sizeof(text), HEAD "%s,external-dns/part=%s,"
	         "external-dns/resource=test/1,external-dns/shared=true", owner,
	         hashes_of(set->kind, part, lasting));
	return put_mark(world, place, text, is_kept);
}

/* What is theirs, or in nobody's part, is not for us. */
static bool mark_together(struct world *world, struct set *set)
{
	if (world->form->is_same || !*kinds[set->kind].word ||
	    is_called_wild(world->form, set) ||
	    !mark_part(world, set, "them", set->their_part, true))
		return false;
	if (!mark_part(world, set, "us", set->our_part, false))
		set->our_part = 0;
	keep_set(world, set, set->records & ~(set->our_part & ~set->their_part));
	return true;
}

/* ---- how a zone came to be ---- */

static void put_set(struct world *world)
{
	struct set *set = &world->sets[world->set_count];
	size_t put_count = 0;

	*set = (struct set){ .name = name_index(pick(COUNT(names))), .kind = pick(KINDS),
	                     .who = (enum who)pick(WHO_COUNT),
	                     .ttl = chance(2) ? 60 : TTL };
	if (world->set_count && chance(3))
		set->name = world->sets[pick(world->set_count)].name;
	set->records = some_records(set->kind);
	set->our_part = set->records & (unsigned)pick(8);
	set->their_part = set->records & (unsigned)pick(8);
	if (set_at(world, set->name, kinds[set->kind].type))
		return;
	for (size_t i = 0; i < DATA; i++)
		if (set->records & 1u << i)
			put_count += put(&world->server, &parsed_names[set->name],
			                 kinds[set->kind].type, set->ttl,
			                 parsed[set->kind][i]) != NULL;
	world->set_count += put_count > 0;
}

static void mark_set_as(struct world *world, struct set *set)
{
	if (set->who == WE && mark_as_ours(world, set))
		return;
	if (set->who == TOGETHER && mark_together(world, set))
		return;
	if ((set->who != THEY && set->who != BOTH) || !mark_as_theirs(world, set))
		set->who = NOBODY;
	else if (set->who == BOTH && !is_called_wild(world->form, set))
		mark_typed(world, world->form, set, "us",
		           !is_vague_in(world->form, set));
	keep_set(world, set, ~0u);
}

static void mark_sets(struct world *world)
{
	for (size_t i = 0; i < world->set_count; i++)
		mark_set_as(world, &world->sets[i]);
}

static void add_orphans(struct world *world)
{
	for (int i = 0; i < 2; i++) {
		struct set set = { .name = name_index(pick(COUNT(names))),
		                   .kind = pick(KINDS - 1) };

		if (!chance(3) || set_at(world, set.name, kinds[set.kind].type) ||
		    is_called_wild(world->form, &set))
			continue;
		if (chance(2))
			mark_as_theirs(world, &set);
		else if (!world->form->is_same)
			mark_typed(world, world->form, &set, "us", false);
	}
}

static void add_wish(struct world *world)
{
	static const char *const resources[] = { "test/1", "test/1", "test/2", "port/1",
	                                         "a,b" };
	struct want *want = &world->wants[world->want_count++];
	const struct set *set = world->set_count && !chance(3)
	                            ? &world->sets[pick(world->set_count)] : NULL;

	*want = (struct want){
		.name = set ? set->name : name_index(pick(COUNT(names))),
		.kind = set && !chance(3) ? set->kind : pick(KINDS),
		.ttl = (uint32_t[]){ 0, 0, 60, TTL }[pick(4)],
		.resource = resources[pick(chance(8) ? 5 : 4)],
		.is_shared = chance(4), .is_a_mark = chance(10),
	};
	want->is_a_mark = want->is_a_mark && kinds[want->kind].type == RR_TXT;
	want->records = chance(20) ? (unsigned)pick(8) : some_records(want->kind);
	if (set && set->kind == want->kind && chance(2))
		want->records = set->records;
}

/* As our table says: of what is ours, and now and then of what was. */
static void remember(struct world *world)
{
	for (size_t i = 0; i < world->set_count; i++) {
		struct set *set = &world->sets[i];
		bool was_ours = set->who == NOBODY && !world->has_vague[set->name] &&
		                !world->is_read[set->name][set->kind];

		set->has_made = (set->who == WE && chance(2)) ||
		                 (was_ours && chance(6)) ||
		                 (set->who == TOGETHER && chance(2));
		set->made = chance(2) ? set->records : some_records(set->kind);
	}
}

static bool is_same_set(size_t name, size_t kind, const struct want *want)
{
	return want->name == name && kinds[want->kind].type == kinds[kind].type;
}

/* All that the resource of WANT wants of its set. */
static unsigned wanted_with(const struct world *world, const struct want *want)
{
	unsigned records = 0;

	for (size_t i = 0; i < world->want_count; i++)
		if (is_same_set(want->name, want->kind, &world->wants[i]) &&
		    !strcmp(world->wants[i].resource, want->resource))
			records |= world->wants[i].records;
	return records;
}

static bool is_wanted_as_is(const struct world *world, const struct set *set)
{
	struct arena *arena = arena_new();
	struct rrset is = set_of(set->kind, set->records, arena);
	bool any = false;

	for (size_t i = 0; i < world->want_count; i++) {
		const struct want *want = &world->wants[i];
		struct rrset wanted;

		if (!is_same_set(set->name, set->kind, want) || want->is_a_mark)
			continue;
		wanted = set_of(set->kind, wanted_with(world, want), arena);
		any |= rrset_same_records(&is, &wanted);
	}
	arena_free(&arena);
	return any;
}

/*
 * Nobody's sets that may become ours: those that our table knows, where marks may be
 * claimed again, and those that are wanted where a mark of old might be for them.
 */
static void let_go(struct world *world)
{
	for (size_t i = 0; i < world->set_count; i++) {
		const struct set *set = &world->sets[i];
		bool reclaims = world->rules.reclaims && set->has_made &&
		                set->made == set->records;
		bool adopts = (world->has_vague[set->name] ||
		               world->is_read[set->name][set->kind]) &&
		              is_wanted_as_is(world, set);

		if (set->who != NOBODY || (!reclaims && !adopts))
			continue;
		for (size_t j = 0; j < world->server.count; j++)
			if (world->server.zone[j].type == kinds[set->kind].type &&
			    name_equal(&world->server.zone[j].name,
			               &parsed_names[set->name]) &&
			    !memmem(world->server.zone[j].data,
			            world->server.zone[j].len, "them", 4))
				world->server.zone[j].is_kept = false;
	}
}

static void choose_rules(struct world *world)
{
	world->rules = usual;
	world->rules.types[world->rules.type_count++] = RR_DNAME;
	world->rules.policy = chance(4) ? (enum plan_policy)pick(3) : POLICY_SYNC;
	world->rules.by_set = chance(2);
	world->rules.keeps_drift = chance(4);
	world->rules.reclaims = chance(4);
	world->is_complete = !chance(6);
}

static void make_world(struct world *world)
{
	world->form = &forms[pick(COUNT(forms))];
	world->former = chance(2) ? &forms[pick(NONE)] : NULL;
	if (world->former == world->form)
		world->former = NULL;
	world->server.count = world->set_count = world->want_count = 0;
	world->row_count = 0;
	memset(world->has_vague, 0, sizeof(world->has_vague));
	memset(world->is_read, 0, sizeof(world->is_read));
	choose_rules(world);
	for (size_t i = 1 + pick(SETS_MAX); i; i--)
		put_set(world);
	mark_sets(world);
	add_orphans(world);
	for (size_t i = pick(WISHES_MAX + 1); i; i--)
		add_wish(world);
	remember(world);
	let_go(world);
}

/* ---- one round ---- */

struct round {
	struct view *view;
	struct plan plan;
	struct update update;		/* of all names, in one message */
};

static void claim_row(struct view *view, const struct row *row)
{
	struct arena *arena = view_arena(view);
	struct mark *mark = arena_alloc(arena, sizeof(*mark));

	mark_set(mark, "owner", row->owner);
	mark_set(mark, "resource", row->resource);
	if (row->is_shared) {
		mark_set(mark, "shared", "true");
		mark_set(mark, "part", row->part);
	}
	view_claim(view, &row->name, row->type, mark);
}

static struct view *read_world(const struct world *world)
{
	struct name apex = name_of("example.com.");
	struct view *view = view_new(&apex, 1);
	struct mark_form former;
	struct mark_settings marks = { .owner = "us", .form = form_of(world->form) };

	for (size_t i = 0; i < world->server.count; i++) {
		const struct stored *record = &world->server.zone[i];

		assert_true(view_add(view, &record->name, record->type, record->ttl,
		                     (struct rdata){ record->data, record->len }));
	}
	for (size_t i = 0; i < world->row_count; i++)
		claim_row(view, &world->rows[i]);
	if (world->former) {
		former = form_of(world->former);
		marks.former = &former;
	}
	view_settle(view, &marks);
	return view;
}

static void tell_wishes(const struct world *world, struct view *view)
{
	for (size_t i = 0; i < world->want_count; i++) {
		const struct want *want = &world->wants[i];
		struct desired desired = {
			.rrset = set_of(want->kind, want->records, view_arena(view)),
			.has_ttl = want->ttl, .is_shared = want->is_shared,
			.resource = want->resource,
		};
		struct rdata mark = text_rdata(HEAD "them", view_arena(view));

		if (want->is_a_mark)
			rrset_push(&desired.rrset, TTL, mark, view_arena(view));
		desired.rrset.ttl = want->ttl;
		plan_add_endpoint(view, &parsed_names[want->name], &desired);
	}
}

static void tell_made(const struct world *world, struct view *view)
{
	for (size_t i = 0; i < world->set_count; i++) {
		const struct set *set = &world->sets[i];
		struct rrset made = set_of(set->kind, set->made, view_arena(view));

		if (set->has_made)
			plan_add_owned(view, &parsed_names[set->name], &made);
	}
}

static bool is_same_demand(const struct update_rr *a, const struct update_rr *b)
{
	return a->kind == b->kind && a->type == b->type &&
	       name_equal(&a->name, &b->name) &&
	       !rdata_compare(a->rdata, b->rdata);
}

/* Several names may ask the same of one place; a message says it once. */
static bool is_demanded(const struct update_rrs *rrs, const struct update_rr *rr)
{
	for (size_t i = 0; i < rrs->count; i++)
		if (is_same_demand(&rrs->rrs[i], rr))
			return true;
	return false;
}

static void append(struct update_rrs *to, const struct update_rrs *from, bool once,
                   struct arena *arena)
{
	size_t size = to->count + from->count + 1;
	struct update_rr *all = arena_alloc(arena, size * sizeof(*all));

	if (to->count)
		memcpy(all, to->rrs, to->count * sizeof(*all));
	to->rrs = all;
	for (size_t i = 0; i < from->count; i++)
		if (!once || !is_demanded(to, &from->rrs[i]))
			to->rrs[to->count++] = from->rrs[i];
}

static void pack(struct round *round)
{
	struct arena *arena = view_arena(round->view);

	round->update = (struct update){ 0 };
	for (size_t first = 0, end; first < round->plan.count; first = end) {
		struct update update;

		end = plan_group_end(&round->plan, first);
		update_make(round->view, &round->plan.items[first], end - first, TTL,
		            &update);
		if (update.changes.count)
			assert_true(update.prerequisites.count);
		append(&round->update.prerequisites, &update.prerequisites, true, arena);
		append(&round->update.changes, &update.changes, false, arena);
	}
}

static void begin_round(struct round *round, const struct world *world)
{
	round->view = read_world(world);
	tell_wishes(world, round->view);
	tell_made(world, round->view);
	plan_make(round->view, &world->rules, world->is_complete, &round->plan);
	pack(round);
}

static void end_round(struct round *round)
{
	view_free(&round->view);
}

/* ---- what must hold ---- */

static void show_name(const struct name *name, uint16_t type)
{
	char text[NAME_MAX_TEXT + 1], type_text[16];

	name_format(name, text);
	rrtype_format(type, type_text);
	print_message("    %s %s", text, type_text);
}

static void show_server(const struct server *server)
{
	for (size_t i = 0; i < server->count; i++) {
		const struct stored *record = &server->zone[i];

		show_name(&record->name, record->type);
		print_message(" %u%s", record->ttl, record->is_kept ? " kept" : "");
		if (record->type == RR_TXT)
			print_message(" %.*s", record->len - 1, record->data + 1);
		else
			print_message(" %d", record->data[record->len > 3 ? 3 : 0]);
		print_message("\n");
	}
}

static void show_plan(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_item *item = &plan->items[i];
		struct name name;

		node_name(item->node, &name);
		show_name(&name, item->type);
		print_message(" %s %s%s %s\n", plan_step_name(item->step),
		              plan_reason_name(item->reason), item->is_held ? "!" : "",
		              item->detail);
	}
}

static void show(const struct world *world, const struct server *before,
                 const struct server *after, const struct round *round,
                 const char *story)
{
	print_message("  %s: form %d former %d reclaims %d drift %d policy %d\n", story,
	              (int)(world->form - forms),
	              world->former ? (int)(world->former - forms) : -1,
	              world->rules.reclaims, world->rules.keeps_drift,
	              world->rules.policy);
	show_server(before);
	for (size_t i = 0; i < world->row_count; i++) {
		show_name(&world->rows[i].name, world->rows[i].type);
		print_message(" row %s %s\n", world->rows[i].owner, world->rows[i].part);
	}
	for (size_t i = 0; i < world->want_count; i++) {
		show_name(&parsed_names[world->wants[i].name],
		          kinds[world->wants[i].kind].type);
		print_message(" wish %x %u %s%s\n", world->wants[i].records,
		              world->wants[i].ttl, world->wants[i].resource,
		              world->wants[i].is_shared ? " shared" : "");
	}
	for (size_t i = 0; i < world->set_count; i++)
		if (world->sets[i].has_made) {
			show_name(&parsed_names[world->sets[i].name],
			          kinds[world->sets[i].kind].type);
			print_message(" made %x\n", world->sets[i].made);
		}
	print_message("  plan\n");
	show_plan(&round->plan);
	print_message("  after\n");
	show_server(after);
}

static struct update_rr as_rr(const struct stored *record)
{
	return (struct update_rr){ .name = record->name, .type = record->type,
	                           .rdata = { record->data, record->len } };
}

static bool is_of_us(const struct stored *record)
{
	static const char head[] = HEAD "us";

	return record->type == RR_TXT && record->len > strlen(head) &&
	       !memcmp(record->data + 1, head, strlen(head));
}

/* NULL: all that must not go or change is as it was, but for the TTL of marks of ours. */
static const struct stored *first_lost(const struct server *before,
                                       const struct server *after)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct stored *was = &before->zone[i], *is;
		struct update_rr rr = as_rr(was);

		if (!was->is_kept)
			continue;
		is = find_record(after, &rr);
		if (!is || (is->ttl != was->ttl && !is_of_us(was)))
			return was;
	}
	return NULL;
}

static bool is_text(const struct stored *record, const char *text)
{
	return record->len == strlen(text) + 1 &&
	       !memcmp(record->data + 1, text, strlen(text));
}

static bool is_our_mark(const struct world *world, const struct stored *record)
{
	return is_of_us(record) || (world->form->is_same && is_text(record, "us"));
}

static const char *word_of(uint16_t type)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].type == type)
			return kinds[i].word;
	return "";
}

/* In the one place where it should be; with no marks in the zone, whoever plans knows. */
static bool has_our_mark(const struct world *world, const struct server *server,
                         const struct stored *record)
{
	char name[NAME_MAX_TEXT + 1], place[256];
	struct name at;

	if (world->form->is_none)
		return true;
	name_format(&record->name, name);
	if (!place_of(world->form, name, word_of(record->type), place))
		return false;
	at = name_of(place);
	for (size_t i = 0; i < server->count; i++)
		if (name_equal(&server->zone[i].name, &at) &&
		    is_our_mark(world, &server->zone[i]))
			return true;
	return false;
}

static bool is_wanted(const struct world *world, const struct stored *record)
{
	for (size_t i = 0; i < world->want_count; i++) {
		const struct want *want = &world->wants[i];

		if (kinds[want->kind].type != record->type ||
		    !name_equal(&parsed_names[want->name], &record->name))
			continue;
		for (size_t j = 0; j < DATA; j++)
			if (want->records & 1u << j &&
			    !rdata_compare(parsed[want->kind][j],
			                   (struct rdata){ record->data, record->len }))
				return true;
	}
	return false;
}

/* NULL: what came is a mark of ours, or is wanted and has one. */
static const struct stored *first_unmarked(const struct world *world,
                                           const struct server *before,
                                           const struct server *after)
{
	for (size_t i = 0; i < after->count; i++) {
		const struct stored *is = &after->zone[i];
		struct update_rr rr = as_rr(is);

		if (find_record(before, &rr) || is_our_mark(world, is))
			continue;
		if (!is_wanted(world, is) || !has_our_mark(world, after, is))
			return is;
	}
	return NULL;
}

/* NULL: each set that something was done to has become what was planned. */
static const struct plan_item *first_undone(const struct plan *plan,
                                            const struct server *after)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_item *item = &plan->items[i];
		struct update_rr rr = { .type = item->type };

		if (item->step == STEP_NONE || item->is_held)
			continue;
		node_name(item->node, &rr.name);
		for (size_t j = 0; j < item->becomes.count; j++) {
			rr.rdata = item->becomes.records[j];
			if (!find_record(after, &rr))
				return item;
		}
		if (item->type != RR_TXT && item->step != STEP_UNMARK &&
		    count_set(after, &rr.name, rr.type) != item->becomes.count)
			return item;
	}
	return NULL;
}

/* NULL: of a source that is not complete nothing is lost but marks that move. */
static const struct stored *first_gone(const struct world *world,
                                       const struct server *before,
                                       const struct server *after)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct stored *was = &before->zone[i];
		struct update_rr rr = as_rr(was);

		if (!is_our_mark(world, was) && !find_record(after, &rr))
			return was;
	}
	return NULL;
}

static void check_applied(const struct world *world, const struct round *round,
                          const struct server *before, const struct server *after)
{
	const struct stored *lost = first_lost(before, after);
	const struct stored *unmarked = first_unmarked(world, before, after);
	const struct plan_item *undone = first_undone(&round->plan, after);
	const struct stored *gone = NULL;

	if (!world->is_complete)
		gone = first_gone(world, before, after);
	if (lost || unmarked || undone || gone)
		show(world, before, after, round, lost ? "lost" : unmarked ? "unmarked" :
		                          undone ? "undone" : "gone");
	assert_null(lost);
	assert_null(unmarked);
	assert_null(undone);
	assert_null(gone);
}

/* ---- and then again, until nothing is to do ---- */

static struct row *row_of(struct world *world, const struct plan_item *item)
{
	struct name name;

	node_name(item->node, &name);
	for (size_t i = 0; i < world->row_count; i++)
		if (world->rows[i].type == item->type &&
		    !strcmp(world->rows[i].owner, "us") &&
		    name_equal(&world->rows[i].name, &name))
			return &world->rows[i];
	return NULL;
}

static void write_row(struct world *world, const struct round *round,
                      const struct plan_item *item)
{
	struct row *row = row_of(world, item);
	struct mark mark;

	if (item->step != STEP_CREATE && item->step != STEP_UPDATE) {
		if (row)
			*row = world->rows[--world->row_count];
		return;
	}
	if (!row)
		row = &world->rows[world->row_count++];
	assert_true(world->row_count <= CLAIMS_MAX);
	plan_mark(round->view, item, &mark);
	*row = (struct row){ .type = item->type, .owner = "us",
	                     .is_shared = mark_get(&mark, "shared") };
	node_name(item->node, &row->name);
	strcpy(row->resource, mark_get(&mark, "resource"));
	if (row->is_shared)
		strcpy(row->part, mark_get(&mark, "part"));
}

/* With no marks in the zone, the table learns of what was done. */
static void write_table(struct world *world, const struct round *round)
{
	for (size_t i = 0; world->form->is_none && i < round->plan.count; i++)
		if (round->plan.items[i].step != STEP_NONE &&
		    !round->plan.items[i].is_held)
			write_row(world, round, &round->plan.items[i]);
}

static void check_settles(struct world *world)
{
	static struct server before;
	struct round round;
	size_t done = 1;

	for (int i = 0; done && i <= SETTLED_WITHIN; i++) {
		before = world->server;
		begin_round(&round, world);
		done = 0;
		for (size_t j = 0; j < round.plan.count; j++)
			done += round.plan.items[j].step != STEP_NONE &&
			        !round.plan.items[j].is_held;
		if (done && i == SETTLED_WITHIN)
			show(world, &before, &world->server, &round, "no end");
		assert_true(take(&world->server, &round.update));
		if (first_lost(&before, &world->server))
			show(world, &before, &world->server, &round, "lost later");
		assert_null(first_lost(&before, &world->server));
		write_table(world, &round);
		end_round(&round);
	}
	assert_int_equal(done, 0);
}

static void what_is_sent_touches_nobody_elses_and_comes_to_an_end(void **state)
{
	static struct world world;
	static struct server after;
	int count = rounds(ROUNDS), sent = 0;

	(void)state;
	srandom(seed());
	for (int i = 0; i < count; i++) {
		struct round round;

		make_world(&world);
		begin_round(&round, &world);
		after = world.server;
		assert_true(take(&after, &round.update));
		check_applied(&world, &round, &world.server, &after);
		sent += round.update.changes.count > 0;
		end_round(&round);
		check_settles(&world);
	}
	assert_true(sent > count / 4);
}

/* ---- somebody else writes meanwhile ---- */

static void write_something(const struct world *world, struct server *now)
{
	size_t kind = pick(KINDS), name = name_index(pick(COUNT(names)));
	const struct set *set = world->set_count ? &world->sets[pick(world->set_count)]
	                                         : NULL;
	char place[256] = "";
	struct name at = parsed_names[name];
	struct rdata rdata = parsed[kind][pick(DATA)];
	uint16_t type = kinds[kind].type;
	uint32_t ttl = TTL;
	struct stored *stored;

	if (world->want_count && chance(2)) {
		const struct want *want = &world->wants[pick(world->want_count)];

		at = parsed_names[want->name];
		name = want->name;
	} else if (set && chance(2)) {
		at = parsed_names[set->name];
		name = set->name;
	}
	if (chance(3) && place_of(world->form, names[name], kinds[pick(KINDS - 1)].word,
	                          place)) {
		at = name_of(place);
		if (chance(2)) {
			type = RR_TXT;
			rdata = text_rdata(chance(2) ? HEAD "them" : "data+x", lasting);
		}
	}
	for (size_t i = 0; i < now->count; i++)
		if (now->zone[i].type == type && name_equal(&now->zone[i].name, &at))
			ttl = now->zone[i].ttl;
	stored = put(now, &at, type, ttl, rdata);
	if (!stored)
		return;

	struct update_rr rr = as_rr(stored);
	stored->is_kept = !find_record(&world->server, &rr);
}

/* Adds a record, takes one away, or changes one. */
static void write_meanwhile(const struct world *world, struct server *now)
{
	size_t what = pick(3);

	if (what && now->count)
		drop(now, pick(now->count));
	if (what != 1)
		write_something(world, now);
}

static void who_was_faster_loses_nothing(void **state)
{
	static struct world world;
	static struct server now, after;
	int count = rounds(ROUNDS), taken = 0, refused = 0;

	(void)state;
	srandom(seed() + 1);
	for (int i = 0; i < count; i++) {
		struct round round;

		make_world(&world);
		begin_round(&round, &world);
		now = world.server;
		write_meanwhile(&world, &now);
		after = now;
		bool is_taken = take(&after, &round.update);

		if (is_taken)
			check_applied(&world, &round, &now, &after);
		taken += is_taken && round.update.changes.count;
		refused += !is_taken;
		end_round(&round);
	}
	assert_true(taken > count / 10 && refused > count / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_touches_nobody_elses_and_comes_to_an_end),
		cmocka_unit_test(who_was_faster_loses_nothing),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
