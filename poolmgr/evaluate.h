/*
 * evaluate -- reads the states of a domain on the servers of the pool, and reports the
 * consensus to central. core/domain_view.h decides what to report, and peers.h sends the
 * report.
 */
#pragma once

#include "poolmgr.h"
#include "model/messages.h"

struct cause;
struct server;

/*
 * A domain to evaluate, and the server report that caused the evaluation. REPORT NULL:
 * no server report caused the evaluation. In this case, the pool manager also reports a
 * consensus that central possibly knows already.
 */
struct domain_query {
	const char *domain_id;
	enum action action;
	const char *request_id;
	const struct server_report *report;
};
/*
 * Evaluates the domains in QUERIES and reports to central. COUNT is at most LIST_MAX.
 * Queries for the same domain and action share one result. Call it on the event loop.
 */
enum err evaluate_all(struct poolmgr *poolmgr, const struct domain_query *queries,
                      size_t count, struct why *why);

/*
 * Evaluates DOMAIN if no server of the pool must serve it. An example is a catalog zone
 * that no server reads. Without such a server, no report starts an evaluation.
 */
enum err evaluate_unserved(struct poolmgr *poolmgr, const struct domain_ref *domain,
                           enum action action, const struct cause *cause,
                           struct why *why);

/*
 * evaluate_read() and evaluate_report() are the two steps of evaluate_all().
 * evaluate_read() may run on any thread that has its own connection to the database.
 */
struct evaluation {
	const struct domain_query *queries;
	size_t count;
	/*
	 * threshold for the consensus. The event loop has read the threshold from the
	 * settings
	 */
	int threshold_percent;
	struct domain_result {
		struct pool_report report;
		/* the first query for this domain and action */
		const struct domain_query *first;
	/* room for COUNT results. Their strings are in the arena */
	} *results;
	size_t found;			/* number of results */
	/* list of the servers that serve a serial that zonefleet did not issue */
	struct unknown_serial {
		struct unknown_serial *next;
		const struct server *server;
		const struct domain_ref *domain;
		uint32_t serial;
		const char *request_id;
	} *unknown;
};
enum err evaluate_read(const struct poolmgr *poolmgr, struct db *db,
                       struct evaluation *evaluation, struct arena *arena,
                       struct why *why);
/*
 * Sends the results to central, and starts a follow-up for each server in the list
 * `unknown`. Call it on the event loop.
 */
void evaluate_report(struct poolmgr *poolmgr, const struct evaluation *evaluation);
