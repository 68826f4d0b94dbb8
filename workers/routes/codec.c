#include "codec_private.h"

enum err codec_within(const char *field, enum err err, struct why *why)
{
	return err ? fail(why, err, "%s.%s", field, why->text) : OK;
}

/* The columns are ASCII, so a query with another text would fail. */
enum err codec_check_name(const char *name, const char *field, struct why *why)
{
	return name ? route_name_check(name, field, why) : OK;
}

bool codec_has(const json_t *json, const char *key)
{
	return json_object_get(json, key) != NULL;
}

/* ---- bindings ---- */

const struct json_field codec_binding_fields[] = {
	{ "route_namespace", "string", "the namespace of the route",
	  .max = ROUTE_LABEL_MAX },
	{ "route_name", "string", "the name of the route", .max = ROUTE_HOST_MAX },
	{ "router", "string", "the name of the router", "the router of `dns`",
	  ROUTE_LABEL_MAX },
	{ "dns", "string", "the domain of the router", "the domain of `router`",
	  ROUTE_HOST_MAX + 1 },
	{ 0 }
};

const struct json_field codec_binding_shown[] = {
	{ "route_namespace", "string", "the namespace of the route" },
	{ "route_name", "string", "the name of the route" },
	{ "route_id", "id", "the id of the route" },
	{ "router", "string", "the name of the router" },
	{ "dns", "string", "the domain of the router" },
	{ "route_dns", "string", "the name of the route" },
	{ "generation", "number", "a number that grows with each binding of the route" },
	{ 0 }
};

static enum err binding_input_read(const json_t *json, struct binding_input *input,
                                   struct why *why)
{
	enum err err = json_get_text(json, "route_namespace", JSON_REQUIRED,
	                             ROUTE_LABEL_MAX, &input->namespace, why);

	if (!err)
		err = json_get_text(json, "route_name", JSON_REQUIRED, ROUTE_HOST_MAX,
		                    &input->name, why);
	if (!err)
		err = json_get_text(json, "router", 0, ROUTE_LABEL_MAX, &input->router,
		                    why);
	if (!err)
		err = json_get_text(json, "dns", 0, ROUTE_HOST_MAX + 1, &input->dns, why);
	if (!err)
		err = codec_check_name(input->namespace, "route_namespace", why);
	if (!err)
		err = codec_check_name(input->name, "route_name", why);
	if (!err)
		err = codec_check_name(input->router, "router", why);
	if (!err)
		err = codec_check_name(input->dns, "dns", why);
	if (!err && !input->router && !input->dns)
		err = fail(why, ERR_INVALID,
		           "router: must be set if dns is not set");
	return err;
}

enum err codec_binding_decode(struct request *req, struct binding_input *input)
{
	const json_t *json;
	enum err err = json_get_object(req->args, "binding", JSON_REQUIRED, &json,
	                               &req->why);

	*input = (struct binding_input){ 0 };
	if (!err)
		err = json_only_fields(json, codec_binding_fields, "binding", &req->why);
	return err ? err : codec_within("binding",
	                                binding_input_read(json, input, &req->why),
	                                &req->why);
}

json_t *codec_binding_encode(const struct binding_row *binding)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I}",
		"route_namespace", binding->namespace, "route_name", binding->name,
		"route_id", binding->route_id, "router", binding->router,
		"dns", binding->router_dns, "route_dns", binding->dns,
		"generation", (json_int_t)binding->generation);
}

/* ---- lists ---- */

enum err codec_decode_limit(const struct request *req, int *limit, struct why *why)
{
	uint32_t number = LIST_DEFAULT;
	enum err err = json_get_u32(req->args, "limit", 0, LIST_MAX, &number, why);

	if (!err && !number)
		err = fail(why, ERR_INVALID, "limit: must be from 1 to %d, not 0",
		           LIST_MAX);
	*limit = (int)number;
	return err;
}
