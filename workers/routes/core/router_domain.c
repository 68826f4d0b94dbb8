#include "core/router_domain.h"

#include <stdio.h>
#include <string.h>

#include "model/json.h"

enum { SOA_NAME_MAX = 1004, RECORD_MAX = 4096, RECORDS_MAX = 100 };

const char *router_domain_full_name(const char *name, const char *dns,
                                    char text[ROUTER_DOMAIN_NAME])
{
	size_t len = strlen(name);

	if (!strcmp(name, "@"))
		snprintf(text, ROUTER_DOMAIN_NAME, "%.253s.", dns);
	else if (len && name[len - 1] == '.')
		snprintf(text, ROUTER_DOMAIN_NAME, "%.255s", name);
	else
		snprintf(text, ROUTER_DOMAIN_NAME, "%.253s.%.253s.", name, dns);
	return text;
}

/* ---- the first records ---- */

const struct json_field router_domain_fields[] = {
	{ "ns", "list of strings", "the hosts of the NS records of the domain",
	  "`ns_records` of the pool", RECORDS_MAX },
	{ "soa", "[router SOA]", "values of the SOA record of the domain",
	  "the default of central" },
	{ "serial", "number", "the first serial of the domain",
	  "the current time", UINT32_MAX },
	{ "ttl", "number", "the TTL of the domain in seconds. Records without a TTL use "
	  "this TTL",
	  "the default of central", INT32_MAX },
	{ "records", "list of [first record]", "the first records of the domain", "empty",
	  RECORDS_MAX },
	{ 0 }
};

const struct json_field router_domain_soa_fields[] = {
	{ "mname", "string", "the primary", "the default of central", SOA_NAME_MAX },
	{ "rname", "string", "the email address in the form of a name",
	  "the default of central", SOA_NAME_MAX },
	{ "ttl", "number", "the TTL in seconds",
	  "the default of central", INT32_MAX },
	{ "refresh", "number", "the refresh time in seconds",
	  "the default of central", INT32_MAX },
	{ "retry", "number", "the retry time in seconds",
	  "the default of central", INT32_MAX },
	{ "expire", "number", "the expiry time in seconds",
	  "the default of central", INT32_MAX },
	{ "minimum", "number", "the TTL of negative answers in seconds",
	  "the default of central", INT32_MAX },
	{ 0 }
};

const struct json_field router_domain_record_fields[] = {
	{ "name", "string", "a name in the domain, `@` for the domain itself, or a full "
	  "name with a final dot", .max = 253 },
	{ "type", "string", "a record type", .max = 16 },
	{ "ttl", "number", "the TTL in seconds", "the TTL of the domain", INT32_MAX },
	{ "records", "list of strings", "the data of each record", .max = RECORDS_MAX },
	{ 0 }
};

static enum err zone_within(const char *field, enum err err, struct why *why)
{
	return err ? fail(why, err, "%s.%s", field, why->text) : OK;
}

static enum err zone_check_number(const json_t *json, const char *key, uint32_t max,
                                  struct why *why)
{
	uint32_t number;

	return json_get_u32(json, key, 0, max, &number, why);
}

static enum err zone_check_texts(const json_t *json, const char *key, int flags,
                                 struct why *why)
{
	const json_t *list = NULL;
	enum err err = json_get_array(json, key, flags, RECORDS_MAX, &list, why);

	for (size_t i = 0; !err && i < json_array_size(list); i++)
		if (!json_is_string(json_array_get(list, i)) ||
		    json_string_length(json_array_get(list, i)) > RECORD_MAX)
			err = fail(why, ERR_INVALID, "%s[%zu]: must be a string of at "
			           "most %d octets", key, i, RECORD_MAX);
	return err;
}

static enum err zone_check_soa(const json_t *soa, struct why *why)
{
	const struct json_field *fields = router_domain_soa_fields;
	const char *text;
	enum err err = json_only_fields(soa, fields, "it", why);

	for (int i = 0; i < 2 && !err; i++)
		err = json_get_text(soa, fields[i].name, 0, SOA_NAME_MAX, &text, why);
	for (int i = 2; fields[i].name && !err; i++)
		err = zone_check_number(soa, fields[i].name, INT32_MAX, why);
	return err;
}

static enum err zone_check_record(const json_t *record, struct why *why)
{
	const char *text;
	enum err err = json_only_fields(record, router_domain_record_fields, "item", why);

	if (!err)
		err = json_get_text(record, "name", JSON_REQUIRED, 253, &text, why);
	if (!err)
		err = json_get_text(record, "type", JSON_REQUIRED, 16, &text, why);
	if (!err)
		err = zone_check_number(record, "ttl", INT32_MAX, why);
	return err ? err : zone_check_texts(record, "records", JSON_REQUIRED, why);
}

static enum err zone_check_records(const json_t *zone, struct why *why)
{
	const json_t *list = NULL;
	enum err err = json_get_array(zone, "records", 0, RECORDS_MAX, &list, why);

	for (size_t i = 0; !err && i < json_array_size(list); i++)
		err = zone_within("records",
		                  zone_check_record(json_array_get(list, i), why), why);
	return err;
}

static enum err zone_check_values(const json_t *zone, struct why *why)
{
	const json_t *soa = NULL;
	enum err err = zone_check_texts(zone, "ns", 0, why);

	if (!err)
		err = json_get_object(zone, "soa", 0, &soa, why);
	if (!err && soa)
		err = zone_within("soa", zone_check_soa(soa, why), why);
	if (!err)
		err = zone_check_number(zone, "serial", UINT32_MAX, why);
	if (!err)
		err = zone_check_number(zone, "ttl", INT32_MAX, why);
	return err ? err : zone_check_records(zone, why);
}

enum err router_domain_check(const json_t *zone, struct why *why)
{
	enum err err = json_only_fields(zone, router_domain_fields, "zone", why);

	return err ? err : zone_within("zone", zone_check_values(zone, why), why);
}

static void zone_copy(json_t *to, const json_t *from, const char *key)
{
	json_t *value = json_object_get(from, key);

	if (value)
		json_object_set(to, key, value);
}

json_t *router_domain_new(const json_t *zone, const char *dns, const char *pool,
                          const char *description)
{
	char name[ROUTER_DOMAIN_NAME];
	json_t *domain = json_pack("{s:s}", "name",
	                           router_domain_full_name("@", dns, name));

	zone_copy(domain, zone, "ns");
	zone_copy(domain, zone, "ttl");
	if (*pool)
		json_object_set_new(domain, "pool", json_string(pool));
	if (*description)
		json_object_set_new(domain, "description", json_string(description));
	return domain;
}

static json_t *zone_change(const json_t *record, const char *op, const char *dns)
{
	const char *name = json_string_value(json_object_get(record, "name"));
	char full[ROUTER_DOMAIN_NAME];
	json_t *change = json_pack("{s:s, s:s}", "op", op, "name",
	                           router_domain_full_name(name, dns, full));

	zone_copy(change, record, "type");
	return change;
}

void router_domain_set_first_records(json_t *changes, const json_t *zone, const char *dns)
{
	const json_t *list = json_object_get(zone, "records");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *record = json_array_get(list, i);
		json_t *change = zone_change(record, "set", dns);

		zone_copy(change, record, "ttl");
		zone_copy(change, record, "records");
		json_array_append_new(changes, change);
	}
}

void router_domain_delete_first_records(json_t *changes, const json_t *zone,
                                        const char *dns)
{
	const json_t *list = json_object_get(zone, "records");

	for (size_t i = 0; i < json_array_size(list); i++)
		json_array_append_new(changes, zone_change(json_array_get(list, i),
		                                           "delete", dns));
}

/* ---- the records of routes ---- */

void router_domain_set_wildcard(json_t *changes, const char *dns, uint32_t ttl,
                                const struct address *addresses, size_t count,
                                uint8_t bits)
{
	json_t *records = json_array();
	char name[ROUTER_DOMAIN_NAME], text[ADDRESS_TEXT];
	bool has_any;

	for (size_t i = 0; i < count; i++) {
		if (addresses[i].bits != bits)
			continue;
		address_format(&addresses[i], text);
		json_array_append_new(records, json_string(text));
	}
	has_any = json_array_size(records);
	json_t *change = json_pack("{s:s, s:s, s:s}", "op", has_any ? "set" : "delete",
	                           "name", router_domain_full_name("*", dns, name),
	                           "type", bits == 32 ? "A" : "AAAA");
	if (has_any) {
		json_object_set_new(change, "ttl", json_integer(ttl));
		json_object_set(change, "records", records);
	}
	json_array_append_new(changes, change);
	json_decref(records);
}

void router_domain_set_manager(json_t *changes)
{
	json_t *change;
	size_t i;

	json_array_foreach(changes, i, change)
		json_object_set_new(change, "managed_by", json_string("routes"));
}

void router_domain_set_cname(json_t *changes, const char *name, const char *target,
                             uint32_t ttl)
{
	char owner[ROUTER_DOMAIN_NAME], to[ROUTER_DOMAIN_NAME];

	router_domain_full_name("@", name, owner);
	if (!target)
		json_array_append_new(changes,
		                      json_pack("{s:s, s:s, s:s}", "op", "delete",
			"name", owner, "type", "CNAME"));
	else
		json_array_append_new(changes, json_pack("{s:s, s:s, s:s, s:i, s:[s]}",
			"op", "set", "name", owner, "type", "CNAME", "ttl", (int)ttl,
			"records", router_domain_full_name("@", target, to)));
}
