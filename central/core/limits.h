/*
 * limits -- finds record sets that name servers do not take (model/server_limits.h), and
 * says so: as a warning about a change, and as the likely cause of a failure in a reason.
 * central accepts these records, because a pool may have only other servers.
 */
#pragma once

#include "core/advice.h"
#include "core/rrsets.h"
#include "model/server_limits.h"

/* The record sets beyond one row of server_limits[]. */
struct limit_sets {
	const struct rrset *sets[ADVICE_MAX];	/* in the order of the names */
	size_t count;			/* also counts record sets that have no room */
};

struct limits_found {
	struct limit_sets rows[SERVER_LIMITS];
};

/* A name server of the pool. */
struct limit_server {
	const char *id, *backend;
};

/*
 * Checks the results (`wanted`) of the changed record sets. SETS: all record sets at each
 * name of the changes, sorted by rrsets_sort(). If a limit is one of names, it finds one
 * record set of each name. NULL: no record set is beyond a limit.
 */
const struct limits_found *limits_find(const struct rrsets *sets);
/* The same for the rows (`was`) of all record sets. Sorts SETS, and sets the results. */
const struct limits_found *limits_find_rows(struct rrsets *sets);

/* Adds a warning for each record set that servers of SERVERS do not take. */
void limits_advise(const struct limits_found *found, const struct limit_server *servers,
                   size_t count, struct arena *arena, struct advice *advice);
/* True: a kind of server does not take a zone of this name. */
bool limits_exclude_zone(const struct zone *zone);
/* Adds a warning if servers of SERVERS do not take the name of the new zone. */
void limits_advise_zone(const struct zone *zone, const struct limit_server *servers,
                        size_t count, struct arena *arena, struct advice *advice);

/* The last report of a server: a failure. */
struct limit_failure {
	const char *backend;		/* of the server */
	const char *reason;		/* of the report */
	bool differs;			/* it serves other records than the database */
};

/*
 * True: the server answers, but not with the zone of the database, and its backend has a
 * limit that has this effect.
 */
bool limits_may_explain(const struct limit_failure *failure);
/*
 * Returns "likely cause: '*.w.example.org. NS': BIND takes no NS records at a wildcard
 * name"; NULL: FOUND does not explain the failure. Each record set that the text names is
 * enough for the failure. It names at most three, and the number of the others.
 */
const char *limits_explain(const struct limits_found *found,
                           const struct limit_failure *failure, struct arena *arena);
