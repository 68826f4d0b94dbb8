/*
 * reason -- decides which reason an answer gives for a domain that is not ACTIVE. The
 * reason in the row of the domain is from the last report of the pool manager, and is
 * possibly out of date: a worker that is not running sends no report, and the state of a
 * server can change after the report. So an answer gives the first of these reasons that
 * applies now:
 *
 *   1. no pool manager of the pool is running
 *   2. mini-DNS is not running
 *   3. no name server of the pool is in service
 *   4. the failures of the servers that do not serve the serial; during a deletion, the
 *      failures of the deletion on the servers that possibly still serve the domain (the
 *      server with the newest report is first)
 *   5. if the status is ERROR and the task is not DELETE: the servers serve the serial,
 *      but central has not processed their last reports yet
 *   6. the stored reason
 *
 * If the domain has the status ERROR or is being deleted, reason 4 also names servers
 * without a failure, and the event that each of these servers waits for. If a limit of
 * the backend is a possible cause of the failure of a server (core/limits.h), the reason
 * of the server also names at most three record sets beyond this limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/limits.h"
#include "model/domain.h"

/* the events that a server waits for; the rows of get_status have the same texts */
#define REASON_DRAINED     "waits until the server is in service again"
#define REASON_NOT_CREATED "waits until the pool manager creates the zone"
#define REASON_BY_CATALOG  "waits until the server creates the zone from the catalog zone"
#define REASON_CREATED     "has not answered mini-DNS about this domain yet"
#define REASON_NOT_DELETED "waits until the pool manager deletes the zone"
#define REASON_IN_CATALOG  "waits until the server deletes the zone, because the " \
                           "catalog zone no longer lists it"
#define REASON_IS_CATALOG  "waits until you remove the catalog zone from the " \
                           "configuration of the server"
#define REASON_DELETED     "has not answered mini-DNS about this deletion yet"

/* maximum size of the reasons of servers in octets, including the final NUL */
enum { REASON_TEXT = 512 };

/*
 * A name server in service. If a status is NULL, there is no row for the operation, or
 * the row contains no report yet.
 */
struct reason_server {
	const char *id;
	const char *backend;		/* "catalog": the server gets no commands */
	/* from the row for the operation CREATE */
	const char *create_status, *create_reason;
	/*
	 * from the row for the operation DELETE if the task is DELETE; otherwise from the
	 * row for the operation UPDATE
	 */
	const char *status, *reason;
	bool has_serial;
	uint32_t serial;
	/* the server serves records that differ from the database */
	bool differs;
};

struct reason_view {
	struct state state;
	const char *pool;
	bool is_catalog;		/* the domain is the catalog zone of the pool */
	const char *stored;		/* the reason in the row of the domain */
	bool has_poolmgr, has_minidns;	/* a process of this worker is running */
	bool is_out_of_service;		/* all servers of the pool are out of service */
	/* the server with the newest report is first */
	const struct reason_server *servers;
	size_t count;
	/* NULL: no record set is beyond a limit, or central did not check */
	const struct limits_found *limits;
};

/*
 * True: the domain has a task, or its status is not ACTIVE. For all other domains,
 * reason_now() returns the stored reason.
 */
bool reason_is_due(const struct state *state);
/*
 * True: a limit of the backend is a possible cause of the failure of a server. In this
 * case, the caller looks for record sets beyond limits, and sets view->limits before
 * reason_now().
 */
bool reason_may_be_limit(const struct reason_view *view);
/*
 * Returns the reason of FAILURE. If LIMITS contains record sets that are a possible cause
 * of the failure, the text also names these record sets.
 */
const char *reason_with_limit(const struct limits_found *limits,
                              const struct limit_failure *failure, struct arena *arena);
/*
 * Returns the reason for the answer. The reason names all servers with the same failure
 * together: "a, b: REASON". "": no reason is known. If the texts of VIEW are valid UTF-8,
 * the reason is also valid UTF-8.
 */
const char *reason_now(const struct reason_view *view, struct arena *arena);
