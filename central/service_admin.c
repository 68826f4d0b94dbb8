#include "service.h"

#include <string.h>

#include "codec.h"
#include "codec_domain.h"
#include "consistency/heartbeat.h"
#include "core/reason.h"
#include "model/domain.h"
#include "model/json.h"
#include "model/serial.h"
#include "reasons.h"
#include "result_page.h"
#include "store_fleet.h"

/* ---- name servers ---- */

static json_t *status_encode_server(const struct server_summary *server)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:s}",
		"id", server->id, "pool", server->pool, "backend", server->backend,
		"state", server->state, "health", server->health, "host", server->host,
		"port", (json_int_t)server->port,
		"domains_behind", (json_int_t)server->behind,
		"domains_failed", (json_int_t)server->failed,
		"zones_unchecked", (json_int_t)server->unchecked,
		"last_error", server->last_error);
}

static json_t *status_list_servers(struct tx *tx, const char *pool, struct arena *arena)
{
	json_t *servers = json_array();
	struct server_summary server;
	struct tx_rows rows;

	store_status_servers(tx, pool, arena, &rows);
	while (store_status_next_server(&rows, &server))
		json_array_append_new(servers, status_encode_server(&server));
	return servers;
}

/* The difference of the serials; null: no poll has found a serial. */
static json_t *status_encode_behind(const struct zone *zone,
                                 const struct server_status *status)
{
	uint32_t serial = zone->is.state.serial;

	if (!status->has_serial)
		return json_null();
	return json_integer(serial_newer(serial, status->serial) ? serial - status->serial
	                                                         : 0);
}

/* Names the record that the server does not take, if that is the likely cause. */
static void status_explain(const struct limits_found *limits, struct arena *arena,
                           struct server_status *status)
{
	if (limits && status->reason && *status->reason)
		status->reason = reason_with_limit(limits, &(struct limit_failure){
			status->backend, status->reason, status->differs }, arena);
}

static json_t *status_encode(const struct zone *zone, const struct server_status *status)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:o, s:s, s:I, s:s?, s:s?}",
		"id", status->id, "state", status->state, "health", status->health,
		"action", status->action, "status", status->status,
		"serial", status->has_serial ? json_integer(status->serial) : json_null(),
		"serials_behind", status_encode_behind(zone, status),
		"reason", status->reason,
		"attempts", (json_int_t)status->attempts,
		"next_attempt_at", status->next_attempt_at, "seen_at", status->seen_at);
}

/*
 * True: the server serves the newest serial. For a domain that is being deleted: it no
 * longer has the zone.
 */
static bool status_counts(const struct zone *zone, const struct server_status *status)
{
	bool is_deletion = zone->is.state.task == TASK_DELETE;

	if (!status->status || strcmp(status->status, "SUCCESS") ||
	    strcmp(status->state, "ACTIVE"))
		return false;
	if (is_deletion)
		return !strcmp(status->action, "DELETE");
	return !strcmp(status->action, "UPDATE") && status->has_serial &&
	       !status->differs && serial_covers(status->serial, zone->is.state.serial);
}

/* Adds the rows of the domain, and the number of servers that count. */
static void status_add_servers(struct tx *tx, const struct zone *zone,
                               const struct limits_found *limits, struct arena *arena,
                               json_t *json)
{
	json_t *servers = json_array();
	struct server_status status;
	struct tx_rows rows;
	json_int_t ok = 0, count = store_status_server_count(tx, zone->pool,
	                                                     zone->is.is_catalog);

	store_status_domain(tx, zone, arena, &rows);
	while (store_status_next(&rows, &status)) {
		status_explain(limits, arena, &status);
		json_array_append_new(servers, status_encode(zone, &status));
		ok += status_counts(zone, &status);
	}
	json_object_set_new(json, "servers", servers);
	json_object_set_new(json, "consensus", json_pack("{s:I, s:I}", "current", ok,
	                                                 "servers", count));
}

static json_t *status_encode_domain(struct tx *tx, struct zone *zone,
                                    struct arena *arena)
{
	const struct limits_found *limits = reasons_explain(tx, arena, zone);
	json_t *json = codec_domain_encode(zone, arena);

	status_add_servers(tx, zone, limits, arena, json);
	return json;
}

void service_check_pool(struct tx *tx, const char *name, struct arena *arena)
{
	struct pool pool;

	if (name && !tx->err && !store_pool_get(tx, "", name, arena, &pool))
		tx_fail(tx, ERR_NOT_FOUND, "there is no pool '%s'", name);
}

static void status_add_fleet(struct tx *tx, const char *pool, struct arena *arena,
                             json_t *json)
{
	json_object_set_new(json, "servers", status_list_servers(tx, pool, arena));
	json_object_set_new(json, "missing_workers",
	                    store_fleet_missing(tx, pool, heartbeat_config.timeout_ms,
	                                        arena));
	json_object_set_new(json, "pools_out_of_service",
	                    store_fleet_idle_pools(tx, pool, arena));
}

/* Only administrators see the fleet. A tenant sees only its own domain. */
enum err service_get_status(void *self, struct request *req)
{
	struct central *central = self;
	const char *pool = NULL;
	enum err err = json_get_text(req->args, "pool", 0, POOL_NAME_MAX, &pool,
	                             &req->why);
	bool has_domain = json_object_get(req->args, "domain");

	if (!err && !has_domain)
		err = access_require_admin(req);
	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(central->runtime->db, &req->why);
	const struct share_rights *share;
	struct zone zone;

	req->result = json_object();
	if (req->context.is_admin)
		service_check_pool(&tx, pool, req->arena);
	if (!tx.err && req->context.is_admin)
		status_add_fleet(&tx, pool, req->arena, req->result);
	if (!tx.err && has_domain &&
	    !service_domain_get_shared(req, &tx, &zone, &share))
		json_object_set_new(req->result, "domain",
		                    status_encode_domain(&tx, &zone, req->arena));
	return tx_commit(&tx);
}
