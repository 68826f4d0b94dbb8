#include "codec_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/route_backend.h"
#include "model/identity.h"
#include "runtime/access.h"

#define ROUTE_STATUS \
	{ "phase", "string", "`new` or `scheduled`. Only a binding changes the phase", \
	  "unchanged", 16 }, \
	{ "dns", "string", "the name of the route. Only a binding changes the "\
	  "name", "unchanged", ROUTE_HOST_MAX + 1 }

const struct json_field codec_route_fields[] = {
	{ "id", "id", "the id of the route", "a new id", .is_fixed = true },
	{ "namespace", "string", "the namespace of the route: one label. The namespace "
	  "belongs to the first tenant that uses it",
	  .max = ROUTE_LABEL_MAX, .is_fixed = true },
	{ "name", "string", "the name of the route in the namespace",
	  .max = ROUTE_HOST_MAX, .is_fixed = true },
	{ "project_id", "string", "the tenant of the route", "the caller's tenant", 255,
	  .is_fixed = true },
	{ "host", "string", "a host that replaces the generated name. The host can begin "
	  "with the wildcard `*.`", "empty", ROUTE_HOST_MAX + 1 },
	{ "labels", "object of strings", "the labels of the route", "empty", LABELS_MAX },
	{ "backend", "string", "the backend of HAProxy", "NAMESPACE_NAME", BACKEND_MAX },
	{ "status", "[route status]", "`create_route` refuses this field. `update_route` "
	  "refuses a status that differs from the current status", "unchanged" },
	ROUTE_STATUS,
	{ 0 }
};

const struct json_field codec_status_fields[] = { ROUTE_STATUS, { 0 } };

const struct json_field codec_route_shown[] = {
	{ "id", "id", "the id of the route" },
	{ "namespace", "string", "the namespace of the route" },
	{ "name", "string", "the name of the route in the namespace" },
	{ "project_id", "string", "the tenant of the route" },
	{ "host", "string or null", "the host that the caller has set" },
	{ "labels", "object of strings", "the labels of the route" },
	{ "backend", "string", "the backend of HAProxy" },
	{ "router", "string or null", "the name of the router" },
	{ "status", "object", "`phase`: `new` or `scheduled`; `dns`: the name of the "
	  "route, or null" },
	{ "last_error", "string or null", "why the route has no router" },
	{ "waiting", "true or false", "true: the route is waiting because another route "
	  "already has the same host" },
	{ "attempts", "number", "number of times that the scheduler found no router for "
	  "the route" },
	{ "created_at", "time", "when the route was created" },
	{ 0 }
};

static enum err route_input_read_host(struct request *req, const json_t *json,
                                      struct route_input *input)
{
	const char *text = NULL;
	char host[ROUTE_HOST_MAX + 1];
	enum err err = json_get_text(json, "host", 0, ROUTE_HOST_MAX + 1, &text,
	                             &req->why);

	input->has_host = codec_has(json, "host");
	if (err || !text || !*text)
		return err;
	err = host_normalize(text, "host", true, host, &req->why);
	if (!err)
		input->route.host = arena_strdup(req->arena, host);
	return err;
}

static enum err route_input_check_label(const char *key, const json_t *value,
                                        struct why *why)
{
	size_t len = strlen(key) + json_string_length(value);
	char quoted[65];

	err_quote(key, quoted, sizeof(quoted));
	if (!*key || strchr(key, '='))
		return fail(why, ERR_INVALID, "labels: the key '%s' must not be empty, "
		            "and must not contain '='", quoted);
	if (!json_is_string(value))
		return fail(why, ERR_INVALID, "labels.%s: must be a string", quoted);
	if (len >= TEXT_MAX)
		return fail(why, ERR_INVALID, "labels.%s: key and value together must "
		            "have fewer than %d bytes, not %zu", quoted, TEXT_MAX, len);
	return OK;
}

static enum err route_input_check_labels(const json_t *labels, struct why *why)
{
	const char *key;
	json_t *value;
	enum err err;

	if (json_object_size(labels) > LABELS_MAX)
		return fail(why, ERR_INVALID,
		            "labels: must have at most %d entries, not %zu", LABELS_MAX,
		            json_object_size(labels));
	json_object_foreach((json_t *)labels, key, value) {
		err = route_input_check_label(key, value, why);
		if (err)
			return err;
	}
	return OK;
}

static enum err route_input_read_labels(struct request *req, const json_t *json,
                                        struct route_input *input)
{
	const json_t *labels = NULL;
	char *text;
	enum err err = json_get_object(json, "labels", 0, &labels, &req->why);

	input->has_labels = codec_has(json, "labels");
	input->route.labels = "{}";
	if (!err && labels)
		err = route_input_check_labels(labels, &req->why);
	if (err || !labels)
		return err;
	text = json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
	input->route.labels = arena_strdup(req->arena, text);
	free(text);
	return OK;
}

/* Agents write the backend into a line of a file, so its characters are limited. */
static enum err route_input_read_backend(struct request *req, const json_t *json,
                                         struct route_input *input)
{
	const char *text = NULL;
	enum err err = json_get_text(json, "backend", 0, BACKEND_MAX, &text, &req->why);

	input->has_backend = codec_has(json, "backend");
	for (const char *at = text; !err && at && *at; at++)
		if (*at <= ' ' || *at > '~' || *at == '#')
			err = fail(&req->why, ERR_INVALID, "backend: must be printable "
			           "ASCII without blanks and without \"#\", not "
			           "'%s'", err_quote(text, (char[81]){ 0 }, 81));
	input->route.backend = text && *text ? text : NULL;
	return err;
}

/* The value may occur twice. Both must be equal. */
static enum err route_input_read_again(const json_t *json, const char *key, size_t max,
                                       const char **into, struct why *why)
{
	const char *before = *into;
	enum err err = json_get_text(json, key, 0, max, into, why);

	if (!err && before && strcmp(before, *into))
		err = fail(why, ERR_INVALID,
		           "%s: '%s' differs from '%s' in status: both must be equal",
		           key, err_quote(*into, (char[81]){ 0 }, 81),
		           err_quote(before, (char[81]){ 0 }, 81));
	return err;
}

static enum err route_input_read_status_fields(const json_t *json,
                                               struct route_input *input, struct why *why)
{
	enum err err = route_input_read_again(json, "phase", 16, &input->phase, why);

	return err ? err : route_input_read_again(json, "dns", ROUTE_HOST_MAX + 1,
	                                          &input->dns, why);
}

/* The fields may be in the object itself or in its "status". */
static enum err route_input_read_status(struct request *req, const json_t *json,
                                        struct route_input *input)
{
	const json_t *status = NULL;
	enum err err = json_get_object(json, "status", 0, &status, &req->why);

	if (!err && status)
		err = json_only_fields(status, codec_status_fields, "status", &req->why);
	if (!err && status)
		err = codec_within("status",
		                   route_input_read_status_fields(status, input,
		                                                  &req->why),
		                   &req->why);
	return err ? err : route_input_read_status_fields(json, input, &req->why);
}

static enum err route_input_read_values(struct request *req, const json_t *json,
                                        struct route_input *input)
{
	enum err err = route_input_read_host(req, json, input);

	if (!err)
		err = route_input_read_labels(req, json, input);
	if (!err)
		err = route_input_read_backend(req, json, input);
	return err ? err : route_input_read_status(req, json, input);
}

static enum err route_input_read_identity(struct request *req, const json_t *json,
                                          struct route_row *route)
{
	struct why *why = &req->why;
	enum err err = json_get_id(json, "id", 0, route->id, why);

	if (!err)
		err = json_get_text(json, "namespace", JSON_REQUIRED, ROUTE_LABEL_MAX,
		                    &route->namespace, why);
	if (!err)
		err = route_name_check_label(route->namespace, "namespace", why);
	if (!err)
		err = json_get_text(json, "name", JSON_REQUIRED, ROUTE_HOST_MAX,
		                    &route->name, why);
	if (!err)
		err = route_name_check(route->name, "name", why);
	route->project_id = req->context.tenant;
	return err ? err : identity_get(json, "project_id", &route->project_id, why);
}

static enum err route_input_refuse_status(const struct route_input *input,
                                          struct why *why)
{
	if (input->phase)
		return fail(why, ERR_INVALID, "status.phase: must be absent, because "
		            "only a binding sets phase");
	if (input->dns)
		return fail(why, ERR_INVALID, "status.dns: must be absent, because only "
		            "a binding sets dns. To choose a name, set host");
	return OK;
}

static enum err route_input_read(struct request *req, const json_t *json,
                                 struct route_input *input)
{
	enum err err = route_input_read_identity(req, json, &input->route);

	if (!err)
		err = route_input_read_values(req, json, input);
	return err ? err : route_input_refuse_status(input, &req->why);
}

enum err codec_route_decode(struct request *req, struct route_input *input)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "route", JSON_REQUIRED, &json,
	                               &req->why);

	*input = (struct route_input){ .route = { .last_error = "" } };
	memcpy(input->route.id, req->unique_id, sizeof(input->route.id));
	if (!err)
		err = json_only_fields(json, codec_route_fields, "route", &req->why);
	if (!err)
		err = codec_within("route", route_input_read(req, json, input),
		                   &req->why);
	if (!err && !input->route.backend) {
		char own[BACKEND_MAX + 1];

		route_backend_default(input->route.namespace, input->route.name, own);
		input->route.backend = arena_strdup(req->arena, own);
	}
	return err;
}

enum err codec_route_decode_values(struct request *req, struct route_input *input)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "values", JSON_REQUIRED, &json,
	                               &req->why);

	*input = (struct route_input){ .route = { .last_error = "" } };
	if (!err)
		err = json_only_changes(json, codec_route_fields, "values", &req->why);
	return err ? err : codec_within("values",
	                                route_input_read_values(req, json, input),
	                                &req->why);
}

void codec_route_complete(struct route_input *input, const struct route_row *route)
{
	const struct route_row given = input->route;

	input->route = *route;
	if (input->has_host)
		input->route.host = given.host;
	if (input->has_labels)
		input->route.labels = given.labels;
	if (input->has_backend && given.backend)
		input->route.backend = given.backend;
}

enum err codec_route_decode_key(struct request *req, struct route_key *key)
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
		return fail(&req->why, ERR_INVALID, "route: must be an id or "
		            "NAMESPACE/NAME, not '%s'",
		            err_quote(given, (char[81]){ 0 }, 81));
	if (!text) {
		key->id = id;
		return OK;
	}
	key->namespace = arena_printf(req->arena, "%.*s", (int)(text - given), given);
	key->name = text + 1;
	if (codec_check_name(key->namespace, "route", &req->why))
		return ERR_INVALID;
	return codec_check_name(key->name, "route", &req->why);
}

json_t *codec_route_encode(const struct route_row *route)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:s, s:s?, s:{s:s, s:s?}, "
	                 "s:s?, s:b, s:i, s:s}",
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

enum err codec_route_decode_filter(struct request *req, struct route_filter *filter)
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
		err = codec_check_name(filter->namespace, "namespace", &req->why);
	if (!err)
		err = codec_router_decode_filter(req, "router", &filter->router,
		                                 &req->why);
	if (!err)
		err = json_get_text(req->args, "phase", 0, 16, &filter->phase, &req->why);
	if (!err && filter->phase && strcmp(filter->phase, "new") &&
	    strcmp(filter->phase, "scheduled"))
		err = fail(&req->why, ERR_INVALID, "phase: must be new or scheduled, not "
		           "'%s'", err_quote(filter->phase, (char[17]){ 0 }, 17));
	return err ? err : codec_decode_limit(req, &filter->limit, &req->why);
}
