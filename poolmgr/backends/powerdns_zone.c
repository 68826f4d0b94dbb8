#include "backends/powerdns_zone.h"

#include <string.h>
#include <strings.h>

#include "backends/powerdns_api.h"
#include "base/log.h"
#include "dns/address.h"

static json_t *powerdns_zone_masters(const struct driver_context *context)
{
	json_t *masters = json_array();

	for (size_t i = 0; i < context->master_count; i++) {
		const struct endpoint *master = &context->masters[i];
		json_t *text = strchr(master->host, ':')
		    ? json_sprintf("[%s]:%d", master->host, master->port)
		    : json_sprintf("%s:%d", master->host, master->port);

		json_array_append_new(masters, text);
	}
	return masters;
}

/* An empty list of keys removes a key of earlier settings. */
json_t *powerdns_zone_encode(const struct powerdns_zone *zone)
{
	json_t *keys = json_array();

	if (zone->key)
		json_array_append_new(keys, powerdns_api_id(zone->key));
	json_t *json = json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", zone->name,
	                         "kind", "Slave", "account", zone->account,
	                         "masters", powerdns_zone_masters(zone->context),
	                         "slave_tsig_key_ids", keys);
	bug_if(!json);
	return json;
}

/* PowerDNS omits the port 53, and shows an address in its shortest form. */
static bool powerdns_zone_is_master(const json_t *text, const struct endpoint *master)
{
	struct address shown, wanted;
	struct endpoint endpoint;
	struct why ignored;

	return json_is_string(text) &&
	       !endpoint_parse(json_string_value(text), 53, "masters", &endpoint,
	                       &ignored) &&
	       address_parse(endpoint.host, endpoint.port, &shown) &&
	       address_parse(master->host, master->port, &wanted) &&
	       shown.port == wanted.port && address_same_host(&shown, &wanted);
}

static bool powerdns_zone_has_master(const json_t *masters, const struct endpoint *master)
{
	const json_t *text;
	size_t i;

	json_array_foreach((json_t *)masters, i, text)
		if (powerdns_zone_is_master(text, master))
			return true;
	return false;
}

static bool powerdns_zone_has_masters(const json_t *row,
                                      const struct driver_context *context)
{
	const json_t *masters = json_object_get(row, "masters");

	if (json_array_size(masters) != context->master_count)
		return false;
	for (size_t i = 0; i < context->master_count; i++)
		if (!powerdns_zone_has_master(masters, &context->masters[i]))
			return false;
	return true;
}

static bool powerdns_zone_has_key(const json_t *row, const char *key)
{
	const json_t *keys = json_object_get(row, "slave_tsig_key_ids");
	const char *shown = json_string_value(json_array_get(keys, 0));

	if (!key)
		return json_array_size(keys) == 0;
	json_t *wanted = powerdns_api_id(key);
	bool has = json_array_size(keys) == 1 && shown &&
	           !strcasecmp(shown, json_string_value(wanted));
	json_decref(wanted);
	return has;
}

bool powerdns_zone_is_shown(const struct powerdns_zone *zone, const json_t *row)
{
	return powerdns_zone_has_masters(row, zone->context) &&
	       powerdns_zone_has_key(row, zone->key);
}
