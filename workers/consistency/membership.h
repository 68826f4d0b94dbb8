/*
 * membership -- makes this process a member of its service (requirements: seed 004). The
 * process inserts its row and writes a heartbeat once per `fleet.period`. If the service
 * has no master, the process takes the lock "election:<service>" and becomes the master.
 * The master marks dead processes in the database. The master also writes the share of
 * each live process (election.h).
 *
 * Another process replaces a dead master within `fleet.timeout` + `fleet.period`. If a
 * master leaves, the next process that writes a heartbeat replaces the master. If a
 * master pauses so long that another process replaces it, lock_guard() refuses the writes
 * of the old master, because the fence of the old master is older. A process that cannot
 * reach the database has no share. So call membership_share() before each piece of work.
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

void membership_metrics(void);		/* before the fork */

struct membership;
/* SERVICE: the topic. Only the heartbeats and membership_free() use DB. */
struct membership *membership_new(const struct membership_config *config,
                                  const char *service, struct db *db);
/*
 * Marks the process in the database as stopped, and releases its locks. This takes three
 * statements.
 */
void membership_free(struct membership **membership);

/*
 * Call it every period_ms. Normally this takes two statements, or three in the master. If
 * the process holds a lock, two more statements renew the locks. If processes have
 * started or died, the master also writes the row of each process.
 */
void membership_beat(struct membership *membership);
/*
 * Reads the current share of this process from the database, in one statement. The share
 * is empty if the process cannot read the database, or if the master is assigning new
 * shares. Any thread may call membership_share() with its own DB.
 */
struct share membership_share(const struct membership *membership, struct db *db);
/*
 * Any thread may call membership_is_master(). False: also if this process has not reached
 * the database for the time `fleet.timeout`.
 */
bool membership_is_master(const struct membership *membership);
/* The locks of this process. */
struct holder *membership_holder(struct membership *membership);
const char *membership_name(const struct membership *membership);
