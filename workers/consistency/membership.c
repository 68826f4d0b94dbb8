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
#include "consistency/store_members.h"
#include "runtime/metrics.h"

#define AT(field) offsetof(struct fleet_config, field)

const struct option fleet_options[] = {
	{ "period", OPTION_DURATION, AT(period_ms), "5s", 50, 300 * 1000,
	  "time between two heartbeats of a process" },
	{ "timeout", OPTION_DURATION, AT(timeout_ms), "15s", 150, 3600 * 1000,
	  "time without a heartbeat after which a process counts as dead. Other "
	  "processes then take its work. Set it to more than twice `period`" },
	{ "lock_ttl", OPTION_DURATION, AT(lock_ttl_ms), "30s", 150, 3600 * 1000,
	  "time after which another process may take over a lock that its holder does "
	  "not renew. Set it to at least three times `period`" },
	{ 0 }
};

enum err fleet_check(const struct fleet_config *config, struct why *why)
{
	if (config->timeout_ms <= 2 * config->period_ms)
		return fail(why, ERR_INVALID, "fleet.timeout: is %d ms, must be more "
		            "than twice fleet.period (%d ms), or live processes "
		            "count as dead", config->timeout_ms, config->period_ms);
	if (config->lock_ttl_ms < 3 * config->period_ms)
		return fail(why, ERR_INVALID, "fleet.lock_ttl: is %d ms, must be at "
		            "least three times fleet.period (%d ms): a process "
		            "renews its locks once a period", config->lock_ttl_ms,
		            config->period_ms);
	return OK;
}

static struct metric *masters, *is_master, *beats;

void fleet_metrics(void)
{
	masters = metric_new(METRIC_COUNTER, "fleet_master_changes_total",
	                     "Times that a process became the master of its service",
	                     NULL, NULL);
	is_master = metric_new(METRIC_GAUGE, "fleet_is_master",
	                       "Processes of this program that are its service's master",
	                       NULL, NULL);
	beats = metric_new(METRIC_COUNTER, "fleet_beats_total",
	                   "Times that a process said that it is alive", NULL, NULL);
}

struct fleet {
	const struct fleet_config *config;
	struct db *db;
	char *service, *election;
	char name[MEMBER_NAME + 1];
	char master_id[ID_LEN + 1];
	struct lock_session master_session;	/* of the seat: its time is the timeout */
	atomic_llong heard_ms;			/* when the database was last reached */
	struct lock lock;			/* fence 0: not the master */
	atomic_bool is_master;			/* the same, for other threads */
	struct holder *holder;
	struct members members;			/* of the beat in hand */
};

/* A name that no other has, in any container, and that tells where it runs. */
static void name_self(char *name, size_t size)
{
	char host[HOST_NAME_MAX + 1] = "?";

	gethostname(host, sizeof(host) - 1);
	snprintf(name, size, "%s.%.80s:%ld:%04x", program_invocation_short_name, host,
	         (long)getpid(), random_u32() & 0xffff);
}

struct fleet *fleet_new(const struct fleet_config *config, const char *service,
                        struct db *db)
{
	struct fleet *fleet = xcalloc(1, sizeof(*fleet));

	fleet->config = config;
	fleet->db = db;
	fleet->service = xstrdup(service);
	fleet->election = xprintf("election:%s", service);
	name_self(fleet->name, sizeof(fleet->name));
	fleet->holder = holder_new(fleet->name, config->lock_ttl_ms);
	id_random(fleet->master_id);
	fleet->master_session = (struct lock_session){ fleet->master_id, fleet->name,
	                                               config->timeout_ms };
	return fleet;
}

/* ---- the election ---- */

static void note_master(struct fleet *fleet, bool now)
{
	metric_set(is_master, now);
	atomic_store(&fleet->is_master, now);
	if (!now) {
		log_warn("not the master any more: service=%s", fleet->service);
		fleet->lock.fence = 0;
		return;
	}
	metric_add(masters, 1);
	log_info("master: service=%s fence=%llu", fleet->service,
	         (unsigned long long)fleet->lock.fence);
}

/* As the seed has it: the master's seat is free, or his time is over. */
static enum err stand(struct fleet *fleet, struct why *why)
{
	struct tx tx = tx_once(fleet->db, why);
	struct lock lock;

	lock_try(&tx, fleet->election, &fleet->master_session, &lock);
	enum err err = tx_commit(&tx);
	if (err || !lock.fence)
		return err;
	fleet->lock = lock;
	note_master(fleet, true);
	return OK;
}

/* The first statement is the fence: who slept changes nothing. */
static enum err lay_down(struct fleet *fleet, bool differs, struct why *why)
{
	struct tx tx = tx_begin(fleet->db, why);

	lock_guard(&tx, &fleet->lock, &fleet->master_session);
	if (differs)
		store_members_write(&tx, &fleet->members);
	return tx_commit(&tx);
}

/*
 * The rows were read before the fence is written: what came between, a newcomer's row, is
 * seen at the next beat.
 */
static enum err preside(struct fleet *fleet, struct why *why)
{
	struct members *members = &fleet->members;
	bool differs = election_assign(members->member, members->count, fleet->name,
	                               members->now_ms, fleet->config->timeout_ms);
	enum err err = lay_down(fleet, differs, why);

	if (err == ERR_BUSY)
		note_master(fleet, false);
	if (!err && differs)
		log_info("roster: service=%s generation=%llu workers=%d", fleet->service,
		         (unsigned long long)members->member[0].generation,
		         (int)members->count);
	return err;
}

/* ---- a beat ---- */

static enum err beat(struct fleet *fleet, struct why *why)
{
	const struct newcomer me = { fleet->name, fleet->service, ZONEFLEET_VERSION };
	struct tx tx = tx_once(fleet->db, why);

	store_members_beat(&tx, &me);
	store_members_read(&tx, fleet->service, fleet->config->timeout_ms,
	                   &fleet->members);
	return tx_commit(&tx);
}

static enum err tidy(struct fleet *fleet, struct why *why)
{
	struct tx tx = tx_once(fleet->db, why);

	store_members_forget(&tx, fleet->service);
	lock_forget(&tx);
	return tx_commit(&tx);
}

/*
 * Nobody is, or I am by the rows and do not hold the seat: it was lost to a failure that
 * was no take-over, or to one who died before he laid anything down.
 */
static bool should_stand(const struct fleet *fleet)
{
	const struct members *members = &fleet->members;

	return !fleet->lock.fence &&
	       (election_is_vacant(members->member, members->count, members->now_ms,
	                           fleet->config->timeout_ms) ||
	        election_is_master(members->member, members->count, fleet->name));
}

static enum err beat_once(void *self, struct why *why)
{
	struct fleet *fleet = self;
	enum err err = beat(fleet, why);

	if (!err)
		atomic_store(&fleet->heard_ms, clock_boot_ms());
	if (!err && should_stand(fleet))
		err = stand(fleet, why);
	if (!err && fleet->lock.fence)
		err = preside(fleet, why);
	return err;
}

enum { TIDY_EVERY = 60 };	/* beats of a master, on average */

void fleet_beat(struct fleet *fleet)
{
	struct why why;
	enum err err = tx_redo(beat_once, fleet, &why);

	metric_add(beats, !err);
	holder_renew(fleet->holder, fleet->db);
	if (!err && fleet->lock.fence && random_u32() % TIDY_EVERY == 0)
		err = tidy(fleet, &why);
	if (err && err != ERR_UNREACHABLE && err != ERR_BUSY)
		log_warn("beat failed: service=%s err=%s why=\"%s\"", fleet->service,
		         err_name(err), why.text);
}

/* ---- what follows from it ---- */

struct share fleet_share(const struct fleet *fleet, struct db *db)
{
	static const struct share none;
	struct members members;
	struct why why;
	struct tx tx = tx_once(db, &why);

	store_members_read_own(&tx, fleet->service, fleet->name, &members);
	if (tx_commit(&tx))
		return none;
	return election_share(members.member, members.count, fleet->name);
}

bool fleet_is_master(const struct fleet *fleet)
{
	int64_t silent_ms = clock_boot_ms() - atomic_load(&fleet->heard_ms);

	return atomic_load(&fleet->is_master) &&
	       silent_ms < fleet->config->timeout_ms;
}

struct holder *fleet_holder(struct fleet *fleet)
{
	return fleet->holder;
}

const char *fleet_name(const struct fleet *fleet)
{
	return fleet->name;
}

void fleet_free(struct fleet **fleet)
{
	struct fleet *gone = *fleet;
	struct why why;

	if (!gone)
		return;
	struct tx tx = tx_once(gone->db, &why);
	store_members_leave(&tx, gone->name, gone->config->timeout_ms);
	lock_release_all(&tx, &gone->master_session);
	lock_release_all(&tx, holder_session(gone->holder));
	if (tx_commit(&tx))
		log_info("left without a word: why=\"%s\"", why.text);
	holder_free(&gone->holder);
	free(gone->service);
	free(gone->election);
	free(gone);
	*fleet = NULL;
}
