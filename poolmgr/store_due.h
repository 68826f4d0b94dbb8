/*
 * store_due -- the work that is due in a scope, for the retries, the sync and the full
 * scan. Each function returns at most LIMIT rows.
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
	const char *row_id;	/* NULL: there is no row yet */
	bool superseded;	/* DELETE: a live domain has the name */
	struct due *next;
};

/* Rows of a server that failed or did not end, and are due. */
struct due_of {
	const char *server_id;
	bool control;		/* work on the control channel; else NOTIFY and polls */
	int ahead_s;		/* also rows that are due within this time */
	size_t limit;		/* at most TX_LIST_MAX */
};
struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of);
/*
 * Claims the rows of the list, and removes rows that another process claimed. Each claim
 * is one more attempt; the next one is at least LEASE_S away. Two statements, in a
 * transaction that has read nothing before.
 */
void store_claim(struct tx *tx, struct arena *arena, struct due **due, int ahead_s,
                 int lease_s);
/*
 * Deletes due rows of the share without a domain, at most TX_LIST_MAX. Nothing claims
 * them, and each process would read them again and again.
 */
void store_forget_due(struct tx *tx, const struct share *share, const struct due_of *of);
/*
 * Makes all pending work of the domain due now. If it fails again, the pauses begin
 * anew: the result of the first attempt, for example a lost zone, does not wait for
 * earlier failures.
 */
void store_make_due(struct tx *tx, const char *domain_id);
/*
 * Makes failed rows of the server due now (CONTROL: of its control channel), at most
 * TX_LIST_MAX. Returns their number.
 */
size_t store_release(struct tx *tx, const char *pool, const char *server_id,
                     bool control);
/*
 * The server is back in service: makes its pending rows of the share due now, at most
 * LIMIT. Returns their number.
 */
int64_t store_catch_up(struct tx *tx, const struct share *share, const char *server_id,
                       size_t limit);

/* ---- all domains, slice by slice: AFTER < id <= UPTO ---- */

struct slice {
	const char *after, *upto;
};
/* The id of the COUNTth domain after AFTER, or LIMIT; in the arena. */
const char *store_slice_end(struct tx *tx, struct arena *arena, const char *after,
                            const char *limit, size_t count);
/*
 * Work of a slice that a server has not done and that no row will make due: a CREATE or
 * DELETE without a row, or an UPDATE to a serial that it was not seen to serve. Only
 * changes older than STALE_S.
 */
struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct slice *slice, const struct server *server,
                          size_t limit, int stale_s);
/* Domains of a slice that are PENDING or in error for longer than STALE_S. */
struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct slice *slice, size_t limit, int stale_s);
/* The number of live domains in the scope; a page of them after CURSOR, by id. */
int64_t store_count(struct tx *tx, const struct scope *scope);
struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit);
/* The domain is being deleted: cancels pending creations and updates. */
void store_drop_plans(struct tx *tx, const char *domain_id);
