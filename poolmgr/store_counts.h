/* store_counts -- numbers of domains and ages of changes, for the metrics. */
#pragma once

#include "model/state.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"
#include "store_due.h"

/* All domains of the pool, by status. */
struct domain_counts {
	int64_t count[STATUS_COUNT];
	int64_t oldest_pending_s;	/* age of the oldest PENDING change, or 0 */
};
void store_count_domains(struct tx *tx, const char *pool, struct domain_counts *counts);
/* Counts the domains of a slice whose newest serial the server was not seen to serve. */
int64_t store_count_behind(struct tx *tx, const struct scope *scope,
                           const struct slice *slice, const struct server *server);
/*
 * The age of the oldest change in the pool that the server was not seen to serve and that
 * is pending there. 0: there is no such change.
 */
int64_t store_lag_s(struct tx *tx, const char *pool, const char *server_id);
