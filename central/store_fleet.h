/*
 * store_fleet -- reads the processes, locks and repairs of the fleet for operators. The
 * code in workers/consistency writes these tables.
 */
#pragma once

#include <jansson.h>

#include "runtime/tx.h"

enum { FLEET_ROWS = 1000 };		/* maximum number of rows in one list */

/*
 * SQL condition: the process of the row W of worker_nodes is alive. The condition has one
 * parameter: `fleet.timeout` in milliseconds. As in an election, a heartbeat that is
 * further than `fleet.timeout` in the future does not count.
 */
#define WORKER_LIVES(w) \
	"ABS(TIMESTAMPDIFF(MICROSECOND, " w ".plugin_time, NOW(6))) <= ? * 1000"

/*
 * Two lists: the topics that have a living process, and the pools that have name servers
 * but no server in service.
 */
struct living_services {
	const char *name[FLEET_ROWS];
	size_t count;
	const char *idle_pool[FLEET_ROWS];
	size_t idle_count;
};
/*
 * Finds the topics of mini-DNS and the pool managers that have a living process. Also
 * finds the pools that have name servers but no server in service. Sends one statement.
 */
void store_fleet_services(struct tx *tx, int timeout_ms, struct arena *arena,
                          struct living_services *services);
bool living_services_has(const struct living_services *services, const char *topic);
/* True: the pool has name servers, but no server in service. */
bool living_services_lack_server(const struct living_services *services,
                                 const char *pool);

/*
 * Makes a list of the topics that need a process but have no living process: mini-DNS,
 * the pool managers of pools with domains, and each other service that still has rows in
 * worker_nodes. POOL: the list contains no pool manager of another pool. NULL: the list
 * contains the pool managers of all pools.
 */
json_t *store_fleet_missing(struct tx *tx, const char *pool, int timeout_ms,
                            struct arena *arena);
/*
 * Makes a list of the pools that have domains and name servers, but no server in service.
 * POOL: as for store_fleet_missing().
 */
json_t *store_fleet_idle_pools(struct tx *tx, const char *pool, struct arena *arena);
/*
 * Makes the list of all processes for an answer, as JSON objects. The status of a process
 * without a heartbeat in the last TIMEOUT_MS is `dead`, even if its row contains another
 * status.
 */
json_t *store_fleet_workers(struct tx *tx, int timeout_ms, struct arena *arena);
/* Makes the list of all locks that processes hold, as JSON objects. */
json_t *store_fleet_locks(struct tx *tx, struct arena *arena);
/*
 * Makes one list of the open drifts, followed by the repairs, as JSON objects. Each of
 * the two parts begins with the newest entry, and contains at most FLEET_ROWS entries.
 */
json_t *store_fleet_repairs(struct tx *tx, struct arena *arena);
