/*
 * release -- makes the failed actions of a server due immediately, so that the pool
 * manager retries them. A release begins when the server answers again. A release also
 * begins when an update of a domain succeeds on the server after many failures.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"
#include "runtime/tx.h"

/*
 * CONTROL: releases the actions that failed on the control channel; false: the actions
 * that failed over DNS.
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
 * Finds the servers whose failures have ended, and writes them to RECOVERED. Runs one
 * statement if a server with a successful report has rows with a long pause; otherwise
 * runs no statement.
 */
void release_find(const struct poolmgr *poolmgr, struct tx *tx, struct arena *arena,
                  const struct server_report *reports, size_t count,
                  struct recovered *recovered);
/*
 * Releases the rows of the servers in RECOVERED, unless this process has just released
 * the rows of the server.
 */
void release_recovered(struct poolmgr *poolmgr, const struct recovered *recovered);
