/*
 * poolmgr -- acts on the name servers of one pool and finds out what they
 * agree on; what its parts share. The row of pool_manager_status is the
 * ledger: a message is acknowledged when its rows say what is owed, and the
 * periodic sync takes up whatever is owed and due.
 *
 *	service  messages -> work, tell        work  driver operations, by lane
 *	sync     rows that are due -> the same  tell  casts to minidns, calls to central
 */
#pragma once

#include "base/option.h"
#include "endpoint.h"
#include "runtime/worker.h"

struct servers;
struct tell;
struct metric;

struct poolmgr {
	struct runtime runtime;
	struct {
		char *pool_name;
		int threshold_percentage;
		int poll_timeout_s, poll_retry_interval_s, poll_max_retries;
		int periodic_sync_interval_s;
		int sync_batch;
		struct option_texts masters, also_notifies;
	} config;
	struct endpoint *masters, *also;
	struct servers *servers;
	struct tell *tell;
	int retry_period_s;		/* of the retry timer: constant */
};

extern const struct rpc_method poolmgr_methods[];	/* service.c */

void sync_round(void *poolmgr);		/* sync.c: periodic_sync of the seed */
void sync_retry(void *poolmgr);		/* sync.c: what is due by its own time */

/* The longest that a poll may take until it reports, in seconds. */
int poolmgr_poll_budget_s(const struct poolmgr *poolmgr);
