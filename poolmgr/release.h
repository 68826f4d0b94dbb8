/*
 * release -- makes the failed actions of a server due immediately, so that the pool
 * manager retries these actions. A release begins in three cases: the server answers
 * again, the pool manager finds the first address of the server, or an update of a
 * domain succeeds on the server after at least three failures.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"
#include "runtime/tx.h"

/*
 * Makes failed actions of the server due now. CONTROL true: the actions that failed on
 * the control channel. CONTROL false: the actions that failed over DNS. The statements
 * run on the pool manager's lane.
 */
void release_server(struct poolmgr *poolmgr, const char *server_id, bool control);

/*
 * Servers whose failures have ended, according to reports that the caller is about to
 * write.
 */
struct recovered {
	size_t count;
	const char *server_ids[LIST_MAX];
};
/*
 * Finds the servers whose failures have ended, and writes them to RECOVERED. The
 * function runs one SQL statement if one of REPORTS is a SUCCESS of a server that has
 * rows with a long pause (has_waiting in servers.h). Otherwise, the function runs no
 * statement.
 */
void release_find(const struct poolmgr *poolmgr, struct tx *tx, struct arena *arena,
                  const struct server_report *reports, size_t count,
                  struct recovered *recovered);
/*
 * Releases the rows of each server in RECOVERED. Skips a server if this process has
 * released its rows within the last 10 s.
 */
void release_recovered(struct poolmgr *poolmgr, const struct recovered *recovered);
