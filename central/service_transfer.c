#include "service.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <string.h>

#include "base/id.h"
#include "changed.h"
#include "codec_find.h"
#include "codec_transfer.h"
#include "model/quota.h"
#include "result_page.h"

/*
 * central stores the answers of writing calls (write.h). A key that central made would be
 * in the stored answer. So the tenant that makes the request makes the key and sends only
 * its hash. The tenant that accepts the request sends the key.
 */

static enum err transfer_not_found(struct tx *tx, const char *id)
{
	return tx_fail(tx, ERR_NOT_FOUND, "there is no transfer request %s", id);
}

/* Reads the row back, because the database has set its times. */
static enum err transfer_answer(struct write *write, const char *id)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct transfer transfer;

	if (!store_transfer_get(write->tx, id, &everyone, write->arena, &transfer))
		return tx_fail(write->tx, ERR_RACE, "the transfer request %s has changed",
		               id);
	write->req->result = codec_transfer_encode(&transfer);
	return OK;
}

static enum err transfer_end(struct write *write, const char *id)
{
	rpc_changed(write->req, "transfer", id);
	return transfer_answer(write, id);
}

/* ---- create ---- */

/* The domain stays locked until the commit, so that it keeps its tenant. */
static enum err transfer_lock_domain(struct write *write, const struct domain_key *key,
                                     const struct access *access)
{
	struct zone *zone = &write->zone;

	store_buffer_flush(write->buffer, write->tx);
	if (!store_domain_lock(write->tx, key, access, write->req->may_wait,
	                       write->arena, zone))
		return tx_fail(write->tx, ERR_NOT_FOUND, "there is no domain '%.200s'",
		               *key->id ? key->id : key->name);
	if (zone->is.is_catalog)
		return tx_fail(write->tx, ERR_DENIED, "the domain %.200s is the catalog "
		               "zone of a pool, so no tenant can get it", zone->is.name);
	if (zone->is.state.task == TASK_DELETE)
		return tx_fail(write->tx, ERR_CONFLICT, "the domain %.200s is being "
		               "deleted", zone->is.name);
	return OK;
}

static enum err transfer_check_target(struct write *write, const char *target)
{
	if (target && !strcmp(target, write->zone.is.tenant))
		return tx_fail(write->tx, ERR_CONFLICT, "the domain %.200s already "
		               "belongs to the tenant '%.100s'", write->zone.is.name,
		               target);
	return OK;
}

static enum err transfer_insert(struct write *write, const struct transfer_spec *spec,
                                struct transfer *transfer)
{
	const struct zone *zone = &write->zone;

	id_new(transfer->id);
	memcpy(transfer->domain_id, zone->is.id, sizeof transfer->domain_id);
	transfer->tenant = zone->is.tenant;
	transfer->key_hash = spec->key_hash;
	transfer->target_tenant = spec->target_tenant ? spec->target_tenant : "";
	transfer->description = spec->description ? spec->description : "";
	if (store_transfer_count(write->tx, zone->is.id) >= TRANSFERS_MAX)
		return tx_fail(write->tx, ERR_QUOTA, "the domain %.200s already has %d "
		               "transfer requests: central deletes a request 30 days "
		               "after it was accepted or withdrawn, or expired",
		               zone->is.name, TRANSFERS_MAX);
	store_transfer_insert(write->tx, transfer, spec->expires_s, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return fail(&write->req->why, ERR_EXISTS, "the domain %.200s already has "
		            "an open transfer request: withdraw this request first",
		            zone->is.name);
	return write->tx->err;
}

enum err service_create_transfer(struct write *write)
{
	struct request *req = write->req;
	struct transfer_spec spec;
	struct transfer transfer;
	const json_t *json;
	enum err err = service_object(req, "transfer", &json);

	if (!err)
		err = codec_transfer_spec(json, write->arena, &spec, &req->why);
	if (!err)
		err = transfer_lock_domain(write, &spec.domain, &write->access);
	if (!err)
		err = transfer_check_target(write, spec.target_tenant);
	if (!err)
		err = transfer_insert(write, &spec, &transfer);
	return err ? err : transfer_end(write, transfer.id);
}

/* ---- update, withdraw ---- */

static enum err transfer_check_open(struct tx *tx, const struct transfer *transfer)
{
	if (transfer->state == TRANSFER_OPEN)
		return OK;
	return tx_fail(tx, ERR_CONFLICT, "the transfer request %s is %s, not OPEN",
	               transfer->id, transfer_state_names[transfer->state]);
}

/*
 * Locks an open request that the caller's tenant made. The target tenant may see this
 * request but may not change it.
 */
static enum err transfer_lock_own(struct write *write, struct transfer *transfer)
{
	char id[ID_LEN + 1];
	enum err err = service_id(write->req, "transfer", id);

	if (err)
		return err;
	if (!store_transfer_lock(write->tx, id, &write->access, write_wait(write),
	                         write->arena, transfer))
		return transfer_not_found(write->tx, id);
	if (!access_has(&write->access, transfer->tenant))
		return tx_fail(write->tx, ERR_DENIED, "only the tenant '%.100s' may "
		               "change the transfer request %s", transfer->tenant, id);
	return transfer_check_open(write->tx, transfer);
}

enum err service_update_transfer(struct write *write)
{
	struct request *req = write->req;
	struct transfer_spec spec;
	struct transfer transfer;
	const json_t *json;
	enum err err = service_object(req, "values", &json);

	if (!err)
		err = codec_transfer_values(json, &spec, &req->why);
	if (!err)
		err = transfer_lock_own(write, &transfer);
	if (err)
		return err;
	if (spec.target_tenant && !strcmp(spec.target_tenant, transfer.tenant))
		return tx_fail(write->tx, ERR_CONFLICT, "values.target_tenant: the "
		               "domain already belongs to '%.100s': name another tenant",
		               transfer.tenant);
	if (spec.target_tenant)
		transfer.target_tenant = spec.target_tenant;
	if (spec.description)
		transfer.description = spec.description;
	store_transfer_update(write->tx, &transfer);
	return transfer_end(write, transfer.id);
}

enum err service_withdraw_transfer(struct write *write)
{
	struct transfer transfer;
	enum err err = transfer_lock_own(write, &transfer);

	if (err)
		return err;
	transfer.state = TRANSFER_WITHDRAWN;
	store_transfer_update(write->tx, &transfer);
	return transfer_end(write, transfer.id);
}

/* ---- accept ---- */

static int64_t transfer_quota(struct write *write, enum quota quota, int configured)
{
	int64_t max = configured;

	store_quota_get(write->tx, write->access.tenant, quota_name(quota), &max);
	return max;
}

static enum err transfer_check_count(struct write *write, enum quota quota,
                                     int configured, int64_t count)
{
	int64_t max = transfer_quota(write, quota, configured);

	if (max < 0 || count <= max)
		return write->tx->err;
	return tx_fail(write->tx, ERR_QUOTA, "the domain %.200s has %" PRId64 " %s, but "
	               "the quota (%s) of the tenant '%.100s' is %" PRId64,
	               write->zone.is.name, count,
	               quota == QUOTA_DOMAIN_RECORDS ? "records" : "record sets",
	               quota_name(quota), write->access.tenant, max);
}

/* usage_write() checks the number of domains before the commit. */
static enum err transfer_check_quotas(struct write *write)
{
	const struct central *central = write->central;
	const struct zone *zone = &write->zone;
	int64_t max = -1;
	enum err err = OK;

	if (!write->req->context.is_admin) {
		err = transfer_check_count(write, QUOTA_DOMAIN_RECORDSETS,
		                           central->config.quota_recordsets,
		                           zone->recordsets);
		if (!err)
			err = transfer_check_count(write, QUOTA_DOMAIN_RECORDS,
			                           central->config.quota_domain_records,
			                           zone->records);
		max = transfer_quota(write, QUOTA_DOMAINS, central->config.quota_domains);
	}
	write->usage[0] = (struct usage_change){ zone->is.tenant, -1, -1 };
	write->usage[1] = (struct usage_change){ write->access.tenant, 1, max };
	return err ? err : write->tx->err;
}

/*
 * A tenant with the key may accept a request that it cannot see. For a wrong key and for
 * a wrong tenant, the error is the same.
 */
static enum err transfer_check_key(struct write *write, const struct transfer *transfer,
                                   const char *hash)
{
	bool is_right = !CRYPTO_memcmp(transfer->key_hash, hash, TRANSFER_HASH_LEN);

	if (*transfer->target_tenant &&
	    strcmp(transfer->target_tenant, write->access.tenant))
		is_right = false;
	return is_right ? OK : tx_fail(write->tx, ERR_DENIED, "the key is not the key of "
	                               "the transfer request %s, or the request is for "
	                               "another tenant", transfer->id);
}

static enum err transfer_lock_with_key(struct write *write, struct transfer *transfer)
{
	static const struct access everyone = { .tenant = "", .all = true };
	char id[ID_LEN + 1], hash[TRANSFER_HASH_LEN + 1];
	struct request *req = write->req;
	enum err err = service_id(req, "transfer", id);

	if (!err)
		err = codec_transfer_key(req->args, hash, &req->why);
	if (err)
		return err;
	if (!store_transfer_lock(write->tx, id, &everyone, write_wait(write),
	                         write->arena, transfer))
		return transfer_not_found(write->tx, id);
	err = transfer_check_key(write, transfer, hash);
	if (!err && !*write->access.tenant)
		return fail(&req->why, ERR_INVALID, "the caller has no tenant: name the "
		            "tenant that gets the domain in `project_id` of the context");
	return err ? err : transfer_check_open(write->tx, transfer);
}

/* An operator can have changed the tenant with SQL (docs/security.md). */
static enum err transfer_check_domain(struct write *write,
                                      const struct transfer *transfer)
{
	const struct zone *zone = &write->zone;

	if (strcmp(zone->is.tenant, transfer->tenant))
		return tx_fail(write->tx, ERR_CONFLICT, "the domain %.200s no longer "
		               "belongs to the tenant '%.100s', which made the transfer "
		               "request", zone->is.name, transfer->tenant);
	return transfer_check_target(write, write->access.tenant);
}

enum err service_accept_transfer(struct write *write)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct domain_key key = { .name = NULL };
	struct transfer transfer;
	enum err err = transfer_lock_with_key(write, &transfer);

	if (err)
		return err;
	memcpy(key.id, transfer.domain_id, sizeof key.id);
	err = transfer_lock_domain(write, &key, &everyone);
	if (!err)
		err = transfer_check_domain(write, &transfer);
	if (!err)
		err = transfer_check_quotas(write);
	if (err)
		return err;
	store_transfer_domain(write->tx, &write->zone, write->access.tenant);
	service_share_take(write, write->zone.is.id, write->access.tenant);
	transfer.state = TRANSFER_ACCEPTED;
	transfer.accepted_by = write->access.tenant;
	store_transfer_update(write->tx, &transfer);
	changed_domain(write, (struct changed_records){ 0 });
	return transfer_answer(write, transfer.id);
}

/* ---- get, find ---- */

enum err service_get_transfer(void *self, struct request *req)
{
	struct central *central = self;
	struct transfer transfer;
	struct access access;
	char id[ID_LEN + 1];
	enum err err = access_of(req, &access);

	if (!err)
		err = service_id(req, "transfer", id);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (store_transfer_get(&tx, id, &access, req->arena, &transfer))
		req->result = codec_transfer_encode(&transfer);
	else
		transfer_not_found(&tx, id);
	return tx_commit(&tx);
}

enum err service_find_transfers(void *self, struct request *req)
{
	struct central *central = self;
	struct transfer_criterion criterion;
	struct result_page page;
	struct transfer transfer;
	struct paging paging;
	struct access access;
	struct tx_rows rows;
	enum err err = access_of_many(req, &access);

	if (!err)
		err = codec_find_paging(req->args, store_transfer_sort_keys, &paging,
		                        &req->why);
	if (!err)
		err = codec_transfer_criterion(req->args, req->arena, &criterion,
		                               &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	result_page_init(&page, paging.limit);
	store_transfer_find(&tx, &access, &criterion, &paging, req->arena, &rows);
	while (store_transfer_next(&rows, &transfer))
		if (!result_page_add(&page, codec_transfer_encode(&transfer),
		                     transfer.id))
			break;
	tx_select_end(&rows);
	err = tx_commit(&tx);
	req->result = result_page_encode(&page, "transfers");
	return err;
}
