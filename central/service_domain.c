#include "service.h"

#include <inttypes.h>
#include <string.h>

#include "advise.h"
#include "base/clock.h"
#include "base/log.h"
#include "changed.h"
#include "codec_domain.h"
#include "consistency/store_version.h"
#include "core/catalog.h"
#include "core/reason.h"
#include "core/rules.h"
#include "edit.h"
#include "model/json.h"
#include "model/presentation.h"
#include "model/quota.h"
#include "model/serial.h"
#include "placement.h"
#include "reasons.h"
#include "store_share.h"
#include "store_usage.h"
#include "usage.h"

static enum err domain_not_found(struct tx *tx, const struct domain_key *key)
{
	return tx_fail(tx, ERR_NOT_FOUND, "there is no domain '%.200s'",
	               *key->id ? key->id : key->name);
}

static enum err domain_decode_access(struct request *req, struct tx *tx,
                                     struct domain_key *key, struct access *access)
{
	enum err err = access_of(req, access);

	if (!err)
		err = codec_domain_key(req->args, req->arena, key, &req->why);
	return err ? tx_fail(tx, err, "%s", req->why.text) : OK;
}

/* A caller with a share knows that the domain exists. */
static enum err domain_refuse(struct tx *tx, const struct domain_key *key,
                              const struct access *access)
{
	if (!tx->err && store_share_domain(tx, key, access->tenant))
		return tx_fail(tx, ERR_DENIED, DOMAIN_IS_SHARED,
		               *key->id ? key->id : key->name);
	return domain_not_found(tx, key);
}

enum err service_domain_get(struct request *req, struct tx *tx, struct zone *zone)
{
	struct domain_key key;
	struct access access;
	enum err err = domain_decode_access(req, tx, &key, &access);

	if (err)
		return err;
	if (store_domain_get(tx, &key, &access, req->arena, zone))
		return OK;
	return domain_refuse(tx, &key, &access);
}

enum err service_domain_get_shared(struct request *req, struct tx *tx, struct zone *zone,
                                   const struct share_rights **share)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct share_rights *rights = arena_alloc(req->arena, sizeof(*rights));
	struct domain_key key;
	struct access access;
	enum err err = domain_decode_access(req, tx, &key, &access);

	*share = NULL;
	if (err)
		return err;
	if (store_domain_get(tx, &key, &access, req->arena, zone))
		return OK;
	*share = rights;
	if (store_share_domain(tx, &key, access.tenant) &&
	    store_domain_get(tx, &key, &everyone, req->arena, zone) &&
	    store_share_rights(tx, zone->is.id, &access, req->arena, rights))
		return OK;
	return domain_not_found(tx, &key);
}

/* ---- create ---- */

static enum err domain_check_relatives(struct write *write,
                                       const struct domain_spec *spec)
{
	const char *relative;

	if (write->access.all ||
	    !store_domain_foreign_relative(write->tx, &spec->name, write->access.tenant,
	                                   write->arena, &relative))
		return OK;
	/* the reason does not name that domain */
	return tx_fail(write->tx, ERR_DENIED, "domain.name: %.200s must not be above or "
	               "below a domain of another tenant: only that other tenant "
	               "or an administrator may create this domain", spec->owner);
}

/*
 * Finds the quota. usage_write() counts the domain and checks the quota before the
 * commit. An import can take minutes until then, so it also checks the quota here.
 */
static enum err domain_find_quota(struct write *write, int64_t *max)
{
	int64_t domains;

	*max = write->req->context.is_admin ? -1 : write->central->config.quota_domains;
	if (write->req->context.is_admin)
		return OK;
	store_quota_get(write->tx, write->access.tenant, quota_name(QUOTA_DOMAINS), max);
	if (*max < 0 || !write->on_lane)
		return write->tx->err;
	domains = store_usage_get(write->tx, write->access.tenant);
	return domains < *max ? write->tx->err : usage_fail(write->tx, domains, *max);
}

enum err service_domain_check_new(struct write *write, const struct domain_spec *spec)
{
	struct request *req = write->req;
	enum err err = rules_domain_name(&spec->name, req->context.is_admin, &req->why);

	if (!err && spec->tenant && !access_is_owner(req, spec->tenant))
		return fail(&req->why, ERR_DENIED,
		            "domain.tenant: only an administrator may create a "
		            "domain for another tenant");
	if (!err)
		err = placement_check(write, spec);
	if (!err)
		err = service_tld_check(write, &spec->name, spec->owner);
	if (!err)
		err = service_blacklist_check(write, &spec->name, spec->owner);
	return err ? err : domain_check_relatives(write, spec);
}

/* Makes the NS records at the apex: from the caller, or else from the pool. */
static enum err domain_make_ns(struct write *write, const struct domain_spec *spec,
                               const struct pool *pool, struct change *change)
{
	const char *const *hosts = spec->ns_count ? spec->ns : pool->ns_records;
	size_t count = spec->ns_count ? spec->ns_count : pool->ns_record_count;
	enum err err = OK;

	if (!count)
		return fail(&write->req->why, ERR_INVALID,
		            "domain.ns: must contain a host, because the pool '%.64s' "
		            "has no hosts for NS records: give hosts, or use 'zonefleet "
		            "pool set %.64s --ns HOST,...'", pool->name, pool->name);
	*change = (struct change){ .op = CHANGE_SET, .name = spec->name,
	                           .owner = spec->owner,
	                           .type = RR_NS, .field = "domain.ns", .count = count };
	change->records = arena_alloc(write->arena, count * sizeof(*change->records));
	for (size_t i = 0; !err && i < count; i++) {
		struct rdata *record = &change->records[i];

		record->data = hosts[i];
		err = rdata_parse(RR_NS, hosts[i], "domain.ns", write->arena,
		                  &record->rdata, &record->len, &write->req->why);
	}
	return err;
}

static uint32_t domain_number_or(bool has, uint32_t value, int otherwise)
{
	return has ? value : (uint32_t)otherwise;
}

static void domain_fill_soa_numbers(struct write *write, const struct domain_spec *spec)
{
	const struct soa_spec *soa = &spec->soa;
	const struct central *central = write->central;
	struct zone *zone = &write->zone;

	zone->is.ttl = domain_number_or(spec->has_ttl, spec->ttl,
	                                central->config.default_ttl);
	zone->soa_ttl = domain_number_or(soa->has_ttl, soa->ttl, (int)zone->is.ttl);
	zone->is.refresh = domain_number_or(soa->has_refresh, soa->refresh,
	                                    central->config.soa_refresh);
	zone->is.retry = domain_number_or(soa->has_retry, soa->retry,
	                                  central->config.soa_retry);
	zone->is.expire = domain_number_or(soa->has_expire, soa->expire,
	                                   central->config.soa_expire);
	zone->is.minimum = domain_number_or(soa->has_minimum, soa->minimum,
	                                    central->config.soa_minimum);
}

/*
 * Sets MNAME and RNAME: from the caller, or else the first name server and the
 * hostmaster.
 */
static enum err domain_fill_soa_names(struct write *write, const struct soa_spec *soa,
                                      const struct change *ns)
{
	struct zone *zone = &write->zone;
	char text[NAME_MAX_TEXT + 1];
	enum err err;

	zone->is.primary = soa->mname ? soa->mname : ns->records[0].data;
	err = name_parse(zone->is.primary, "domain.primary", &zone->mname,
	                 &write->req->why);
	zone->rname = soa->rname_wire;
	if (!err && !soa->rname)
		err = email_to_name(write->central->config.hostmaster,
		                    "central.hostmaster", &zone->rname, &write->req->why);
	if (err)
		return err;
	name_format(&zone->rname, text);
	zone->is.email = arena_strdup(write->arena, text);
	return OK;
}

/*
 * *serial: newer than each earlier serial of the name; otherwise the caller's serial, or
 * the time. ERR_EXISTS: a domain of this name is being deleted, and the caller may see
 * it.
 */
static enum err domain_find_serial(struct write *write, const struct domain_spec *spec,
                                   uint32_t *serial)
{
	uint32_t now = (uint32_t)clock_unix();
	struct last_domain last;

	*serial = spec->has_serial ? spec->serial : now;
	if (!store_domain_find_last(write->tx, spec->owner, write->arena, &last))
		return write->tx->err;
	if (last.is_going && access_has(&write->access, last.tenant))
		return tx_fail(write->tx, ERR_EXISTS, DOMAIN_IS_GOING, spec->owner);
	if (!spec->has_serial || !serial_newer(spec->serial, last.serial))
		*serial = serial_next(last.serial, now);
	return OK;
}

static void domain_fill_identity(struct write *write, const struct domain_spec *spec,
                                 const struct pool *pool, uint32_t serial)
{
	struct zone *zone = &write->zone;

	*zone = (struct zone){
		.is = {
			.name = spec->owner,
			.tenant = spec->tenant ? spec->tenant : write->access.tenant,
			.description = spec->description ? spec->description : "",
			.state = { TASK_ADD, STATUS_PENDING, serial },
			.is_catalog = spec->is_catalog,
		},
		.apex = spec->name,
		.pool = pool->name,
		.attributes = spec->attributes ? spec->attributes : "",
		.reason = "",
		.quota_recordsets = -1,		/* the first records need no quota */
		.quota_domain_records = -1,
		.quota_records = -1,
	};
	memcpy(zone->is.pool_id, pool->id, sizeof zone->is.pool_id);
	if (*spec->id)
		memcpy(zone->is.id, spec->id, sizeof zone->is.id);
	else
		id_new(zone->is.id);
}

/* Makes the first records: NS, and in a catalog zone the version. */
static enum err domain_make_records(struct write *write,
                                    const struct domain_spec *spec,
                                    const struct pool *pool, struct change changes[2],
                                    size_t *count)
{
	enum err err = domain_make_ns(write, spec, pool, &changes[0]);

	*count = 1 + spec->is_catalog;
	if (!err && spec->is_catalog)
		err = catalog_version(&spec->name, write->arena, &changes[1],
		                      &write->req->why);
	return err;
}

enum err service_domain_insert(struct write *write, const struct domain_spec *spec)
{
	struct change first[2];
	struct pool pool;
	uint32_t serial;
	int64_t max;
	size_t count;
	enum err err = service_domain_check_new(write, spec);

	if (!err)
		err = domain_find_quota(write, &max);
	if (!err)
		err = placement_select(write, spec, &pool);
	if (!err)
		err = domain_make_records(write, spec, &pool, first, &count);
	if (!err)
		err = domain_find_serial(write, spec, &serial);
	if (err)
		return err;
	domain_fill_identity(write, spec, &pool, serial);
	domain_fill_soa_numbers(write, spec);
	err = domain_fill_soa_names(write, &spec->soa, &first[0]);
	if (err)
		return err;
	write->catalog_changed = pool.catalog_zone || spec->is_catalog;
	write->usage[0] = (struct usage_change){ write->zone.is.tenant, 1, max };
	store_domain_insert(write->tx, &write->zone, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return fail(&write->req->why, ERR_EXISTS,
		            "domain %.200s%s already exists", spec->owner,
		            *spec->id ? ", or a domain with this id," : "");
	return write->tx->err ? write->tx->err : edit_fill(write, first, count);
}

static void domain_set_result(struct write *write, struct zone *zone)
{
	const char *missing = reasons_missing_worker(write->tx, write->arena, zone->pool);

	if (missing && reason_is_due(&zone->is.state))
		zone->reason = missing;
	write->req->result = codec_domain_encode(zone, write->arena);
	json_object_set_new(write->req->result, "warnings", missing
	                    ? json_pack("[s]", missing) : json_array());
}

/* Reads the row back, because the database has set its times. */
static enum err domain_answer(struct write *write)
{
	struct domain_key key = { .name = "" };
	struct zone zone;

	memcpy(key.id, write->zone.is.id, sizeof key.id);
	if (store_domain_get(write->tx, &key, &write->access, write->arena, &zone))
		domain_set_result(write, &zone);
	return write->tx->err;
}

/*
 * True for a repeated call: it has the same id and name, and answers with the existing
 * domain.
 */
static bool domain_was_created(struct write *write, const struct domain_spec *spec)
{
	struct domain_key key = { .name = "" };
	struct zone zone;

	memcpy(key.id, spec->id, sizeof key.id);
	if (!*spec->id ||
	    !store_domain_get(write->tx, &key, &write->access, write->arena, &zone) ||
	    strcmp(zone.is.name, spec->owner))
		return false;
	reasons_set(write->tx, write->arena, &(struct zone *){ &zone }, 1);
	write->zone = zone;
	domain_set_result(write, &zone);
	return true;
}

enum err service_domain_check_race(struct write *write, const struct domain_spec *spec)
{
	if (write->req->context.is_admin)
		return OK;
	store_domain_check_relatives(write->tx, &write->zone, write_wait(write),
	                             write->arena);
	/* a lane is READ COMMITTED: the check above finds nothing there */
	if (write->tx->err || !write->on_lane)
		return write->tx->err;
	return domain_check_relatives(write, spec);
}

void service_domain_warn_kept(const struct zone *zone, const struct domain_spec *spec,
                              json_t *warnings)
{
	if (spec->pool && strcmp(spec->pool, zone->pool))
		json_array_append_new(warnings, json_sprintf(
			"pool: the domain exists and stays in the pool '%s', so central "
			"ignores the pool '%s'", zone->pool, spec->pool));
	if (spec->has_ttl && spec->ttl != zone->is.ttl)
		json_array_append_new(warnings, json_sprintf(
			"ttl: the domain exists and keeps its TTL %u, so central ignores "
			"%u: to change the TTL, call update_domain", zone->is.ttl,
			spec->ttl));
	if (spec->description && strcmp(spec->description, zone->is.description))
		json_array_append_new(warnings, json_sprintf(
			"description: the domain exists and keeps its description: to "
			"change the description, call update_domain"));
	if (spec->attributes && strcmp(spec->attributes, zone->attributes))
		json_array_append_new(warnings, json_sprintf(
			"attributes: the domain exists and keeps its attributes: to "
			"change the attributes, call update_domain"));
}

/* The domain is new, or is the domain of a repeated call. */
static enum err domain_add_warnings(struct write *write, const struct domain_spec *spec)
{
	json_t *warnings = advise_names(write, &write->zone.is.name, 1);

	advise_domain(write, warnings);
	service_domain_warn_kept(&write->zone, spec, warnings);
	json_array_extend(warnings, json_object_get(write->req->result, "warnings"));
	json_object_set_new(write->req->result, "warnings", warnings);
	return write->tx->err;
}

enum err service_create_domain(struct write *write)
{
	struct request *req = write->req;
	struct domain_spec spec;
	const json_t *json;
	enum err err = service_object(req, "domain", &json);

	if (!err)
		err = codec_domain_spec(json, "domain", write->arena, &spec, &req->why);
	if (err)
		return err;
	if (domain_was_created(write, &spec))
		return domain_add_warnings(write, &spec);
	err = service_domain_insert(write, &spec);
	if (!err)
		err = service_domain_check_race(write, &spec);
	if (err)
		return err;
	write->cast_method = "create_domain";
	err = domain_answer(write);
	return err ? err : domain_add_warnings(write, &spec);
}

/* ---- update, delete ---- */

enum err service_update_domain(struct write *write)
{
	struct request *req = write->req;
	struct edit_outcome outcome;
	struct domain_spec spec;
	struct domain_key key;
	const json_t *json;
	enum err err = codec_domain_key(req->args, write->arena, &key, &req->why);

	if (!err)
		err = service_object(req, "values", &json);
	if (!err)
		err = codec_domain_values(json, write->arena, &spec, &req->why);
	if (!err)
		err = edit_lock(write, &key);
	if (err)
		return err;
	err = edit_apply(write, &(struct edit){ .soa = spec.soa, .has_ttl = spec.has_ttl,
	                                        .ttl = spec.ttl,
	                                        .description = spec.description,
	                                        .attributes = spec.attributes },
	                 &outcome);
	if (err)
		return err;
	store_buffer_flush(write->buffer, write->tx);
	return domain_answer(write);
}

static enum err domain_check_no_children(struct write *write)
{
	const char *child;

	if (!write->zone.has_children ||
	    !store_domain_child(write->tx, &write->zone, write->arena, &child))
		return OK;
	return tx_fail(write->tx, ERR_CONFLICT,
	               "the domain %.200s has domains below it: delete "
	               "%.200s first", write->zone.is.name, child);
}

static enum err domain_check_managed(struct write *write)
{
	const struct zone *zone = &write->zone;
	struct managed_record record;
	char type[16];
	enum err err = edit_read_force(write);

	if (err || write->is_forced ||
	    !store_record_managed(write->tx, zone->is.id, write->arena, &record))
		return err ? err : write->tx->err;
	rrtype_format(record.type, type);
	return tx_fail(write->tx, ERR_CONFLICT,
	               "%s manages records of the domain %.200s, such as '%.100s %s "
	               "%.100s': to delete the domain, set force (client: --force)",
	               record.managed_by, zone->is.name, record.name, type,
	               record.data);
}

/* Record sets of other tenants exist only in a shared domain (service_share.c). */
static enum err domain_check_tenants(struct write *write)
{
	const struct zone *zone = &write->zone;
	struct recordset set;
	char type[16];

	if (write->is_forced ||
	    !store_share_any_set(write->tx, zone->is.id, write->arena, &set))
		return write->tx->err;
	rrtype_format(set.type, type);
	return tx_fail(write->tx, ERR_CONFLICT,
	               "the domain %.200s has record sets of other tenants, such as "
	               "%.200s %s of the tenant '%.100s': to delete the domain, set "
	               "force (client: --force)", zone->is.name, set.name, type,
	               set.tenant);
}

/*
 * With `if_empty`, the number of record sets in the locked row decides. One of them is NS
 * at the apex. Without `if_empty`, the domain must have no records of a producer and no
 * record sets of other tenants.
 */
static enum err domain_check_contents(struct write *write)
{
	const struct zone *zone = &write->zone;
	bool if_empty = false;
	enum err err = json_get_bool(write->req->args, "if_empty", 0, &if_empty,
	                             &write->req->why);

	if (err || zone->is.state.task == TASK_DELETE)
		return err;
	if (!if_empty) {
		err = domain_check_managed(write);
		return err ? err : domain_check_tenants(write);
	}
	if (zone->recordsets <= 1)
		return OK;
	return tx_fail(write->tx, ERR_CONFLICT,
	               "the domain %.200s is not empty: delete all records except its "
	               "SOA and NS records", zone->is.name);
}

void service_domain_remove(struct write *write)
{
	struct zone *zone = &write->zone;

	zone->is.state.task = TASK_DELETE;
	zone->is.state.status = STATUS_PENDING;
	zone->reason = "";
	store_buffer_domain(write->buffer, zone);
	store_buffer_flush(write->buffer, write->tx);
	store_version_end(write->tx, zone->is.id);
	store_tsigkey_delete_of_domain(write->tx, zone->is.id, write_wait(write));
	write->cast_method = "delete_domain";
	write->catalog_changed = zone->is_listed;
}

enum err service_delete_domain(struct write *write)
{
	struct request *req = write->req;
	struct zone *zone = &write->zone;
	struct domain_key key;
	enum err err = codec_domain_key(req->args, write->arena, &key, &req->why);

	if (err)
		return err;
	if (!store_domain_lock(write->tx, &key, &write->access, req->may_wait,
	                       write->arena, zone))
		return domain_refuse(write->tx, &key, &write->access);
	err = zone->is.is_catalog ? edit_check_open(write)
	                          : domain_check_no_children(write);
	if (!err)
		err = edit_check_version(write);
	if (!err)
		err = domain_check_contents(write);
	if (err)
		return err;
	if (zone->is.state.task != TASK_DELETE)
		changed_domain(write, (struct changed_records){
			.deleted = zone->records,
		});
	service_domain_remove(write);
	return domain_answer(write);
}
