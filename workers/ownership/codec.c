#include "codec.h"

#include <stdlib.h>
#include <string.h>

#include "dns/canonical.h"
#include "model/json.h"
#include "model/presentation.h"

enum { SET_ID_MAX = 64, TYPE_MAX = 16 };

enum err codec_registry(const json_t *args, const struct registries *registries,
                        struct registry **registry, struct why *why)
{
	const struct name root = { .len = 1 };
	const char *storage_id, *zone;
	char text[NAME_MAX_TEXT + 1];
	struct name name;
	enum err err = json_get_text(args, "storage_id", JSON_REQUIRED, MARK_OWNER_MAX,
	                             &storage_id, why);

	if (!err)
		err = json_get_text(args, "zone", JSON_REQUIRED, NAME_MAX_TEXT, &zone,
		                    why);
	if (!err)
		err = name_parse_in(zone, &root, "zone", &name, why);
	if (err)
		return err;
	name_fold(&name);
	name_format(&name, text);
	*registry = registries_find(registries, storage_id, text);
	return *registry ? OK : codec_no_registry(storage_id, text, why);
}

enum err codec_no_registry(const char *storage_id, const char *zone, struct why *why)
{
	return fail(why, ERR_NOT_FOUND, "this caller has no registry with the zone "
	            "%.255s and the storage_id %.64s: check registries.zones, and the "
	            "tenant of the caller", zone, storage_id);
}

/* ---- one endpoint ---- */

const struct json_field codec_endpoint_fields[] = {
	{ "dnsname", "name", "the name of the record set, in the zone" },
	{ "type", "string", "the record type: one of `managed_types` of the registry" },
	{ "targets", "list of strings", "the data of each record", .max = TARGETS_MAX },
	{ "ttl", "number", "the TTL in seconds", "`ttl` of the registry", RR_TTL_MAX },
	{ "set_id", "string", "an id that distinguishes endpoints with the same name and "
	  "type; letters, digits and `. _ : / @ -`", "empty", SET_ID_MAX },
	{ "shared", "true or false", "true: other owners may have records at this name "
	  "if they also set `shared`", "false" },
	{ 0 }
};

static enum err endpoint_get_name(const json_t *json, const struct registry *registry,
                                  struct arena *arena, struct endpoint *endpoint,
                                  struct why *why)
{
	char text[NAME_MAX_TEXT + 1];
	const char *given;
	enum err err = json_get_text(json, "dnsname", JSON_REQUIRED, NAME_MAX_TEXT,
	                             &given, why);

	if (!err)
		err = name_parse_owner(given, "dnsname", &endpoint->name, why);
	if (err)
		return err;
	if (!name_is_below(&endpoint->name, &registry->zone))
		return fail(why, ERR_INVALID, "dnsname: '%s' must be in the zone %.255s",
		            err_quote(given, (char[254]){ 0 }, 254), registry->zone_text);
	name_format(&endpoint->name, text);
	endpoint->name_text = arena_strdup(arena, text);
	return OK;
}

static enum err endpoint_get_type(const json_t *json, struct endpoint *endpoint,
                                  struct why *why)
{
	const char *text;
	enum err err = json_get_text(json, "type", JSON_REQUIRED, TYPE_MAX, &text, why);

	if (!err)
		err = rrtype_parse(text, "type", &endpoint->rrset.type, why);
	if (!err && !mark_type_is_known(endpoint->rrset.type))
		return fail(why, ERR_INVALID, "type: zonefleet-ownership cannot write "
		            "ownership marks for records of type %s", text);
	return err;
}

static enum err endpoint_check_managed(const struct endpoint *endpoint,
                                       const struct registry *registry, struct why *why)
{
	char type[16];

	if (plan_is_managed(&registry->rules, endpoint->rrset.type))
		return OK;
	rrtype_format(endpoint->rrset.type, type);
	return fail(why, ERR_INVALID, "type: '%s' is not in managed_types of the "
	            "registry: use a type of this list", type);
}

static enum err endpoint_get_ttl(const json_t *json, struct endpoint *endpoint,
                                 struct why *why)
{
	const json_t *ttl = json_object_get(json, "ttl");

	endpoint->has_ttl = ttl && !json_is_null(ttl);
	return endpoint->has_ttl ? json_get_u32(json, "ttl", 0, RR_TTL_MAX,
	                                        &endpoint->rrset.ttl, why) : OK;
}

static enum err endpoint_get_target(const struct endpoint *endpoint, const char *text,
                                    struct arena *arena, struct rdata *rdata,
                                    struct why *why)
{
	static _Thread_local struct canonical canonical;
	struct rr rr = { endpoint->name.wire, endpoint->rrset.type, 0, 0, NULL };
	char type[16];
	enum err err;

	if (!text)
		return fail(why, ERR_INVALID, "targets: each target must be a string");
	err = rdata_parse(rr.type, text, "targets", arena, &rr.rdata, &rr.rdata_len, why);
	if (err)
		return err;
	if (!canonical_of_rr(&rr, &canonical)) {
		rrtype_format(rr.type, type);
		return fail(why, ERR_INVALID, "targets: '%s' is not valid data for a "
		            "record of type %s", err_quote(text, (char[81]){ 0 }, 81),
		            type);
	}
	rdata->len = (uint16_t)(canonical.len - canonical.rdata);
	rdata->octets = arena_dup(arena, canonical.octets + canonical.rdata, rdata->len);
	return OK;
}

static enum err endpoint_get_targets(const json_t *json, struct arena *arena,
                                     struct endpoint *endpoint, struct why *why)
{
	const json_t *list = NULL;
	enum err err = json_get_array(json, "targets", JSON_REQUIRED, TARGETS_MAX, &list,
	                              why);

	if (!err && !json_array_size(list))
		return fail(why, ERR_INVALID, "targets: must contain at least one "
		            "record");
	for (size_t i = 0; !err && i < json_array_size(list); i++) {
		struct rdata rdata;
		const char *text = json_string_value(json_array_get(list, i));

		err = endpoint_get_target(endpoint, text, arena, &rdata, why);
		if (!err)
			rrset_push(&endpoint->rrset, endpoint->rrset.ttl, rdata, arena);
	}
	rrset_sort(&endpoint->rrset);
	return err;
}

static enum err endpoint_get_set_id(const json_t *json, struct endpoint *endpoint,
                                    struct why *why)
{
	endpoint->set_id = "";
	enum err err = json_get_text(json, "set_id", 0, SET_ID_MAX, &endpoint->set_id,
	                             why);

	if (!err && *endpoint->set_id && !mark_owner_is_valid(endpoint->set_id))
		return fail(why, ERR_INVALID, "set_id: may contain only letters, "
		            "digits, '.', '_', ':', '/', '@' and '-', not '%s'",
		            err_quote(endpoint->set_id, (char[81]){ 0 }, 81));
	return err;
}

static enum err endpoint_get(const json_t *json, const struct registry *registry,
                             struct arena *arena, struct endpoint *endpoint,
                             struct why *why)
{
	enum err err;

	if (!json_is_object(json))
		return fail(why, ERR_INVALID, "must be an object");
	*endpoint = (struct endpoint){ 0 };
	err = json_only_fields(json, codec_endpoint_fields, "an endpoint", why);
	if (!err)
		err = endpoint_get_name(json, registry, arena, endpoint, why);
	if (!err)
		err = endpoint_get_type(json, endpoint, why);
	if (!err)
		err = endpoint_check_managed(endpoint, registry, why);
	if (!err)
		err = endpoint_get_ttl(json, endpoint, why);
	if (!err)
		err = endpoint_get_set_id(json, endpoint, why);
	if (!err)
		err = json_get_bool(json, "shared", 0, &endpoint->is_shared, why);
	return err ? err : endpoint_get_targets(json, arena, endpoint, why);
}

/* ---- lists of endpoints ---- */

static int endpoint_compare(const void *a, const void *b)
{
	const struct endpoint *x = a, *y = b;
	int order = strcmp(x->name_text, y->name_text);

	if (!order)
		order = (x->rrset.type > y->rrset.type) - (x->rrset.type < y->rrset.type);
	return order ? order : strcmp(x->set_id, y->set_id);
}

static enum err endpoints_check_unique(struct endpoint_list *list, struct why *why)
{
	if (list->count > 1)
		qsort(list->endpoints, list->count, sizeof(*list->endpoints),
		      endpoint_compare);
	for (size_t i = 1; i < list->count; i++)
		if (!endpoint_compare(&list->endpoints[i - 1], &list->endpoints[i]))
			return fail(why, ERR_INVALID, "endpoints: %.255s is listed twice "
			            "with the same type and set_id: list each endpoint "
			            "once",
			            list->endpoints[i].name_text);
	return OK;
}

static enum err endpoint_explain(size_t index, enum err err, struct why *why)
{
	struct why said = *why;

	return err ? fail(why, err, "endpoints[%zu]: %.400s", index, said.text) : OK;
}

enum err codec_endpoints(const json_t *args, const struct registry *registry,
                         struct arena *arena, struct endpoint_list *list, struct why *why)
{
	const json_t *array = NULL;
	int64_t rev = 0;
	enum err err = json_get_text(args, "resource", JSON_REQUIRED, MARK_RESOURCE_MAX,
	                             &list->resource, why);

	if (!err && !mark_resource_is_valid(list->resource))
		return fail(why, ERR_INVALID,
		            "resource: may contain only letters, digits, '.', '_', ':', "
		            "'/', '@' and '-', not '%s'",
		            err_quote(list->resource, (char[81]){ 0 }, 81));
	if (!err)
		err = json_get_bool(args, "complete", JSON_REQUIRED, &list->is_complete,
		                    why);
	if (!err)
		err = json_get_int(args, "rev", 0, 0, INT64_MAX, &rev, why);
	if (!err)
		err = json_get_array(args, "endpoints", JSON_REQUIRED, ENDPOINTS_MAX,
		                     &array, why);
	if (err)
		return err;
	list->rev = (uint64_t)rev;
	list->count = json_array_size(array);
	list->endpoints = arena_alloc(arena,
	                              (list->count + 1) * sizeof(*list->endpoints));
	for (size_t i = 0; !err && i < list->count; i++) {
		err = endpoint_get(json_array_get(array, i), registry, arena,
		                   &list->endpoints[i], why);
		err = endpoint_explain(i, err, why);
	}
	return err ? err : endpoints_check_unique(list, why);
}

/* ---- orders ---- */

const struct json_field codec_selector_fields[] = {
	{ "name", "name", "record sets at this name", "any", NAME_MAX_TEXT },
	{ "below", "true or false", "true: also select the record sets at all names "
	  "below `name`", "false" },
	{ "type", "string", "record sets of this type", "any", TYPE_MAX },
	{ "resource", "string", "record sets of this resource", "any",
	  MARK_RESOURCE_MAX },
	{ 0 }
};

static enum err selector_get_type(const json_t *selector, struct order_row *order,
                                  struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(selector, "type", 0, TYPE_MAX, &text, why);

	return err || !text ? err : rrtype_parse(text, "type", &order->type, why);
}

static enum err selector_get_name(const json_t *selector, struct order_row *order,
                                  struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(selector, "name", 0, NAME_MAX_TEXT, &text, why);

	order->has_name = text;
	if (!err && text)
		err = name_parse(text, "name", &order->name, why);
	return err ? err : json_get_bool(selector, "below", 0, &order->is_below, why);
}

enum err codec_selector(const json_t *args, struct order_row *order, struct why *why)
{
	const json_t *selector;
	enum err err = json_get_object(args, "selector", JSON_REQUIRED, &selector, why);

	if (!err)
		err = json_only_fields(selector, codec_selector_fields, "a selector",
		                       why);
	if (!err)
		err = selector_get_name(selector, order, why);
	if (!err)
		err = selector_get_type(selector, order, why);
	return err ? err : json_get_text(selector, "resource", 0, MARK_RESOURCE_MAX,
	                                 &order->resource, why);
}

enum err codec_expected(const json_t *args, const struct registry *registry,
                        struct arena *arena, struct order_row *order, struct why *why)
{
	struct endpoint endpoint = { 0 };
	enum err err = endpoint_get_name(args, registry, arena, &endpoint, why);

	if (!err)
		err = endpoint_get_type(args, &endpoint, why);
	if (!err)
		err = endpoint_get_targets(args, arena, &endpoint, why);
	order->has_name = true;
	order->name = endpoint.name;
	order->type = endpoint.rrset.type;
	order->expected = endpoint.rrset;
	return err;
}
