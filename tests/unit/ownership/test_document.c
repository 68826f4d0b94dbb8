#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "document.h"

static enum err read_for(const char *zone, const char *text, struct arena *arena,
                         struct document *document, struct why *why)
{
	char storage_id[] = "external-dns-1";
	const struct registry_settings settings = { .storage_id = storage_id };
	struct registry registry = { .settings = &settings };
	json_t *entries = json_loads(text, 0, NULL);
	enum err err;

	assert_non_null(entries);
	assert_int_equal(name_parse(zone, "zone", &registry.zone, why), OK);
	err = document_read(entries, &registry, arena, document, why);
	json_decref(entries);
	return err;
}

/* The three of the seed; a record of type A has an address, so the first is nobody's. */
static void what_the_seed_shows(void **state)
{
	struct arena *arena = arena_new();
	struct document document;
	struct why why;

	(void)state;
	assert_int_equal(read_for("org.",
	    "[{\"dnsname\": \"foo.org\", \"owner\": \"external-dns-1\","
	    "\"target\": \"loadbalancer1.com\", \"type\": \"A\"},"
	    "{\"dnsname\": \"bar.org\", \"owner\": \"external-dns-2\","
	    "\"target\": \"loadbalancer2.com\", \"type\": \"A\"},"
	    "{\"dnsname\": \"unmanaged.org\", \"owner\": \"\","
	    "\"target\": \"loadbalancer2.com\", \"type\": \"CNAME\"}]",
	    arena, &document, &why), OK);
	assert_int_equal(document.count, 0);
	assert_int_equal(document.unreadable, 1);
	assert_int_equal(document.others, 1);
	assert_int_equal(document.unmanaged, 1);
	arena_free(&arena);
}

#define OURS(name, target, type) \
	"{\"dnsname\":\"" name "\",\"owner\":\"external-dns-1\"," \
	"\"target\":\"" target "\",\"type\":\"" type "\"}"

/* In any order, twice, with and without last dots, in any case; and out again. */
static void sets_are_joined(void **state)
{
	static const char want[] =
	    "[{\"dnsname\":\"a.example.org\",\"owner\":\"x\",\"target\":\"192.0.2.1\","
	    "\"type\":\"A\"},{\"dnsname\":\"a.example.org\",\"owner\":\"x\",\"target\":"
	    "\"192.0.2.2\",\"type\":\"A\"},{\"dnsname\":\"b.example.org\","
	    "\"owner\":\"x\",\"target\":\"lb.example.net\",\"type\":\"CNAME\"}]";
	struct arena *arena = arena_new();
	json_t *entries = json_array();
	struct document document;
	struct why why;
	char *text;

	(void)state;
	assert_int_equal(read_for("example.org.",
	    "[" OURS("a.example.org", "192.0.2.2", "A") ","
	    OURS("b.example.org.", "LB.example.net", "CNAME") ","
	    OURS("A.Example.ORG", "192.0.2.1", "a") ","
	    OURS("a.example.org.", "192.0.2.2", "A") ","
	    OURS("elsewhere.net", "192.0.2.2", "A") "]", arena, &document, &why), OK);
	assert_int_equal(document.count, 2);
	assert_int_equal(document.outside, 1);
	for (size_t i = 0; i < 2; i++)
		document_add(entries, &(struct record_row){
			.name = document.sets[i].name, .rrset = document.sets[i].intended,
			.owner = "x", .resource = "" });
	text = json_dumps(entries, JSON_COMPACT);
	assert_string_equal(text, want);
	free(text);
	json_decref(entries);
	arena_free(&arena);
}

static void what_is_no_document(void **state)
{
	static const char *const wrong[] = {
		"[1]", "[null]", "[[]]", "[{}]", "[\"x\"]",
		"[{\"dnsname\":\"a\",\"owner\":\"\",\"target\":\"x\"}]",
		"[{\"dnsname\":\"a\",\"owner\":\"\",\"target\":\"x\",\"type\":1}]",
		"[{\"dnsname\":\"a\",\"owner\":\"\",\"target\":\"x\",\"type\":\"A\","
		"\"ttl\":1}]",
		"[{\"dnsname\":\"a\",\"owner\":\"\",\"target\":\"x\","
		"\"type\":\"AAAAAAAAAAAAAAAAAAAAAAAA\"}]",
	};
	static const char *const useless[] = {
		"[" OURS("", "192.0.2.1", "A") "]",
		"[" OURS("a..b", "192.0.2.1", "A") "]",
		"[" OURS("a.example.org", "", "A") "]",
		"[" OURS("a.example.org", "", "CNAME") "]",
		"[" OURS("a.example.org", "x", "NOTYPE") "]",
		"[" OURS("a.example.org", "\\\\# 3 00", "A") "]",
		"[" OURS("a.example.org", "192.0.2.1", "ANY") "]",
	};
	struct arena *arena = arena_new();
	struct document document;
	struct why why;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		print_message("  %s\n", wrong[i]);
		assert_int_equal(read_for("example.org.", wrong[i], arena, &document,
		                          &why), ERR_INVALID);
		assert_memory_equal(why.text, "records[0]", 10);
	}
	for (size_t i = 0; i < sizeof(useless) / sizeof(useless[0]); i++) {
		print_message("  %s\n", useless[i]);
		assert_int_equal(read_for("example.org.", useless[i], arena, &document,
		                          &why), OK);
		assert_int_equal(document.count, 0);
		assert_int_equal(document.unreadable + document.outside, 1);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_seed_shows),
		cmocka_unit_test(sets_are_joined),
		cmocka_unit_test(what_is_no_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
