/*
 * store_servers -- the servers of the pool in pool_servers: all servers in the settings
 * of any pool manager, and the state that the operator set for each server.
 */
#pragma once

#include <stdbool.h>

#include "runtime/tx.h"
#include "servers.h"

/*
 * store_register() writes a row for each server in the settings of this process. Each
 * round of the sync calls it. If no process has written the row of a server for
 * UNHEARD_S, the server counts as removed, and store_forget_removed() deletes the rows of
 * this server.
 */
void store_register(struct tx *tx, const char *pool, const struct servers *servers);
void store_forget_removed(struct tx *tx, const char *pool, int unheard_s);

/* The rows of pool_servers, in the arena. */
struct seen_servers {
	struct seen_server {
		const char *id;
		const char *settings_digest;	/* the newest (adjust.h) */
		bool in_service;	/* not drained or removed by the operator */
		bool has_due;		/* a row is due, in any share */
		bool has_waiting;	/* an UPDATE failed often and has a long pause */
		struct health health[CHANNELS];
	} *item;
	size_t count;
};
void store_read_servers(struct tx *tx, struct arena *arena, const char *pool,
                        struct seen_servers *servers);
/* One zone of each server in service, in the arena. */
struct server_zones {
	struct server_zone {
		const char *server_id, *name;	/* NULL: the server has no zone */
	} *item;
	size_t count;
};
void store_read_zones(struct tx *tx, struct arena *arena, const char *pool,
                      struct server_zones *zones);
/* NULL: the server has no zone, or is not in service. */
const char *server_zones_find(const struct server_zones *zones, const char *server_id);
/* True: the database has the TSIG key NAME, as in the settings of a server. */
bool store_has_key(struct tx *tx, const char *name);
/*
 * Deletes the rows of the domains on servers that the operator removed. The row of the
 * server itself stays in pool_servers.
 */
void store_forget_out(struct tx *tx, const char *pool);
