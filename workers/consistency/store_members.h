/*
 * store_members -- the SQL statements for the table worker_nodes: the processes of a
 * service, and the decisions of its master about them. All times come from the clock of
 * the database.
 */
#pragma once

#include "consistency/election.h"
#include "runtime/tx.h"

enum { MEMBERS_MAX = 256 };

/* A process that joins. */
struct newcomer {
	const char *plugin_name, *service, *version;
};

/* Writes the heartbeat of ME. The first heartbeat inserts the row. */
void store_members_beat(struct tx *tx, const struct newcomer *me);
/*
 * Records that the process leaves: moves its heartbeat TIMEOUT_MS into the past, so that
 * the master acts immediately.
 */
void store_members_leave(struct tx *tx, const char *plugin_name, int timeout_ms);

struct members {
	int64_t now_ms;		/* the database's time */
	size_t count;
	struct member member[MEMBERS_MAX];
};
/*
 * Reads the master, the active processes, and processes with a heartbeat in the last
 * TIMEOUT_MS. It reads at most MEMBERS_MAX of them.
 */
void store_members_read(struct tx *tx, const char *service, int timeout_ms,
                        struct members *members);
/* Writes the master's decisions, in one transaction. */
void store_members_write(struct tx *tx, const struct members *members);
/* Reads the rows of ME and of the master, for election_share(). */
void store_members_read_own(struct tx *tx, const char *service, const char *me,
                            struct members *members);
/*
 * True: a process of the service sent its first heartbeat at least SECONDS ago. The last
 * master of a service keeps its row, so this stays true.
 */
bool store_members_has_run(struct tx *tx, const char *service, int seconds);
/* Deletes the rows of processes that have been down for an hour. */
void store_members_forget(struct tx *tx, const char *service);
