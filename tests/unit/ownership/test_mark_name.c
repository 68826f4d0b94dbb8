#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mark_name.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

/* The zone of a case: "example.com." if it names none. */
static struct name zone_of(const char *text)
{
	return name_of(text ? text : "example.com.");
}

static enum err form_parse(const char *prefix, const char *suffix, const char *wildcard,
                           struct mark_form *form)
{
	struct why why;

	return mark_form_parse(prefix, suffix, wildcard, "mark", form, &why);
}

static struct mark_form form_of(const char *prefix, const char *suffix,
                                const char *wildcard)
{
	struct mark_form form;

	assert_int_equal(form_parse(prefix, suffix, wildcard, &form), OK);
	return form;
}

static const struct form {
	const char *prefix, *suffix, *wildcard;
	bool is_same, is_none;
}
	plain  = { "", "", "" },
	typed  = { "%{record_type}-", "", "" },
	abc    = { "%{record_type}-abc-.", "", "" },
	txt    = { "txt-", "", "wild" },
	after  = { "", "-%{Record_type}", "" },
	behind = { "", "-.%{record_type}", "" },
	extdns = { "_extdns.", "", "" },
	ours   = { "_own-%{record_type}.", "", "_wildcard" },
	typed_txt = { "txt.%{record_type}-", "", "" },
	own    = { "", "-own", "" },
	same   = { .is_same = true },
	none   = { .is_none = true };

static struct mark_form make_form(const struct form *form)
{
	if (form->is_none)
		return mark_form_none;
	return form->is_same ? mark_form_seed
	                     : form_of(form->prefix, form->suffix, form->wildcard);
}

/* A mark of NULL: there can be none. A zone of NULL: see zone_of(). */
static const struct {
	const struct form *form;
	uint16_t type;
	const char *name, *mark, *zone;
} vectors[] = {
	{ &plain,  RR_A,     "foo.example.com.",  "a-foo.example.com." },
	{ &plain,  RR_AAAA,  "foo.example.com.",  "aaaa-foo.example.com." },
	{ &plain,  RR_CNAME, "foo.example.com.",  "cname-foo.example.com." },
	{ &plain,  RR_NS,    "foo.example.com.",  "ns-foo.example.com." },
	{ &plain,  RR_MX,    "foo.example.com.",  "mx-foo.example.com." },
	{ &plain,  RR_SRV,   "foo.example.com.",  "srv-foo.example.com." },
	{ &plain,  RR_PTR,   "foo.example.com.",  "ptr-foo.example.com." },
	{ &plain,  RR_NAPTR, "foo.example.com.",  "naptr-foo.example.com." },
	{ &plain,  RR_TXT,   "foo.example.com.",  "txt-foo.example.com." },
	{ &plain,  RR_DNAME, "foo.example.com.",  "dname-foo.example.com." },
	{ &plain,  RR_PTR,   "2.49.168.192.in-addr.arpa.",
	  "ptr-2.49.168.192.in-addr.arpa.", "in-addr.arpa." },
	{ &plain,  RR_A,     "example.com.",      NULL },
	{ &plain,  RR_A,     "example.com.",      "a-example.com.",      "com." },
	{ &plain,  RR_A,     "*.example.com.",    "a-*.example.com." },
	{ &typed,  RR_A,     "foo.example.com.",  "a-foo.example.com." },
	{ &abc,    RR_CNAME, "ex.com.",           "cname-abc-.ex.com.",  "ex.com." },
	{ &txt,    RR_A,     "*.example.com.",    "txt-a-wild.example.com." },
	{ &txt,    RR_A,     "wild.example.com.", "txt-a-wild.example.com." },
	{ &after,  RR_A,     "foo.example.com.",  "foo-a.example.com." },
	{ &behind, RR_CNAME, "www.ex.com.",       "www-.cname.ex.com.",  "ex.com." },
	{ &behind, RR_CNAME, "ex.com.",           NULL,                  "ex.com." },
	{ &extdns, RR_A,     "foo.example.com.",  "_extdns.a-foo.example.com." },
	{ &extdns, RR_A,     "example.com.",      NULL },
	{ &ours,   RR_A,     "foo.example.com.",  "_own-a.foo.example.com." },
	{ &ours,   RR_A,     "*.example.com.",    "_own-a._wildcard.example.com." },
	{ &ours,   RR_A,     "example.com.",      "_own-a.example.com." },
	{ &ours,   RR_NS,    "sub.example.com.",  "ns-sub.example.com." },
	{ &ours,   RR_DNAME, "sub.example.com.",  "dname-sub.example.com." },
	{ &ours,   RR_DNAME, "example.com.",      NULL },
	{ &ours,   RR_HTTPS, "example.com.",      "_own-https.example.com." },
	{ &ours,   RR_SOA,   "example.com.",      NULL },
	{ &ours,   RR_A,     ".",                 NULL,                  "." },
	{ &same,   RR_A,     "foo.zone.org.",     "foo.zone.org.",       "zone.org." },
	{ &same,   RR_A,     "zone.org.",         "zone.org.",           "zone.org." },
	{ &same,   RR_CNAME, "foo.zone.org.",     "cname-foo.zone.org.", "zone.org." },
	{ &same,   RR_TXT,   "foo.zone.org.",     "txt-foo.zone.org.",   "zone.org." },
	{ &same,   RR_NS,    "foo.zone.org.",     "ns-foo.zone.org.",    "zone.org." },
	{ &same,   RR_DNAME, "foo.zone.org.",     "foo.zone.org.",       "zone.org." },
	{ &same,   RR_CNAME, "zone.org.",         NULL,                  "zone.org." },
	{ &own,    RR_A,     "foo.example.com.",  "a-foo-own.example.com." },
	{ &own,    RR_NS,    "sub.example.com.",  "ns-sub-own.example.com." },
	{ &own,    RR_A,     "*.example.com.",    "a-*-own.example.com." },
	{ &own,    RR_A,     "example.com.",      NULL },
	{ &txt,    RR_NS,    "sub.example.com.",  "txt-ns-sub.example.com." },
	{ &extdns, RR_NS,    "sub.example.com.",  "ns-sub.example.com." },
	{ &extdns, RR_DNAME, "sub.example.com.",  "dname-sub.example.com." },
	{ &typed_txt, RR_A,  "foo.example.com.",  "txt.a-foo.example.com." },
	{ &after,  RR_AAAA,  "a-foo.example.com.", "a-foo-aaaa.example.com." },
	{ &ours,   RR_A,     "_own-a.www.example.com.",
	  "_own-a._own-a.www.example.com." },
};

static void where_a_mark_stands(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(vectors); i++) {
		struct mark_form form = make_form(vectors[i].form);
		struct name name = name_of(vectors[i].name), mark;
		struct name zone = zone_of(vectors[i].zone);
		uint16_t type = vectors[i].type;
		char text[NAME_MAX_TEXT + 1];
		struct why why;
		enum err err = mark_name(&form, &name, type, &zone, &mark, &why);

		print_message("  %d %s\n", type, vectors[i].name);
		assert_int_equal(err, vectors[i].mark ? OK : ERR_INVALID);
		if (err) {
			print_message("    %s\n", why.text);
			continue;
		}
		name_format(&mark, text);
		assert_string_equal(text, vectors[i].mark);
	}
}

static size_t count_of(const struct mark_reading *readings, size_t count,
                       const struct name *name, uint16_t type)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += readings[i].type == type && name_equal(&readings[i].name, name);
	return found;
}

/* Each vector is one of its mark's readings, once; the seed's is read by its name. */
static void the_way_back_leads_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(vectors); i++) {
		struct mark_form form = make_form(vectors[i].form);
		struct mark_reading readings[MARK_READINGS_MAX];

		if (!vectors[i].mark)
			continue;
		struct name name = name_of(vectors[i].name);
		struct name mark = name_of(vectors[i].mark);
		struct name zone = zone_of(vectors[i].zone);
		size_t count = mark_readings(&form, &mark, &zone, readings);
		bool is_old = name_equal(&name, &mark);

		print_message("  %s %zu\n", vectors[i].mark, count);
		assert_int_equal(count_of(readings, count, &name,
		                          is_old ? 0 : vectors[i].type), 1);
	}
}

static const struct {
	const struct form *form;
	const char *mark;
	struct { uint16_t type; const char *name; } want[4];
	const char *zone;
} ambiguous[] = {
	{ &plain,  "mx-1.example.com.",        { { RR_MX, "1.example.com." },
	                                         { 0, "mx-1.example.com." } } },
	{ &plain,  "foo.example.com.",         { { 0, "foo.example.com." } } },
	{ &plain,  "a-.example.com.",          { { 0, "a-.example.com." } } },
	{ &txt,    "txt-a-wild.example.com.",  { { RR_A, "wild.example.com." },
	                                         { RR_A, "*.example.com." },
	                                         { 0, "a-wild.example.com." } } },
	{ &txt,    "a-foo.example.com.",       { { 0 } } },
	{ &ours,   "_own-a.foo.example.com.",  { { RR_A, "foo.example.com." } } },
	{ &ours,   "_own-a.example.com.",      { { RR_A, "example.com." } } },
	{ &ours,   "_own-b.foo.example.com.",  { { 0 } } },
	{ &ours,   "_own-ns.foo.example.com.", { { 0 } } },
	{ &ours,   "ns-foo.example.com.",      { { RR_NS, "foo.example.com." } } },
	{ &ours,   "a-foo.example.com.",       { { 0 } } },
	{ &ours,   "_own-a.com.",              { { 0 } } },
	{ &behind, "www-.cname.ex.com.",       { { RR_CNAME, "www.ex.com." } },
	  "ex.com." },
	{ &behind, "www-.",                    { { 0 } }, "." },
	{ &behind, "www-.com.",                { { 0 } }, "com." },
	{ &behind, ".",                        { { 0 } }, "." },
	{ &ours,   ".",                        { { 0 } }, "." },
	{ &same,   "foo.zone.org.",            { { 0, "foo.zone.org." } }, "zone.org." },
	{ &none,   "a-foo.example.com.",       { { 0 } } },
	{ &none,   "_own-a.foo.example.com.",  { { 0 } } },
	{ &own,    "a-foo-own.example.com.",   { { RR_A, "foo.example.com." },
	                                         { 0, "a-foo.example.com." } } },
	{ &own,    "foo-own.example.com.",     { { 0, "foo.example.com." } } },
	{ &own,    "a-foo.example.com.",       { { 0 } } },
	{ &own,    "-own.example.com.",        { { 0 } } },
	{ &after,  "foo-a.example.com.",       { { RR_A, "foo.example.com." } } },
	{ &after,  "foo-aaaa.example.com.",    { { RR_AAAA, "foo.example.com." } } },
	{ &after,  "-a.example.com.",          { { 0 } } },
	{ &txt,    "txt-txt-foo.example.com.", { { RR_TXT, "foo.example.com." },
	                                         { 0, "txt-foo.example.com." } } },
	{ &txt,    "txt-foo.example.com.",     { { 0, "foo.example.com." } } },
	{ &extdns, "ns-sub.example.com.",      { { RR_NS, "sub.example.com." } } },
	{ &ours,   "_own-a._wildcard.example.com.", { { RR_A, "_wildcard.example.com." },
	                                              { RR_A, "*.example.com." } } },
	{ &ours,   "_own-a.*.example.com.",    { { 0 } } },
	{ &same,   "txt-foo.zone.org.",        { { RR_TXT, "foo.zone.org." },
	                                         { 0, "txt-foo.zone.org." } },
	  "zone.org." },
	{ &same,   "a-foo.zone.org.",          { { 0, "a-foo.zone.org." } },
	  "zone.org." },
	{ &same,   "cname-foo.zone.org.",      { { RR_CNAME, "foo.zone.org." },
	                                         { 0, "cname-foo.zone.org." } },
	  "zone.org." },
};

static void what_a_mark_can_be_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ambiguous); i++) {
		struct mark_form form = make_form(ambiguous[i].form);
		struct name mark = name_of(ambiguous[i].mark);
		struct name zone = zone_of(ambiguous[i].zone);
		struct mark_reading readings[MARK_READINGS_MAX];
		size_t count = mark_readings(&form, &mark, &zone, readings), wanted = 0;

		print_message("  %s %zu\n", ambiguous[i].mark, count);
		for (; wanted < 4 && ambiguous[i].want[wanted].name; wanted++) {
			struct name name = name_of(ambiguous[i].want[wanted].name);

			assert_int_equal(count_of(readings, count, &name,
			                          ambiguous[i].want[wanted].type), 1);
		}
		assert_int_equal(count, wanted);
	}
}

/* ---- whatever the name is ---- */

/* Of a label: short, and now and then as long as it may be, or almost. */
static size_t random_octets(void)
{
	return random() % 8 ? 1 + (size_t)random() % 6 : 54 + (size_t)random() % 10;
}

static struct name random_name(const struct name *zone)
{
	static const char letters[] = "abcmnsxw-1*_.";
	struct name name = { 0 };
	size_t labels = (size_t)random() % 4;

	for (size_t i = 0; i < labels; i++) {
		size_t octets = random_octets();

		name.wire[name.len++] = (uint8_t)octets;
		for (size_t j = 0; j < octets; j++)
			name.wire[name.len++] =
			    (uint8_t)letters[(size_t)random() % (sizeof(letters) - 1)];
	}
	memcpy(name.wire + name.len, zone->wire, zone->len);
	name.len = (uint8_t)(name.len + zone->len);
	return name;
}

static void a_random_name_is_found_again_or_has_no_mark(void **state)
{
	static const struct form *const forms[] = { &plain, &typed, &abc, &txt, &after,
	                                            &behind, &extdns, &ours };
	static const uint16_t kinds[] = { RR_A, RR_NS, RR_CNAME, RR_TXT, RR_DNAME,
	                                  RR_SSHFP };
	struct name zone = name_of("example.com.");
	size_t marked = 0;

	(void)state;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		struct mark_form form = make_form(forms[(size_t)random() % COUNT(forms)]);
		uint16_t type = kinds[(size_t)random() % COUNT(kinds)];
		struct name name = random_name(&zone), mark;
		struct mark_reading readings[MARK_READINGS_MAX];
		struct why why;

		if (mark_name(&form, &name, type, &zone, &mark, &why))
			continue;
		marked++;
		assert_int_equal(name_wire_len(mark.wire, mark.len), mark.len);
		size_t count = mark_readings(&form, &mark, &zone, readings);
		assert_int_equal(count_of(readings, count, &name, type), 1);
	}
	assert_true(marked > 5000);
}

static void any_name_can_be_read(void **state)
{
	static const struct form *const forms[] = { &plain, &abc, &txt, &after, &behind,
	                                            &ours, &same };
	struct name zone = name_of("example.com."), root = name_of(".");

	(void)state;
	srandom(2);
	for (int round = 0; round < 20000; round++) {
		struct mark_form form = make_form(forms[(size_t)random() % COUNT(forms)]);
		struct name name = random_name(random() % 2 ? &zone : &root);
		struct mark_reading readings[MARK_READINGS_MAX];
		size_t count = mark_readings(&form, &name, &zone, readings);

		for (size_t i = 0; i < count; i++) {
			const struct name *found = &readings[i].name;

			assert_true(name_is_below(found, &zone));
			assert_int_equal(name_wire_len(found->wire, found->len),
			                 found->len);
		}
	}
}

/* ---- limits ---- */

static void labels_of_63_octets_and_names_of_255(void **state)
{
	char label[NAME_MAX_LABEL + 1], text[300];
	struct mark_form form = mark_form_ours, flat = mark_form_plain;
	struct name zone = name_of("example.com."), mark;
	struct why why;

	(void)state;
	memset(label, 'x', NAME_MAX_LABEL);
	label[NAME_MAX_LABEL] = '\0';
	snprintf(text, sizeof(text), "%s.example.com.", label);
	struct name name = name_of(text);
	assert_int_equal(mark_name(&form, &name, RR_A, &zone, &mark, &why), OK);
	assert_int_equal(mark_name(&flat, &name, RR_A, &zone, &mark, &why), ERR_INVALID);
	assert_non_null(strstr(why.text, "more than 255 octets"));

	/* 7 octets more, "_own-a" and its length, make 255, 256 */
	snprintf(text, sizeof(text), "%s.%s.%s.%.42s.example.com.",
	         label, label, label, label);
	name = name_of(text);
	assert_int_equal(name.len, 248);
	assert_int_equal(mark_name(&form, &name, RR_A, &zone, &mark, &why), OK);
	assert_int_equal(mark.len, 255);
	assert_int_equal(mark_name(&form, &name, RR_MX, &zone, &mark, &why), ERR_INVALID);
}

/* With all that may be in it, for each type: what stands around the label just fits. */
static void the_longest_affix(void **state)
{
	static const char *const ends[] = { "", "-%{record_type}.", "-%{record_type}-" };

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		const struct name name = name_of("a.example.com."), zone = zone_of(NULL);
		char prefix[MARK_AFFIX_MAX + 1];
		struct mark_form form;
		struct name mark;
		struct why why;
		int len = MARK_AFFIX_MAX - (int)strlen(ends[i]);

		for (int at = 0; at < len; at++)
			prefix[at] = at == 50 ? '.' : 'x';
		strcpy(prefix + len, ends[i]);
		form = form_of(prefix, "", "");
		for (size_t at = 0; mark_type_at(at); at++) {
			struct mark_reading readings[MARK_READINGS_MAX];
			enum err err = mark_name(&form, &name, mark_type_at(at), &zone,
			                         &mark, &why);

			assert_int_equal(err, strlen(ends[i]) ? OK : err);
			if (!err)
				assert_int_not_equal(0, mark_readings(&form, &mark,
				                     &zone, readings));
		}
	}
}

static void which_settings_are_taken(void **state)
{
	static const struct {
		const char *prefix, *suffix, *wildcard;
		enum err want;
	} cases[] = {
		{ "", "", "", OK },
		{ "TXT-", "", "Wild", OK },
		{ "%{record_type}.", "", "", OK },
		{ "a%{record_type}.", "", "", OK },
		{ "%{RECORD_TYPE}-", "", "", OK },
		{ "", "-%{record_type}", "", OK },
		{ "", ".%{record_type}.x", "", ERR_INVALID },
		{ "", "-%{record_type}.x", "", OK },
		{ "%{record_type}", "", "", ERR_INVALID },
		{ "%{record_type}x-", "", "", ERR_INVALID },
		{ "%{record_type}_", "", "", ERR_INVALID },
		{ "%{record_type}-%{record_type}-", "", "", ERR_INVALID },
		{ "", "%{record_type}", "", ERR_INVALID },
		{ "", "x%{record_type}", "", ERR_INVALID },
		{ "", "-%{record_type}-%{record_type}", "", ERR_INVALID },
		{ "-", "", "", OK },
		{ "x%", "", "", ERR_INVALID },
		{ "a", "b", "", ERR_INVALID },
		{ ".a", "", "", ERR_INVALID },
		{ "a..b", "", "", ERR_INVALID },
		{ "", "a.", "", ERR_INVALID },
		{ "a b", "", "", ERR_INVALID },
		{ "%{type}", "", "", ERR_INVALID },
		{ "\xc3\xa4", "", "", ERR_INVALID },
		{ "", "", "a.b", ERR_INVALID },
		{ "", "", "*", ERR_INVALID },
		{ "", "", "%{record_type}", ERR_INVALID },
	};
	char long_one[MARK_AFFIX_MAX + 2];
	struct mark_form form;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(form_parse(cases[i].prefix, cases[i].suffix,
		                            cases[i].wildcard, &form), cases[i].want);
	memset(long_one, 'a', sizeof(long_one) - 1);
	long_one[sizeof(long_one) - 1] = '\0';
	assert_int_equal(form_parse(long_one, "", "", &form), ERR_INVALID);
	assert_int_equal(form_parse("", "", long_one, &form), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_a_mark_stands),
		cmocka_unit_test(the_way_back_leads_there),
		cmocka_unit_test(what_a_mark_can_be_for),
		cmocka_unit_test(a_random_name_is_found_again_or_has_no_mark),
		cmocka_unit_test(any_name_can_be_read),
		cmocka_unit_test(labels_of_63_octets_and_names_of_255),
		cmocka_unit_test(the_longest_affix),
		cmocka_unit_test(which_settings_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
