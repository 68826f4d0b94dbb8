#include "codec_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/router_domain.h"

enum { TTL_MAX = 604800 };

/* ---- addresses ---- */

const struct json_field codec_address_fields[] = {
	{ "address", "string", "an IPv4 or IPv6 address" },
	{ "up", "true or false", "false: the instance gets no requests", "true" },
	{ 0 }
};

static enum err router_input_add_address(const json_t *item, struct router_row *router,
                                         struct why *why)
{
	struct router_address *at = &router->addresses[router->count];
	const char *text = json_string_value(item);
	bool is_up = true;
	enum err err = OK;

	if (!text)
		err = json_only_fields(item, codec_address_fields, "item", why);
	if (!err && !text)
		err = json_get_text(item, "address", JSON_REQUIRED, ADDRESS_TEXT, &text,
		                    why);
	if (!err && json_is_object(item))
		err = json_get_bool(item, "up", 0, &is_up, why);
	if (err)
		return err;
	*at = (struct router_address){ .is_up = is_up };
	err = address_parse_host("address", text, &at->address, why);
	if (err)
		return err;
	for (size_t i = 0; i < router->count; i++)
		if (address_same_host(&router->addresses[i].address, &at->address))
			return fail(why, ERR_INVALID,
			            "address: %.64s is listed twice: list each address "
			            "once",
			            err_quote(text, (char[65]){ 0 }, 65));
	router->count++;
	return OK;
}

static enum err router_input_read_addresses(struct request *req, const json_t *json,
                                            struct router_input *input)
{
	const json_t *list = NULL;
	enum err err = json_get_array(json, "addresses", 0, ROUTER_ADDRESSES_MAX, &list,
	                              &req->why);

	input->has_addresses = list != NULL;
	input->router.addresses = arena_alloc(req->arena, (json_array_size(list) + 1) *
	                                     sizeof(*input->router.addresses));
	for (size_t i = 0; !err && i < json_array_size(list); i++)
		err = codec_within("addresses",
		                   router_input_add_address(json_array_get(list, i),
		                                            &input->router, &req->why),
		                   &req->why);
	return err;
}

/* ---- routers ---- */

const struct json_field codec_router_fields[] = {
	{ "name", "string", "the name of the router: one label",
	  .max = ROUTE_LABEL_MAX, .is_fixed = true },
	{ "description", "string", "any text. zonefleet does not use this text",
	  "empty", TEXT_MAX },
	{ "dns", "string", "the domain of the router. The names of its routes are below "
	  "this domain", "NAME.SUFFIX (SUFFIX is `routes.suffix`)",
	  ROUTE_HOST_MAX + 1, .is_fixed = true },
	{ "label", "string", "the label of the router: one `key=value`. The strategy "
	  "`label` binds routes with this label to this router", "empty", TEXT_MAX },
	{ "capacity", "number or null", "the largest number of routes; null: no limit",
	  "null", UINT32_MAX },
	{ "ttl", "number", "the TTL of the addresses in seconds", "`routes.ttl`",
	  TTL_MAX },
	{ "addresses", "list of addresses (strings) or [instance]",
	  "the addresses of the instances of the router", "empty", ROUTER_ADDRESSES_MAX },
	{ "zone", "[router zone]", "the initial content of the domain of the router",
	  "empty", .is_fixed = true },
	{ 0 }
};

const struct json_field codec_address_shown[] = {
	{ "address", "string", "an address" },
	{ "up", "true or false", "the state that the operator has set" },
	{ "alive", "true or false", "true: the instance is up, and its agent is not "
	  "silent" },
	{ "shown", "true or false", "true: the domain contains the address" },
	{ 0 }
};

const struct json_field codec_router_shown[] = {
	{ "name", "string", "the name of the router" },
	{ "description", "string", "any text. zonefleet does not use this text" },
	{ "dns", "string", "the domain of the router, without a final dot" },
	{ "label", "string", "the label of the router; empty: no label" },
	{ "state", "string", "`active`, `draining` or `going`. `going`: zonefleet-routes "
	  "is deleting the router" },
	{ "ttl", "number", "the TTL of the addresses in seconds" },
	{ "addresses", "list of [instance state]", "the addresses of the router" },
	{ "zone_status", "string", "the status of the domain: PENDING, ACTIVE or ERROR" },
	{ "routes", "number", "number of routes of the router; only for administrators" },
	{ "capacity", "number or null", "the largest number of routes; only "
	  "for administrators" },
	{ "serial", "number or null", "the serial of the domain; only for "
	  "administrators" },
	{ "reason", "string", "why `zone_status` is ERROR; only for administrators" },
	{ 0 }
};

static enum err router_input_check_label(const char *label, struct why *why)
{
	const char *equals = strchr(label, '=');

	if (*label && (!equals || equals == label || strpbrk(label, ", \t\n")))
		return fail(why, ERR_INVALID, "label: must be one KEY=VALUE without "
		            "commas and spaces, not '%s'",
		            err_quote(label, (char[81]){ 0 }, 81));
	return OK;
}

static enum err router_input_read_capacity(struct request *req, const json_t *json,
                                           struct router_input *input)
{
	const json_t *given = json_object_get(json, "capacity");

	input->has_capacity = given != NULL;
	input->router.has_capacity = given && !json_is_null(given);
	return json_get_u32(json, "capacity", 0, UINT32_MAX, &input->router.capacity,
	                    &req->why);
}

static enum err router_input_read_values(struct request *req, const json_t *json,
                                         struct router_input *input)
{
	struct router_row *router = &input->router;
	enum err err = json_get_text(json, "description", 0, TEXT_MAX,
	                             &router->description, &req->why);

	input->has_description = codec_has(json, "description");
	input->has_label = codec_has(json, "label");
	input->has_ttl = json_is_integer(json_object_get(json, "ttl"));
	if (!err)
		err = json_get_text(json, "label", 0, TEXT_MAX, &router->label,
		                    &req->why);
	if (!err)
		err = router_input_check_label(router->label, &req->why);
	if (!err)
		err = router_input_read_capacity(req, json, input);
	if (!err)
		err = json_get_u32(json, "ttl", 0, TTL_MAX, &router->ttl, &req->why);
	return err ? err : router_input_read_addresses(req, json, input);
}

static enum err router_input_read_dns(const struct routes *routes, struct request *req,
                                      const json_t *json, struct router_row *router)
{
	const char *suffix = routes->settings.suffix, *text = NULL;
	char host[ROUTE_HOST_MAX + 1];
	enum err err = json_get_text(json, "dns", 0, ROUTE_HOST_MAX + 1, &text,
	                             &req->why);

	if (!err && !text && !*suffix)
		err = fail(&req->why, ERR_INVALID, "dns: must be set, because "
		           "routes.suffix is not set");
	if (!err && !text)
		text = arena_printf(req->arena, "%s.%s", router->name, suffix);
	if (!err)
		err = host_normalize(text, "dns", false, host, &req->why);
	if (!err)
		router->dns = arena_strdup(req->arena, host);
	return err;
}

static enum err router_input_read_zone(struct request *req, const json_t *json,
                                       struct router_row *router)
{
	const json_t *zone = NULL;
	char *text;
	enum err err = json_get_object(json, "zone", 0, &zone, &req->why);

	router->zone = "{}";
	if (err || !zone)
		return err;
	err = router_domain_check(zone, &req->why);
	if (err)
		return err;
	text = json_dumps(zone, JSON_COMPACT | JSON_SORT_KEYS);
	router->zone = arena_strdup(req->arena, text);
	free(text);
	if (strlen(router->zone) > ROUTER_DOMAIN_TEXT_MAX)
		return fail(&req->why, ERR_TOO_LARGE, "zone: the JSON text must have at "
		            "most %d bytes, not %zu", ROUTER_DOMAIN_TEXT_MAX,
		            strlen(router->zone));
	return OK;
}

static enum err router_input_read(const struct routes *routes, struct request *req,
                                  const json_t *json, struct router_input *input)
{
	enum err err = json_get_text(json, "name", JSON_REQUIRED, ROUTE_LABEL_MAX,
	                             &input->router.name, &req->why);

	if (!err)
		err = route_name_check_label(input->router.name, "name", &req->why);
	if (!err)
		err = router_input_read_values(req, json, input);
	if (!err)
		err = router_input_read_zone(req, json, &input->router);
	/* last, because it also depends on the settings */
	return err ? err : router_input_read_dns(routes, req, json, &input->router);
}

enum err codec_router_decode(const struct routes *routes, struct request *req,
                             struct router_input *input)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "router", JSON_REQUIRED, &json,
	                               &req->why);

	*input = (struct router_input){ .router = {
		.description = "", .label = "", .ttl = (uint32_t)routes->settings.ttl } };
	if (!err)
		err = json_only_fields(json, codec_router_fields, "router", &req->why);
	return err ? err : codec_within("router",
	                                router_input_read(routes, req, json, input),
	                                &req->why);
}

enum err codec_router_decode_values(struct request *req, struct router_input *input)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "values", JSON_REQUIRED, &json,
	                               &req->why);

	*input = (struct router_input){ .router = { .description = "", .label = "" } };
	if (!err)
		err = json_only_changes(json, codec_router_fields, "values", &req->why);
	return err ? err : codec_within("values",
	                                router_input_read_values(req, json, input),
	                                &req->why);
}

void codec_router_complete(struct router_input *input, const struct router_row *router)
{
	struct router_row *as = &input->router;

	as->name = router->name;
	as->dns = router->dns;
	as->state = router->state;
	as->zone = router->zone;
	if (!input->has_description)
		as->description = router->description;
	if (!input->has_label)
		as->label = router->label;
	if (!input->has_ttl)
		as->ttl = router->ttl;
	if (!input->has_capacity) {
		as->has_capacity = router->has_capacity;
		as->capacity = router->capacity;
	}
	if (!input->has_addresses) {
		as->addresses = router->addresses;
		as->count = router->count;
	}
}

enum err codec_router_decode_name(const struct request *req, const char **name,
                                  struct why *why)
{
	enum err err = json_get_text(req->args, "router", JSON_REQUIRED, ROUTE_LABEL_MAX,
	                             name, why);

	return err ? err : codec_check_name(*name, "router", why);
}

enum err codec_router_decode_filter(const struct request *req, const char *key,
                                    const char **name, struct why *why)
{
	enum err err = json_get_text(req->args, key, 0, ROUTE_LABEL_MAX, name, why);

	return err ? err : codec_check_name(*name, key, why);
}

static bool router_address_is_alive(const struct router_address *at,
                                    const struct routes *routes)
{
	return at->is_up && (!at->is_seen ||
	                     at->unseen_ms < routes->settings.alive_ms);
}

static json_t *router_addresses_encode(const struct router_row *router,
                                       const struct routes *routes)
{
	json_t *list = json_array();

	for (size_t i = 0; i < router->count; i++) {
		const struct router_address *at = &router->addresses[i];
		char text[ADDRESS_TEXT];

		address_format(&at->address, text);
		json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:b}",
			"address", text, "up", at->is_up, "alive",
		                                      router_address_is_alive(at, routes),
			"shown", at->is_shown));
	}
	return list;
}

json_t *codec_router_encode(const struct router_row *router, bool is_admin,
                            const struct routes *routes)
{
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:s}",
		"name", router->name, "description", router->description,
		"dns", router->dns, "label", router->label,
		"state", router_state_name(router->state), "ttl", (json_int_t)router->ttl,
		"addresses", router_addresses_encode(router, routes),
		"zone_status", zone_status_name(router->zone_status));

	if (!is_admin)
		return json;
	json_object_set_new(json, "routes", json_integer(router->bound));
	json_object_set_new(json, "capacity", router->has_capacity
	                    ? json_integer(router->capacity) : json_null());
	json_object_set_new(json, "serial", router->has_serial
	                    ? json_integer(router->serial) : json_null());
	json_object_set_new(json, "reason", json_string(router->reason));
	return json;
}
