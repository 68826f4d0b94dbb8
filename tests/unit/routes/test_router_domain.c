#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/router_domain.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DNS "shard1.v3.rhcloud.com"

/* JSON in the way of this page: ' for ". Whoever calls frees it. */
static json_t *parse(const char *text)
{
	char *copy = strdup(text);
	json_t *json;

	for (char *at = copy; *at; at++)
		if (*at == '\'')
			*at = '"';
	json = json_loads(copy, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	free(copy);
	return json;
}

/* Takes JSON over. */
static void check(json_t *json, const char *want)
{
	json_t *wanted = parse(want);
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);

	print_message("  %s\n", text);
	assert_true(json_equal(json, wanted));
	free(text);
	json_decref(json);
	json_decref(wanted);
}

/* ---- what it is to begin with ---- */

#define SEED "{'ns': ['ns1.v3.rhcloud.com.'], 'ttl': 300, 'serial': 2009092001, " \
             "'soa': {'mname': '.', 'refresh': 604800}, " \
             "'records': [{'name': 'ns1', 'type': 'A', 'records': ['127.0.0.1']}]}"

/* WORDS of the refusal; NULL: it is taken. */
static const struct {
	const char *zone, *words;
} zones[] = {
	{ "{}", NULL },
	{ SEED, NULL },
	{ "{'ns': null, 'soa': null, 'ttl': null, 'records': null}", NULL },
	{ "{'serial': 4294967295, 'ttl': 2147483647}", NULL },
	{ "{'records': []}", NULL },
	{ "{'records': [{'name': '@', 'type': 'TXT', 'ttl': 5, 'records': []}]}", NULL },
	{ "{'name': 'x'}", "name" },
	{ "{'serial': 4294967296}", "serial" },
	{ "{'serial': -1}", "serial" },
	{ "{'ttl': 2147483648}", "ttl" },
	{ "{'ttl': '300'}", "ttl" },
	{ "{'ns': 'ns1'}", "zone.ns: must" },
	{ "{'ns': ['ns1', null]}", "zone.ns[1]: must" },
	{ "{'soa': {'mname': 7}}", "zone.soa.mname" },
	{ "{'soa': {'refresh': '1h'}}", "zone.soa.refresh" },
	{ "{'soa': {'minimum': -1}}", "zone.soa.minimum" },
	{ "{'soa': {'serial': 7}}", "serial" },
	{ "{'soa': []}", "soa" },
	{ "{'records': {}}", "records" },
	{ "{'records': ['www']}", "zone.records.name" },
	{ "{'records': [{}]}", "zone.records.name" },
	{ "{'records': [{'name': 'a', 'type': 'A'}]}", "zone.records.records" },
	{ "{'records': [{'name': 'a', 'type': 'A', 'records': [7]}]}",
	  "zone.records.records" },
	{ "{'records': [{'name': 'a', 'type': 'A', 'ttl': '1h', 'records': []}]}",
	  "zone.records.ttl" },
	{ "{'records': [{'name': 'a', 'records': []}]}", "zone.records.type" },
	{ "{'records': [{'name': 1, 'type': 'A', 'records': []}]}", "zone.records.name" },
	{ "{'records': [{'name': 'a', 'type': 'A', 'records': [], 'x': 1}]}", "x" },
};

static void each_zone(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(zones); i++) {
		json_t *zone = parse(zones[i].zone);
		struct why why = { "" };
		enum err err = router_domain_check(zone, &why);

		print_message("  %s: %s\n", zones[i].zone, err ? why.text : "taken");
		assert_int_equal(err, zones[i].words ? ERR_INVALID : OK);
		assert_true(!err || strstr(why.text, zones[i].words));
		json_decref(zone);
	}
}

/* Both lists have an end. */
static void too_many(void **state)
{
	static const struct {
		const char *key, *item;
	} rows[] = {
		{ "ns",      "['a.']" },
		{ "records", "[{'name': 'a', 'type': 'A', 'records': []}]" },
	};

	(void)state;
	for (size_t k = 0; k < COUNT(rows); k++) {
		json_t *list = parse(rows[k].item);
		json_t *zone = json_pack("{s:o}", rows[k].key, list);
		struct why why;

		for (int i = 1; i < 100; i++)
			json_array_append(list, json_array_get(list, 0));
		assert_int_equal(router_domain_check(zone, &why), OK);
		json_array_append(list, json_array_get(list, 0));
		assert_int_equal(router_domain_check(zone, &why), ERR_INVALID);
		json_decref(zone);
	}
}

static void the_domain(void **state)
{
	json_t *seed = parse(SEED), *none = json_object();

	(void)state;
	check(router_domain_new(none, DNS, "", ""), "{'name': '" DNS ".'}");
	check(router_domain_new(none, DNS, "edge", "the first"),
	      "{'name': '" DNS ".', 'pool': 'edge', 'description': 'the first'}");
	check(router_domain_new(seed, DNS, "", ""),
	      "{'name': '" DNS ".', 'ns': ['ns1.v3.rhcloud.com.'], 'ttl': 300}");
	json_decref(seed);
	json_decref(none);
}

static void extras(void **state)
{
	static const struct {
		const char *zone, *want;
	} rows[] = {
		{ "{}", "[]" },
		{ SEED, "[{'op': 'set', 'name': 'ns1." DNS ".', 'type': 'A', "
		  "'records': ['127.0.0.1']}]" },
		{ "{'records': [{'name': '@', 'type': 'TXT', 'ttl': 5, 'records': ['x', "
		  "'y']}, {'name': 'other.example.', 'type': 'A', 'records': []}]}",
		  "[{'op': 'set', 'name': '" DNS ".', 'type': 'TXT', 'ttl': 5, "
		  "'records': ['x', 'y']}, {'op': 'set', 'name': 'other.example.', "
		  "'type': 'A', 'records': []}]" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *zone = parse(rows[i].zone), *changes = json_array();

		router_domain_set_first_records(changes, zone, DNS);
		check(changes, rows[i].want);
		json_decref(zone);
	}
}

/* ---- what it has by what is routed ---- */

/* "10.0.0.1 fd00::1" */
static size_t addresses(const char *text, struct address *list)
{
	char words[256], *rest;
	size_t count = 0;

	strncpy(words, text, sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	for (char *word = strtok_r(words, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		assert_true(address_parse(word, 0, &list[count++]));
	return count;
}

/* Each family has one set, or none: the other one's addresses are nothing to it. */
static void wildcards(void **state)
{
	static const struct {
		const char *addresses, *v4, *v6;
	} rows[] = {
		{ "", "{'op': 'delete'}", "{'op': 'delete'}" },
		{ "10.245.2.2", "{'op': 'set', 'ttl': 30, 'records': ['10.245.2.2']}",
		  "{'op': 'delete'}" },
		{ "fd00::2 10.245.2.2 10.245.2.3",
		  "{'op': 'set', 'ttl': 30, 'records': ['10.245.2.2', '10.245.2.3']}",
		  "{'op': 'set', 'ttl': 30, 'records': ['fd00::2']}" },
		{ "fd00::2 fd00::3", "{'op': 'delete'}",
		  "{'op': 'set', 'ttl': 30, 'records': ['fd00::2', 'fd00::3']}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		for (int bits = 32; bits <= 128; bits += 96) {
			json_t *changes = json_array();
			json_t *want = parse(bits == 32 ? rows[i].v4 : rows[i].v6);
			struct address list[8];
			size_t count = addresses(rows[i].addresses, list);

			json_object_set_new(want, "name", json_string("*." DNS "."));
			json_object_set_new(want, "type",
			                    json_string(bits == 32 ? "A" : "AAAA"));
			router_domain_set_wildcard(changes, DNS, 30, list, count,
			                           (uint8_t)bits);
			assert_int_equal(json_array_size(changes), 1);
			assert_true(json_equal(json_array_get(changes, 0), want));
			json_decref(changes);
			json_decref(want);
		}
}

static void aliases(void **state)
{
	json_t *changes = json_array();

	(void)state;
	router_domain_set_cname(changes, "a-b." DNS, "a-b.shard2.example", 604800);
	router_domain_set_cname(changes, "c-d." DNS, NULL, 30);
	check(changes, "[{'op': 'set', 'name': 'a-b." DNS ".', 'type': 'CNAME', "
	      "'ttl': 604800, 'records': ['a-b.shard2.example.']}, "
	      "{'op': 'delete', 'name': 'c-d." DNS ".', 'type': 'CNAME'}]");
}

static void the_manager(void **state)
{
	json_t *changes = parse("[{'op': 'set'}, {'op': 'delete'}]");

	(void)state;
	router_domain_set_manager(changes);
	check(changes, "[{'op': 'set', 'managed_by': 'routes'}, "
	      "{'op': 'delete', 'managed_by': 'routes'}]");
}

/* Names of the largest size stay whole. */
static void long_names(void **state)
{
	char name[254], want[255];
	json_t *changes = json_array();
	const json_t *change;

	(void)state;
	memset(name, 'a', 253);
	for (size_t i = 63; i < 253; i += 64)
		name[i] = '.';
	name[253] = '\0';
	memcpy(want, name, 253);
	memcpy(want + 253, ".", 2);
	router_domain_set_cname(changes, name, name, 30);
	change = json_array_get(changes, 0);
	assert_string_equal(json_string_value(json_object_get(change, "name")), want);
	assert_string_equal(json_string_value(json_array_get(json_object_get(change,
	                    "records"), 0)), want);
	json_decref(changes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_zone),
		cmocka_unit_test(too_many),
		cmocka_unit_test(the_domain),
		cmocka_unit_test(extras),
		cmocka_unit_test(wildcards),
		cmocka_unit_test(aliases),
		cmocka_unit_test(the_manager),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
