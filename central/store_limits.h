/*
 * store_limits -- finds record sets that are possibly beyond a limit of name servers, and
 * reads the name servers (core/limits.h).
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
 * Finds at most LIMIT_NAMES_MAX names of the domain at which a record set is possibly
 * beyond a limit. The names at which a limit makes a server refuse the whole zone are at
 * the beginning of NAMES. The function looks only at the first SETS record sets in the
 * order of their names. The statement takes about 5 ms for 5000 record sets, or 20 ms if
 * some record sets contain many records.
 */
size_t store_limit_names(struct tx *tx, const struct zone *zone, int64_t sets,
                         struct arena *arena, const char **names);
/*
 * Reads the name servers of the pool, except removed servers. SERVERS has room for
 * LIMIT_SERVERS_MAX servers. Returns the number of servers.
 */
size_t store_limit_servers(struct tx *tx, const char *pool, struct arena *arena,
                           struct limit_server *servers);
