/*
 * poolmgr -- the state that the parts of the pool manager share. The pool manager
 * controls the name servers of one pool and computes their consensus.
 *
 * service       receives messages
 * operation     calls the drivers, on lanes (threads)
 * peers         sends casts and calls
 * retry         handles rows that are due
 * sync          finds servers on which changes are missing
 * full_scan     polls all domains
 * repair        corrects drift
 * adjust        corrects the settings of zones
 * follow_up     corrects servers that are behind
 * recompare     repeats the comparison with servers whose records differ
 * health        writes to the database which servers answer
 * server_check  checks whether servers answer while no domain changes
 * registration  writes the ids and addresses of the servers to the database
 */
#pragma once

#include "base/option.h"
#include "endpoint.h"
#include "runtime/offload.h"
#include "runtime/worker.h"
#include "scope.h"

struct servers;
struct peers;
struct full_scan;
struct recompare;
struct retry;
struct sync;
struct follow_up;
struct registration;
struct server_check;
struct health_writer;
struct metric;

enum lock_scope { LOCK_DOMAIN, LOCK_TENANT };

/*
 * The rows of pool_manager_status contain all work that remains. The pool manager writes
 * the rows of a message before it acknowledges the message, and the periodic work
 * handles each row that is due. Any process can receive a message. The processes divide
 * the periodic work: each domain is in the share of one process of the pool
 * (consistency/membership.h). Work on many rows runs page by page on the pool manager's
 * lane, which has its own connection to the database. The event loop handles the results
 * of a page.
 */
struct poolmgr {
	struct runtime runtime;
	struct {
		char *pool_name;
		int threshold_percentage;
		int poll_timeout_ms, poll_retry_interval_ms, poll_max_retries;
		int periodic_sync_interval_ms, server_check_interval_ms;
		int sync_batch;
		int compare_every;
		int lock_scope;		/* enum lock_scope */
		struct option_texts masters, also_notifies;
	} config;
	struct endpoint *masters, *also;
	struct servers *servers;
	struct peers *peers;
	struct full_scan *scan;
	struct recompare *recompare;
	struct follow_up *follow_up;
	struct registration *registration;
	struct health_writer *health_writer;
	struct retry *retry;
	struct server_check *server_check;
	struct sync *sync;
	struct lane *lane;		/* lane for work on many rows */
	struct db *lane_db;		/* connection for the thread of `lane` */
	/* true: the process starts no work on a further page */
	bool is_draining;
	/* periods of the timers. The program never changes these periods */
	int retry_period_ms, scan_period_ms;
};

extern const struct rpc_method poolmgr_methods[];	/* service.c */

/*
 * The maximum number of jobs that wait on the pool manager's lane. Most jobs are
 * observations of repair.c.
 */
enum { POOLMGR_JOBS_MAX = 1000 };
/* the reason in the log if poolmgr_submit() returns false; %d: POOLMGR_JOBS_MAX */
#define POOLMGR_IS_FULL "too many jobs are waiting (at most %d can wait), or the " \
                        "process is stopping"
/* the reason if the pool manager waits for the control channel; %s: id of the server */
#define CONTROL_SILENCE_WORDS "the control channel of server %s does not answer: the " \
                              "pool manager retries when the control channel answers " \
                              "again"

/*
 * Puts a job on the pool manager's lane. WORK runs on the thread of the lane. After
 * WORK, DONE runs on the event loop. DONE must call poolmgr_ran(), which returns false
 * if the process is stopping and WORK has not run. poolmgr_submit() returns false if the
 * lane is full or has ended. In this case, neither WORK nor DONE runs.
 */
bool poolmgr_submit(struct poolmgr *poolmgr, lane_fn *work, lane_fn *done, void *job);
bool poolmgr_ran(const struct poolmgr *poolmgr);

/*
 * Returns the scope of this process: the domains in its current share. share.total 0:
 * the process has no share. The function runs one SQL statement.
 */
struct scope poolmgr_scope(const struct poolmgr *poolmgr, struct db *db);
/* Returns the maximum time in seconds until mini-DNS reports the result of a poll. */
int poolmgr_poll_budget_s(const struct poolmgr *poolmgr);
