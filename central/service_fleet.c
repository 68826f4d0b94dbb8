#include "service.h"

#include <string.h>

#include "codec.h"
#include "consistency/heartbeat.h"
#include "model/json.h"
#include "poolmgr_cast.h"
#include "reasons.h"
#include "store_fleet.h"

static enum err fleet_find(void *self, struct request *req, const char *key,
                           json_t *(*list)(struct tx *tx, struct arena *arena))
{
	struct central *central = self;
	enum err err = access_require_admin(req);

	if (err)
		return err;
	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	req->result = json_pack("{s:o}", key, list(&tx, req->arena));
	return tx_commit(&tx);
}

static json_t *fleet_list_workers(struct tx *tx, struct arena *arena)
{
	return store_fleet_workers(tx, heartbeat_config.timeout_ms, arena);
}

enum err service_find_workers(void *self, struct request *req)
{
	return fleet_find(self, req, "workers", fleet_list_workers);
}

enum err service_find_locks(void *self, struct request *req)
{
	return fleet_find(self, req, "locks", store_fleet_locks);
}

enum err service_find_repairs(void *self, struct request *req)
{
	return fleet_find(self, req, "repairs", store_fleet_repairs);
}

/* ---- servers ---- */

enum { SERVER_ID_MAX = 32, STATE_MAX = 16 };

static enum err server_check_state(const char *state, struct why *why)
{
	static const char *const states[] = { "ACTIVE", "DRAINED", "REMOVED" };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(states[i], state))
			return OK;
	return fail(why, ERR_INVALID, "state: must be ACTIVE, DRAINED or REMOVED, not "
	            "'%.16s'", state);
}

/* Checks the id by the rules in the settings of the pool manager. */
static enum err server_check_id(const char *id, struct why *why)
{
	for (const char *at = id; *at; at++)
		if (*at <= ' ' || *at > '~')
			return fail(why, ERR_INVALID,
			            "server: must be printable ASCII without blanks, not "
			            "'%s'", err_quote(id, (char[33]){ 0 }, 33));
	return *id ? OK : fail(why, ERR_INVALID, "server: must not be empty");
}

enum err service_update_server(struct write *write)
{
	struct request *req = write->req;
	const char *pool, *server, *state;
	enum err err = access_require_admin(req);

	if (!err)
		err = json_get_text(req->args, "pool", JSON_REQUIRED, POOL_NAME_MAX,
		                    &pool, &req->why);
	if (!err)
		err = json_get_text(req->args, "server", JSON_REQUIRED, SERVER_ID_MAX,
		                    &server, &req->why);
	if (!err)
		err = json_get_text(req->args, "state", JSON_REQUIRED, STATE_MAX, &state,
		                    &req->why);
	if (!err)
		err = server_check_id(server, &req->why);
	if (!err)
		err = server_check_state(state, &req->why);
	if (err)
		return err;
	service_check_pool(write->tx, pool, write->arena);
	if (write->tx->err)
		return write->tx->err;
	if (!store_server_set(write->tx, pool, server, state, write_wait(write)))
		return tx_fail(write->tx, ERR_NOT_FOUND, "pool %s has no server %s: "
		               "'zonefleet pool show %s' lists the servers", pool, server,
		               pool);
	rpc_changed(req, "server", arena_printf(write->arena, "%s/%s", pool, server));
	req->result = json_pack("{s:s, s:s, s:s}", "pool", pool, "id", server,
	                        "state", state);
	return OK;
}

/* ---- sync of one domain ---- */

enum err service_sync_domain(void *self, struct request *req)
{
	struct central *central = self;
	bool deep = false;
	const char *missing = NULL;
	struct zone zone;
	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	enum err err = tx.err ? tx.err : service_domain_get(req, &tx, &zone);

	if (!err)
		missing = reasons_missing_worker(&tx, req->arena, zone.pool);
	if (err)
		tx_rollback(&tx);
	else
		err = tx_commit(&tx);
	if (!err)
		err = json_get_bool(req->args, "deep", 0, &deep, &req->why);
	if (err)
		return err;
	poolmgr_cast_send(central,
	                  &(struct poolmgr_cast){ deep ? "compare_domain" : "sync_domain",
	                                          &zone, &req->context }, 1);
	req->result = json_pack("{s:s, s:s, s:[]}", "id", zone.is.id, "name",
	                        zone.is.name, "warnings");
	if (missing)
		json_array_append_new(json_object_get(req->result, "warnings"),
		                      json_string(missing));
	return OK;
}
