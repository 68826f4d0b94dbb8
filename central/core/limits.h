/*
 * limits -- finds record sets that some kinds of name server refuse or do not transfer
 * (model/server_limits.h). If the pool contains a server of such a kind, the answer to a
 * change contains a warning about the record set. If such a server refuses the zone or
 * leaves out records after the change, the reason names the record set as the likely
 * cause. central accepts these record sets, because some pools contain only servers of
 * other kinds.
 */
#pragma once

#include "core/advice.h"
#include "core/rrsets.h"
#include "model/server_limits.h"

/* The record sets beyond one limit (a row of server_limits[]). */
struct limit_sets {
	/* the first record sets, in the order of the names */
	const struct rrset *sets[ADVICE_MAX];
	/* number of all record sets; can be greater than ADVICE_MAX */
	size_t count;
};

struct limits_found {
	struct limit_sets rows[SERVER_LIMITS];
};

/* A name server of the pool. */
struct limit_server {
	const char *id, *backend;
};

/*
 * Finds the record sets beyond limits among the results (`wanted`) of the changed record
 * sets. SETS: all record sets at each name of the changes, sorted by rrsets_sort(). For a
 * limit that concerns whole names (is_of_name), the function returns only one record set
 * of each name. NULL: no record set is beyond a limit.
 */
const struct limits_found *limits_find(const struct rrsets *sets);
/*
 * Like limits_find(), but checks the rows (`was`) of all record sets. Sorts SETS, and
 * replaces the results (`wanted`) by the rows.
 */
const struct limits_found *limits_find_rows(struct rrsets *sets);

/*
 * Returns the limit for which a server refuses a whole zone with these record sets. SET:
 * the first such record set. NULL: no kind of server refuses the zone. FOUND may be NULL.
 */
const struct server_limit *limits_refuse(const struct limits_found *found,
                                         const struct rrset **set);
/*
 * Adds a warning to ADVICE for each record set of FOUND that a server of SERVERS refuses.
 */
void limits_advise(const struct limits_found *found, const struct limit_server *servers,
                   size_t count, struct arena *arena, struct advice *advice);
/* True: some kind of name server refuses a zone of this name. */
bool limits_exclude_zone(const struct zone *zone);
/*
 * Adds a warning to ADVICE for each limit of SERVERS that the name of the new zone
 * exceeds.
 */
void limits_advise_zone(const struct zone *zone, const struct limit_server *servers,
                        size_t count, struct arena *arena, struct advice *advice);

/* The last report of a server that failed. */
struct limit_failure {
	const char *backend;		/* backend of the server */
	const char *reason;		/* reason in the report */
	/* the server serves records that differ from the database */
	bool differs;
};

/*
 * True: a limit of the backend is a possible cause of FAILURE. There are two cases. In
 * the first case, the server does not serve the zone or serves an old serial, and the
 * limit makes the server refuse the whole zone. In the second case, the server serves
 * records that differ from the database, and the limit makes the server leave out
 * records.
 */
bool limits_may_explain(const struct limit_failure *failure);
/*
 * Returns a text such as "likely cause: '*.w.example.org. NS': BIND accepts no NS records
 * at a wildcard name". The text contains the names of at most three record sets, and the
 * number of further record sets. Each of these record sets alone can cause the failure.
 * NULL: FOUND contains no record set that can cause the failure.
 */
const char *limits_explain(const struct limits_found *found,
                           const struct limit_failure *failure, struct arena *arena);
