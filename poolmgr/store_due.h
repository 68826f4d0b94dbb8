/*
 * store_due -- what is to be done again, or was never begun, of a scope: what the rounds
 * of the sync and the patrol go through; at most LIMIT.
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
	bool superseded;	/* DELETE: the name, and the zone, is a living domain's */
	struct due *next;
};

/* Rows of a server that failed, or never ended, and whose time has come. */
struct due_of {
	const char *server_id;
	bool control;		/* through its control channel; else NOTIFY and polls */
	int ahead_s;		/* what comes due so soon is taken, too */
	size_t limit;		/* at most TX_LIST_MAX */
};
struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of);
/*
 * Of the list, what no other process claimed meanwhile is left. Each is one more attempt,
 * and the next is LEASE_S away at least. Two statements, however many they are; in a
 * transaction that has read nothing before.
 */
void store_claim(struct tx *tx, struct arena *arena, struct due **due, int ahead_s,
                 int lease_s);
/*
 * Rows that are due, of the share, and whose domain is gone: nothing claims them, and each
 * process would look for them again and again. At most TX_LIST_MAX are deleted.
 */
void store_forget_due(struct tx *tx, const struct share *share, const struct due_of *of);
/*
 * All that is owed of the domain is due now. If it fails again, the pauses begin anew: what the
 * first attempt finds out, a lost zone for one, is not put off by the failures before.
 */
void store_make_due(struct tx *tx, const char *domain_id);
/*
 * What failed (through its control channel, or not) is due now: at most TX_LIST_MAX rows.
 * Returns how many.
 */
size_t store_release(struct tx *tx, const char *pool, const char *server_id, bool control);
/*
 * Of the share, what a server owes that was out of service is due now: at most LIMIT rows.
 * Returns how many.
 */
int64_t store_catch_up(struct tx *tx, const struct share *share, const char *server_id,
                       size_t limit);

/* ---- all domains, slice by slice: those whose ids are behind AFTER, up to UPTO ---- */

struct slice {
	const char *after, *upto;
};
/* The id of the COUNTth domain behind AFTER, or LIMIT; in the arena. */
const char *store_slice_end(struct tx *tx, struct arena *arena, const char *after,
                            const char *limit, size_t count);
/*
 * What a server is behind with, of a slice, and has no row that says when it is to be tried:
 * a CREATE or DELETE of which there is no row, an UPDATE to a serial that it was not seen
 * to serve. All of it is older than STALE_S.
 */
struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct slice *slice, const struct server *server,
                          size_t limit, int stale_s);
/* Domains of a slice that are not settled after STALE_S. */
struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct slice *slice, size_t limit, int stale_s);
/* How many live domains there are in the scope; those behind CURSOR, by id. */
int64_t store_count(struct tx *tx, const struct scope *scope);
struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit);
/* No server need serve the domain any more: what was to be created or updated is not. */
void store_drop_plans(struct tx *tx, const char *domain_id);
