/*
 * What anybody may ask of us in a message: apply_endpoints, and the orders. It is refused
 * in words, or each endpoint is one that its zone can have, of a name in lower case, and
 * each is there once. What was taken means the same when it is told as it was understood,
 * and when it has been through a row of the database.
 *
 * The input is the arguments as JSON; or, for those who do not write JSON by chance,
 * lines of which the first is the resource and each other one an endpoint: its dnsname,
 * type, ttl, set_id and targets, with tabs in between.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "fuzz_request.h"
#include "model/presentation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char owner[] = "us";
static const struct registry_settings settings = { .storage_id = owner };
static struct registry registry = {
	.settings = &settings, .zone_text = "example.org.",
	.zone = { .len = 13, .wire = "\7example\3org" },
};
static const struct registries registries = { &registry, 1 };

/* ---- arguments ---- */

static void set(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(object, key, value);
}

static json_t *line(const char **at)
{
	json_t *endpoint = json_object(), *targets = json_array();
	const char *ttl;

	request_set_field(endpoint, "dnsname", at);
	request_set_field(endpoint, "type", at);
	ttl = *at;
	json_decref(request_field(at, "\t\n"));
	if (at[0] - ttl > 1)
		set(endpoint, "ttl", json_integer(strtoll(ttl, NULL, 10)));
	request_set_field(endpoint, "set_id", at);
	while (**at && **at != '\n')
		json_array_append_new(targets, request_field(at, "\t\n"));
	set(endpoint, "targets", targets);
	set(endpoint, "shared", json_boolean(json_array_size(targets) % 2));
	return endpoint;
}

static json_t *of_lines(const char *text)
{
	json_t *args = json_object(), *endpoints = json_array();

	set(args, "storage_id", json_string("us"));
	set(args, "zone", json_string("Example.ORG"));
	set(args, "complete", json_true());
	set(args, "resource", request_field(&text, "\n"));
	while (*text) {
		json_array_append_new(endpoints, line(&text));
		if (*text == '\n')
			text++;
	}
	set(args, "endpoints", endpoints);
	return args;
}

/* ---- what was taken ---- */

static json_t *target_of(uint16_t type, struct rdata rdata)
{
	struct buf text = { 0 };
	struct why why;
	json_t *target;

	assert(!rdata_format(type, rdata.octets, rdata.len, &text, &why));
	target = json_string(buf_string(&text));
	assert(target);
	buf_clear(&text);
	return target;
}

static json_t *endpoint_of(const struct endpoint *endpoint)
{
	const struct rrset *want = &endpoint->rrset;
	json_t *targets = json_array();
	char type[16];
	json_t *json;

	for (size_t i = 0; i < want->count; i++)
		json_array_append_new(targets, target_of(want->type, want->records[i]));
	rrtype_format(want->type, type);
	json = json_pack("{s:s, s:s, s:o, s:s, s:b}", "dnsname", endpoint->name_text,
	                 "type", type, "targets", targets, "set_id", endpoint->set_id,
	                 "shared", endpoint->is_shared);
	if (endpoint->has_ttl)
		set(json, "ttl", json_integer(want->ttl));
	return json;
}

static json_t *args_of(const struct endpoint_list *list)
{
	json_t *endpoints = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(endpoints, endpoint_of(&list->endpoints[i]));
	return json_pack("{s:s, s:b, s:o}", "resource", list->resource,
	                 "complete", list->is_complete, "endpoints", endpoints);
}

static void check_set(const struct rrset *set, struct arena *arena)
{
	struct rrset read = { .type = set->type };
	struct buf packed = { 0 };

	assert(set->count >= 1 && set->count <= TARGETS_MAX);
	for (size_t i = 1; i < set->count; i++)
		assert(rdata_compare(set->records[i - 1], set->records[i]) < 0);
	rrset_pack(set, &packed);
	assert(rrset_unpack(&read, set->ttl, packed.data, packed.len, arena));
	assert(rrset_same_records(set, &read));
	buf_clear(&packed);
}

static void check_endpoint(const struct endpoint *endpoint, struct arena *arena)
{
	struct name name, folded = endpoint->name;
	struct why why;

	name_fold(&folded);
	assert(!memcmp(folded.wire, endpoint->name.wire, folded.len));
	assert(!name_parse(endpoint->name_text, "name", &name, &why));
	assert(name_equal(&name, &endpoint->name));
	assert(name_is_below(&name, &registry.zone));
	assert(mark_type_is_known(endpoint->rrset.type));
	assert(!*endpoint->set_id || mark_owner_is_valid(endpoint->set_id));
	assert(!endpoint->has_ttl || endpoint->rrset.ttl <= INT32_MAX);
	check_set(&endpoint->rrset, arena);
}

static bool is_same(const struct endpoint *a, const struct endpoint *b)
{
	return name_equal(&a->name, &b->name) && !strcmp(a->set_id, b->set_id) &&
	       rrset_same_records(&a->rrset, &b->rrset) && a->has_ttl == b->has_ttl &&
	       (!a->has_ttl || a->rrset.ttl == b->rrset.ttl) &&
	       a->is_shared == b->is_shared && a->rrset.type == b->rrset.type;
}

static void check_wanted(const struct endpoint_list *list, struct arena *arena)
{
	json_t *told = args_of(list);
	struct endpoint_list again;
	struct why why = { "" };

	assert(mark_resource_is_valid(list->resource));
	assert(!codec_endpoints(told, &registry, arena, &again, &why));
	assert(again.count == list->count && again.is_complete == list->is_complete);
	for (size_t i = 0; i < list->count; i++) {
		check_endpoint(&list->endpoints[i], arena);
		assert(is_same(&list->endpoints[i], &again.endpoints[i]));
	}
	json_decref(told);
}

/* ---- all that it may be ---- */

static void try_wanted(const json_t *args, struct arena *arena)
{
	struct registry *found = NULL;
	struct endpoint_list list;
	struct why why = { "" };

	if (codec_registry(args, &registries, &found, &why))
		request_check_why(&why);
	else
		assert(found == &registry);
	why.text[0] = '\0';
	if (codec_endpoints(args, &registry, arena, &list, &why))
		request_check_why(&why);
	else
		check_wanted(&list, arena);
}

static void try_orders(const json_t *args, struct arena *arena)
{
	struct order_row selected = { 0 }, expected = { 0 };
	struct why why = { "" };

	if (codec_selector(args, &selected, &why))
		request_check_why(&why);
	why.text[0] = '\0';
	if (codec_expected(args, &registry, arena, &expected, &why)) {
		request_check_why(&why);
		return;
	}
	assert(expected.has_name && name_is_below(&expected.name, &registry.zone));
	check_set(&expected.expected, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *args = request_arguments(data, size, of_lines);
	struct arena *arena;

	if (!args)
		return 0;
	arena = arena_new();
	try_wanted(args, arena);
	try_orders(args, arena);
	arena_free(&arena);
	json_decref(args);
	return 0;
}
