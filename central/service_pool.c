#include "service.h"

#include <inttypes.h>
#include <string.h>

#include "codec.h"
#include "codec_domain.h"
#include "codec_pool.h"
#include "core/advice.h"
#include "core/catalog.h"
#include "model/json.h"
#include "result_page.h"
#include "store_limits.h"
#include "store_pool_delete.h"

/* Reads the argument `pool`: an id or a name. */
static enum err pool_decode_key(const struct request *req, char id[ID_LEN + 1],
                                const char **name, struct why *why)
{
	enum err err = json_get_text(req->args, "pool", JSON_REQUIRED, POOL_NAME_MAX,
	                             name, why);

	*id = '\0';
	if (!err)
		id_parse(*name, id);
	return err;
}

static enum err pool_not_found(struct tx *tx, const char *name)
{
	return tx_fail(tx, ERR_NOT_FOUND, "there is no pool '%.64s'", name);
}

/* ---- the catalog zone of a pool ---- */

static enum err pool_create_catalog(struct write *write, struct pool *pool,
                                    const struct pool_spec *spec)
{
	static const char *hosts[] = { CATALOG_NS };
	const struct domain_spec domain = {
		.owner = spec->catalog,
		.name = spec->catalog_name,
		.tenant = "",
		.pool = pool->name,
		.ns = hosts,
		.ns_count = 1,
		.is_catalog = true,
	};
	enum err err = service_domain_insert(write, &domain);

	if (err)
		return err;
	memcpy(pool->catalog_id, write->zone.is.id, sizeof pool->catalog_id);
	pool->catalog_zone = spec->catalog;
	store_pool_set_catalog(write->tx, pool);
	write->cast_method = "create_domain";
	return write->tx->err;
}

/* The name becomes free when no server serves the catalog zone any more. */
static enum err pool_remove_catalog(struct write *write, struct pool *pool)
{
	struct domain_key key = { .name = "" };

	memcpy(key.id, pool->catalog_id, sizeof key.id);
	*pool->catalog_id = '\0';
	pool->catalog_zone = NULL;
	store_pool_set_catalog(write->tx, pool);
	if (store_domain_lock(write->tx, &key, &write->access, write->req->may_wait,
	                      write->arena, &write->zone))
		service_domain_remove(write);
	return write->tx->err;
}

/* Servers are configured with the name of the catalog zone, so it cannot change. */
static enum err pool_set_catalog(struct write *write, struct pool *pool,
                                 const struct pool_spec *spec)
{
	if (!spec->catalog || !strcmp(spec->catalog, pool->catalog_zone
	                                                 ? pool->catalog_zone : ""))
		return OK;
	if (!*spec->catalog)
		return pool_remove_catalog(write, pool);
	if (!pool->catalog_zone)
		return pool_create_catalog(write, pool, spec);
	return tx_fail(write->tx, ERR_CONFLICT,
	               "the pool '%.64s' has the catalog zone %.200s: remove the catalog "
	               "zone first", pool->name, pool->catalog_zone);
}

/* ---- the methods ---- */

static void pool_warn_catalog(struct tx *tx, const struct pool *pool, json_t *warnings)
{
	if (store_pool_lacks_reader(tx, pool))
		json_array_append_new(warnings, json_sprintf(
			"pool '%s': no server of the pool has the backend 'catalog', so "
			"no server reads the catalog zone", pool->name));
}

/*
 * The answer of a write: the pool and its warnings. The warnings are about the hosts of
 * NS records and about a new catalog zone.
 */
static json_t *pool_encode_written(struct tx *tx, const struct pool *pool,
                                   const struct pool_spec *spec)
{
	json_t *json = codec_pool_encode(pool), *warnings = json_array();
	struct why ignored;
	struct name host;

	if (spec->catalog && *spec->catalog)
		pool_warn_catalog(tx, pool, warnings);
	for (size_t i = 0; i < pool->ns_record_count; i++)
		if (!name_parse(pool->ns_records[i], "host", &host, &ignored) &&
		    advice_is_address(&host))
			json_array_append_new(warnings, json_sprintf(
				"pool '%s': the host '%s' " ADVICE_IS_ADDRESS, pool->name,
				pool->ns_records[i]));
	json_object_set_new(json, "warnings", warnings);
	return json;
}

enum err service_create_pool(struct write *write)
{
	struct request *req = write->req;
	struct pool_spec spec;
	struct pool pool;
	const json_t *json;
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "pool", &json);
	if (!err)
		err = codec_pool(json, write->arena, &pool, &spec, &req->why);
	if (err)
		return err;
	id_new(pool.id);
	store_pool_insert(write->tx, &pool, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return fail(&req->why, ERR_EXISTS, "pool '%.64s' already exists",
		            pool.name);
	store_pool_set_ns_records(write->tx, &pool, write->arena);
	err = pool_set_catalog(write, &pool, &spec);
	rpc_changed(req, "pool", pool.name);
	if (!err)
		req->result = pool_encode_written(write->tx, &pool, &spec);
	return err ? err : write->tx->err;
}

static enum err pool_lock(struct write *write, struct pool *pool)
{
	struct request *req = write->req;
	char id[ID_LEN + 1];
	const char *name;
	enum err err = access_require_admin(req);

	if (!err)
		err = pool_decode_key(req, id, &name, &req->why);
	if (err)
		return err;
	if (!store_pool_lock(write->tx, id, name, write_wait(write), write->arena, pool))
		return pool_not_found(write->tx, name);
	return OK;
}

/* New domains get the new hosts. Existing domains keep their NS records. */
enum err service_update_pool(struct write *write)
{
	struct request *req = write->req;
	struct pool_spec spec;
	struct pool pool;
	const json_t *json;
	enum err err = pool_lock(write, &pool);

	if (!err)
		err = service_object(req, "values", &json);
	if (!err)
		err = codec_pool_values(json, write->arena, &pool, &spec, &req->why);
	if (err)
		return err;
	store_pool_update(write->tx, &pool);
	if (spec.has_ns)
		store_pool_set_ns_records(write->tx, &pool, write->arena);
	err = pool_set_catalog(write, &pool, &spec);
	rpc_changed(req, "pool", pool.name);
	if (!err)
		req->result = pool_encode_written(write->tx, &pool, &spec);
	return err ? err : write->tx->err;
}

/* ---- delete ---- */

/* ERR_CONFLICT: the caller must first delete the domains. */
static enum err pool_check_domains(struct tx *tx, const struct pool *pool,
                                   const struct pool_use *use)
{
	if (pool->catalog_zone)
		return tx_fail(tx, ERR_CONFLICT, "the pool '%.64s' has the catalog zone "
		               "%.200s: remove the catalog zone first ('zonefleet "
		               "pool set %.64s --catalog \"\"')", pool->name,
		               pool->catalog_zone, pool->name);
	if (use->domains)
		return tx_fail(tx, ERR_CONFLICT, "the pool '%.64s' has %" PRId64
		               " domain%s: delete all its domains first ('zonefleet "
		               "domain list --pool %.64s --admin --all-tenants' lists "
		               "them)",
		               pool->name, use->domains, use->domains == 1 ? "" : "s",
		               pool->name);
	return OK;
}

/* One transaction must not delete too many rows. */
static enum err pool_check_rows(struct write *write, const struct pool *pool,
                                const struct pool_use *use)
{
	struct tx *tx = write->tx;

	if (use->tombstones > POOL_TOMBSTONES_MAX)
		return tx_fail(tx, ERR_CONFLICT, "the pool '%.64s' has more than %d "
		               "deleted domains in the database: start a pool manager of "
		               "the pool, and wait until central has removed these "
		               "domains (%d s after their deletion)", pool->name,
		               POOL_TOMBSTONES_MAX,
		               write->central->config.tombstone_age_s);
	if (use->rows > POOL_ROWS_MAX)
		return tx_fail(tx, ERR_BUSY, "central is still removing the records of "
		               "deleted domains of the pool '%.64s': try again after a "
		               "minute", pool->name);
	return OK;
}

/* A running pool manager would write rows about the pool again. */
static enum err pool_check_manager(struct tx *tx, const struct pool *pool)
{
	if (!store_pool_has_manager(tx, pool))
		return OK;
	return tx_fail(tx, ERR_CONFLICT, "a pool manager of the pool '%.64s' is running: "
	               "stop all pool managers of the pool first", pool->name);
}

enum err service_delete_pool(struct write *write)
{
	struct tx *tx = write->tx;
	struct pool_use use;
	struct pool pool;
	enum err err = pool_lock(write, &pool);

	if (err)
		return err;
	store_pool_count(tx, &pool, &use);
	err = pool_check_domains(tx, &pool, &use);
	if (!err)
		err = pool_check_manager(tx, &pool);
	if (!err)
		err = pool_check_rows(write, &pool, &use);
	if (err)
		return err;
	store_pool_delete(tx, &pool, write->arena);
	rpc_changed(write->req, "pool", pool.name);
	return tx->err;
}

/* ---- get, find ---- */

static json_t *pool_read_limits(struct tx *tx, const char *name, struct arena *arena)
{
	struct limit_server *servers = arena_alloc(arena, LIMIT_SERVERS_MAX *
	                                                  sizeof(*servers));

	return codec_pool_encode_limits(servers, store_limit_servers(tx, name, arena,
	                                                             servers));
}

enum err service_get_pool(void *self, struct request *req)
{
	struct central *central = self;
	struct pool pool;
	char id[ID_LEN + 1];
	const char *name;
	enum err err = access_require_admin(req);

	if (!err)
		err = pool_decode_key(req, id, &name, &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (store_pool_get(&tx, id, name, req->arena, &pool)) {
		req->result = codec_pool_encode(&pool);
		json_object_set_new(req->result, "limits",
		                    pool_read_limits(&tx, pool.name, req->arena));
	} else {
		pool_not_found(&tx, name);
	}
	return tx_commit(&tx);
}

/* Reads all rows first, because the hosts of each pool need another statement. */
static void pool_read_page(struct tx *tx, const struct paging *paging,
                           struct arena *arena, struct result_page *page)
{
	struct pool *pools = arena_alloc(arena, paging->limit * sizeof(*pools));
	struct tx_rows rows;
	size_t count = 0;

	store_pool_find(tx, paging, arena, &rows);
	while (count < paging->limit && store_pool_next(&rows, &pools[count]))
		count++;
	tx_select_end(&rows);
	for (size_t i = 0; i < count; i++) {
		store_pool_ns_records(tx, arena, &pools[i]);
		if (!result_page_add(page, codec_pool_encode(&pools[i]), pools[i].id))
			break;
	}
}

enum err service_find_pools(void *self, struct request *req)
{
	return result_page_find(self, req,
	                        &(struct result_list){ "pools", store_pool_sort_keys,
	                                               pool_read_page });
}

/* The first process creates the pool; for the others it exists. */
enum err service_pool_default(struct central *central, struct why *why)
{
	struct option_texts *hosts = &central->config.ns_records;
	struct arena *arena = arena_new();
	struct tx tx = tx_begin(central->runtime->db, why);
	struct pool pool = {
		.name = central->config.default_pool,
		.description = "made at the first start",
		.ns_records = (const char *const *)hosts->item,
		.ns_record_count = hosts->count,
		.attributes = "",
		.capacity = -1,
	};
	struct pool found;

	if (!tx.err && !store_pool_get(&tx, "", pool.name, arena, &found)) {
		id_new(pool.id);
		store_pool_insert(&tx, &pool, STORE_WAIT_LONG);
		store_pool_set_ns_records(&tx, &pool, arena);
	} else if (!tx.err && !found.ns_record_count && hosts->count) {
		memcpy(pool.id, found.id, sizeof pool.id);
		store_pool_set_ns_records(&tx, &pool, arena);
	}
	tx_commit(&tx);
	arena_free(&arena);
	return tx.err == ERR_EXISTS ? OK : tx.err;
}
