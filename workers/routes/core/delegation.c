#include "core/delegation.h"

#include <string.h>
#include <strings.h>

#include "core/router_domain.h"

bool delegation_is_below(const char *dns, const char *parent)
{
	size_t len = strlen(dns), tail = strlen(parent);

	return tail && len > tail + 1 && dns[len - tail - 1] == '.' &&
	       !strcmp(dns + len - tail, parent);
}

static json_t *delegation_endpoint(const char *name, const char *type, json_t *targets)
{
	return json_pack("{s:s, s:s, s:o}", "dnsname", name, "type", type, "targets",
	                 targets);
}

/* True: RECORD has addresses of the name server NS. */
static bool delegation_is_glue(const json_t *record, const char *ns, const char *dns)
{
	const char *name = json_string_value(json_object_get(record, "name"));
	const char *type = json_string_value(json_object_get(record, "type"));
	char full[ROUTER_DOMAIN_NAME];

	return name && type && (!strcasecmp(type, "A") || !strcasecmp(type, "AAAA")) &&
	       !strcasecmp(router_domain_full_name(name, dns, full), ns);
}

static void delegation_add_glue(json_t *endpoints, const char *ns, const char *dns,
                                const json_t *zone)
{
	const json_t *list = json_object_get(zone, "records");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *record = json_array_get(list, i);

		if (delegation_is_glue(record, ns, dns))
			json_array_append_new(endpoints, delegation_endpoint(ns,
				json_string_value(json_object_get(record, "type")),
				json_incref(json_object_get(record, "records"))));
	}
}

json_t *delegation_endpoints(const char *dns, const json_t *ns, const json_t *zone)
{
	json_t *endpoints = json_array();
	char name[ROUTER_DOMAIN_NAME];

	router_domain_full_name("@", dns, name);
	if (json_array_size(ns))
		json_array_append_new(endpoints, delegation_endpoint(name, "NS",
		                      json_copy((json_t *)ns)));
	for (size_t i = 0; i < json_array_size(ns); i++) {
		const char *server = json_string_value(json_array_get(ns, i));

		if (server)
			delegation_add_glue(endpoints, server, dns, zone);
	}
	return endpoints;
}
