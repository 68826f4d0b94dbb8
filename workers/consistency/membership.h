/*
 * membership -- the place of this process among the processes of its service (seed 004:
 * the election, the hash factor). The process adds itself, sends a heartbeat every
 * `period`, and takes the lock "election:<service>" when there is no master. The master
 * writes which members are dead and which share of the work each other member has
 * (election.h).
 *
 * Another member replaces a dead master within timeout + period, and a master that
 * leaves at its next heartbeat. The fence of the lock refuses the writes of a master
 * that slept. A process that cannot reach the database has no share: call
 * membership_share() before each piece of work.
 */
#pragma once

#include "base/option.h"
#include "consistency/election.h"
#include "consistency/holder.h"

struct membership_config {
	int period_ms, timeout_ms, lock_ttl_ms;
};
/* Options of the group "fleet"; offsets are into struct membership_config. */
extern const struct option membership_options[];
enum err membership_check(const struct membership_config *config, struct why *why);

void membership_metrics(void);		/* before the fork */

struct membership;
/* SERVICE: the topic. Adds itself at the first heartbeat. DB is for heartbeats. */
struct membership *membership_new(const struct membership_config *config,
                                  const char *service, struct db *db);
/* Writes that the process leaves: one statement for its row, another for its locks. */
void membership_free(struct membership **membership);

/*
 * Call it every period_ms. Two statements, three for the master. Two more statements
 * renew the locks, if the process holds a lock.
 */
void membership_beat(struct membership *membership);
/*
 * The present share of this process according to the database: one statement. The share
 * is empty if the process cannot read the database, or the members are changing. Any
 * thread may call it, with its own DB.
 */
struct share membership_share(const struct membership *membership, struct db *db);
/*
 * Any thread may call it. False if this process has not reached the database for
 * `timeout`.
 */
bool membership_is_master(const struct membership *membership);
/* The locks of this process. */
struct holder *membership_holder(struct membership *membership);
const char *membership_name(const struct membership *membership);
