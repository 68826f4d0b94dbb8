#include "service.h"

#include <string.h>

#include "codec.h"
#include "model/identity.h"
#include "model/json.h"
#include "model/quota.h"

#define CONFIG(field) offsetof(struct central, config.field)

/* The limits that apply to a tenant without an own limit. */
static const size_t configured[QUOTA_COUNT] = {
	[QUOTA_DOMAINS]           = CONFIG(quota_domains),
	[QUOTA_DOMAIN_RECORDSETS] = CONFIG(quota_recordsets),
	[QUOTA_DOMAIN_RECORDS]    = CONFIG(quota_domain_records),
	[QUOTA_RECORDSET_RECORDS] = CONFIG(quota_records),
	[QUOTA_EXPORT_RECORDSETS] = CONFIG(quota_export_recordsets),
};

static int quota_configured(const struct central *central, enum quota quota)
{
	return *(const int *)((const char *)central + configured[quota]);
}

static enum err quota_decode_resource(struct request *req, enum quota *quota)
{
	const char *name;
	enum err err = json_get_text(req->args, "resource", JSON_REQUIRED, WORD_MAX,
	                             &name, &req->why);

	return err ? err : quota_parse(name, quota, &req->why);
}

/*
 * Accepts any text: the limits of a tenant whose name is no longer valid can be read, but
 * not set.
 */
static enum err quota_decode_tenant(struct request *req, const char **tenant)
{
	enum err err = json_get_text(req->args, "tenant", JSON_REQUIRED, TENANT_MAX,
	                             tenant, &req->why);

	return !err && !**tenant ? fail(&req->why, ERR_INVALID, "tenant: must not be "
	                                "empty") : err;
}

/* Reads the tenant's own limits, or else the configured ones. */
static json_t *quota_read_all(struct central *central, struct tx *tx, const char *tenant,
                              struct arena *arena)
{
	json_t *json = json_object();
	struct tx_rows rows;
	const char *resource;
	int64_t limit;

	for (enum quota i = 0; i < QUOTA_COUNT; i++)
		json_object_set_new(json, quota_name(i),
		                    json_integer(quota_configured(central, i)));
	store_quota_find(tx, tenant, arena, &rows);
	while (store_quota_next(&rows, &resource, &limit))
		json_object_set_new(json, resource, json_integer(limit));
	json_object_set_new(json, "has_domains",
	                    json_boolean(store_domain_count(tx, tenant, 0)));
	return json;
}

enum err service_set_quota(struct write *write)
{
	struct request *req = write->req;
	bool is_reset = json_is_null(json_object_get(req->args, "hard_limit"));
	int64_t limit = 0;
	const char *tenant, *resource;
	enum quota quota;
	enum err err = access_require_admin(req);

	if (!err)
		err = quota_decode_tenant(req, &tenant);
	if (!err)
		err = identity_check(tenant, "tenant", &req->why);
	if (!err)
		err = quota_decode_resource(req, &quota);
	if (!err && !is_reset)
		err = json_get_int(req->args, "hard_limit", JSON_REQUIRED, -1, INT32_MAX,
		                   &limit, &req->why);
	if (err)
		return err;
	resource = quota_name(quota);
	if (is_reset)
		store_quota_reset(write->tx, tenant, resource, write_wait(write));
	else
		store_quota_set(write->tx, tenant, resource, limit, write_wait(write));
	rpc_changed(req, "quota", arena_printf(write->arena, "%s/%s", tenant, resource));
	req->result = quota_read_all(write->central, write->tx, tenant, write->arena);
	return write->tx->err;
}

enum err service_get_quotas(void *self, struct request *req)
{
	struct central *central = self;
	const char *tenant;
	enum err err = quota_decode_tenant(req, &tenant);

	if (!err)
		err = access_check(req, tenant);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	req->result = quota_read_all(central, &tx, tenant, req->arena);
	return tx_commit(&tx);
}
