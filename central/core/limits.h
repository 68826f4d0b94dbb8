/*
 * limits -- finds record sets that some kinds of name server do not take
 * (model/server_limits.h). The answer to a change contains a warning about such a record
 * set. If a server fails, the reason names such a record set as the likely cause. central
 * accepts these record sets, because a pool may have only servers of other kinds.
 */
#pragma once

#include "core/advice.h"
#include "core/rrsets.h"
#include "model/server_limits.h"

/* The record sets beyond one row of server_limits[]. */
struct limit_sets {
	const struct rrset *sets[ADVICE_MAX];	/* in the order of the names */
	size_t count;			/* includes the record sets that have no room */
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
 * name of the changes, sorted by rrsets_sort(). For a limit that concerns names, the
 * result contains one record set of each name. NULL: no record set is beyond a limit.
 */
const struct limits_found *limits_find(const struct rrsets *sets);
/*
 * Like limits_find(), but checks the rows (`was`) of all record sets. Sorts SETS, and
 * replaces the results (`wanted`) by the rows.
 */
const struct limits_found *limits_find_rows(struct rrsets *sets);

/* Adds a warning for each record set that servers of SERVERS do not take. */
void limits_advise(const struct limits_found *found, const struct limit_server *servers,
                   size_t count, struct arena *arena, struct advice *advice);
/* True: a kind of server does not take a zone of this name. */
bool limits_exclude_zone(const struct zone *zone);
/* Adds a warning if servers of SERVERS do not take the name of the new zone. */
void limits_advise_zone(const struct zone *zone, const struct limit_server *servers,
                        size_t count, struct arena *arena, struct advice *advice);

/* The last report of a server that failed. */
struct limit_failure {
	const char *backend;		/* of the server */
	const char *reason;		/* of the report */
	/* the server serves other records than the database */
	bool differs;
};

/*
 * True: the server answers, but not with the zone of the database, and its backend has a
 * limit that has this effect.
 */
bool limits_may_explain(const struct limit_failure *failure);
/*
 * Returns a text such as "likely cause: '*.w.example.org. NS': BIND takes no NS records
 * at a wildcard name". NULL: FOUND does not explain the failure. Each record set in the
 * text can cause the failure alone. The text names at most three record sets, and the
 * number of the others.
 */
const char *limits_explain(const struct limits_found *found,
                           const struct limit_failure *failure, struct arena *arena);
