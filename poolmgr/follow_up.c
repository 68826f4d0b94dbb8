#include "follow_up.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <uthash.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "lock_name.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"
#include "store_follow.h"

enum {
	CASES_MAX = 5000,	/* what is beyond them is seen again */
	LOCK_WAIT_MS = 3000,
	RAISE_TIMEOUT_MS = 10 * 1000,
	DETAIL_SIZE = 600,
	KEY_SIZE = 80,
};

/* A domain on a server, while something is done about it by this process. */
struct pursuit {
	char key[KEY_SIZE];
	struct follow_up *follow_up;
	struct server *server;
	struct arena *arena;
	struct domain_ref domain;
	bool serves_it;
	uint32_t serves;
	struct cause cause;
	struct held *held;
	enum follow action;
	bool calling;			/* central was asked to raise the serial */
	bool was_tried;			/* the server's driver was called */
	enum err err;			/* of the driver, or of central */
	struct why why;
	const char *outcome;		/* of a raise, for record_raise() */
	UT_hash_handle hh;
};

struct follow_up {
	struct poolmgr *poolmgr;
	struct pursuit *pursuits;
};

static struct metric *done[FOLLOW_COUNT], *failed;

void follow_up_metrics(void)
{
	static const char help[] =
	    "orders to name servers that answer and do not serve a change, by the order";

	done[FOLLOW_TRANSFER] = metric_new(METRIC_COUNTER, "follow_ups_total", help,
	                                   "action", "transfer");
	done[FOLLOW_RENEW] = metric_new(METRIC_COUNTER, "follow_ups_total", help,
	                                "action", "renew");
	done[FOLLOW_RAISE] = metric_new(METRIC_COUNTER, "follow_ups_total", help,
	                                "action", "raise");
	failed = metric_new(METRIC_COUNTER, "follow_ups_total", help, "action", "failed");
}

struct follow_up *follow_up_new(struct poolmgr *poolmgr)
{
	struct follow_up *follow_up = xcalloc(1, sizeof(*follow_up));

	follow_up->poolmgr = poolmgr;
	return follow_up;
}

static void pursuit_free(struct pursuit *pursuit)
{
	HASH_DEL(pursuit->follow_up->pursuits, pursuit);
	arena_free(&pursuit->arena);
	free(pursuit);
}

void follow_up_free(struct follow_up **follow_up)
{
	struct follow_up *old = *follow_up;
	struct pursuit *pursuit, *next;

	*follow_up = NULL;
	if (!old)
		return;
	HASH_ITER(hh, old->pursuits, pursuit, next) {
		if (pursuit->calling)
			rpc_cancel(old->poolmgr->runtime.rpc, pursuit);
		pursuit_free(pursuit);
	}
	free(old);
}

static struct poolmgr *poolmgr_of(const struct pursuit *pursuit)
{
	return pursuit->follow_up->poolmgr;
}

static struct holder *holder_of(const struct pursuit *pursuit)
{
	return membership_holder(heartbeat_membership(poolmgr_of(pursuit)->heartbeat));
}

/* A server that provisions itself from a catalog has a word for people only. */
static bool takes_orders(const struct server *server)
{
	return server->driver->retransfer && !server->driver->by_catalog;
}

/* ---- the record ---- */

struct recording {
	const struct pursuit *pursuit;
	struct db *db;			/* of the thread that writes */
	const char *outcome;
	char detail[DETAIL_SIZE];
};

static enum err write_record(void *self, struct why *why)
{
	struct recording *recording = self;
	const struct pursuit *pursuit = recording->pursuit;
	const struct membership *fleet =
	    heartbeat_membership(poolmgr_of(pursuit)->heartbeat);
	const struct followed followed = {
		.domain = &pursuit->domain,
		.server_id = pursuit->server->settings->id,
		.worker = membership_name(fleet),
		.action = pursuit->action,
		.outcome = recording->outcome,
		.serves = pursuit->serves,
		.detail = recording->detail,
		.fence = pursuit->held ? held_fence(pursuit->held) : 0,
	};
	struct tx tx = tx_begin(recording->db, why);

	if (pursuit->held)
		holder_guard(holder_of(pursuit), &tx, pursuit->held);
	store_followed(&tx, &followed);
	return tx_commit(&tx);
}

static const char *const words[FOLLOW_COUNT] = {
	[FOLLOW_TRANSFER] = "made to transfer",
	[FOLLOW_RENEW]    = "put back, and made to transfer",
	[FOLLOW_RAISE]    = "our serial was raised",
};

/* "made to transfer; served serial 12, ours was 11"; or why it failed before that. */
static void record(const struct pursuit *pursuit, struct db *db, const char *outcome)
{
	struct recording recording = { pursuit, db, outcome, "" };
	char serves[40] = "showed no serial";
	struct why why;

	if (pursuit->serves_it)
		snprintf(serves, sizeof(serves), "served serial %" PRIu32,
		         pursuit->serves);
	snprintf(recording.detail, sizeof(recording.detail), "%s; %s, ours was %" PRIu32,
	         pursuit->err ? pursuit->why.text : words[pursuit->action], serves,
	         pursuit->domain.state.serial);
	metric_add(pursuit->err ? failed : done[pursuit->action], 1);
	log_warn("server does not follow: domain=%s server=%s action=%s outcome=%s "
	         "why=\"%s\"", pursuit->domain.name, pursuit->server->settings->id,
	         follow_name(pursuit->action), outcome, recording.detail);
	if (tx_retry(write_record, &recording, &why))
		log_warn("follow-up not recorded: domain=%s why=\"%s\"",
		         pursuit->domain.name, why.text);
}

/* ---- on the lane's thread ---- */

/* How things stand now, and what is to be done. Unreadable: nothing, the next report. */
static enum follow decide(struct pursuit *pursuit)
{
	struct follow_case of = {
		.serves_it = pursuit->serves_it,
		.serves = pursuit->serves,
		.takes_orders = takes_orders(pursuit->server),
	};
	struct why why;
	struct tx tx = tx_autocommit(pursuit->server->db, &why);
	bool found = store_follow_case(&tx, pursuit->arena, pursuit->domain.id,
	                               pursuit->server->settings->id, &pursuit->domain,
	                               &of);

	return !tx_commit(&tx) && found ? follow_decide(&of) : FOLLOW_WAIT;
}

static enum err order(struct pursuit *pursuit)
{
	const struct poolmgr *poolmgr = poolmgr_of(pursuit);
	const struct driver *driver = pursuit->server->driver;
	const struct driver_context context = { poolmgr->masters,
	                                        poolmgr->config.masters.count };

	if (pursuit->action == FOLLOW_RENEW && driver->renew)
		return driver->renew(pursuit->server->settings, &context,
		                     &pursuit->domain, &pursuit->why);
	return driver->retransfer(pursuit->server->settings, &pursuit->domain,
	                          &pursuit->why);
}

static void act(struct pursuit *pursuit)
{
	if (!holder_is_sure(holder_of(pursuit), pursuit->held)) {
		pursuit->action = FOLLOW_WAIT;
		return;
	}
	pursuit->err = order(pursuit);
	pursuit->was_tried = true;
	record(pursuit, pursuit->server->db, pursuit->err ? "FAILED" : "DONE");
}

static bool lock(struct pursuit *pursuit)
{
	char object[LOCK_NAME_SIZE];
	struct why why;

	lock_name_of(poolmgr_of(pursuit), pursuit->domain.id, pursuit->domain.tenant,
	             object);
	if (!holder_take(holder_of(pursuit), pursuit->server->db, object,
	                 clock_ms() + LOCK_WAIT_MS, &pursuit->held, &why))
		return true;
	log_info("follow-up postponed: domain=%s server=%s why=\"%s\"",
	         pursuit->domain.name, pursuit->server->settings->id, why.text);
	return false;
}

/* Asked once before the lock, which most that wait need not take, and once under it. */
static void run(void *self)
{
	struct pursuit *pursuit = self;

	log_request(pursuit->cause.request_id);
	if (atomic_load(&pursuit->server->in_service))
		pursuit->action = decide(pursuit);
	if (pursuit->action != FOLLOW_WAIT && pursuit->action != FOLLOW_RAISE) {
		pursuit->action = lock(pursuit) ? decide(pursuit) : FOLLOW_WAIT;
		if (pursuit->action != FOLLOW_WAIT && pursuit->action != FOLLOW_RAISE)
			act(pursuit);
		holder_drop(holder_of(pursuit), pursuit->server->db, &pursuit->held);
	}
	log_request(NULL);
}

/* ---- on the loop ---- */

static void record_raise(void *self)
{
	struct pursuit *pursuit = self;

	log_request(pursuit->cause.request_id);
	record(pursuit, poolmgr_of(pursuit)->lane_db, pursuit->outcome);
	log_request(NULL);
}

static void raise_recorded(void *self)
{
	pursuit_free(self);
}

/* On the poolmgr's lane, for a record waits between its tries. The pursuit ends. */
static void end_raise(struct pursuit *pursuit, const char *outcome)
{
	pursuit->outcome = outcome;
	if (poolmgr_submit(poolmgr_of(pursuit), record_raise, raise_recorded, pursuit))
		return;
	log_warn("follow-up not recorded: domain=%s why=\"no room, or this process ends\"",
	         pursuit->domain.name);
	pursuit_free(pursuit);
}

/* Not the serial that was refused: what is to be typed at the server. */
static void park_raise(struct pursuit *pursuit)
{
	pursuit->err = fail(&pursuit->why, ERR_INVALID, "our serial is not raised so far: "
	                    "make the server transfer the zone again, by its own "
	                    "command");
	end_raise(pursuit, "PARKED");
}

static void raised(void *self, const struct rpc_answer *answer)
{
	struct pursuit *pursuit = self;

	pursuit->calling = false;
	pursuit->err = answer->err;
	pursuit->why = answer->why;
	end_raise(pursuit, answer->err ? "FAILED" : "DONE");
}

/* A change of nothing but the serial; central refuses it if another has come before. */
static enum err raise_to(struct pursuit *pursuit, uint32_t serial)
{
	static const struct rpc_target central = { .topic = "central" };
	json_t *args = json_pack("{s:s, s:[], s:I}", "domain", pursuit->domain.id,
	                         "changes", "serial", (json_int_t)serial);
	json_t *context = context_encode(pursuit->cause.request_id, true);

	bug_if(!args);
	enum err err = rpc_call(poolmgr_of(pursuit)->runtime.rpc, &central,
	                        "apply_changes", args, context, RAISE_TIMEOUT_MS, raised,
	                        pursuit, &pursuit->why);
	json_decref(context);
	json_decref(args);
	return err;
}

static void raise_serial(struct pursuit *pursuit)
{
	uint32_t serial;

	if (!follow_raise(pursuit->domain.state.serial, pursuit->serves,
	                  (uint32_t)clock_unix(), &serial)) {
		park_raise(pursuit);
		return;
	}
	pursuit->err = raise_to(pursuit, serial);
	pursuit->calling = !pursuit->err;
	if (pursuit->err)
		end_raise(pursuit, "FAILED");
}

static void ended(void *self)
{
	struct pursuit *pursuit = self;
	struct poolmgr *poolmgr = poolmgr_of(pursuit);
	bool ran = lane_job_ran(pursuit->server->lane);

	log_request(pursuit->cause.request_id);
	if (ran && pursuit->was_tried && !pursuit->err)
		tell_server(poolmgr->tell, &pursuit->domain, pursuit->server,
		            &pursuit->cause);
	if (ran && pursuit->action == FOLLOW_RAISE)
		raise_serial(pursuit);
	else
		pursuit_free(pursuit);
	log_request(NULL);
}

static struct pursuit *pursuit_new(struct follow_up *follow_up, const char *key,
                                   const struct domain_ref *domain,
                                   const struct cause *cause)
{
	struct pursuit *pursuit = xcalloc(1, sizeof(*pursuit));
	struct arena *arena = arena_new();

	snprintf(pursuit->key, sizeof(pursuit->key), "%s", key);
	pursuit->follow_up = follow_up;
	pursuit->arena = arena;
	pursuit->domain = *domain;
	pursuit->domain.name = arena_strdup(arena, domain->name);
	pursuit->domain.pool = arena_strdup(arena, domain->pool);
	pursuit->domain.tenant = arena_strdup(arena, domain->tenant);
	pursuit->cause = *cause;
	pursuit->cause.request_id = arena_strdup(arena, cause->request_id);
	HASH_ADD_STR(follow_up->pursuits, key, pursuit);
	return pursuit;
}

void follow_up_saw(struct follow_up *follow_up, const struct server *server,
                   const struct domain_ref *domain, const uint32_t *serves,
                   const struct cause *cause)
{
	struct server *own = servers_find(follow_up->poolmgr->servers,
	                                  server->settings->id);
	struct pursuit *pursuit;
	char key[KEY_SIZE];

	snprintf(key, sizeof(key), "%s %s", domain->id, server->settings->id);
	HASH_FIND_STR(follow_up->pursuits, key, pursuit);
	if (pursuit || !own || HASH_COUNT(follow_up->pursuits) >= CASES_MAX ||
	    server_fails(own, CHANNEL_CONTROL))
		return;
	pursuit = pursuit_new(follow_up, key, domain, cause);
	pursuit->server = own;
	pursuit->serves_it = serves;
	pursuit->serves = serves ? *serves : 0;
	if (!lane_submit(own->lane, run, ended, pursuit))
		pursuit_free(pursuit);
}
