#include "service.h"

#include <string.h>

#include "codec.h"
#include "codec_find.h"
#include "model/identity.h"
#include "model/json.h"
#include "model/quota.h"
#include "result_page.h"
#include "store_usage.h"

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

/* ---- answers ---- */

struct quotas {
	const char *tenant;
	int64_t limit[QUOTA_COUNT];
	bool is_own[QUOTA_COUNT];	/* false: the limit is configured */
	int64_t domains;
};

static void quotas_init(const struct central *central, const char *tenant,
                        int64_t domains, struct quotas *quotas)
{
	*quotas = (struct quotas){ .tenant = tenant, .domains = domains };
	for (enum quota i = 0; i < QUOTA_COUNT; i++)
		quotas->limit[i] = quota_configured(central, i);
}

/* A newer program may have set a limit for a resource that this program does not know. */
static void quotas_take(struct quotas *quotas, const struct quota_row *row)
{
	struct why ignored;
	enum quota quota;

	if (quota_parse(row->resource, &quota, &ignored))
		return;
	quotas->limit[quota] = row->limit;
	quotas->is_own[quota] = true;
}

static json_t *quotas_encode(const struct quotas *quotas)
{
	/* an older central does not count a new domain, but its deletion counts */
	json_int_t domains = quotas->domains < 0 ? 0 : quotas->domains;
	json_t *own = json_array();
	json_t *json = json_pack("{s:s, s:o, s:{s:I}, s:b}", "tenant", quotas->tenant,
	                         "own", own, "usage", "domains", domains,
	                         "has_domains", domains > 0);

	for (enum quota i = 0; i < QUOTA_COUNT; i++) {
		json_object_set_new(json, quota_name(i), json_integer(quotas->limit[i]));
		if (quotas->is_own[i])
			json_array_append_new(own, json_string(quota_name(i)));
	}
	return json;
}

static json_t *quota_read_tenant(const struct central *central, struct tx *tx,
                                 const char *tenant, struct arena *arena)
{
	struct quotas quotas;
	struct quota_row row;
	struct tx_rows rows;

	quotas_init(central, tenant, store_usage_get(tx, tenant), &quotas);
	store_quota_find(tx, tenant, arena, &rows);
	while (store_quota_next(&rows, &row))
		quotas_take(&quotas, &row);
	return quotas_encode(&quotas);
}

/* ---- methods ---- */

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
	req->result = quota_read_tenant(write->central, write->tx, tenant, write->arena);
	return write->tx->err;
}

enum err service_reset_quotas(struct write *write)
{
	struct request *req = write->req;
	const char *tenant;
	enum err err = access_require_admin(req);

	if (!err)
		err = quota_decode_tenant(req, &tenant);
	if (err)
		return err;
	store_quota_reset_all(write->tx, tenant, write_wait(write));
	rpc_changed(req, "quota", tenant);
	req->result = quota_read_tenant(write->central, write->tx, tenant, write->arena);
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

	req->result = quota_read_tenant(central, &tx, tenant, req->arena);
	return tx_commit(&tx);
}

/* The last tenant of the rows ends without a row of another tenant. */
static void quota_read_page(const struct central *central, struct tx_rows *rows,
                            struct result_page *page)
{
	struct quotas quotas = { .tenant = NULL };
	struct quota_row row;

	while (store_quota_next(rows, &row)) {
		if (quotas.tenant && strcmp(quotas.tenant, row.tenant))
			result_page_add(page, quotas_encode(&quotas), quotas.tenant);
		if (!quotas.tenant || strcmp(quotas.tenant, row.tenant))
			quotas_init(central, row.tenant, row.domains, &quotas);
		quotas_take(&quotas, &row);
	}
	if (quotas.tenant)
		result_page_add(page, quotas_encode(&quotas), quotas.tenant);
}

enum err service_find_quotas(void *self, struct request *req)
{
	struct central *central = self;
	const char *after = "";
	int64_t limit = FIND_LIMIT;
	enum err err = access_require_admin(req);

	if (!err)
		err = json_get_text(req->args, "marker", 0, TENANT_MAX, &after,
		                    &req->why);
	if (!err)
		err = json_get_int(req->args, "limit", 0, 1, FIND_LIMIT_MAX, &limit,
		                   &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	struct result_page page;
	struct tx_rows rows;

	result_page_init(&page, (size_t)limit);
	store_quota_find_all(&tx, after, (uint32_t)limit, req->arena, &rows);
	quota_read_page(central, &rows, &page);
	req->result = result_page_encode(&page, "quotas");
	return tx_commit(&tx);
}
