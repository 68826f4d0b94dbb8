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
	const char *row_id;	/* NULL: the row does not exist yet */
	bool superseded;	/* DELETE: a live domain has the same name */
	struct due *next;
};

/* Selects rows of a server that failed or did not finish, and are due. */
struct due_of {
	const char *server_id;
	/* true: work on the control channel; false: NOTIFYs and polls */
	bool control;
	int ahead_s;		/* include rows that are due within this time */
	bool waiting;		/* only rows that failed often and have a long pause */
	size_t limit;		/* at most TX_LIST_MAX */
};
struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of);
/*
 * Claims the rows of the list. Removes from the list the rows that another process has
 * claimed. Each claim counts as one more attempt. The next attempt starts at least
 * LEASE_S later. Runs two statements, in a transaction that has not read anything
 * before.
 */
void store_claim(struct tx *tx, struct arena *arena, struct due **due, int ahead_s,
                 int lease_s);
/*
 * Deletes due rows of the share whose domain no longer exists, at most TX_LIST_MAX rows.
 * No process can claim such rows, but each process would read them again and again.
 */
void store_forget_due(struct tx *tx, const struct share *share, const struct due_of *of);
/*
 * Makes all pending work of the domain due now, and resets the pauses after failures. So
 * earlier failures do not delay the result of the first attempt, for example the report
 * of a lost zone.
 */
void store_make_due(struct tx *tx, const char *domain_id);
/*
 * Makes failed rows of the server due now, at most TX_LIST_MAX rows. CONTROL: rows of the
 * control channel; false: rows of DNS. Returns the number of rows.
 */
size_t store_release(struct tx *tx, const char *pool, const char *server_id,
                     bool control);
/*
 * Finds the servers on which a row has failed many times, and one of REPORTS is a success
 * of this row. REPORTS are 1 to LIST_MAX reports of SUCCESS. Writes each id of a server
 * once, and returns the number of ids. Call it before you write the reports.
 */
size_t store_recovered(struct tx *tx, struct arena *arena,
                       const struct server_report *const *reports, size_t count,
                       const char **server_ids);
/*
 * Makes pending rows of the share due now, at most LIMIT rows. UNFINISHED: only rows
 * without SUCCESS. Such a row has failed, or a process has claimed it. A claimed UPDATE
 * row that has SUCCESS waits for its lease. Returns the number of rows.
 */
int64_t store_catch_up(struct tx *tx, const struct share *share, const char *server_id,
                       bool unfinished, size_t limit);

/* ---- all domains, in slices: AFTER < id <= UPTO ---- */

struct slice {
	const char *after, *upto;
};
/* Returns the id of the COUNTth domain after AFTER, or LIMIT; in the arena. */
const char *store_slice_end(struct tx *tx, struct arena *arena, const char *after,
                            const char *limit, size_t count);
/*
 * Finds pending work of a slice that no due row will start: a CREATE or DELETE without a
 * row, or an UPDATE to a serial that no poll has found on the server. Finds only changes
 * older than STALE_S.
 */
struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct slice *slice, const struct server *server,
                          size_t limit, int stale_s);
/* Finds domains of a slice that have been PENDING or in ERROR for longer than STALE_S. */
struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct slice *slice, size_t limit, int stale_s);
/*
 * The first function counts the live domains in the scope. The second function reads a
 * page of these domains after CURSOR, sorted by id.
 */
int64_t store_count(struct tx *tx, const struct scope *scope);
struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit);
/* Cancels pending creations and updates of a domain that is being deleted. */
void store_drop_plans(struct tx *tx, const char *domain_id);
