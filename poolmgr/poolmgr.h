/*
 * poolmgr -- acts on the name servers of one pool and finds out what they
 * agree on; what its parts share. The row of pool_manager_status is the
 * ledger: a message is acknowledged when its rows say what is owed, and the
 * periodic sync takes up whatever is owed and due.
 *
 *	service  messages -> work, tell        work  driver operations, by lane
 *	retry    rows that are due -> the same  tell  casts to minidns, calls to central
 *	sync     all domains: who is behind     patrol  all domains: what they serve
 *	repair   what a server has otherwise   follow_up  who answers, and does not follow
 *	health   which servers answer          registration  their ids and addresses
 *	content  servers that serve other records, until found equal
 *
 * What goes through many rows does so on the lane, a page at a time, with a connection of
 * its own; the loop only does what was found on a page.
 *
 * Messages go to whichever process takes them. What is done by time is shared: each
 * domain is looked after by one process of the pool (consistency/membership.h).
 */
#pragma once

#include "base/option.h"
#include "endpoint.h"
#include "runtime/offload.h"
#include "runtime/worker.h"
#include "scope.h"

struct servers;
struct peers;
struct heartbeat;
struct queue_watch;
struct full_scan;
struct recompare;
struct retry;
struct sync;
struct follow_up;
struct registration;
struct health_writer;
struct metric;

enum lock_scope { LOCK_DOMAIN, LOCK_TENANT };

struct poolmgr {
	struct runtime runtime;
	struct {
		char *pool_name;
		int threshold_percentage;
		int poll_timeout_ms, poll_retry_interval_ms, poll_max_retries;
		int periodic_sync_interval_ms;
		int sync_batch;
		int compare_every;
		int lock_scope;		/* enum lock_scope */
		struct option_texts masters, also_notifies;
	} config;
	struct endpoint *masters, *also;
	struct servers *servers;
	struct peers *peers;
	struct heartbeat *heartbeat;
	struct queue_watch *queues;
	struct full_scan *scan;
	struct recompare *recompare;
	struct follow_up *follow_up;
	struct registration *registration;
	struct health_writer *health_writer;
	struct retry *retry;
	struct sync *sync;
	struct lane *lane;		/* of what goes through many rows */
	struct db *lane_db;		/* of its thread */
	bool is_draining;		/* nothing of that goes on to another page */
	int retry_period_ms, patrol_period_ms;	/* of their timers: constant */
};

extern const struct rpc_method poolmgr_methods[];	/* service.c */

/*
 * A page of work on the lane. Its done() asks poolmgr_ran(). False: it is full, or has
 * ended; nothing is called.
 */
bool poolmgr_submit(struct poolmgr *poolmgr, lane_fn *work, lane_fn *done, void *job);
bool poolmgr_ran(const struct poolmgr *poolmgr);

/* What this process is to look after now; share.total 0: nothing. One statement. */
struct scope poolmgr_scope(const struct poolmgr *poolmgr, struct db *db);
/* The longest that a poll may take until it reports, in seconds. */
int poolmgr_poll_budget_s(const struct poolmgr *poolmgr);
