#include "codec_domain.h"

#include "base/log.h"
#include "codec.h"
#include "model/attributes.h"
#include "model/identity.h"
#include "model/json.h"
#include "model/rr.h"

const struct json_field codec_domain_fields[] = {
	{ "id", "id", "the id of the domain. If a domain with this id and this name "
	  "exists, the call returns this domain. The id of a deleted domain is free only "
	  "after `central.tombstone_age`. Until then, the call fails with `Duplicate`",
	  "a new id", .is_fixed = true },
	{ "name", "name", "the name of the zone", .is_fixed = true },
	{ "tenant", "string", "the owner. Only an administrator can create a domain for "
	  "another tenant",
	  "the caller's tenant", TENANT_MAX, .is_fixed = true },
	{ "pool", "string", "the pool. A tenant can use only the default pool and the "
	  "pools in `central.tenant_pools`", "the pool that the filters in "
	  "`central.scheduler_filters` select", POOL_NAME_MAX, .is_fixed = true },
	{ "ns", "list of names", "the hosts of the NS records at the apex",
	  "`ns_records` of the pool", POOL_NS_MAX, .is_fixed = true },
	{ "email", "string", "the email address in the SOA record",
	  "`central.hostmaster`", EMAIL_MAX },
	{ "primary", "name", "the primary in the SOA record", "the first host of `ns`" },
	{ "ttl", "number", "the TTL of the domain in seconds. Record sets without a TTL "
	  "use this TTL",
	  "`central.default_ttl`", RR_TTL_MAX },
	{ "refresh", "number", "the refresh time in the SOA record, in seconds",
	  "`central.soa_refresh`", RR_TTL_MAX },
	{ "retry", "number", "the retry time in the SOA record, in seconds",
	  "`central.soa_retry`", RR_TTL_MAX },
	{ "expire", "number", "the expiry time in the SOA record, in seconds",
	  "`central.soa_expire`", RR_TTL_MAX },
	{ "minimum", "number", "the TTL of negative answers in the SOA record, in "
	  "seconds", "`central.soa_minimum`", RR_TTL_MAX },
	{ "description", "string", "any text. zonefleet does not use this text",
	  "empty", DESCRIPTION_MAX },
	{ "attributes", "[attributes]", "the attributes. The scheduler can compare the "
	  "attributes of a new domain with the attributes of the pools", "empty" },
	{ 0 }
};

const struct json_field codec_domain_soa_fields[] = {
	{ "mname", "name", "the primary", "unchanged" },
	{ "rname", "name", "the email address in the form of a name", "unchanged" },
	{ "refresh", "number", "the refresh time in seconds", "unchanged", RR_TTL_MAX },
	{ "retry", "number", "the retry time in seconds", "unchanged", RR_TTL_MAX },
	{ "expire", "number", "the expiry time in seconds", "unchanged", RR_TTL_MAX },
	{ "minimum", "number", "the TTL of negative answers in seconds", "unchanged",
	  RR_TTL_MAX },
	{ "ttl", "number", "the TTL of the SOA record in seconds", "unchanged",
	  RR_TTL_MAX },
	{ 0 }
};

const struct json_field codec_domain_shown[] = {
	{ "id", "id", "the id of the domain" },
	{ "name", "name", "the name of the zone" },
	{ "tenant", "string", "the owner; empty: the domain belongs to administrators" },
	{ "kind", "string", "PRIMARY, or CATALOG for the catalog zone of a pool" },
	{ "pool", "string", "the name of the pool" },
	{ "pool_id", "id", "the id of the pool" },
	{ "serial", "number", "the serial of the newest change" },
	{ "task", "string", "ADD, UPDATE, DELETE or NONE" },
	{ "status", "string", "PENDING, ACTIVE or ERROR" },
	{ "reason", "string", "why the domain is not ACTIVE now: the worker that is not "
	  "running, or the name servers that fail, each with its last error. Empty if "
	  "the domain is ACTIVE, or if no error delays the change of the domain" },
	{ "email", "string", "the email address in the SOA record" },
	{ "primary", "name", "the primary in the SOA record" },
	{ "ttl", "number", "the TTL of the domain in seconds. Record sets without a TTL "
	  "use this TTL" },
	{ "refresh", "number", "the refresh time in the SOA record, in seconds" },
	{ "retry", "number", "the retry time in the SOA record, in seconds" },
	{ "expire", "number", "the expiry time in the SOA record, in seconds" },
	{ "minimum", "number", "the TTL of negative answers in the SOA record, in "
	  "seconds" },
	{ "description", "string", "any text. zonefleet does not use this text" },
	{ "attributes", "[attributes]", "the attributes" },
	{ "records", "number",
	  "number of records in the domain, without the SOA record" },
	{ "recordsets", "number", "number of record sets in the domain, without the SOA "
	  "record" },
	{ "created_at", "time", "when the domain was created" },
	{ "updated_at", "time", "when the domain last changed" },
	{ "version", "number", "a number that grows with each change. Use this number "
	  "as the argument `version` of a call" },
	{ 0 }
};

enum err codec_domain_key(const json_t *args, struct arena *arena, struct domain_key *key,
                          struct why *why)
{
	return codec_id_or_name(args, "domain", arena, key->id, &key->name, why);
}

static enum err domain_get_number(const json_t *json, const char *key, uint32_t max,
                                  bool *has, uint32_t *number, struct why *why)
{
	*has = json_is_integer(json_object_get(json, key));
	return json_get_u32(json, key, 0, max, number, why);
}

static enum err soa_get_numbers(const json_t *json, struct soa_spec *soa, struct why *why)
{
	struct {
		const char *key;
		bool *has;
		uint32_t *number;
	} const rows[] = {
		{ "refresh", &soa->has_refresh, &soa->refresh },
		{ "retry",   &soa->has_retry,   &soa->retry   },
		{ "expire",  &soa->has_expire,  &soa->expire  },
		{ "minimum", &soa->has_minimum, &soa->minimum },
	};
	enum err err = OK;

	for (size_t i = 0; !err && i < sizeof rows / sizeof rows[0]; i++)
		err = domain_get_number(json, rows[i].key, RR_TTL_MAX, rows[i].has,
		                        rows[i].number, why);
	return err;
}

static enum err soa_get_email(const json_t *json, struct arena *arena,
                              struct soa_spec *soa, struct why *why)
{
	const char *email = NULL;
	enum err err = json_get_text(json, "email", 0, EMAIL_MAX, &email, why);

	if (!err && email)
		err = email_to_name(email, "email", &soa->rname_wire, why);
	if (!err && email)
		soa->rname = codec_name_text(&soa->rname_wire, arena);
	return err;
}

/* Uses name_parse() without the rules of owners: the first label may have any octets. */
static enum err soa_get_rname(const json_t *json, struct arena *arena,
                              struct soa_spec *soa, struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(json, "rname", 0, NAME_MAX_TEXT, &text, why);

	if (!err && text)
		err = name_parse(text, "rname", &soa->rname_wire, why);
	if (!err && text)
		soa->rname = codec_name_text(&soa->rname_wire, arena);
	return err;
}

/* The values of a new domain that can change later. */
static enum err domain_get_values(const json_t *json, struct arena *arena,
                                  struct domain_spec *spec, struct why *why)
{
	enum err err = json_get_text(json, "description", 0, DESCRIPTION_MAX,
	                             &spec->description, why);

	if (!err)
		err = attributes_get(json, "attributes", arena, &spec->attributes, why);
	if (!err)
		err = soa_get_email(json, arena, &spec->soa, why);
	if (!err)
		err = codec_owner(json, "primary", 0, arena, &spec->soa.mname_wire,
		                &spec->soa.mname, why);
	if (!err)
		err = domain_get_number(json, "ttl", RR_TTL_MAX, &spec->has_ttl,
		                        &spec->ttl, why);
	if (!err)
		err = soa_get_numbers(json, &spec->soa, why);
	return err;
}

static enum err domain_get_identity(const json_t *json, struct arena *arena,
                                    struct domain_spec *spec, struct why *why)
{
	enum err err = json_get_id(json, "id", 0, spec->id, why);

	if (!err)
		err = codec_owner(json, "name", JSON_REQUIRED, arena, &spec->name,
		                &spec->owner, why);
	if (!err)
		err = identity_get(json, "tenant", &spec->tenant, why);
	if (!err && spec->tenant && !*spec->tenant)
		return fail(why, ERR_INVALID, "tenant: must not be empty");
	if (!err)
		err = json_get_text(json, "pool", 0, POOL_NAME_MAX, &spec->pool, why);
	if (!err)
		err = codec_hosts(json, "ns", arena, &spec->ns, &spec->ns_count, why);
	return err;
}

enum err codec_domain_spec(const json_t *json, const char *field, struct arena *arena,
                           struct domain_spec *spec, struct why *why)
{
	enum err err;

	*spec = (struct domain_spec){ 0 };
	err = json_only_fields(json, codec_domain_fields, field, why);
	if (err)
		return err;
	err = domain_get_identity(json, arena, spec, why);
	if (!err)
		err = domain_get_values(json, arena, spec, why);
	return codec_within(field, err, why);
}

enum err codec_domain_values(const json_t *json, struct arena *arena,
                             struct domain_spec *spec, struct why *why)
{
	enum err err = json_only_changes(json, codec_domain_fields,
	                                 "a change to a domain", why);

	*spec = (struct domain_spec){ 0 };
	if (err)
		return err;
	err = codec_within("values", domain_get_values(json, arena, spec, why), why);
	/* the SOA's own TTL follows the domain's */
	spec->soa.has_ttl = spec->has_ttl;
	spec->soa.ttl = spec->ttl;
	return err;
}

enum err codec_domain_soa(const json_t *json, struct arena *arena, struct soa_spec *soa,
                          struct why *why)
{
	enum err err = json_only_fields(json, codec_domain_soa_fields, "soa", why);

	*soa = (struct soa_spec){ 0 };
	if (err)
		return err;
	err = codec_owner(json, "mname", 0, arena, &soa->mname_wire, &soa->mname, why);
	if (!err)
		err = soa_get_rname(json, arena, soa, why);
	if (!err)
		err = domain_get_number(json, "ttl", RR_TTL_MAX, &soa->has_ttl, &soa->ttl,
		                        why);
	if (!err)
		err = soa_get_numbers(json, soa, why);
	return codec_within("soa", err, why);
}

json_t *codec_domain_encode(const struct zone *zone, struct arena *arena)
{
	const struct domain *is = &zone->is;
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:s, "
	                         "s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:I, "
	                         "s:I, s:s, s:s, s:I}",
		"id", is->id, "name", is->name, "tenant", is->tenant,
		"kind", is->is_catalog ? "CATALOG" : "PRIMARY",
		"pool", zone->pool, "pool_id", is->pool_id,
		"serial", (json_int_t)is->state.serial,
		"task", task_name(is->state.task),
		"status", status_name(is->state.status),
		"reason", zone->reason, "email", email_from_name(&zone->rname, arena),
		"primary", is->primary, "ttl", (json_int_t)is->ttl,
		"refresh", (json_int_t)is->refresh, "retry", (json_int_t)is->retry,
		"expire", (json_int_t)is->expire, "minimum", (json_int_t)is->minimum,
		"description", is->description,
		"attributes", attributes_encode(zone->attributes),
		"records", (json_int_t)zone->records,
		"recordsets", (json_int_t)zone->recordsets,
		"created_at", zone->created_at, "updated_at", zone->updated_at,
		"version", (json_int_t)is->version);

	bug_if(!json);	/* all stored texts are UTF-8 */
	return json;
}
