/*
 * evaluate -- reads from the rows what the servers of the pool have of a domain, and
 * reports the consensus to central (core/domain_view.h decides, peers.h sends).
 */
#pragma once

#include "poolmgr.h"
#include "model/messages.h"

struct server;

/* A domain to evaluate, and the report that causes it; NULL: report to central anyway. */
struct domain_query {
	const char *domain_id;
	enum action action;
	const char *request_id;
	const struct server_report *report;
};
/* At most LIST_MAX queries. Queries for the same domain and action have one result. */
enum err evaluate_all(struct poolmgr *poolmgr, const struct domain_query *queries,
                      size_t count, struct why *why);

/* The same in two steps. evaluate_read() may run on any thread that has its own DB. */
struct evaluation {
	const struct domain_query *queries;
	size_t count;
	struct domain_result {
		struct pool_report report;
		const struct domain_query *first;	/* of the queries for it */
	} *results;			/* room for COUNT; their texts are in the arena */
	size_t found;
	struct unknown_serial {		/* SERVER serves a serial that we did not issue */
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
/* On the loop: reports to central, and starts follow-ups of unknown serials. */
void evaluate_report(struct poolmgr *poolmgr, const struct evaluation *evaluation);
