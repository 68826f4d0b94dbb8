#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "model/presentation.h"
#include "model/rr.h"
#include "model/server_limits.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The backends of rows that exclude the record set, each with a blank behind it. */
static void find_backends(const struct server_limit_view *view, const uint8_t *rdata,
                          size_t len, char *found)
{
	*found = '\0';
	for (size_t i = 0; i < SERVER_LIMITS; i++) {
		const struct server_limit *limit = &server_limits[i];

		if ((limit->excludes_set && limit->excludes_set(view)) ||
		    (limit->excludes_record &&
		     limit->excludes_record(view->type, rdata, len)))
			strcat(strcat(found, limit->backend), " ");
	}
}

static const struct {
	const char *name, *type;
	size_t records, types;
	bool has_cname, has_key;
	const char *want;
} sets[] = {
	{ "*.w.example.org.", "NS", 1, 1, false, false, "bind9 " },
	{ "w.example.org.", "NS", 1, 1, false, false, "" },
	{ "*.w.example.org.", "A", 1, 1, false, false, "" },
	{ "*a.w.example.org.", "NS", 1, 1, false, false, "" },
	{ "a.*.example.org.", "NS", 1, 1, false, false, "" },
	{ "a.example.org.", "A", 100, 100, false, false, "" },
	{ "a.example.org.", "A", 101, 1, false, false, "bind9 " },
	{ "a.example.org.", "A", 1, 101, false, false, "bind9 " },
	{ "a.example.org.", "A", 101, 101, false, false, "bind9 bind9 " },
	{ "k.example.org.", "KEY", 1, 2, true, true, "knot " },
	{ "k.example.org.", "CNAME", 1, 2, true, true, "knot " },
	{ "k.example.org.", "CNAME", 1, 1, true, false, "" },
	{ "k.example.org.", "KEY", 1, 1, false, true, "" },
	{ "a+b.example.org.", "A", 1, 1, false, false, "powerdns " },
	{ "a\\000.example.org.", "A", 1, 1, false, false, "powerdns " },
	{ "b\\195\\188.example.org.", "A", 1, 1, false, false, "powerdns " },
	{ "a.b\\\"c.example.org.", "A", 1, 1, false, false, "powerdns " },
	{ "a\\032b.-_*/\\@\\\\:\\.9.example.org.", "A", 1, 1, false, false, "" },
	{ ".", "NS", 1, 1, false, false, "" },
	{ "a.example.org.", "RRSIG", 1, 1, false, false, "powerdns " },
	{ "a.example.org.", "NSEC", 1, 1, false, false, "powerdns " },
	{ "a.example.org.", "NSEC3", 1, 1, false, false, "powerdns " },
	{ "a.example.org.", "NSEC3PARAM", 1, 1, false, false, "powerdns " },
	{ "a.example.org.", "DNSKEY", 1, 1, false, false, "powerdns " },
	{ "a.example.org.", "CDS", 1, 1, false, false, "powerdns " },
	{ "a.example.org.", "CDNSKEY", 1, 1, false, false, "powerdns " },
	{ "a.example.org.", "DS", 1, 1, false, false, "" },
	{ "a.example.org.", "KEY", 1, 1, false, false, "" },
};

static void record_sets(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct server_limit_view view = {
			.records = sets[i].records, .types = sets[i].types,
			.has_cname = sets[i].has_cname, .has_key = sets[i].has_key,
		};
		struct name name;
		struct why why;
		char found[256];

		print_message("  %s %s\n", sets[i].name, sets[i].type);
		assert_int_equal(name_parse(sets[i].name, "name", &name, &why), OK);
		assert_int_equal(rrtype_parse(sets[i].type, "type", &view.type, &why),
		                 OK);
		view.name = &name;
		find_backends(&view, (const uint8_t *)"", 0, found);
		assert_string_equal(found, sets[i].want);
	}
}

static const struct {
	const char *type, *data;
	const char *want;
} records[] = {
	{ "SVCB", "0 b.example.net.", "" },
	{ "SVCB", "0 b.example.net. alpn=h2", "powerdns " },
	{ "HTTPS", "0 . port=53", "powerdns " },
	{ "HTTPS", "1 . alpn=h2", "" },
	{ "HTTPS", "256 . alpn=h2", "" },
	{ "MX", "0 b.example.net.", "" },
};

static void data_of_records(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(records); i++) {
		struct name name = { .len = 1 };
		struct server_limit_view view = { .name = &name, .records = 1,
		                                  .types = 1 };
		struct arena *arena = arena_new();
		const uint8_t *rdata;
		char found[256];
		struct why why;
		uint16_t len;

		print_message("  %s %s\n", records[i].type, records[i].data);
		assert_int_equal(rrtype_parse(records[i].type, "type", &view.type, &why),
		                 OK);
		assert_int_equal(rdata_parse(view.type, records[i].data, "data", arena,
		                             &rdata, &len, &why), OK);
		find_backends(&view, rdata, len, found);
		assert_string_equal(found, records[i].want);
		/* data that end too early exclude nothing, and are not read further */
		for (size_t cut = 0; cut < len; cut++)
			find_backends(&view, rdata, cut, found);
		arena_free(&arena);
	}
}

/* NSD 4.6.1 sends 15750 octets with the longest names, and never more than 16360. */
static void length_of_data(void **unused)
{
	static const uint8_t data[16001];
	struct name name = { .len = 1 };
	struct server_limit_view view = { .name = &name, .type = RR_TXT, .records = 1,
	                                  .types = 1 };
	char found[256];

	(void)unused;
	find_backends(&view, data, 16000, found);
	assert_string_equal(found, "");
	find_backends(&view, data, 16001, found);
	assert_string_equal(found, "nsd ");
}

/* Words for tables and reasons. */
static void rows_are_whole(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < SERVER_LIMITS; i++) {
		const struct server_limit *limit = &server_limits[i];

		assert_true(limit->backend && limit->server && limit->takes);
		assert_true(!strncmp(limit->takes, "accepts ", 8) ||
		            !strncmp(limit->takes, "sends ", 6));
		assert_int_equal(!!limit->excludes_set + !!limit->excludes_record +
		                 !!limit->excludes_zone, 1);
		assert_non_null(server_limit_effect_words(limit->effect));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_sets),
		cmocka_unit_test(data_of_records),
		cmocka_unit_test(length_of_data),
		cmocka_unit_test(rows_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
