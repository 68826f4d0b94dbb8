/*
 * fleet -- this process's place among those of its service (seed 004: the election, the
 * hash factor). It enters itself, says every `period` that it is alive, and stands for
 * master when there is none. Who is master holds the lock "election:<service>" and lays
 * down by it who is down and what share of the work each of the others has (election.h).
 *
 * A master that died is succeeded within timeout + period, one that went at the next beat
 * of another. One that slept is not the master any more: what it lays down is refused by
 * the fence of its lock. A process that cannot reach the database has no share, for
 * whoever wants to act asks fleet_share() first, each time.
 */
#pragma once

#include "base/option.h"
#include "consistency/election.h"
#include "consistency/holder.h"

struct fleet_config {
	int period_ms, timeout_ms, lock_ttl_ms;
};
/* Rows of the group "fleet"; offsets into struct fleet_config. */
extern const struct option fleet_options[];
enum err fleet_check(const struct fleet_config *config, struct why *why);

void fleet_metrics(void);		/* before the fork */

struct fleet;
/* SERVICE: the topic. Enters itself at the first beat. DB is for the beats. */
struct fleet *fleet_new(const struct fleet_config *config, const char *service,
                        struct db *db);
/* Says that it goes: one statement for the row, one for its locks. */
void fleet_free(struct fleet **fleet);

/*
 * Every period_ms: two statements, three for the master; two more while it holds locks,
 * which it renews.
 */
void fleet_beat(struct fleet *fleet);
/*
 * What this process is to do of the service's work, now, by the database: one statement.
 * None if that cannot be read, or the roster is just being changed. Any thread, with a DB
 * of its own.
 */
struct share fleet_share(const struct fleet *fleet, struct db *db);
/* Any thread. No more if the database was not reached for `timeout`. */
bool fleet_is_master(const struct fleet *fleet);
/* The locks of this process. */
struct holder *fleet_holder(struct fleet *fleet);
const char *fleet_name(const struct fleet *fleet);
