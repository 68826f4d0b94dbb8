/*
 * evaluate -- reads the states of a domain on the servers of the pool, and reports the
 * consensus to central (core/domain_view.h decides, peers.h sends).
 */
#pragma once

#include "poolmgr.h"
#include "model/messages.h"

struct server;

/*
 * A domain to evaluate, and the server report that causes it. REPORT NULL: always report
 * to central.
 */
struct domain_query {
	const char *domain_id;
	enum action action;
	const char *request_id;
	const struct server_report *report;
};
/* At most LIST_MAX queries. Queries for the same domain and action have one result. */
enum err evaluate_all(struct poolmgr *poolmgr, const struct domain_query *queries,
                      size_t count, struct why *why);

/* evaluate_all() in two steps. evaluate_read() may run on any thread with its own DB. */
struct evaluation {
	const struct domain_query *queries;
	size_t count;
	int threshold_percent;		/* as the loop reads it from the configuration */
	struct domain_result {
		struct pool_report report;
		/* the first query for this domain and action */
		const struct domain_query *first;
	} *results;			/* room for COUNT; texts are in the arena */
	size_t found;
	struct unknown_serial {		/* SERVER has a serial that we did not issue */
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
/* On the loop: reports to central, and starts follow-ups for unknown serials. */
void evaluate_report(struct poolmgr *poolmgr, const struct evaluation *evaluation);
