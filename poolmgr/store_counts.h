/* store_count_domains -- how the domains of a pool stand, in numbers: for the figures. */
#pragma once

#include "model/state.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"
#include "store_due.h"

/* How the pool's domains stand, whosever they are. */
struct domain_counts {
	int64_t count[STATUS_COUNT];
	int64_t oldest_pending_s;	/* since the change that is owed; 0: none is */
};
void store_count_domains(struct tx *tx, const char *pool, struct domain_counts *counts);
/* Of a slice, the domains whose newest serial the server was not seen to serve. */
int64_t store_count_behind(struct tx *tx, const struct scope *scope,
                           const struct slice *slice, const struct server *server);
/*
 * How long ago a domain changed that the server is owed and was not seen to serve: of all
 * in the pool, the one that has waited longest. 0: there is none.
 */
int64_t store_lag_s(struct tx *tx, const char *pool, const char *server_id);
