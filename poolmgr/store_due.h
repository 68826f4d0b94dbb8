/*
 * store_due -- what is to be done again, or was never begun, of a scope: what the rounds
 * of the sync and the patrol go through. Oldest first; at most LIMIT.
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
	struct due *next;
};

/*
 * Rows of a server that failed, or never ended, and whose time has come. Each is one more
 * attempt, and the next is LEASE_S away at least.
 */
struct due_of {
	const char *server_id;
	bool control;		/* through its control channel; else NOTIFY and polls */
	int ahead_s;		/* what comes due so soon is taken, too */
	size_t limit;
};
struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of, int lease_s);
/* All that is owed of the domain is due now. */
void store_hurry(struct tx *tx, const char *domain_id);
/* All that failed (through its control channel, or not) is due now. */
void store_release(struct tx *tx, const char *pool, const char *server_id, bool control);
/*
 * Of the share, what a server owes that was out of service is due now: at most LIMIT rows.
 * Returns how many.
 */
int64_t store_return(struct tx *tx, const struct share *share, const char *server_id,
                     size_t limit);
/* Domains to be deleted, without a DELETE row for the server, older than STALE_S. */
struct due *store_undeleted(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct server *server, size_t limit, int stale_s);
/* Live domains without a CREATE row for the server, older than STALE_S. */
struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct server *server, size_t limit, int stale_s);
/* Domains whose serial the server was not seen to serve for STALE_S, without an error. */
struct due *store_behind(struct tx *tx, struct arena *arena, const struct scope *scope,
                         const struct server *server, size_t limit, int stale_s);
/* Domains not settled after STALE_S: PENDING first, then any of the rest. */
struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            size_t limit, int stale_s);
/* How many live domains there are in the scope; those behind CURSOR, by id. */
int64_t store_count(struct tx *tx, const struct scope *scope);
struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit);
/* No server need serve the domain any more: what was to be created or updated is not. */
void store_drop_plans(struct tx *tx, const char *domain_id);
