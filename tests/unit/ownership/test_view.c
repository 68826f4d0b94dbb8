#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <string.h>

#include "core/view.h"
#include "forms.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define US "heritage=external-dns,external-dns/owner=us"
#define THEM "heritage=external-dns,external-dns/owner=them"
#define SHARED ",external-dns/shared=true"

static struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

static struct name below(const char *label)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%sexample.com.", label, *label ? "." : "");
	return name_of(text);
}

static void add(struct view *view, const char *label, uint16_t type, const char *data)
{
	uint8_t octets[256] = { (uint8_t)strlen(data) };
	struct rdata rdata = { (const uint8_t *)data, 4 };
	struct name name = below(label);

	if (type == RR_TXT) {
		memcpy(octets + 1, data, octets[0]);
		rdata = (struct rdata){ octets, (uint16_t)(octets[0] + 1) };
	}
	view_add(view, &name, type, 300, rdata);
}

struct record {
	const char *label;
	uint16_t type;
	const char *data;
};

static struct mark_form form_of(const char *prefix, const char *wildcard)
{
	struct mark_form form;
	struct why why;

	assert_int_equal(mark_form_parse(prefix, "", wildcard, "mark", &form, &why), OK);
	return form;
}

enum { RECORDS_MAX = 6 };

/* In a zone with marks of ours in FORM: whose is the set that the first record is of? */
static const struct {
	const char *story, *prefix, *wildcard;	/* a prefix of NULL: the seed's form */
	struct record records[RECORDS_MAX];
	enum owner_kind want;
} cases[] = {
	{ "no mark", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" } }, OWNER_NONE },
	{ "ours", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US } }, OWNER_US },
	{ "of another type", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-aaaa.foo", RR_TXT, US } }, OWNER_NONE },
	{ "from us, and not in a form of ours", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, US } }, OWNER_BAD },
	{ "our usual form, when another is written", "txt-", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US } }, OWNER_BAD },
	{ "external-dns' own form, from them", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, THEM } }, OWNER_OTHER },
	{ "both, of us", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, US },
	  { "_own-a.foo", RR_TXT, US } }, OWNER_CONTESTED },
	{ "one form ours, the other theirs", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, THEM },
	  { "_own-a.foo", RR_TXT, US } }, OWNER_CONTESTED },
	{ "two of ours at one name", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US },
	  { "_own-a.foo", RR_TXT, US ",external-dns/resource=x" } }, OWNER_CONTESTED },
	{ "ours, and other text beside it", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US },
	  { "_own-a.foo", RR_TXT, "v=spf1" } }, OWNER_US },
	{ "another program's", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, "heritage=mate" } },
	  OWNER_OTHER },
	{ "a mark without sense", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, "heritage=external-dns" } },
	  OWNER_BAD },

	{ "of old, ours", "", "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "of old, ours, and not in a form of ours", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, US } }, OWNER_BAD },
	{ "of old, ours, beside one with a type", "", "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, US }, { "a-foo", RR_TXT, US } },
	  OWNER_US },
	{ "of old, theirs", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, THEM } }, OWNER_OTHER },
	{ "of old is not for AAAA", "_own-%{record_type}.", "", {
	  { "foo", RR_AAAA, "abcd" }, { "foo", RR_TXT, THEM } }, OWNER_NONE },
	{ "of old, theirs, beside ours with a type", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, THEM },
	  { "_own-a.foo", RR_TXT, US } }, OWNER_CONTESTED },

	{ "a host that is called as a mark is, theirs", "_own-%{record_type}.", "", {
	  { "mx-1", RR_A, "abcd" }, { "mx-1", RR_TXT, THEM } }, OWNER_OTHER },
	{ "it speaks against us in each reading", "_own-%{record_type}.", "", {
	  { "1", RR_MX, "abcd" }, { "mx-1", RR_A, "abcd" }, { "mx-1", RR_TXT, THEM } },
	  OWNER_OTHER },
	{ "and for us in one", "", "", {
	  { "1", RR_MX, "abcd" }, { "mx-1", RR_TXT, US } }, OWNER_US },
	{ "or for none in particular, if the other could be meant", "", "", {
	  { "1", RR_MX, "abcd" }, { "mx-1", RR_A, "abcd" }, { "mx-1", RR_TXT, US } },
	  OWNER_VAGUE },
	{ "nor for the other", "", "", {
	  { "mx-1", RR_A, "abcd" }, { "1", RR_MX, "abcd" }, { "mx-1", RR_TXT, US } },
	  OWNER_VAGUE },
	{ "which has a mark of its own, of which this may be a copy", "", "", {
	  { "1", RR_MX, "abcd" }, { "mx-1", RR_A, "abcd" }, { "mx-1", RR_TXT, US },
	  { "a-mx-1", RR_TXT, US } }, OWNER_VAGUE },
	{ "even if they say it in other words", "", "", {
	  { "1", RR_MX, "abcd" }, { "mx-1", RR_A, "abcd" }, { "mx-1", RR_TXT, US },
	  { "a-mx-1", RR_TXT, US ",external-dns/resource=x" } }, OWNER_VAGUE },
	{ "while the other one is ours by that", "", "", {
	  { "mx-1", RR_A, "abcd" }, { "1", RR_MX, "abcd" }, { "mx-1", RR_TXT, US },
	  { "a-mx-1", RR_TXT, US } }, OWNER_US },
	{ "two of ours there are two too many", "", "", {
	  { "mx-1", RR_A, "abcd" }, { "1", RR_MX, "abcd" }, { "mx-1", RR_TXT, US },
	  { "mx-1", RR_TXT, US ",external-dns/resource=x" } }, OWNER_CONTESTED },
	{ "in whatever order they are read", "", "", {
	  { "1", RR_MX, "abcd" }, { "a-mx-1", RR_TXT, US }, { "mx-1", RR_TXT, US },
	  { "mx-1", RR_A, "abcd" } }, OWNER_VAGUE },
	{ "what our own form says goes before", "txt-", "", {
	  { "foo", RR_A, "abcd" }, { "txt-a-foo", RR_TXT, US } }, OWNER_US },
	{ "and it could be one of old for what is there", "txt-", "", {
	  { "a-foo", RR_TXT, "data" }, { "txt-a-foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "theirs counts there, too", "txt-", "", {
	  { "a-foo", RR_TXT, "data" }, { "txt-a-foo", RR_TXT, THEM } }, OWNER_OTHER },

	{ "a wildcard", "txt-", "wild", {
	  { "*", RR_A, "abcd" }, { "txt-a-wild", RR_TXT, US } }, OWNER_US },
	{ "a host that is called as it", "txt-", "wild", {
	  { "wild", RR_A, "abcd" }, { "txt-a-wild", RR_TXT, US } }, OWNER_NONE },
	{ "which might be theirs", "txt-", "wild", {
	  { "wild", RR_A, "abcd" }, { "txt-a-wild", RR_TXT, THEM } }, OWNER_OTHER },

	{ "the seed's form, ours", NULL, "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, "us" } }, OWNER_VAGUE },
	{ "the seed's form, AAAA too", NULL, "", {
	  { "foo", RR_AAAA, "abcd" }, { "foo", RR_TXT, "us" } }, OWNER_VAGUE },
	{ "the seed's form, theirs", NULL, "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, "them" } }, OWNER_OTHER },
	{ "the seed's form, beside text", NULL, "", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, "us" },
	  { "foo", RR_TXT, "v=spf1 -all" } }, OWNER_VAGUE },
	{ "the seed's form cannot stand beside a CNAME", NULL, "", {
	  { "foo", RR_CNAME, "abcd" }, { "cname-foo", RR_TXT, "us" } }, OWNER_US },
	{ "a bare word is data elsewhere", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, "us" } }, OWNER_NONE },

	{ "shared by us", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US SHARED } }, OWNER_SHARED },
	{ "shared by them", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, THEM SHARED } },
	  OWNER_SHARED },
	{ "shared by both", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US SHARED },
	  { "_own-a.foo", RR_TXT, THEM SHARED } }, OWNER_SHARED },
	{ "shared by one only", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US SHARED },
	  { "_own-a.foo", RR_TXT, THEM } }, OWNER_CONTESTED },
	{ "shared, and no sense in the other", "_own-%{record_type}.", "", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US SHARED },
	  { "_own-a.foo", RR_TXT, "heritage=external-dns" } }, OWNER_CONTESTED },
};

/* The same, where we have a form and had another one before. */
static const struct {
	const char *story, *form, *former;
	struct record records[RECORDS_MAX];
	enum owner_kind want;
	bool is_former;			/* the mark that speaks for us is */
} moves[] = {
	{ "the former form speaks for us", "ours", "plain", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, US } }, OWNER_US, true },
	{ "from a prefix", "ours", "txt-", {
	  { "foo", RR_A, "abcd" }, { "txt-a-foo", RR_TXT, US } }, OWNER_US, true },
	{ "from a suffix", "ours", "-own", {
	  { "foo", RR_A, "abcd" }, { "a-foo-own", RR_TXT, US } }, OWNER_US, true },
	{ "from a suffix with the type", "ours", "-%{record_type}", {
	  { "foo", RR_A, "abcd" }, { "foo-a", RR_TXT, US } }, OWNER_US, true },
	{ "from the seed's form", "ours", "seed", {
	  { "foo", RR_A, "abcd" }, { "foo", RR_TXT, "us" } }, OWNER_VAGUE },
	{ "and its AAAA records", "ours", "seed", {
	  { "foo", RR_AAAA, "abcd" }, { "foo", RR_TXT, "us" } }, OWNER_VAGUE },
	{ "and its CNAME records", "ours", "seed", {
	  { "foo", RR_CNAME, "abcd" }, { "cname-foo", RR_TXT, US } }, OWNER_US, true },
	{ "an owner's id is theirs in the seed's form, too", "ours", "seed", {
	  { "foo", RR_AAAA, "abcd" }, { "foo", RR_TXT, "them" } }, OWNER_OTHER },
	{ "to external-dns' own form", "plain", "ours", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US } }, OWNER_US, true },
	{ "to the seed's form", "seed", "ours", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US } }, OWNER_US, true },
	{ "to the seed's form, from a suffix", "seed", "-own", {
	  { "foo", RR_A, "abcd" }, { "a-foo-own", RR_TXT, US } }, OWNER_US, true },
	{ "but from this one it may be for a TXT record", "seed", "txt-", {
	  { "foo", RR_A, "abcd" }, { "txt-a-foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "to none", "none", "ours", {
	  { "foo", RR_A, "abcd" }, { "_own-a.foo", RR_TXT, US } }, OWNER_US, true },
	{ "of old, as the former form has it", "ours", "txt-", {
	  { "foo", RR_A, "abcd" }, { "txt-foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "which is not for AAAA", "ours", "txt-", {
	  { "foo", RR_AAAA, "abcd" }, { "txt-foo", RR_TXT, US } }, OWNER_NONE },
	{ "in both forms", "ours", "plain", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, US },
	  { "_own-a.foo", RR_TXT, US } }, OWNER_US },
	{ "in the former one, and theirs in ours", "ours", "plain", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, US },
	  { "_own-a.foo", RR_TXT, THEM } }, OWNER_CONTESTED },
	{ "theirs in our former form", "ours", "txt-", {
	  { "foo", RR_A, "abcd" }, { "txt-a-foo", RR_TXT, THEM } }, OWNER_OTHER },
	{ "theirs of old in our former form", "ours", "txt-", {
	  { "foo", RR_A, "abcd" }, { "txt-foo", RR_TXT, THEM },
	  { "_own-a.foo", RR_TXT, US } }, OWNER_CONTESTED },
	{ "a third form is none of ours", "ours", "txt-", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, US } }, OWNER_BAD },

	/* what one form says of one set, and the other of another */
	{ "both sets are there", "plain", "txt-", {
	  { "a-foo", RR_TXT, "data" }, { "foo", RR_A, "abcd" },
	  { "txt-a-foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "and so is the other one's", "plain", "txt-", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_TXT, "data" },
	  { "txt-a-foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "only what the former form says is there", "plain", "txt-", {
	  { "foo", RR_A, "abcd" }, { "txt-a-foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "only what our form says is there", "plain", "txt-", {
	  { "a-foo", RR_TXT, "data" }, { "txt-a-foo", RR_TXT, US } }, OWNER_US },
	{ "the other one has a mark of its own", "plain", "txt-", {
	  { "a-foo", RR_TXT, "data" }, { "foo", RR_A, "abcd" },
	  { "txt-a-foo", RR_TXT, US }, { "a-foo", RR_TXT, US } }, OWNER_VAGUE },
	{ "an owner's id is in the seed's form, whatever the place", "seed", "plain", {
	  { "foo", RR_A, "abcd" }, { "a-foo", RR_AAAA, "abcd" },
	  { "a-foo", RR_TXT, "us" }, { "aaaa-a-foo", RR_TXT, US } }, OWNER_NONE },
	{ "of old in two forms", "plain", "txt-", {
	  { "foo", RR_MX, "abcd" }, { "txt-foo", RR_TXT, US },
	  { "txt-foo", RR_A, "abcd" } }, OWNER_VAGUE },
};

static struct view *view_between(const struct record *records,
                                 const struct mark_form *form,
                                 const struct mark_form *former)
{
	struct name apex = name_of("example.com.");
	struct view *view = view_new(&apex, 1);

	for (size_t i = 0; i < RECORDS_MAX && records[i].label; i++)
		add(view, records[i].label, records[i].type, records[i].data);
	view_settle(view, &(struct mark_settings){ .owner = "us", .form = *form,
	                                           .former = former });
	return view;
}

static struct view *view_of(const struct record *records, const struct mark_form *form)
{
	return view_between(records, form, NULL);
}

static const struct view_set *set_at(const struct view *view, const char *label,
                                     uint16_t type)
{
	struct name name = below(label);
	const struct node *node = view_find(view, &name);

	return node_find_set(node, type);
}

static void whose_a_set_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct record *first = &cases[i].records[0];
		struct mark_form form = cases[i].prefix
		    ? form_of(cases[i].prefix, cases[i].wildcard) : mark_form_seed;
		struct view *view = view_of(cases[i].records, &form);
		const struct view_set *set = set_at(view, first->label,
		                                    first->type);

		print_message("  %s\n", cases[i].story);
		assert_non_null(set);
		assert_int_equal(set->owner, cases[i].want);
		if (cases[i].want == OWNER_US)
			assert_non_null(set->ours);
		view_free(&view);
	}
}

static bool is_by_former(const struct view_set *set)
{
	const struct claim *claim = set->claims;

	while (claim && claim->by != set->ours)
		claim = claim->next;
	return claim && claim->is_former;
}

static void whose_a_set_is_when_the_form_has_changed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(moves); i++) {
		const struct record *first = &moves[i].records[0];
		struct mark_form form = form_named(moves[i].form);
		struct mark_form former = form_named(moves[i].former);
		struct view *view = view_between(moves[i].records, &form, &former);
		const struct view_set *set = set_at(view, first->label,
		                                    first->type);

		print_message("  %s\n", moves[i].story);
		assert_non_null(set);
		assert_int_equal(set->owner, moves[i].want);
		if (moves[i].want == OWNER_US)
			assert_int_equal(is_by_former(set), moves[i].is_former);
		view_free(&view);
	}
}

static void marks_are_no_text_records(void **state)
{
	static const struct record records[RECORDS_MAX] = {
		{ "foo", RR_TXT, US }, { "foo", RR_TXT, "b" }, { "foo", RR_TXT, "a" },
		{ "bar", RR_TXT, US },
	};
	struct view *view = view_of(records, &mark_form_ours);
	struct name foo = below("foo");

	(void)state;
	assert_int_equal(set_at(view, "foo", RR_TXT)->rrset.count, 2);
	assert_int_equal(view_find(view, &foo)->marks.count, 1);
	assert_null(set_at(view, "bar", RR_TXT));
	view_free(&view);
}

static void a_mark_without_its_set_is_a_set_of_no_records(void **state)
{
	static const struct record records[RECORDS_MAX] = {
		{ "_own-a.foo", RR_TXT, US }, { "_own-a.bar", RR_TXT, THEM },
	};
	struct view *view = view_of(records, &mark_form_ours);
	const struct view_set *ours = set_at(view, "foo", RR_A);
	const struct view_set *theirs = set_at(view, "bar", RR_A);

	(void)state;
	assert_int_equal(ours->rrset.count, 0);
	assert_int_equal(ours->owner, OWNER_US);
	assert_int_equal(theirs->rrset.count, 0);
	assert_int_equal(theirs->owner, OWNER_OTHER);
	view_free(&view);
}

static void records_that_come_twice_count_once(void **state)
{
	static const struct record records[RECORDS_MAX] = {
		{ "foo", RR_A, "bcde" }, { "foo", RR_A, "abcd" }, { "foo", RR_A, "bcde" },
	};
	struct view *view = view_of(records, &mark_form_ours);
	const struct view_set *set = set_at(view, "foo", RR_A);

	(void)state;
	assert_int_equal(set->rrset.count, 2);
	assert_memory_equal(set->rrset.records[0].octets, "abcd", 4);
	view_free(&view);
}

static enum owner_kind owner_to_come(struct view *view, const char *label, uint16_t type)
{
	struct name name = below(label);

	return view_add_set(view, view_node(view, &name), type)->owner;
}

/* In the seed's form the mark of a name does not say for what. */
static void a_set_to_come_is_whose_the_name_is(void **state)
{
	static const struct record records[RECORDS_MAX] = {
		{ "foo", RR_A, "abcd" }, { "foo", RR_TXT, "us" },
	};
	struct view *view = view_of(records, &mark_form_seed);

	(void)state;
	assert_int_equal(owner_to_come(view, "foo", RR_AAAA), OWNER_VAGUE);
	assert_int_equal(owner_to_come(view, "foo", RR_CNAME), OWNER_NONE);
	assert_int_equal(owner_to_come(view, "bar", RR_A), OWNER_NONE);
	view_free(&view);
}

static void a_name_has_so_many_types_and_no_more(void **state)
{
	struct name apex = name_of("example.com.");
	struct name foo = below("foo"), bar = below("bar");
	struct rdata rdata = { (const uint8_t *)"abcd", 4 };
	struct view *view = view_new(&apex, 1);

	(void)state;
	for (uint16_t i = 0; i < VIEW_TYPES_MAX; i++)
		assert_true(view_add(view, &foo, (uint16_t)(1000 + i), 300, rdata));
	assert_false(view_add(view, &foo, 999, 300, rdata));
	assert_true(view_add(view, &foo, 1000, 300, rdata));
	assert_true(view_add(view, &bar, 999, 300, rdata));
	view_free(&view);
}

/* A row of a table speaks for its set, beside the marks of others in the zone. */
static void what_a_table_says(void **state)
{
	static const struct record records[RECORDS_MAX] = {
		{ "foo", RR_A, "abcd" }, { "bar", RR_A, "abcd" },
		{ "_own-a.bar", RR_TXT, THEM }, { "baz", RR_A, "abcd" },
		{ "_own-a.baz", RR_TXT, US },
	};
	static const char *const labels[] = { "foo", "bar", "gone" };
	static const enum owner_kind owners[] = { OWNER_US, OWNER_CONTESTED, OWNER_US };
	struct name apex = name_of("example.com.");
	struct view *view = view_new(&apex, 1);
	struct mark mark = { 0 };

	(void)state;
	mark_set(&mark, "owner", "us");
	for (size_t i = 0; i < RECORDS_MAX && records[i].label; i++)
		add(view, records[i].label, records[i].type, records[i].data);
	for (size_t i = 0; i < COUNT(labels); i++) {
		struct name name = below(labels[i]);

		view_claim(view, &name, RR_A, &mark);
	}
	view_settle(view,
	            &(struct mark_settings){ .owner = "us", .form = mark_form_none });
	for (size_t i = 0; i < COUNT(labels); i++)
		assert_int_equal(set_at(view, labels[i], RR_A)->owner, owners[i]);
	assert_int_equal(set_at(view, "baz", RR_A)->owner, OWNER_BAD);
	view_free(&view);
}

static void what_a_cut_hides(void **state)
{
	static const struct record records[RECORDS_MAX] = {
		{ "theirs", RR_NS, "abcd" }, { "ours", RR_NS, "abcd" },
		{ "ns-ours", RR_TXT, US }, { "d", RR_DNAME, "abcd" },
		{ "", RR_NS, "abcd" },
	};
	static const struct {
		const char *label;
		uint16_t type;
		bool want;
	} hidden[] = {
		{ "",         RR_A,    false },
		{ "a",        RR_A,    false },
		{ "theirs",   RR_A,    true },
		{ "a.theirs", RR_A,    true },
		{ "theirs",   RR_NS,   false },
		{ "theirs",   RR_DS,   false },
		{ "b.theirs", RR_NS,   true },
		{ "ours",     RR_A,    false },
		{ "a.b.ours", RR_AAAA, false },
		{ "a.ours",   RR_TXT,  true },
		{ "d",        RR_A,    false },
		{ "a.d",      RR_A,    true },
		{ "a.b.d",    RR_TXT,  true },
	};
	struct view *view = view_of(records, &mark_form_ours);

	(void)state;
	for (size_t i = 0; i < COUNT(hidden); i++) {
		struct name name = below(hidden[i].label);
		bool is_hidden = view_is_hidden(view, &name, hidden[i].type);

		print_message("  %s\n", hidden[i].label);
		assert_int_equal(is_hidden, hidden[i].want);
	}
	view_free(&view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whose_a_set_is),
		cmocka_unit_test(whose_a_set_is_when_the_form_has_changed),
		cmocka_unit_test(marks_are_no_text_records),
		cmocka_unit_test(a_mark_without_its_set_is_a_set_of_no_records),
		cmocka_unit_test(records_that_come_twice_count_once),
		cmocka_unit_test(a_set_to_come_is_whose_the_name_is),
		cmocka_unit_test(a_name_has_so_many_types_and_no_more),
		cmocka_unit_test(what_a_table_says),
		cmocka_unit_test(what_a_cut_hides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
