#include "consistency/membership.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/version.h"
#include "consistency/store_members.h"
#include "runtime/metrics.h"

#define AT(field) offsetof(struct membership_config, field)

const struct option membership_options[] = {
	{ "period", OPTION_DURATION, AT(period_ms), "5s", 50, 300 * 1000,
	  "time between two heartbeats of a process" },
	{ "timeout", OPTION_DURATION, AT(timeout_ms), "15s", 150, 3600 * 1000,
	  "longest time without a heartbeat. After this time, a process counts as dead, "
	  "and other processes take over its work. The time must be more than twice "
	  "fleet.period" },
	{ "lock_ttl", OPTION_DURATION, AT(lock_ttl_ms), "30s", 150, 3600 * 1000,
	  "lifetime of a lock that its holder does not renew. After this time, another "
	  "process may take over the lock. The time must be at least three times "
	  "fleet.period" },
	{ 0 }
};

enum err membership_check(const struct membership_config *config, struct why *why)
{
	if (config->timeout_ms <= 2 * config->period_ms)
		return fail(why, ERR_INVALID, "fleet.timeout: must be more than twice "
		            "fleet.period (%d ms), not %d ms: otherwise live processes "
		            "count as dead", config->period_ms, config->timeout_ms);
	if (config->lock_ttl_ms < 3 * config->period_ms)
		return fail(why, ERR_INVALID, "fleet.lock_ttl: must be at least three "
		            "times fleet.period (%d ms), not %d ms: a process renews "
		            "its locks once a period", config->period_ms,
		            config->lock_ttl_ms);
	return OK;
}

static struct metric *masters, *is_master, *beats;

void membership_metrics(void)
{
	masters = metric_new(METRIC_COUNTER, "fleet_master_changes_total",
	                     "number of times that a process became the master of its "
	                     "service",
	                     NULL, NULL);
	is_master = metric_new(METRIC_GAUGE, "fleet_is_master",
	                       "1 if a process of this program is the master of its "
	                       "service, otherwise 0", NULL, NULL);
	beats = metric_new(METRIC_COUNTER, "fleet_beats_total",
	                   "heartbeats that the processes wrote", NULL, NULL);
}

struct membership {
	const struct membership_config *config;
	struct db *db;
	char *service, *election;
	char name[MEMBER_NAME + 1];
	char master_id[ID_LEN + 1];
	struct lock_session master_session;	/* of the election lock */
	atomic_llong heard_ms;			/* when the database was last reached */
	/* fence 0: this process is not the master */
	struct lock lock;
	atomic_bool is_master;			/* the same, for other threads */
	struct holder *holder;
	struct members members;			/* of the current heartbeat */
	const char *failure;			/* of the current step, for the log */
};

/* Makes a unique name, also in containers, that says where the process runs. */
static void membership_choose_name(char *name, size_t size)
{
	char host[HOST_NAME_MAX + 1] = "?";

	gethostname(host, sizeof(host) - 1);
	snprintf(name, size, "%s.%.80s:%ld:%04x", program_invocation_short_name, host,
	         (long)getpid(), random_u32() & 0xffff);
}

struct membership *membership_new(const struct membership_config *config,
                                  const char *service, struct db *db)
{
	struct membership *membership = xcalloc(1, sizeof(*membership));

	membership->config = config;
	membership->db = db;
	membership->service = xstrdup(service);
	membership->election = xprintf("election:%s", service);
	membership_choose_name(membership->name, sizeof(membership->name));
	membership->holder = holder_new(membership->name, config->lock_ttl_ms);
	id_random(membership->master_id);
	membership->master_session = (struct lock_session){
		membership->master_id, membership->name, config->timeout_ms,
	};
	return membership;
}

/* ---- the election ---- */

static void membership_note_master(struct membership *membership, bool now)
{
	metric_set(is_master, now);
	atomic_store(&membership->is_master, now);
	if (!now) {
		log_warn("no longer the master: service=%s", membership->service);
		membership->lock.fence = 0;
		return;
	}
	metric_add(masters, 1);
	log_info("became the master: service=%s fence=%llu", membership->service,
	         (unsigned long long)membership->lock.fence);
}

/* Takes the lock of the master if it is free or has expired (seed 004). */
static enum err membership_try_election(struct membership *membership, struct why *why)
{
	struct tx tx = tx_autocommit(membership->db, why);
	struct lock lock;

	lock_try(&tx, membership->election, &membership->master_session, &lock);
	enum err err = tx_commit(&tx);
	if (err || !lock.fence)
		return err;
	membership->lock = lock;
	membership_note_master(membership, true);
	return OK;
}

/* The first statement checks the fence: a process that slept changes nothing. */
static enum err membership_write(struct membership *membership, bool differs,
                                 struct why *why)
{
	struct tx tx = tx_begin(membership->db, why);

	lock_guard(&tx, &membership->lock, &membership->master_session);
	if (differs)
		store_members_write(&tx, &membership->members);
	return tx_commit(&tx);
}

/*
 * The rows were read before the fence is checked. A row of a new process that came in
 * between is read at the next heartbeat.
 */
static enum err membership_assign(struct membership *membership, struct why *why)
{
	struct members *members = &membership->members;
	bool differs = election_assign(members->member, members->count, membership->name,
	                               members->now_ms, membership->config->timeout_ms);
	enum err err = membership_write(membership, differs, why);

	if (err == ERR_BUSY)
		membership_note_master(membership, false);
	if (!err && differs)
		log_info("periodic work divided: service=%s generation=%llu processes=%d",
		         membership->service,
		         (unsigned long long)members->member[0].generation,
		         (int)members->count);
	return err;
}

/* ---- a heartbeat ---- */

static enum err membership_store_beat(struct membership *membership, struct why *why)
{
	const struct newcomer me = {
		membership->name, membership->service, version_text,
	};
	struct tx tx = tx_autocommit(membership->db, why);

	store_members_beat(&tx, &me);
	store_members_read(&tx, membership->service, membership->config->timeout_ms,
	                   &membership->members);
	return tx_commit(&tx);
}

static enum err membership_remove_old(struct membership *membership, struct why *why)
{
	struct tx tx = tx_autocommit(membership->db, why);

	store_members_forget(&tx, membership->service);
	lock_forget(&tx);
	return tx_commit(&tx);
}

/*
 * True: there is no master. Also true if this process is the master by the rows, but does
 * not hold the lock: after a failure, or because a process died before it wrote the
 * members.
 */
static bool membership_should_try(const struct membership *membership)
{
	const struct members *members = &membership->members;

	return !membership->lock.fence &&
	       (election_is_vacant(members->member, members->count, members->now_ms,
	                           membership->config->timeout_ms) ||
	        election_is_master(members->member, members->count, membership->name));
}

static enum err membership_beat_once(void *self, struct why *why)
{
	struct membership *membership = self;
	enum err err;

	membership->failure = "heartbeat not written";
	err = membership_store_beat(membership, why);
	if (!err)
		atomic_store(&membership->heard_ms, clock_boot_ms());
	if (!err && membership_should_try(membership)) {
		membership->failure = "cannot get the lock of the master";
		err = membership_try_election(membership, why);
	}
	if (!err && membership->lock.fence) {
		membership->failure = "periodic work not divided";
		err = membership_assign(membership, why);
	}
	return err;
}

enum { TIDY_EVERY = 60 };	/* heartbeats of the master, on average */

void membership_beat(struct membership *membership)
{
	struct why why;
	enum err err = tx_retry(membership_beat_once, membership, &why);

	metric_add(beats, !err);
	holder_renew(membership->holder, membership->db);
	if (!err && membership->lock.fence && random_u32() % TIDY_EVERY == 0) {
		membership->failure = "old processes and locks not removed";
		err = membership_remove_old(membership, &why);
	}
	if (err && err != ERR_UNREACHABLE && err != ERR_BUSY)
		log_warn("%s: service=%s err=%s reason=\"%s\"", membership->failure,
		         membership->service, err_name(err), why.text);
}

/* ---- share and master ---- */

struct share membership_share(const struct membership *membership, struct db *db)
{
	static const struct share none;
	struct members members;
	struct why why;
	struct tx tx = tx_autocommit(db, &why);

	store_members_read_own(&tx, membership->service, membership->name, &members);
	if (tx_commit(&tx))
		return none;
	return election_share(members.member, members.count, membership->name);
}

bool membership_is_master(const struct membership *membership)
{
	int64_t silent_ms = clock_boot_ms() - atomic_load(&membership->heard_ms);

	return atomic_load(&membership->is_master) &&
	       silent_ms < membership->config->timeout_ms;
}

struct holder *membership_holder(struct membership *membership)
{
	return membership->holder;
}

const char *membership_name(const struct membership *membership)
{
	return membership->name;
}

void membership_free(struct membership **membership)
{
	struct membership *gone = *membership;
	struct why why;

	if (!gone)
		return;
	struct tx tx = tx_autocommit(gone->db, &why);
	store_members_leave(&tx, gone->name, gone->config->timeout_ms);
	lock_release_all(&tx, &gone->master_session);
	lock_release_all(&tx, holder_session(gone->holder));
	if (tx_commit(&tx))
		log_info("stop of the process not recorded: reason=\"%s\"", why.text);
	holder_free(&gone->holder);
	free(gone->service);
	free(gone->election);
	free(gone);
	*membership = NULL;
}
