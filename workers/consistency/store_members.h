/*
 * store_roster -- the statements of worker_nodes: who of a service is alive, and what its
 * master laid down. Times are the database's.
 */
#pragma once

#include "consistency/election.h"
#include "runtime/tx.h"

enum { ROSTER_MAX = 256 };

/* A worker as it enters itself. */
struct newcomer {
	const char *plugin_name, *service, *version;
};

/* I am alive. The first time makes the row. */
void store_roster_beat(struct tx *tx, const struct newcomer *me);
/* I go: as if not heard of for TIMEOUT_MS, so that whoever is the master acts at once. */
void store_roster_leave(struct tx *tx, const char *plugin_name, int timeout_ms);

struct roster {
	int64_t now_ms;		/* the database's time */
	size_t count;
	struct member member[ROSTER_MAX];
};
/*
 * The master, those that are active, and those that were heard of within TIMEOUT_MS: who
 * is down and silent needs nothing. Of more than ROSTER_MAX the last ones are left out.
 */
void store_roster_read(struct tx *tx, const char *service, int timeout_ms,
                       struct roster *roster);
/* What the master laid down, in one transaction. */
void store_roster_write(struct tx *tx, const struct roster *roster);
/* The row of ME and the master's alone: what share() needs. */
void store_roster_read_own(struct tx *tx, const char *service, const char *me,
                           struct roster *roster);
/* Rows that were down for an hour. */
void store_roster_forget(struct tx *tx, const char *service);
