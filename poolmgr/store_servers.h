/*
 * store_servers -- the rows of pool_servers. The table has a row for each server in the
 * settings of any pool manager. The row also contains the state that the operator set for
 * the server.
 */
#pragma once

#include <stdbool.h>

#include "runtime/tx.h"
#include "servers.h"

/*
 * store_register() writes a row for each server in the settings of this process. Each
 * round of the sync calls it. If no process has written the row of a server for
 * UNHEARD_S seconds, the server counts as removed. In this case, store_forget_removed()
 * deletes all rows of this server.
 */
void store_register(struct tx *tx, const char *pool, const struct servers *servers);
void store_forget_removed(struct tx *tx, const char *pool, int unheard_s);

/* The rows of pool_servers, in the arena. */
struct seen_servers {
	struct seen_server {
		const char *id;
		/* digest of the newest settings (adjust.h) */
		const char *settings_digest;
		bool in_service;	/* not drained or removed by the operator */
		bool has_due;		/* a row of the server is due, in any share */
		/*
		 * an UPDATE row of the server failed at least three times and has a long
		 * pause
		 */
		bool has_waiting;
		struct health health[CHANNELS];
	} *item;
	size_t count;
};
void store_read_servers(struct tx *tx, struct arena *arena, const char *pool,
                        struct seen_servers *servers);
/* One zone of each server in service, in the arena. */
struct server_zones {
	struct server_zone {
		/*
		 * `name` is the name of a zone on the server; NULL: the server has no
		 * zone
		 */
		const char *server_id, *name;
	} *item;
	size_t count;
};
void store_read_zones(struct tx *tx, struct arena *arena, const char *pool,
                      struct server_zones *zones);
/*
 * Returns the name of a zone on the server. NULL: the server has no zone, or is not in
 * service.
 */
const char *server_zones_find(const struct server_zones *zones, const char *server_id);
/*
 * True: the database contains the TSIG key with this name. NAME: `tsig_key` in the
 * settings of a server.
 */
bool store_has_key(struct tx *tx, const char *name);
/*
 * True: the database contains pools, but not the pool NAME. A database without a pool is
 * new: central creates its default pool at its first start.
 */
bool store_lacks_pool(struct tx *tx, const char *name);
/*
 * Deletes the rows of the domains on servers that the operator removed, for at most
 * TX_LIST_MAX domains of each server. The function keeps the row of such a server in
 * pool_servers.
 */
void store_forget_out(struct tx *tx, const char *pool);
