#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "consistency/store_version.h"
#include "runtime/offload.h"
#include "store_sweep.h"
#include "store_transfer.h"
#include "store_usage.h"

enum {
	ROUND_MS = 3000,	/* the next round removes the rest */
	/* number of rounds in which a changed journal is checked */
	ROUNDS = 3,
	QUIET_MS = 60 * 1000,	/* between two log lines about failures */
	/* until then, the client finds the queues of the service */
	DEAD_WORKER_AGE_S = 30 * 86400,
	/* central keeps the last serial of a deleted domain (docs/concepts.md) */
	LAST_SERIAL_S = 365 * 86400,
	TRANSFER_AGE_S = 30 * 86400,	/* after the last state */
};

struct sweep {
	struct central *central;
	struct arena *arena;
	int64_t deadline_ms;
	char cursor[ID_LEN + 1];	/* of store_sweep_find_tombstones() */
	char tenant[IDENTITY_MAX + 1];	/* of store_usage_compare() */
	struct log_limit log_limit;
	bool is_running;
	bool has_logged_paths;
};

/* A step is one transaction; it returns the number of deleted rows. */
typedef int64_t sweep_fn(struct tx *tx, struct sweep *s);

static int64_t sweep_requests(struct tx *tx, struct sweep *s)
{
	return store_sweep_requests(tx, s->central->config.request_age_s);
}

static int64_t sweep_journal(struct tx *tx, struct sweep *s)
{
	return store_sweep_journal(tx, s->central->config.journal_age_s, s->arena);
}

static int64_t sweep_large_journals(struct tx *tx, struct sweep *s)
{
	int within_s = ROUNDS * (s->central->config.sweep_ms / 1000 + 1);

	return store_sweep_large_journals(tx, within_s,
	                                  s->central->config.journal_domain_bytes,
	                                  s->arena);
}

static int64_t sweep_deleted_domains(struct tx *tx, struct sweep *s)
{
	struct sweep_list list;

	(void)s;
	store_sweep_find_deleted(tx, &list);
	return list.count ? store_sweep_deleted(tx, list.ids[0]) : 0;
}

static int64_t sweep_domains(struct tx *tx, struct sweep *s)
{
	struct sweep_list list;

	store_sweep_find_domains(tx, s->central->config.tombstone_age_s, &list);
	return store_sweep_domains(tx, &list, s->arena);
}

static int64_t sweep_last_serials(struct tx *tx, struct sweep *s)
{
	(void)s;
	return store_sweep_last_serials(tx, LAST_SERIAL_S);
}

static int64_t sweep_versions(struct tx *tx, struct sweep *s)
{
	return store_versions_sweep(tx, s->central->config.tombstone_age_s,
	                            SWEEP_ROWS);
}

static int64_t sweep_tombstones(struct tx *tx, struct sweep *s)
{
	int age_s = s->central->config.tombstone_age_s;
	char cursor[ID_LEN + 1];
	struct sweep_list list;

	memcpy(cursor, s->cursor, sizeof cursor);
	store_sweep_find_tombstones(tx, age_s, cursor, &list);
	if (!list.count) {
		memcpy(s->cursor, cursor, sizeof cursor);
		return 0;
	}
	/* one domain in a transaction: it never waits for a second lock */
	return store_sweep_tombstones(tx, list.ids[0], age_s);
}

static int64_t sweep_open_imports(struct tx *tx, struct sweep *s)
{
	return store_sweep_open_imports(tx, s->central->config.import_age_s, s->arena);
}

static int64_t sweep_import_records(struct tx *tx, struct sweep *s)
{
	(void)s;
	return store_sweep_import_records(tx);
}

static int64_t sweep_imports(struct tx *tx, struct sweep *s)
{
	return store_sweep_imports(tx, s->central->config.import_age_s, s->arena);
}

static int64_t sweep_workers(struct tx *tx, struct sweep *s)
{
	return store_sweep_workers(tx, DEAD_WORKER_AGE_S, heartbeat_config.timeout_ms,
	                           s->arena);
}

static int64_t sweep_transfers(struct tx *tx, struct sweep *s)
{
	(void)s;
	return store_transfer_sweep(tx, TRANSFER_AGE_S);
}

static const struct step {
	const char *what;
	sweep_fn *fn;
} steps[] = {
	{ "answers",            sweep_requests       },
	{ "journal",            sweep_journal        },
	{ "large journals",     sweep_large_journals },
	{ "deleted domains",    sweep_deleted_domains           },
	{ "domains",            sweep_domains        },
	{ "last serials",       sweep_last_serials   },
	{ "tombstones",         sweep_tombstones     },
	{ "versions",           sweep_versions       },
	{ "unfinished imports", sweep_open_imports   },
	{ "records of imports", sweep_import_records },
	{ "imports",            sweep_imports        },
	{ "transfer requests",  sweep_transfers      },
	{ "dead processes",     sweep_workers        },
};

/* After a race the next round does the work. A lost connection has its own log line. */
static void sweep_log_failure(struct sweep *s, const struct step *step, enum err err,
                              const struct why *why)
{
	if (err != ERR_RACE && err != ERR_UNREACHABLE &&
	    log_is_due(&s->log_limit, QUIET_MS))
		log_warn("old rows not removed: step=\"%s\" err=%s reason=\"%s\"",
		         step->what, err_name(err), why->text);
	else
		log_debug("old rows not removed: step=\"%s\" reason=\"%s\"",
		          step->what, why->text);
}

/* False: no work is left. */
static bool sweep_run_step(struct sweep *s, const struct step *step, int64_t *removed)
{
	struct why why;
	struct tx tx = tx_begin(s->central->sweep_db, &why);
	int64_t count = tx.err ? 0 : step->fn(&tx, s);

	arena_reset(s->arena);
	if (tx_commit(&tx)) {
		sweep_log_failure(s, step, tx.err, &why);
		return false;
	}
	*removed += count;
	return count > 0;
}

/*
 * Runs once in a process. Existing domains keep names that are not allowed for new
 * domains.
 */
static void sweep_log_paths(struct sweep *s)
{
	const char *names[SWEEP_NAMES];
	struct why why;
	struct tx tx = tx_autocommit(s->central->sweep_db, &why);
	size_t count = store_sweep_find_paths(&tx, s->arena, names);

	s->has_logged_paths = !tx_commit(&tx);
	for (size_t i = 0; s->has_logged_paths && i < count; i++)
		log_warn("domain has a forbidden name: domain=%s reason=\"the name has a "
		         "'/' that is not between two letters or digits, and NSD makes a "
		         "file path from the name\"", names[i]);
	arena_reset(s->arena);
}

static void sweep_log_no_usage(struct sweep *s, enum err err, const struct why *why)
{
	if (err != ERR_RACE && err != ERR_UNREACHABLE &&
	    log_is_due(&s->log_limit, QUIET_MS))
		log_warn("numbers of domains not compared: err=%s reason=\"%s\"",
		         err_name(err), why->text);
}

static void sweep_correct_usage(struct sweep *s, const char *tenant)
{
	struct why why;
	struct tx tx = tx_begin(s->central->sweep_db, &why);
	int64_t was, is;

	store_usage_recount(&tx, tenant, &was, &is);
	if (tx_commit(&tx))
		sweep_log_no_usage(s, tx.err, &why);
	else if (was != is)
		log_warn("number of domains of a tenant corrected: tenant=%s was=%lld "
		         "is=%lld", tenant, (long long)was, (long long)is);
}

/*
 * Programs of older versions create and delete domains without counting them, so the
 * number of a tenant can be wrong during and after an upgrade.
 */
static void sweep_compare_usage(struct sweep *s)
{
	const char *tenants[USAGE_TENANTS];
	struct why why;
	struct tx tx = tx_autocommit(s->central->sweep_db, &why);
	size_t count = store_usage_compare(&tx, s->tenant, s->arena, tenants);

	if (tx_commit(&tx)) {
		sweep_log_no_usage(s, tx.err, &why);
		count = 0;
	}
	for (size_t i = 0; i < count; i++)
		sweep_correct_usage(s, tenants[i]);
	arena_reset(s->arena);
}

/* The filter `capacity` of the scheduler reads these numbers. */
static void sweep_count_pools(struct sweep *s)
{
	char pool[ID_LEN + 1] = "";
	struct why why;
	struct tx tx = tx_autocommit(s->central->sweep_db, &why);

	while (clock_ms() < s->deadline_ms && store_sweep_next_pool(&tx, pool))
		store_sweep_set_domains(&tx, pool, store_sweep_count_domains(&tx, pool));
	if (tx_commit(&tx) && log_is_due(&s->log_limit, QUIET_MS))
		log_warn("domains of pools not counted: err=%s reason=\"%s\"",
		         err_name(tx.err), why.text);
}

/* On the lane. */
static void sweep_work(void *job)
{
	struct sweep *s = job;

	if (!s->has_logged_paths)
		sweep_log_paths(s);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		int64_t removed = 0;

		while (sweep_run_step(s, &steps[i], &removed) &&
		       clock_ms() < s->deadline_ms)
			;
		if (removed)
			log_info("old rows removed: what=\"%s\" rows=%lld", steps[i].what,
			         (long long)removed);
	}
	sweep_compare_usage(s);
	sweep_count_pools(s);
}

/* On the loop. */
static void sweep_done(void *job)
{
	struct sweep *s = job;

	s->is_running = false;
}

void sweep_fire(void *self)
{
	struct central *central = self;

	struct sweep *s = central->sweep;

	if (!s || s->is_running)
		return;
	s->deadline_ms = clock_ms() + ROUND_MS;
	s->is_running = lane_submit(central->sweep_lane, sweep_work, sweep_done, s);
}

void sweep_start(struct central *central)
{
	central->sweep = xcalloc(1, sizeof(*central->sweep));
	central->sweep->central = central;
	central->sweep->arena = arena_new();
	/* READ COMMITTED does not lock rows that a statement reads and keeps */
	central->sweep_db_config = *central->runtime->db_config;
	central->sweep_db_config.read_committed = true;
	central->sweep_db = db_new(&central->sweep_db_config);
	central->sweep_lane = lane_new(central->runtime->loop, "sweep", 1);
}

void sweep_stop(struct central *central)
{
	if (!central->sweep)
		return;
	lane_free(&central->sweep_lane);
	db_free(&central->sweep_db);
	arena_free(&central->sweep->arena);
	free(central->sweep);
	central->sweep = NULL;
}
