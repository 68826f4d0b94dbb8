/* store_counts -- counts domains and measures the age of changes, for the metrics. */
#pragma once

#include "model/state.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"
#include "store_due.h"

/* The number of domains of the pool, by status. */
struct domain_counts {
	int64_t count[STATUS_COUNT];
	/* age in seconds of the oldest change that is PENDING; 0: no such change */
	int64_t oldest_pending_s;
};
void store_count_domains(struct tx *tx, const char *pool, struct domain_counts *counts);
/*
 * Counts the domains of SLICE in SCOPE for which the server is behind: no poll has found
 * the newest serial, or the last poll had no success.
 */
int64_t store_count_behind(struct tx *tx, const struct scope *scope,
                           const struct slice *slice, const struct server *server);
/*
 * Returns the age in seconds of the oldest change that no poll has found on the server;
 * 0: no such change. A change counts only if the domain has a CREATE or UPDATE row with a
 * planned attempt on this server.
 */
int64_t store_lag_s(struct tx *tx, const char *pool, const char *server_id);
