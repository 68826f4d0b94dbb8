/* store_counts -- counts domains and measures the age of changes, for the metrics. */
#pragma once

#include "model/state.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"
#include "store_due.h"

/* Counts of all domains of the pool, by status. */
struct domain_counts {
	int64_t count[STATUS_COUNT];
	/* age of the oldest PENDING change; 0: no such change */
	int64_t oldest_pending_s;
};
void store_count_domains(struct tx *tx, const char *pool, struct domain_counts *counts);
/*
 * Counts the domains of a slice for which no poll has found the newest serial on the
 * server.
 */
int64_t store_count_behind(struct tx *tx, const struct scope *scope,
                           const struct slice *slice, const struct server *server);
/*
 * Returns the age of the oldest pending change in the pool that no poll has found on the
 * server; 0: no such change.
 */
int64_t store_lag_s(struct tx *tx, const char *pool, const char *server_id);
