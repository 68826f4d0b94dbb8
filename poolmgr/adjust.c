#include "adjust.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "lock_name.h"
#include "peers.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "store.h"
#include "store_adjust.h"
#include "store_repair.h"

enum {
	BATCH = 16,		/* zones of one job on a lane */
	BATCH_MS = 1000,	/* after this time, a job checks no other zone */
	LOCK_WAIT_MS = 100,
	WAITING_MAX = 100,	/* jobs on a lane: orders of users come first */
	PAUSE_MS = 10 * 1000,	/* after a temporary error */
};

static struct metric *equal, *corrected, *failed;

void adjust_metrics(void)
{
	static const char help[] =
	    "checks of zone settings on name servers, by outcome. A check covers the "
	    "masters, the key, and the template or pattern of a zone";

	equal = metric_new(METRIC_COUNTER, "zone_settings_checks_total", help, "outcome",
	                   "equal");
	corrected = metric_new(METRIC_COUNTER, "zone_settings_checks_total", help,
	                       "outcome", "corrected");
	failed = metric_new(METRIC_COUNTER, "zone_settings_checks_total", help, "outcome",
	                    "failed");
}

/* ---- digests ---- */

static struct driver_context adjust_context(const struct poolmgr *poolmgr)
{
	return (struct driver_context){ poolmgr->masters,
	                                poolmgr->config.masters.count };
}

static void adjust_set_digest(const struct poolmgr *poolmgr, struct server *server)
{
	const struct driver_context context = adjust_context(poolmgr);
	char digest[LOCK_NAME_SIZE];
	struct buf text = { 0 };

	if (!server->driver->zone_settings)
		return;
	buf_printf(&text, "%s:", server->driver->name);
	server->driver->zone_settings(server->settings, &context, &text);
	lock_name_digest(buf_string(&text), digest);
	memcpy(server->settings_digest, digest, SETTINGS_DIGEST_LEN);
	buf_clear(&text);
}

void adjust_prepare(struct poolmgr *poolmgr)
{
	for (size_t i = 0; i < poolmgr->servers->count; i++)
		adjust_set_digest(poolmgr, &poolmgr->servers->item[i]);
}

void adjust_seen(struct server *server, const char *digest)
{
	bool newest = !strcmp(server->settings_digest, digest);
	bool was = atomic_exchange(&server->has_newest_settings, newest);

	if (newest || !(was || !server->are_settings_logged))
		return;
	server->are_settings_logged = true;
	log_warn("this pool manager has older settings: server=%s reason=\"another pool "
	         "manager started later and uses other masters, another key, template or "
	         "pattern for this server: give this pool manager the same settings and "
	         "restart it\"",
	         server->settings->id);
}

/* ---- one zone, on the lane ---- */

struct adjustment {
	struct poolmgr *poolmgr;
	struct server *server;
	const struct domain_ref *domain;
	struct held *held;
	bool changed;
	bool is_newly_parked;
	enum err err;			/* of the driver */
	const char *reason;
};

static struct holder *adjust_holder(const struct poolmgr *poolmgr)
{
	return membership_holder(poolmgr->runtime.membership);
}

bool adjust_is_temporary(enum err err)
{
	return err == ERR_TIMEOUT || err == ERR_UNREACHABLE || err == ERR_BUSY;
}

static void adjust_park(struct adjustment *adjustment, struct tx *tx,
                        const struct fault *fault, const struct ending *ending)
{
	struct repair_tries tries;

	adjustment->is_newly_parked =
	    store_drift(tx, fault, &tries).state != DRIFT_PARKED;
	if (!adjustment->is_newly_parked) {
		store_drift_renew(tx, fault);
		return;
	}
	store_drift_seen(tx, fault, DRIFT_RECORD);
	store_repaired(tx, fault, ending);
}

static enum err adjust_write(void *self, struct why *why)
{
	struct adjustment *adjustment = self;
	const struct domain_ref *domain = adjustment->domain;
	const struct server *server = adjustment->server;
	struct poolmgr *poolmgr = adjustment->poolmgr;
	const struct fault fault = {
		.kind = REPAIR_OPTIONS,
		.object = domain->id,
		.server_id = server->settings->id,
		.pool = domain->pool,
		.name = domain->name,
		.serial = domain->state.serial,
		.detail = adjustment->err
		              ? adjustment->reason
		              : "the masters, the key, the template, the pattern or the "
		                "IXFR of the zone differed from the settings of the pool "
		                "manager",
	};
	const struct ending ending = {
		.outcome = adjustment->err ? "PARKED" : "DONE",
		.detail = "",
		.worker = membership_name(poolmgr->runtime.membership),
		.fence = held_fence(adjustment->held),
	};
	struct tx tx = tx_begin(server->db, why);

	holder_guard(adjust_holder(poolmgr), &tx, adjustment->held);
	if (adjustment->err) {
		adjust_park(adjustment, &tx, &fault, &ending);
	} else if (adjustment->changed) {
		store_drift_seen(&tx, &fault, DRIFT_RECORD);
		store_repaired(&tx, &fault, &ending);
	} else {
		store_drift_solved(&tx, &fault);
	}
	store_adjusted(&tx, domain->id, server->settings->id, server->settings_digest);
	return tx_commit(&tx);
}

static void adjust_log(const struct adjustment *adjustment)
{
	const char *name = adjustment->domain->name;
	const char *server_id = adjustment->server->settings->id;

	metric_add(adjustment->err ? failed : adjustment->changed ? corrected : equal, 1);
	if (adjustment->changed)
		log_warn("zone settings corrected: domain=%s server=%s", name, server_id);
	if (adjustment->is_newly_parked)
		log_warn("zone settings not corrected: domain=%s server=%s err=%s "
		         "reason=\"%s\"", name, server_id, err_name(adjustment->err),
		         adjustment->reason);
}

enum err adjust_zone(struct poolmgr *poolmgr, struct server *server,
                     const struct domain_ref *domain, struct held *held, bool *changed,
                     struct why *why)
{
	const struct driver_context context = adjust_context(poolmgr);
	struct adjustment adjustment = { poolmgr, server, domain, held };
	struct why write_why;

	*changed = false;
	if (!server->driver->adjust || !atomic_load(&server->has_newest_settings))
		return OK;
	if (!holder_is_sure(adjust_holder(poolmgr), held))
		return fail(why, ERR_BUSY, "this process may have lost the lock of the "
		            "domain");
	adjustment.err = server->driver->adjust(server->settings, &context, domain,
	                                        changed, why);
	adjustment.changed = *changed;
	adjustment.reason = why->text;
	if (adjust_is_temporary(adjustment.err))
		return adjustment.err;
	/* without its row, the next job checks the zone again */
	if (tx_retry(adjust_write, &adjustment, &write_why))
		log_warn("check of zone settings not recorded: domain=%s server=%s "
		         "reason=\"%s\"", domain->name, server->settings->id,
		         write_why.text);
	adjust_log(&adjustment);
	return adjustment.err;
}

/* ---- a batch, on the lane ---- */

struct adjust_batch {
	struct poolmgr *poolmgr;
	struct server *server;
	struct arena *arena;
	char id[ID_LEN + 1];
	struct domain_ref domains[BATCH], changed[BATCH];
	size_t count, changed_count, done;
	bool must_pause;		/* no answer, or a fault of this host */
};

static enum err adjust_read(struct adjust_batch *batch)
{
	struct server *server = batch->server;
	const struct scope scope = poolmgr_scope(batch->poolmgr, server->db);
	struct why why;

	if (!scope.share.total)
		return OK;
	struct tx tx = tx_autocommit(server->db, &why);
	batch->count = store_unadjusted(&tx, batch->arena, &scope, server->settings->id,
	                                server->settings_digest, batch->domains, BATCH);
	enum err err = tx_commit(&tx);
	if (err && err != ERR_UNREACHABLE)
		log_warn("cannot read which zone settings to check: server=%s err=%s "
		         "reason=\"%s\"",
		         server->settings->id, err_name(err), why.text);
	return err;
}

/* True: the domain still exists. It may have changed before this job took its lock. */
static bool adjust_is_needed(struct adjust_batch *batch, struct domain_ref *domain)
{
	struct domain_ref now;
	struct why why;
	struct tx tx = tx_autocommit(batch->server->db, &why);
	bool found = store_domain(&tx, batch->arena, domain->id, &now) &&
	             now.state.task != TASK_DELETE && now.state.status != STATUS_DELETED;

	if (tx_commit(&tx) || !found)
		return false;
	*domain = now;
	return true;
}

static void adjust_one(struct adjust_batch *batch, struct domain_ref *domain)
{
	struct poolmgr *poolmgr = batch->poolmgr;
	struct server *server = batch->server;
	char object[LOCK_NAME_SIZE];
	struct held *held = NULL;
	bool changed = false;
	struct why why;

	lock_name_of(poolmgr, domain->id, domain->tenant, object);
	if (holder_take(adjust_holder(poolmgr), server->db, object,
	                clock_ms() + LOCK_WAIT_MS, &held, &why))
		return;
	if (adjust_is_needed(batch, domain)) {
		enum err err = adjust_zone(poolmgr, server, domain, held, &changed,
		                           &why);

		batch->must_pause = adjust_is_temporary(err);
		batch->done += !batch->must_pause;
		if (batch->must_pause)
			log_info("zone settings not checked: domain=%s server=%s "
			         "reason=\"%s\"", domain->name, server->settings->id,
			         why.text);
	}
	if (changed)
		batch->changed[batch->changed_count++] = *domain;
	holder_drop(adjust_holder(poolmgr), server->db, &held);
}

static void adjust_run(void *self)
{
	struct adjust_batch *batch = self;
	const struct server *server = batch->server;
	int64_t until_ms = clock_ms() + BATCH_MS;

	if (atomic_load(&server->failing) || !atomic_load(&server->in_service) ||
	    adjust_read(batch))
		return;
	log_request(batch->id);
	for (size_t i = 0; i < batch->count && !batch->must_pause &&
	     clock_ms() < until_ms; i++)
		adjust_one(batch, &batch->domains[i]);
	log_request(NULL);
}

/* ---- on the loop ---- */

static void adjust_start(struct poolmgr *poolmgr, struct server *server);

static void adjust_ended(void *self)
{
	struct adjust_batch *batch = self;
	struct server *server = batch->server;
	const struct cause cause = { .request_id = batch->id, .recovery = true };
	bool ran = lane_job_ran(server->lane);

	log_request(batch->id);
	for (size_t i = 0; ran && i < batch->changed_count; i++)
		peers_notify(batch->poolmgr->peers, &batch->changed[i], server, &cause);
	log_request(NULL);
	server->is_adjusting = false;
	if (batch->must_pause)
		server->adjust_at_ms = clock_ms() + PAUSE_MS;
	else if (ran && batch->done)
		adjust_start(batch->poolmgr, server);
	arena_free(&batch->arena);
	free(batch);
}

static bool adjust_can_start(const struct poolmgr *poolmgr, const struct server *server)
{
	return server->driver->adjust && !server->is_adjusting && !poolmgr->is_draining &&
	       atomic_load(&server->has_newest_settings) &&
	       atomic_load(&server->in_service) &&
	       !server_fails(server, CHANNEL_CONTROL) &&
	       clock_ms() >= server->adjust_at_ms &&
	       lane_waiting(server->lane) <= WAITING_MAX;
}

static void adjust_start(struct poolmgr *poolmgr, struct server *server)
{
	if (!adjust_can_start(poolmgr, server))
		return;
	struct adjust_batch *batch = xcalloc(1, sizeof(*batch));
	batch->poolmgr = poolmgr;
	batch->server = server;
	batch->arena = arena_new();
	id_random(batch->id);
	server->is_adjusting = lane_submit(server->lane, adjust_run, adjust_ended, batch);
	if (!server->is_adjusting) {
		arena_free(&batch->arena);
		free(batch);
	}
}

void adjust_fire(struct poolmgr *poolmgr)
{
	for (size_t i = 0; i < poolmgr->servers->count; i++)
		adjust_start(poolmgr, &poolmgr->servers->item[i]);
}

/* ---- checks that become due, on the pool manager's lane ---- */

struct adjust_marking {
	struct poolmgr *poolmgr;
	struct arena *arena;
	const char **ids;
	size_t count;
};

static enum err adjust_mark(void *self, struct why *why)
{
	struct adjust_marking *marking = self;
	struct tx tx = tx_autocommit(marking->poolmgr->lane_db, why);

	store_adjust_again(&tx, marking->arena, marking->ids, marking->count);
	return tx_commit(&tx);
}

static void adjust_mark_run(void *self)
{
	struct why why;

	if (tx_retry(adjust_mark, self, &why))
		log_info("cannot schedule the checks of zone settings: reason=\"%s\"",
		         why.text);
}

static void adjust_marked(void *self)
{
	struct adjust_marking *marking = self;

	arena_free(&marking->arena);
	free(marking);
}

void adjust_again(struct poolmgr *poolmgr, const char *const *ids, size_t count)
{
	struct adjust_marking *marking = xcalloc(1, sizeof(*marking));

	marking->poolmgr = poolmgr;
	marking->arena = arena_new();
	marking->ids = arena_alloc(marking->arena, (count + 1) * sizeof(*marking->ids));
	for (size_t i = 0; i < count; i++)
		marking->ids[i] = arena_strdup(marking->arena, ids[i]);
	marking->count = count;
	if (!count || !poolmgr_submit(poolmgr, adjust_mark_run, adjust_marked, marking))
		adjust_marked(marking);
}
