/*
 * store_due -- finds the work that is due in a scope (scope.h), for the retries, the sync
 * and the full scan. Each function that returns a list has a limit for the number of
 * rows.
 */
#pragma once

#include "model/domain.h"
#include "model/messages.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"

struct due {
	struct domain_ref domain;
	enum action action;
	const char *row_id;	/* id of the row of the action; NULL: no row yet */
	bool superseded;	/* DELETE: a live domain has the same name */
	struct due *next;
};

/* Selects due rows of a server. Their actions have failed, or have not finished. */
struct due_of {
	const char *server_id;
	/* true: actions on the control channel; false: NOTIFYs and polls */
	bool control;
	/* seconds; the selection includes rows that are due within this time */
	int ahead_s;
	/*
	 * only UPDATE rows with at least three failures that are also due in more than
	 * 15 s
	 */
	bool waiting;
	/* maximum number of rows; at most TX_LIST_MAX */
	size_t limit;
};
struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of);
/*
 * Claims the rows of the list. Removes from the list the rows that another process has
 * claimed. Each claim raises the number of attempts of a row by one. A claimed row
 * becomes due again after at least LEASE_S seconds. Call it first in a transaction,
 * before any read.
 */
void store_claim(struct tx *tx, struct arena *arena, struct due **due, int ahead_s,
                 int lease_s);
/*
 * Deletes at most TX_LIST_MAX rows: the due rows of the server in SHARE whose domain no
 * longer exists. No process can claim such rows, but each process would read them again
 * and again.
 */
void store_forget_due(struct tx *tx, const struct share *share, const struct due_of *of);
/*
 * Makes all pending and failed actions of the domain due now. The pauses after failures
 * start again from the shortest pause.
 */
void store_make_due(struct tx *tx, const char *domain_id);
/*
 * Makes at most TX_LIST_MAX failed rows of the server due now. Their pauses start again
 * from the shortest pause. CONTROL true: rows of the control channel. CONTROL false:
 * rows of NOTIFYs and polls. Returns the number of rows.
 */
size_t store_release(struct tx *tx, const char *pool, const char *server_id,
                     bool control);
/*
 * Finds the servers whose failures have ended: an UPDATE row has at least three failures,
 * and one of REPORTS is a success of this row. REPORTS: 1 to LIST_MAX reports of SUCCESS.
 * Writes the id of each such server once to SERVER_IDS, and returns the number of ids.
 * Call it before you write the reports.
 */
size_t store_recovered(struct tx *tx, struct arena *arena,
                       const struct server_report *const *reports, size_t count,
                       const char **server_ids);
/*
 * Makes at most LIMIT pending rows of the server in SHARE due now. Returns the number of
 * these rows. UNFINISHED true: only rows without the status SUCCESS. A row without this
 * status has failed, or a process has claimed the row. A claimed UPDATE row can still
 * have the status SUCCESS. Such a row becomes due when its lease ends.
 */
int64_t store_catch_up(struct tx *tx, const struct share *share, const char *server_id,
                       bool unfinished, size_t limit);

/* ---- all domains, in slices: AFTER < id <= UPTO ---- */

struct slice {
	const char *after, *upto;
};
/*
 * Returns the id of the COUNTth domain after AFTER, in the arena. If there are fewer
 * domains from AFTER to LIMIT, returns LIMIT.
 */
const char *store_slice_end(struct tx *tx, struct arena *arena, const char *after,
                            const char *limit, size_t count);
/*
 * Finds the domains in SLICE that need an action on SERVER, although the database has no
 * row that makes this action due. There are two cases. In the first case, the CREATE or
 * DELETE of the domain has no row. In the second case, no poll has found the serial of
 * the domain on SERVER, and the UPDATE row is missing or has no planned attempt. The
 * last change of the domain must be older than STALE_S seconds. For a CREATE, the
 * creation of the domain must be older than STALE_S seconds.
 */
struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct slice *slice, const struct server *server,
                          size_t limit, int stale_s);
/*
 * Finds domains in SLICE that are PENDING or in ERROR and whose last change is older than
 * STALE_S seconds.
 */
struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct slice *slice, size_t limit, int stale_s);
/*
 * store_count() counts the domains in the scope, without the domains that central is
 * deleting or has deleted. store_page() reads at most LIMIT of these domains, in the
 * order of their ids. The page begins after the id CURSOR.
 */
int64_t store_count(struct tx *tx, const struct scope *scope);
struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit);
/* Cancels pending creations and updates of a domain that is being deleted. */
void store_drop_plans(struct tx *tx, const char *domain_id);
