/*
 * store_members -- the SQL statements for the table worker_nodes. This table contains the
 * processes of each service, and the shares that the master of the service assigned to
 * the processes. All times come from the clock of the database.
 */
#pragma once

#include "consistency/election.h"
#include "runtime/tx.h"

enum { MEMBERS_MAX = 256 };

/* A process that joins its service. */
struct newcomer {
	const char *plugin_name, *service, *version;
};

/* Writes the heartbeat of the process ME. The first heartbeat of ME inserts the row. */
void store_members_beat(struct tx *tx, const struct newcomer *me);
/*
 * Call it when a process stops. Sets the time of the last heartbeat of the process to
 * more than TIMEOUT_MS ago. So the master counts the process as dead immediately.
 */
void store_members_leave(struct tx *tx, const char *plugin_name, int timeout_ms);

struct members {
	int64_t now_ms;		/* time of the read, by the clock of the database */
	size_t count;
	struct member member[MEMBERS_MAX];
};
/*
 * Reads the master, the active processes, and processes with a heartbeat in the last
 * TIMEOUT_MS. The function reads at most MEMBERS_MAX processes.
 */
void store_members_read(struct tx *tx, const char *service, int timeout_ms,
                        struct members *members);
/* Writes the role, the status, the share and the generation of each of MEMBERS. */
void store_members_write(struct tx *tx, const struct members *members);
/* Reads the rows of ME and of the master, for election_share(). */
void store_members_read_own(struct tx *tx, const char *service, const char *me,
                            struct members *members);
/*
 * True: a process of the service wrote its first heartbeat at least SECONDS ago. The row
 * of the last master of a service is never deleted, so the result stays true.
 */
bool store_members_has_run(struct tx *tx, const char *service, int seconds);
/*
 * Deletes the rows of the processes that are down and have written no heartbeat in the
 * last hour. Keeps the row of the master.
 */
void store_members_forget(struct tx *tx, const char *service);
