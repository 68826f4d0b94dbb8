#include "codec.h"

#include <stdlib.h>
#include <string.h>

#include "core/route_backend.h"
#include "core/router_domain.h"
#include "model/identity.h"
#include "model/json.h"
#include "runtime/access.h"

enum { TEXT_MAX = 255, TTL_MAX = 604800 };

/* The words begin with the way to what they are about: "route.host: ...". */
static enum err within(const char *field, enum err err, struct why *why)
{
	return err ? fail(why, err, "%s.%s", field, why->text) : OK;
}

/*
 * A name that is looked for, unless it is NULL. What can be none is refused: the columns
 * are of ASCII, and the database compares them with nothing else.
 */
static enum err check_sought(const char *name, const char *field, struct why *why)
{
	return name ? route_check_name(name, field, why) : OK;
}

static bool is_given(const json_t *json, const char *key)
{
	return json_object_get(json, key) != NULL;
}

/* ---- addresses ---- */

const struct json_field codec_address_fields[] = {
	{ "address", "text", "an IPv4 or IPv6 address" },
	{ "up", "true or false", "false: it gets no requests", "true" },
	{ 0 }
};

static enum err take_address(const json_t *item, struct router_row *router,
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
			return fail(why, ERR_INVALID, "address: %.64s is there twice",
			            err_quote(text, (char[65]){ 0 }, 65));
	router->count++;
	return OK;
}

static enum err take_addresses(struct request *req, const json_t *json,
                               struct router_wish *wish)
{
	const json_t *list = NULL;
	enum err err = json_get_array(json, "addresses", 0, ROUTER_ADDRESSES_MAX, &list,
	                              &req->why);

	wish->has_addresses = list != NULL;
	wish->router.addresses = arena_alloc(req->arena, (json_array_size(list) + 1) *
	                                     sizeof(*wish->router.addresses));
	for (size_t i = 0; !err && i < json_array_size(list); i++)
		err = within("addresses", take_address(json_array_get(list, i),
		                                       &wish->router, &req->why),
		             &req->why);
	return err;
}

/* ---- routers ---- */

const struct json_field codec_router_fields[] = {
	{ "name", "text", "its name, a label", .max = ROUTE_LABEL_MAX, .is_fixed = true },
	{ "description", "text", "a text for people", "empty", TEXT_MAX },
	{ "dns", "text", "its domain; the names of its routes are below it",
	  "its name in `routes.suffix`", ROUTE_HOST_MAX + 1, .is_fixed = true },
	{ "label", "text", "one `key=value`: with the strategy `label` routes with this label "
	  "come to it", "empty", TEXT_MAX },
	{ "capacity", "number or null", "the most routes; null: no limit", "null", UINT32_MAX },
	{ "ttl", "number", "the TTL of its addresses in seconds", "`routes.ttl`", TTL_MAX },
	{ "addresses", "list of addresses (texts) or [instance]",
	  "the addresses of its instances", "empty", ROUTER_ADDRESSES_MAX },
	{ "zone", "[router zone]", "what its domain has to begin with", "empty",
	  .is_fixed = true },
	{ 0 }
};

const struct json_field codec_address_shown[] = {
	{ "address", "text", "an address" },
	{ "up", "true or false", "what the operator has set" },
	{ "alive", "true or false", "it is up, and its agent is not silent" },
	{ "shown", "true or false", "the domain has it" },
	{ 0 }
};

const struct json_field codec_router_shown[] = {
	{ "name", "text", "its name" },
	{ "description", "text", "a text for people" },
	{ "dns", "text", "its domain, without a final dot" },
	{ "label", "text", "its label; empty: none" },
	{ "state", "text", "`active`, `draining` or `going`" },
	{ "ttl", "number", "the TTL of its addresses in seconds" },
	{ "addresses", "list of [instance state]", "its addresses" },
	{ "zone_status", "text", "PENDING, ACTIVE or ERROR: its domain on the name servers" },
	{ "routes", "number", "how many routes it has; for administrators" },
	{ "capacity", "number or null", "the most routes; for administrators" },
	{ "serial", "number or null", "the serial of its domain; for administrators" },
	{ "reason", "text", "why `zone_status` is ERROR; for administrators" },
	{ 0 }
};

static enum err check_selector(const char *label, struct why *why)
{
	const char *equals = strchr(label, '=');

	if (*label && (!equals || equals == label || strpbrk(label, ", \t\n")))
		return fail(why, ERR_INVALID, "label: must be one \"key=value\", without "
		            "commas and spaces");
	return OK;
}

static enum err take_capacity(struct request *req, const json_t *json,
                              struct router_wish *wish)
{
	const json_t *given = json_object_get(json, "capacity");

	wish->has_capacity = given != NULL;
	wish->router.has_capacity = given && !json_is_null(given);
	return json_get_u32(json, "capacity", 0, UINT32_MAX, &wish->router.capacity,
	                    &req->why);
}

static enum err take_router_values(struct request *req, const json_t *json,
                                   struct router_wish *wish)
{
	struct router_row *router = &wish->router;
	enum err err = json_get_text(json, "description", 0, TEXT_MAX,
	                             &router->description, &req->why);

	wish->has_description = is_given(json, "description");
	wish->has_label = is_given(json, "label");
	wish->has_ttl = json_is_integer(json_object_get(json, "ttl"));
	if (!err)
		err = json_get_text(json, "label", 0, TEXT_MAX, &router->label,
		                    &req->why);
	if (!err)
		err = check_selector(router->label, &req->why);
	if (!err)
		err = take_capacity(req, json, wish);
	if (!err)
		err = json_get_u32(json, "ttl", 0, TTL_MAX, &router->ttl, &req->why);
	return err ? err : take_addresses(req, json, wish);
}

static enum err take_dns(const struct routes *routes, struct request *req,
                         const json_t *json, struct router_row *router)
{
	const char *suffix = routes->settings.suffix, *text = NULL;
	char host[ROUTE_HOST_MAX + 1];
	enum err err = json_get_text(json, "dns", 0, ROUTE_HOST_MAX + 1, &text,
	                             &req->why);

	if (!err && !text && !*suffix)
		err = fail(&req->why, ERR_INVALID,
		           "dns: is required, for routes.suffix is not set");
	if (!err && !text)
		text = arena_printf(req->arena, "%s.%s", router->name, suffix);
	if (!err)
		err = route_host(text, "dns", false, host, &req->why);
	if (!err)
		router->dns = arena_strdup(req->arena, host);
	return err;
}

static enum err take_zone(struct request *req, const json_t *json,
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
		return fail(&req->why, ERR_TOO_LARGE, "zone: of more than %d octets",
		            ROUTER_DOMAIN_TEXT_MAX);
	return OK;
}

static enum err take_router(const struct routes *routes, struct request *req,
                            const json_t *json, struct router_wish *wish)
{
	enum err err = json_get_text(json, "name", JSON_REQUIRED, ROUTE_LABEL_MAX,
	                             &wish->router.name, &req->why);

	if (!err)
		err = route_check_label(wish->router.name, "name", &req->why);
	if (!err)
		err = take_dns(routes, req, json, &wish->router);
	if (!err)
		err = take_zone(req, json, &wish->router);
	return err ? err : take_router_values(req, json, wish);
}

enum err codec_router(const struct routes *routes, struct request *req,
                      struct router_wish *wish)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "router", JSON_REQUIRED, &json,
	                               &req->why);

	*wish = (struct router_wish){ .router = {
		.description = "", .label = "", .ttl = (uint32_t)routes->settings.ttl } };
	if (!err)
		err = json_only_fields(json, codec_router_fields, "router", &req->why);
	return err ? err : within("router", take_router(routes, req, json, wish),
	                          &req->why);
}

enum err codec_router_values(struct request *req, struct router_wish *wish)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "values", JSON_REQUIRED, &json,
	                               &req->why);

	*wish = (struct router_wish){ .router = { .description = "", .label = "" } };
	if (!err)
		err = json_only_changes(json, codec_router_fields, "values", &req->why);
	return err ? err : within("values", take_router_values(req, json, wish),
	                          &req->why);
}

void codec_router_complete(struct router_wish *wish, const struct router_row *router)
{
	struct router_row *as = &wish->router;

	as->name = router->name;
	as->dns = router->dns;
	as->state = router->state;
	as->zone = router->zone;
	if (!wish->has_description)
		as->description = router->description;
	if (!wish->has_label)
		as->label = router->label;
	if (!wish->has_ttl)
		as->ttl = router->ttl;
	if (!wish->has_capacity) {
		as->has_capacity = router->has_capacity;
		as->capacity = router->capacity;
	}
	if (!wish->has_addresses) {
		as->addresses = router->addresses;
		as->count = router->count;
	}
}

enum err codec_router_name(const struct request *req, const char **name, struct why *why)
{
	enum err err = json_get_text(req->args, "router", JSON_REQUIRED, ROUTE_LABEL_MAX,
	                             name, why);

	return err ? err : check_sought(*name, "router", why);
}

enum err codec_router_sought(const struct request *req, const char *key,
                             const char **name, struct why *why)
{
	enum err err = json_get_text(req->args, key, 0, ROUTE_LABEL_MAX, name, why);

	return err ? err : check_sought(*name, key, why);
}

static bool is_alive(const struct router_address *at, const struct routes *routes)
{
	return at->is_up && (!at->is_seen ||
	                     at->unseen_ms < routes->settings.alive_ms);
}

static json_t *encode_addresses(const struct router_row *router,
                                const struct routes *routes)
{
	json_t *list = json_array();

	for (size_t i = 0; i < router->count; i++) {
		const struct router_address *at = &router->addresses[i];
		char text[ADDRESS_TEXT];

		address_format(&at->address, text);
		json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:b}",
			"address", text, "up", at->is_up, "alive", is_alive(at, routes),
			"shown", at->is_shown));
	}
	return list;
}

json_t *codec_encode_router(const struct router_row *router, bool is_admin,
                            const struct routes *routes)
{
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:s}",
		"name", router->name, "description", router->description,
		"dns", router->dns, "label", router->label,
		"state", router_state_name(router->state), "ttl", (json_int_t)router->ttl,
		"addresses", encode_addresses(router, routes),
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

/* ---- routes ---- */

#define ROUTE_STATUS \
	{ "phase", "text", "`new` or `scheduled`; only a binding changes it", "as it is", 16 }, \
	{ "dns", "text", "its name; only a binding changes it", "as it is", ROUTE_HOST_MAX + 1 }

const struct json_field codec_route_fields[] = {
	{ "id", "id", "its id", "a new id", .is_fixed = true },
	{ "namespace", "text", "a label; it belongs to the first tenant that uses it",
	  .max = ROUTE_LABEL_MAX, .is_fixed = true },
	{ "name", "text", "its name in the namespace", .max = ROUTE_HOST_MAX, .is_fixed = true },
	{ "project_id", "text", "its tenant", "the caller's tenant", 255, .is_fixed = true },
	{ "host", "text", "a name of your own, in place of the generated one; `*.` in front is "
	  "a wildcard", "empty", ROUTE_HOST_MAX + 1 },
	{ "labels", "object of texts", "its labels", "empty", LABELS_MAX },
	{ "backend", "text", "the backend of HAProxy", "NAMESPACE_NAME", BACKEND_MAX },
	{ "status", "[route status]", "`update_route` refuses another status than the route has; "
	  "`create_route` refuses any", "as it is" },
	ROUTE_STATUS,
	{ 0 }
};

const struct json_field codec_status_fields[] = { ROUTE_STATUS, { 0 } };

const struct json_field codec_route_shown[] = {
	{ "id", "id", "its id" },
	{ "namespace", "text", "its namespace" },
	{ "name", "text", "its name in the namespace" },
	{ "project_id", "text", "its tenant" },
	{ "host", "text or null", "a name of its own" },
	{ "labels", "object of texts", "its labels" },
	{ "backend", "text", "the backend of HAProxy" },
	{ "router", "text or null", "the name of its router" },
	{ "status", "object", "`phase` (`new` or `scheduled`) and `dns`, its name or null" },
	{ "last_error", "text or null", "why it has no router" },
	{ "waiting", "true or false", "another route has its host" },
	{ "attempts", "number", "how often it got no router" },
	{ "created_at", "time", "when it was created" },
	{ 0 }
};

static enum err take_host(struct request *req, const json_t *json,
                          struct route_wish *wish)
{
	const char *text = NULL;
	char host[ROUTE_HOST_MAX + 1];
	enum err err = json_get_text(json, "host", 0, ROUTE_HOST_MAX + 1, &text,
	                             &req->why);

	wish->has_host = is_given(json, "host");
	if (err || !text || !*text)
		return err;
	err = route_host(text, "host", true, host, &req->why);
	if (!err)
		wish->route.host = arena_strdup(req->arena, host);
	return err;
}

static enum err check_labels(const json_t *labels, struct why *why)
{
	const char *key;
	json_t *value;

	if (json_object_size(labels) > LABELS_MAX)
		return fail(why, ERR_INVALID, "labels: more than %d", LABELS_MAX);
	json_object_foreach((json_t *)labels, key, value)
		if (!json_is_string(value) || !*key || strchr(key, '=') ||
		    strlen(key) + json_string_length(value) >= TEXT_MAX)
			return fail(why, ERR_INVALID, "labels.%.64s: keys have no \"=\", "
			            "and values are texts; of less than %d octets both",
			            err_quote(key, (char[65]){ 0 }, 65), TEXT_MAX);
	return OK;
}

static enum err take_labels(struct request *req, const json_t *json,
                            struct route_wish *wish)
{
	const json_t *labels = NULL;
	char *text;
	enum err err = json_get_object(json, "labels", 0, &labels, &req->why);

	wish->has_labels = is_given(json, "labels");
	wish->route.labels = "{}";
	if (!err && labels)
		err = check_labels(labels, &req->why);
	if (err || !labels)
		return err;
	text = json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
	wish->route.labels = arena_strdup(req->arena, text);
	free(text);
	return OK;
}

/* It stands in a line of the routers' files. */
static enum err take_backend(struct request *req, const json_t *json,
                             struct route_wish *wish)
{
	const char *text = NULL;
	enum err err = json_get_text(json, "backend", 0, BACKEND_MAX, &text, &req->why);

	wish->has_backend = is_given(json, "backend");
	for (const char *at = text; !err && at && *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '#')
			err = fail(&req->why, ERR_INVALID, "backend: is of printable "
			           "characters of ASCII, without blanks and \"#\"");
	wish->route.backend = text && *text ? text : NULL;
	return err;
}

/* What was taken before is the same, if it is there, too. */
static enum err take_same(const json_t *json, const char *key, size_t max,
                          const char **into, struct why *why)
{
	const char *before = *into;
	enum err err = json_get_text(json, key, 0, max, into, why);

	if (!err && before && strcmp(before, *into))
		err = fail(why, ERR_INVALID, "%s: is another one in status", key);
	return err;
}

static enum err take_status_of(const json_t *json, struct route_wish *wish,
                               struct why *why)
{
	enum err err = take_same(json, "phase", 16, &wish->phase, why);

	return err ? err : take_same(json, "dns", ROUTE_HOST_MAX + 1, &wish->dns, why);
}

/* In the object itself, or in its "status". */
static enum err take_status(struct request *req, const json_t *json,
                            struct route_wish *wish)
{
	const json_t *status = NULL;
	enum err err = json_get_object(json, "status", 0, &status, &req->why);

	if (!err && status)
		err = json_only_fields(status, codec_status_fields, "status", &req->why);
	if (!err && status)
		err = within("status", take_status_of(status, wish, &req->why),
		             &req->why);
	return err ? err : take_status_of(json, wish, &req->why);
}

static enum err take_route_values(struct request *req, const json_t *json,
                                  struct route_wish *wish)
{
	enum err err = take_host(req, json, wish);

	if (!err)
		err = take_labels(req, json, wish);
	if (!err)
		err = take_backend(req, json, wish);
	return err ? err : take_status(req, json, wish);
}

static enum err take_identity(struct request *req, const json_t *json,
                              struct route_row *route)
{
	struct why *why = &req->why;
	enum err err = json_get_id(json, "id", 0, route->id, why);

	if (!err)
		err = json_get_text(json, "namespace", JSON_REQUIRED, ROUTE_LABEL_MAX,
		                    &route->namespace, why);
	if (!err)
		err = route_check_label(route->namespace, "namespace", why);
	if (!err)
		err = json_get_text(json, "name", JSON_REQUIRED, ROUTE_HOST_MAX,
		                    &route->name, why);
	if (!err)
		err = route_check_name(route->name, "name", why);
	route->project_id = req->context.tenant;
	return err ? err : identity_get(json, "project_id", &route->project_id, why);
}

static enum err refuse_status(const struct route_wish *wish, struct why *why)
{
	if (wish->phase)
		return fail(why, ERR_INVALID, "status.phase: is set by a binding only");
	if (wish->dns)
		return fail(why, ERR_INVALID, "status.dns: is set by a binding only; a name "
		            "of your own is the host");
	return OK;
}

static enum err take_route(struct request *req, const json_t *json,
                           struct route_wish *wish)
{
	enum err err = take_identity(req, json, &wish->route);

	if (!err)
		err = take_route_values(req, json, wish);
	return err ? err : refuse_status(wish, &req->why);
}

enum err codec_route(struct request *req, struct route_wish *wish)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "route", JSON_REQUIRED, &json,
	                               &req->why);

	*wish = (struct route_wish){ .route = { .last_error = "" } };
	memcpy(wish->route.id, req->unique_id, sizeof(wish->route.id));
	if (!err)
		err = json_only_fields(json, codec_route_fields, "route", &req->why);
	if (!err)
		err = within("route", take_route(req, json, wish), &req->why);
	if (!err && !wish->route.backend) {
		char own[BACKEND_MAX + 1];

		route_backend_default(wish->route.namespace, wish->route.name, own);
		wish->route.backend = arena_strdup(req->arena, own);
	}
	return err;
}

enum err codec_route_values(struct request *req, struct route_wish *wish)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "values", JSON_REQUIRED, &json,
	                               &req->why);

	*wish = (struct route_wish){ .route = { .last_error = "" } };
	if (!err)
		err = json_only_changes(json, codec_route_fields, "values", &req->why);
	return err ? err : within("values", take_route_values(req, json, wish),
	                          &req->why);
}

void codec_route_complete(struct route_wish *wish, const struct route_row *route)
{
	const struct route_row said = wish->route;

	wish->route = *route;
	if (wish->has_host)
		wish->route.host = said.host;
	if (wish->has_labels)
		wish->route.labels = said.labels;
	if (wish->has_backend && said.backend)
		wish->route.backend = said.backend;
}

enum err codec_route_key(struct request *req, struct route_key *key)
{
	char *id = arena_alloc(req->arena, ID_LEN + 1), *text;
	const char *given;
	enum err err = json_get_text(req->args, "route", JSON_REQUIRED,
	                             ROUTE_LABEL_MAX + ROUTE_HOST_MAX + 1, &given,
	                             &req->why);

	*key = (struct route_key){ .id = NULL };
	if (err)
		return err;
	text = strchr(given, '/');
	if (!text && !id_parse(given, id))
		return fail(&req->why, ERR_INVALID,
		            "route: must be an id, or \"namespace/name\"");
	if (!text) {
		key->id = id;
		return OK;
	}
	key->namespace = arena_printf(req->arena, "%.*s", (int)(text - given), given);
	key->name = text + 1;
	if (check_sought(key->namespace, "route", &req->why))
		return ERR_INVALID;
	return check_sought(key->name, "route", &req->why);
}

json_t *codec_encode_route(const struct route_row *route)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:s, s:s?, s:{s:s, s:s?}, s:s?, "
	                 "s:b, s:i, s:s}",
		"id", route->id, "namespace", route->namespace, "name", route->name,
		"project_id", route->project_id, "host", route->host,
		"labels", json_loads(route->labels, 0, NULL), "backend", route->backend,
		"router", route->router,
		"status", "phase", route->is_scheduled ? "scheduled" : "new",
		"dns", route->dns,
		"last_error", *route->last_error ? route->last_error : NULL,
		"waiting", route->is_waiting, "attempts", (int)route->attempts,
		"created_at", route->created_at);
}

/* ---- bindings ---- */

const struct json_field codec_binding_fields[] = {
	{ "route_namespace", "text", "the namespace of the route", .max = ROUTE_LABEL_MAX },
	{ "route_name", "text", "the name of the route", .max = ROUTE_HOST_MAX },
	{ "router", "text", "the name of the router", "the router of `dns`", ROUTE_LABEL_MAX },
	{ "dns", "text", "the domain of the router", "that of `router`", ROUTE_HOST_MAX + 1 },
	{ 0 }
};

const struct json_field codec_binding_shown[] = {
	{ "route_namespace", "text", "the namespace of the route" },
	{ "route_name", "text", "the name of the route" },
	{ "route_id", "id", "the id of the route" },
	{ "router", "text", "the name of the router" },
	{ "dns", "text", "the domain of the router" },
	{ "route_dns", "text", "the name of the route" },
	{ "generation", "number", "grows with each binding of the route" },
	{ 0 }
};

static enum err take_binding(const json_t *json, struct binding_wish *wish,
                             struct why *why)
{
	enum err err = json_get_text(json, "route_namespace", JSON_REQUIRED,
	                             ROUTE_LABEL_MAX, &wish->namespace, why);

	if (!err)
		err = json_get_text(json, "route_name", JSON_REQUIRED, ROUTE_HOST_MAX,
		                    &wish->name, why);
	if (!err)
		err = json_get_text(json, "router", 0, ROUTE_LABEL_MAX, &wish->router,
		                    why);
	if (!err)
		err = json_get_text(json, "dns", 0, ROUTE_HOST_MAX + 1, &wish->dns, why);
	if (!err)
		err = check_sought(wish->namespace, "route_namespace", why);
	if (!err)
		err = check_sought(wish->name, "route_name", why);
	if (!err)
		err = check_sought(wish->router, "router", why);
	if (!err)
		err = check_sought(wish->dns, "dns", why);
	if (!err && !wish->router && !wish->dns)
		err = fail(why, ERR_INVALID, "router is missing, or its dns");
	return err;
}

enum err codec_binding(struct request *req, struct binding_wish *wish)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "binding", JSON_REQUIRED, &json,
	                               &req->why);

	*wish = (struct binding_wish){ 0 };
	if (!err)
		err = json_only_fields(json, codec_binding_fields, "binding", &req->why);
	return err ? err : within("binding", take_binding(json, wish, &req->why),
	                          &req->why);
}

json_t *codec_encode_binding(const struct binding_row *binding)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I}",
		"route_namespace", binding->namespace, "route_name", binding->name,
		"route_id", binding->route_id, "router", binding->router,
		"dns", binding->router_dns, "route_dns", binding->dns,
		"generation", (json_int_t)binding->generation);
}

/* ---- lists ---- */

enum err codec_limit(const struct request *req, int *limit, struct why *why)
{
	uint32_t number = LIST_DEFAULT;
	enum err err = json_get_u32(req->args, "limit", 0, LIST_MAX, &number, why);

	if (!err && !number)
		err = fail(why, ERR_INVALID, "limit: must be 1 to %d", LIST_MAX);
	*limit = (int)number;
	return err;
}

enum err codec_route_filter(struct request *req, struct route_filter *filter)
{
	char *marker = arena_alloc(req->arena, ID_LEN + 1);
	enum err err;

	*filter = (struct route_filter){ .marker = marker };
	err = access_filter(req, &filter->project_id);
	if (!err)
		err = json_get_id(req->args, "marker", 0, marker, &req->why);
	if (!err)
		err = json_get_text(req->args, "namespace", 0, ROUTE_LABEL_MAX,
		                    &filter->namespace, &req->why);
	if (!err)
		err = check_sought(filter->namespace, "namespace", &req->why);
	if (!err)
		err = codec_router_sought(req, "router", &filter->router, &req->why);
	if (!err)
		err = json_get_text(req->args, "phase", 0, 16, &filter->phase, &req->why);
	if (!err && filter->phase && strcmp(filter->phase, "new") &&
	    strcmp(filter->phase, "scheduled"))
		err = fail(&req->why, ERR_INVALID, "phase: must be new or scheduled");
	return err ? err : codec_limit(req, &filter->limit, &req->why);
}
