/*
 * What anybody may ask of us about routers and routes: create and update of both,
 * bindings, and what lists are narrowed by. It is refused in words, or what was taken is
 * what our rows can have: names and hosts are names that records can have, no address is
 * there twice, and whatever is told to central of a router is a change of a name. What is
 * shown can be asked for again, and is the same.
 *
 * The input is the arguments as JSON; or, for those who do not write JSON by chance,
 * lines: a router (name, dns, label, description and addresses, with tabs in between), a
 * route (namespace, name, host, backend and labels), what both become (the same without
 * their first two), and a list (namespace, router, phase, marker).
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "core/router_domain.h"
#include "fuzz_request.h"
#include "model/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TTL_MAX = 604800, COLUMN_MAX = 255 };

static char suffix[] = "v3.example.com";
static const struct routes routes = {
	.settings = { .suffix = suffix, .ttl = 30, .alive_ms = 15000 },
};

/* ---- lines ---- */

static void skip_line(const char **at)
{
	*at += strcspn(*at, "\n");
	*at += **at == '\n';
}

/* The odd ones of the addresses are down. */
static void router_values(json_t *router, const char **at)
{
	json_t *addresses = json_array();

	request_set_field(router, "label", at);
	request_set_field(router, "description", at);
	for (int i = 0; **at && **at != '\n'; i++) {
		json_t *address = request_field(at, "\t\n");

		if (address && i % 3)
			address = json_pack("{s:o, s:b}", "address", address, "up",
			                    i % 2);
		if (address)
			json_array_append_new(addresses, address);
	}
	json_object_set_new(router, "capacity", json_integer(json_array_size(addresses)));
	json_object_set_new(router, "addresses", addresses);
	skip_line(at);
}

/* "tier=gold" */
static void set_label(json_t *labels, const char **at)
{
	json_t *label = request_field(at, "\t\n");
	const char *text = json_string_value(label);
	const char *equals = text ? strchr(text, '=') : NULL;

	if (equals)
		json_object_setn_new(labels, text, (size_t)(equals - text),
		                     json_string(equals + 1));
	json_decref(label);
}

static void route_values(json_t *route, const char **at)
{
	json_t *labels = json_object();

	request_set_field(route, "host", at);
	request_set_field(route, "backend", at);
	while (**at && **at != '\n')
		set_label(labels, at);
	json_object_set_new(route, "labels", labels);
	skip_line(at);
}

static json_t *of_lines(const char *text)
{
	json_t *args = json_object(), *router = json_object(), *route = json_object();
	json_t *router_becomes = json_object(), *route_becomes = json_object();

	request_set_field(router, "name", &text);
	request_set_field(router, "dns", &text);
	router_values(router, &text);
	request_set_field(route, "namespace", &text);
	request_set_field(route, "name", &text);
	route_values(route, &text);
	router_values(router_becomes, &text);
	route_values(route_becomes, &text);
	request_set_field(args, "namespace", &text);
	request_set_field(args, "router", &text);
	request_set_field(args, "phase", &text);
	request_set_field(args, "marker", &text);
	json_object_set_new(args, "new_router", router);
	json_object_set_new(args, "new_route", route);
	json_object_set_new(args, "router_values", router_becomes);
	json_object_set_new(args, "route_values", route_becomes);
	return args;
}

/* ---- what is common ---- */

/* Without its last dot; the same when it is read again; and a record can have it. */
static void check_host(const char *host, bool wildcard)
{
	char again[ROUTE_HOST_MAX + 1], full[ROUTE_HOST_MAX + 2];
	struct name name;
	struct why why;

	assert(!host_normalize(host, "host", wildcard, again, &why));
	assert(!strcmp(host, again));
	snprintf(full, sizeof(full), "%s.", host);
	assert(!name_parse_owner(full, "host", &name, &why));
}

static bool is_sought(const char *name)
{
	struct why why;

	return !name || !route_name_check(name, "name", &why);
}

/* KEY of ARGS, as the argument AS of a request. */
static json_t *only(const json_t *args, const char *key, const char *as)
{
	json_t *value = json_object_get(args, key);

	if (!value)
		value = json_object_get(args, as);
	return value ? json_pack("{s:O}", as, value) : json_object();
}

/* ---- routers ---- */

static void check_changes(const struct router_row *router)
{
	json_t *zone = json_loads(router->zone, 0, NULL);
	json_t *changes = json_array(), *change;
	struct address shown[ROUTER_ADDRESSES_MAX];
	json_t *domain = router_domain_new(zone, router->dns, "", router->description);
	size_t i;

	for (i = 0; i < router->count; i++)
		shown[i] = router->addresses[i].address;
	router_domain_set_first_records(changes, zone, router->dns);
	router_domain_set_wildcard(changes, router->dns, router->ttl, shown,
	                           router->count, 32);
	router_domain_set_wildcard(changes, router->dns, router->ttl, shown,
	                           router->count, 128);
	assert(domain && json_object_get(domain, "name"));
	json_array_foreach(changes, i, change) {
		const char *name = json_string_value(json_object_get(change, "name"));

		assert(name && *name && name[strlen(name) - 1] == '.');
		assert(json_object_get(change, "op") && json_object_get(change, "type"));
	}
	json_decref(domain);
	json_decref(changes);
	json_decref(zone);
}

static void check_addresses(const struct router_row *router)
{
	assert(router->count <= ROUTER_ADDRESSES_MAX);
	for (size_t i = 0; i < router->count; i++) {
		const struct address *address = &router->addresses[i].address;

		assert((address->bits == 32 || address->bits == 128) && !address->scope &&
		       !address_unfit(address));
		for (size_t j = 0; j < i; j++)
			assert(!address_same_host(address,
			                          &router->addresses[j].address));
	}
}

/* As it is shown, and as it was asked for: with its zone, and without what follows. */
static json_t *shown_router(const struct router_row *router)
{
	static const char *const derived[] = { "state", "zone_status", "routes", "serial",
	                                       "reason" };
	json_t *json = codec_router_encode(router, true, &routes), *address;
	size_t i;

	assert(json);
	for (i = 0; i < sizeof(derived) / sizeof(derived[0]); i++)
		assert(!json_object_del(json, derived[i]));
	json_array_foreach(json_object_get(json, "addresses"), i, address) {
		assert(!json_object_del(address, "alive"));
		assert(!json_object_del(address, "shown"));
	}
	json_object_set_new(json, "zone", json_loads(router->zone, 0, NULL));
	return json;
}

static bool is_same_router(const struct router_row *a, const struct router_row *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (!address_same_host(&a->addresses[i].address,
		                       &b->addresses[i].address) ||
		    a->addresses[i].is_up != b->addresses[i].is_up)
			return false;
	return !strcmp(a->name, b->name) && !strcmp(a->dns, b->dns) &&
	       !strcmp(a->label, b->label) && !strcmp(a->description, b->description) &&
	       !strcmp(a->zone, b->zone) && a->ttl == b->ttl && a->count == b->count &&
	       a->has_capacity == b->has_capacity &&
	       (!a->has_capacity || a->capacity == b->capacity);
}

static void check_router(const struct router_row *router, struct arena *arena)
{
	struct router_row complete = *router;
	struct router_input again;
	struct request req;
	struct why why;

	complete.reason = "";
	assert(!route_name_check_label(router->name, "name", &why));
	check_host(router->dns, false);
	assert(!*router->label || strchr(router->label, '=') > router->label);
	assert(strlen(router->label) <= COLUMN_MAX);
	assert(strlen(router->description) <= COLUMN_MAX);
	assert(router->ttl <= TTL_MAX && strlen(router->zone) <= ROUTER_DOMAIN_TEXT_MAX);
	check_addresses(router);
	check_changes(router);

	json_t *args = json_pack("{s:o}", "router", shown_router(&complete));
	req = request_of(args, arena);
	assert(args && !codec_router_decode(&routes, &req, &again));
	assert(is_same_router(router, &again.router));
	json_decref(args);
}

/* ROUTER: that is there. */
static void try_router_values(const json_t *args, const struct router_row *router,
                              struct arena *arena)
{
	json_t *own = only(args, "router_values", "values");
	struct request req = request_of(own, arena);
	struct router_input input;

	if (codec_router_decode_values(&req, &input)) {
		request_check_why(&req.why);
	} else {
		codec_router_complete(&input, router);
		check_router(&input.router, arena);
	}
	json_decref(own);
}

static void try_router(const json_t *args, struct arena *arena)
{
	json_t *own = only(args, "new_router", "router");
	struct request req = request_of(own, arena);
	struct router_input input;

	if (codec_router_decode(&routes, &req, &input)) {
		request_check_why(&req.why);
	} else {
		check_router(&input.router, arena);
		try_router_values(args, &input.router, arena);
	}
	json_decref(own);
}

/* ---- routes ---- */

static void check_labels(const char *text)
{
	json_t *labels = json_loads(text, 0, NULL), *value;
	const char *key;

	assert(json_is_object(labels) && json_object_size(labels) <= LABELS_MAX);
	json_object_foreach(labels, key, value)
		assert(*key && !strchr(key, '=') && json_is_string(value));
	json_decref(labels);
}

/* It stands in a line of the routers' files. */
static void check_backend(const char *backend)
{
	assert(*backend && strlen(backend) <= COLUMN_MAX);
	for (; *backend; backend++)
		assert(*backend > ' ' && *backend <= '~' && *backend != '#');
}

static json_t *shown_route(const struct route_row *route)
{
	static const char *const derived[] = { "router", "status", "last_error",
	                                       "waiting", "attempts", "created_at" };
	json_t *json = codec_route_encode(route);

	assert(json);
	for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++)
		assert(!json_object_del(json, derived[i]));
	return json;
}

static bool is_same_route(const struct route_row *a, const struct route_row *b)
{
	return !strcmp(a->id, b->id) && !strcmp(a->namespace, b->namespace) &&
	       !strcmp(a->name, b->name) && !strcmp(a->project_id, b->project_id) &&
	       request_is_same_text(a->host, b->host) && !strcmp(a->labels, b->labels) &&
	       !strcmp(a->backend, b->backend);
}

static void check_generated(const struct route_row *route)
{
	const char *const salts[] = { NULL, "", route->id };
	char host[ROUTE_HOST_MAX + 1];
	struct why why;

	for (size_t i = 0; i < sizeof(salts) / sizeof(salts[0]); i++) {
		assert(!route_name_generate(route->namespace, route->name, suffix,
		                            salts[i], host, &why));
		check_host(host, false);
		assert(!strcmp(host_parent(host), suffix));
	}
}

static void check_route(const struct route_row *route, struct arena *arena)
{
	struct route_row complete = *route;
	struct route_input again;
	struct request req;
	struct why why;

	complete.created_at = "";
	assert(id_valid(route->id));
	assert(!route_name_check_label(route->namespace, "namespace", &why));
	assert(!route_name_check(route->name, "name", &why));
	assert(strlen(route->project_id) <= COLUMN_MAX);
	if (route->host)
		check_host(route->host, true);
	check_labels(route->labels);
	check_backend(route->backend);
	check_generated(route);

	json_t *args = json_pack("{s:o}", "route", shown_route(&complete));
	req = request_of(args, arena);
	assert(args && !codec_route_decode(&req, &again));
	assert(is_same_route(route, &again.route));
	json_decref(args);
}

/* ROUTE: that is there. */
static void try_route_values(const json_t *args, const struct route_row *route,
                             struct arena *arena)
{
	json_t *own = only(args, "route_values", "values");
	struct request req = request_of(own, arena);
	struct route_input input;

	if (codec_route_decode_values(&req, &input)) {
		request_check_why(&req.why);
	} else {
		codec_route_complete(&input, route);
		check_route(&input.route, arena);
	}
	json_decref(own);
}

static void try_route(const json_t *args, struct arena *arena)
{
	json_t *own = only(args, "new_route", "route");
	struct request req = request_of(own, arena);
	struct route_input input;

	if (codec_route_decode(&req, &input)) {
		request_check_why(&req.why);
	} else {
		assert(!input.phase && !input.dns);
		check_route(&input.route, arena);
		try_route_values(args, &input.route, arena);
	}
	json_decref(own);
}

/* ---- bindings, keys and lists ---- */

static void try_binding(const json_t *args, struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct binding_input input;

	if (codec_binding_decode(&req, &input)) {
		request_check_why(&req.why);
		return;
	}
	assert(input.namespace && input.name && (input.router || input.dns));
	assert(is_sought(input.namespace) && is_sought(input.name));
	assert(is_sought(input.router) && is_sought(input.dns));
}

static void try_names(const json_t *args, struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct route_key key;
	const char *name;

	if (codec_router_decode_name(&req, &name, &req.why))
		request_check_why(&req.why);
	else
		assert(is_sought(name));
	req.why.text[0] = '\0';
	if (codec_route_decode_key(&req, &key))
		request_check_why(&req.why);
	else
		assert(key.id ? id_valid(key.id) && !key.name : key.name &&
		       is_sought(key.namespace) && is_sought(key.name));
}

static void try_filter(const json_t *args, struct arena *arena)
{
	struct request req = request_of(args, arena);
	struct route_filter filter = { 0 };

	if (codec_route_decode_filter(&req, &filter)) {
		request_check_why(&req.why);
		return;
	}
	assert(filter.limit >= 1 && filter.limit <= LIST_MAX);
	assert(!*filter.marker || id_valid(filter.marker));
	assert(!strcmp(filter.project_id, "us"));
	assert(is_sought(filter.namespace) && is_sought(filter.router));
	assert(!filter.phase || !strcmp(filter.phase, "new") ||
	       !strcmp(filter.phase, "scheduled"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *args = request_arguments(data, size, of_lines);
	struct arena *arena;

	if (!args)
		return 0;
	arena = arena_new();
	try_router(args, arena);
	try_route(args, arena);
	try_binding(args, arena);
	try_names(args, arena);
	try_filter(args, arena);
	arena_free(&arena);
	json_decref(args);
	return 0;
}
