/*
 * membership -- makes this process a member of its service (requirements: seed 004). The
 * process inserts its row in the table worker_nodes and writes a heartbeat once per
 * `fleet.period`. If the service has no master, the process takes the lock
 * "election:<service>" and becomes the master. The master marks dead processes in the
 * database. The master also writes the share of each live process (election.h).
 *
 * Another process replaces a dead master within `fleet.timeout` + `fleet.period` after
 * the last heartbeat of the master. If a master leaves, the next process that writes a
 * heartbeat replaces the master. If a master pauses for a long time, another process
 * replaces it. After the replacement, lock_guard() refuses the writes of the old master,
 * because its fence is older. A process that cannot reach the database has no share. So
 * call membership_share() before each piece of work.
 */
#pragma once

#include "base/option.h"
#include "consistency/election.h"
#include "consistency/holder.h"

struct membership_config {
	int period_ms, timeout_ms, lock_ttl_ms;
};
/* Options of the group "fleet", with offsets into struct membership_config. */
extern const struct option membership_options[];
enum err membership_check(const struct membership_config *config, struct why *why);

void membership_metrics(void);		/* call it before the fork */

struct membership;
/*
 * SERVICE: the topic of the service. Only membership_beat() and membership_free() use DB.
 */
struct membership *membership_new(const struct membership_config *config,
                                  const char *service, struct db *db);
/*
 * Marks the process in the database as stopped, and releases the locks of the process.
 * The function runs three SQL statements.
 */
void membership_free(struct membership **membership);

/*
 * Writes a heartbeat, and does the work of the master if this process is or becomes the
 * master. Call it once per period_ms. The function normally runs two SQL statements, or
 * three in the master. If the process holds a lock, the function renews the locks with
 * two more statements. If processes have started or died, the master also writes the row
 * of each process. The master deletes old rows in about one of 60 calls.
 */
void membership_beat(struct membership *membership);
/*
 * Reads the current share of this process from the database, in one statement. The share
 * is empty if the process cannot read the database, or if the master has not yet assigned
 * a share to this process in the current generation. Any thread may call
 * membership_share() with its own DB.
 */
struct share membership_share(const struct membership *membership, struct db *db);
/*
 * True: this process is the master, and has reached the database within the last
 * `fleet.timeout`. Any thread may call membership_is_master().
 */
bool membership_is_master(const struct membership *membership);
/* Returns the object that manages the locks of this process. */
struct holder *membership_holder(struct membership *membership);
const char *membership_name(const struct membership *membership);
