/*
 * store_limits -- finds record sets that may be beyond a limit of name servers, and reads
 * the name servers (core/limits.h).
 */
#pragma once

#include "core/limits.h"
#include "store.h"

enum {
	LIMIT_NAMES_MAX = 100,
	/* maximum number of servers of a pool; central ignores further servers */
	LIMIT_SERVERS_MAX = 1000,
};

/*
 * Finds names of the domain at which a record set may be beyond a limit, at most
 * LIMIT_NAMES_MAX. The first names are from limits that concern the whole zone. Looks
 * only at the first SETS record sets in the order of their names. This takes about 5 ms
 * for 5000 record sets, or 20 ms if the domain has record sets of many records.
 */
size_t store_limit_names(struct tx *tx, const struct zone *zone, int64_t sets,
                         struct arena *arena, const char **names);
/*
 * Reads the name servers of the pool, except removed servers. SERVERS has room for
 * LIMIT_SERVERS_MAX servers. Returns the number of servers.
 */
size_t store_limit_servers(struct tx *tx, const char *pool, struct arena *arena,
                           struct limit_server *servers);
