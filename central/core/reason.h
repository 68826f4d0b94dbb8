/*
 * reason -- decides which reason an answer gives for a domain that is not ACTIVE. The
 * reason in the row of the domain is from the last report of the pool manager: a worker
 * that is not running sends no report, and the servers may have changed since the report.
 * So an answer names the first of these causes that holds now:
 *
 *   1. no pool manager of the pool is running
 *   2. mini-DNS is not running
 *   3. no name server of the pool is in service
 *   4. the reason of each server that does not serve the serial, or that still serves a
 *      deleted domain; the server with the newest report comes first
 *   5. the stored reason
 *
 * If the zone has a record that a kind of server does not take (core/limits.h), the
 * reason of such a server also names the record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/limits.h"
#include "model/domain.h"

enum { REASON_TEXT = 512 };	/* octets, including the final NUL */

/* A name server in service. A NULL status: there is no row, or no report yet. */
struct reason_server {
	const char *id;
	const char *backend;		/* catalog: the server gets no commands */
	/* from the row of CREATE */
	const char *create_status, *create_reason;
	/*
	 * from the row of DELETE if the task is DELETE, otherwise from the row of UPDATE
	 */
	const char *status, *reason;
	bool has_serial;
	uint32_t serial;
	bool differs;			/* serves other records than the database */
};

struct reason_view {
	struct state state;
	const char *pool;
	const char *stored;		/* domains.reason */
	bool has_poolmgr, has_minidns;	/* a process is running */
	bool is_out_of_service;		/* all servers of the pool are out of service */
	const struct reason_server *servers;	/* the newest report first */
	size_t count;
	/* NULL: no record set is beyond a limit, or central did not check */
	const struct limits_found *limits;
};

/* True: the domain is not ACTIVE, so reason_now() may find a cause. */
bool reason_is_due(const struct state *state);
/*
 * True: a server has a failure that a limit of its backend may cause. Then the caller
 * looks for record sets beyond a limit.
 */
bool reason_may_be_limit(const struct reason_view *view);
/*
 * Returns the reason of FAILURE. If a limit explains the failure, the text also names the
 * record sets.
 */
const char *reason_with_limit(const struct limits_found *limits,
                              const struct limit_failure *failure, struct arena *arena);
/*
 * Returns the reason for the answer, which names all servers with the same failure
 * together: "a, b: REASON". "": no cause is known. If the texts of VIEW are valid UTF-8,
 * the reason is also valid UTF-8.
 */
const char *reason_now(const struct reason_view *view, struct arena *arena);
