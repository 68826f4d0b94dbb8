/*
 * release -- makes the failed rows of a server due at once when it answers again, or when
 * it serves a domain that it failed to serve for long.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"
#include "runtime/tx.h"

/*
 * CONTROL: rows that failed on the control channel; otherwise rows that failed over DNS.
 */
void release_server(struct poolmgr *poolmgr, const char *server_id, bool control);

/* Servers whose failures have ended, by reports that are about to be written. */
struct recovered {
	size_t count;
	const char *server_ids[LIST_MAX];
};
/* Costs a statement if a server has rows that wait for long, and nothing otherwise. */
void release_find(const struct poolmgr *poolmgr, struct tx *tx, struct arena *arena,
                  const struct server_report *reports, size_t count,
                  struct recovered *recovered);
/* Releases their rows, unless this happened a moment ago. */
void release_recovered(struct poolmgr *poolmgr, const struct recovered *recovered);
