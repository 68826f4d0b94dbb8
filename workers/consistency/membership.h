/*
 * membership -- the place of this process among the processes of its service (seed 004:
 * the election, the hash factor). It adds itself, sends a heartbeat every `period`, and
 * takes the lock "election:<service>" when there is no master. The master writes which
 * members are dead and the share of work of each other one (election.h).
 *
 * A dead master is succeeded within timeout + period, one that left at the next
 * heartbeat of another. The fence of the lock refuses the writes of a master that slept.
 * A process that cannot reach the database has no share: ask membership_share() before
 * each piece of work.
 */
#pragma once

#include "base/option.h"
#include "consistency/election.h"
#include "consistency/holder.h"

struct membership_config {
	int period_ms, timeout_ms, lock_ttl_ms;
};
/* Rows of the group "fleet"; offsets into struct membership_config. */
extern const struct option membership_options[];
enum err membership_check(const struct membership_config *config, struct why *why);

void membership_metrics(void);		/* before the fork */

struct membership;
/* SERVICE: the topic. Adds itself at the first heartbeat. DB is for heartbeats. */
struct membership *membership_new(const struct membership_config *config,
                                  const char *service, struct db *db);
/* Writes that it leaves: one statement for the row, one for its locks. */
void membership_free(struct membership **membership);

/*
 * Every period_ms: two statements, three for the master; two more while it holds locks,
 * which it renews.
 */
void membership_beat(struct membership *membership);
/*
 * The present share of this process, by the database: one statement. None if it cannot
 * be read, or the members are changing. Any thread, with a DB of its own.
 */
struct share membership_share(const struct membership *membership, struct db *db);
/* Any thread. False if the database was not reached for `timeout`. */
bool membership_is_master(const struct membership *membership);
/* The locks of this process. */
struct holder *membership_holder(struct membership *membership);
const char *membership_name(const struct membership *membership);
