#include "shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/fleet.h"
#include "consistency/holder.h"
#include "consistency/pulse.h"
#include "core/delegation.h"
#include "core/shard_zone.h"
#include "model/json.h"
#include "model/serial.h"
#include "peers.h"
#include "runtime/metrics.h"
#include "store.h"

enum {
	MOVES_MAX = 1000,		/* of a change */
	CALL_MS = 30 * 1000,
	LOOK_MS = 250,			/* until its servers have it */
	RESAY_S = 600,			/* all of it, though nothing changed */
};

static const struct rpc_target central = { .topic = "central" };
static const struct rpc_target ownership = { .topic = "ownership" };
static const struct backoff again = { .first_ms = 500, .max_ms = 60 * 1000 };

static struct figures {
	struct metric *changes, *failures;
} figures;

void shard_metrics(void)
{
	figures.changes = metric_new(METRIC_COUNTER, "routes_zone_changes_total",
	    "changes of routers' domains that central took", NULL, NULL);
	figures.failures = metric_new(METRIC_COUNTER, "routes_zone_failures_total",
	    "changes of routers' domains that are to be tried again", NULL, NULL);
}

struct shard {
	struct shard *next;
	struct shards *shards;
	char *name;
	struct held *held;
	struct arena *arena;
	struct router_row router;
	struct move_row *moves;
	size_t move_count;
	json_t *zone;			/* router.zone */
	bool is_news;			/* that its servers have it */
	bool is_asked_for;		/* its domain, of central, just now */
	bool has_no_serial;		/* to begin with: central has a newer one */
	bool has_no_extras;		/* that could go: central cannot even read them */
	uint32_t serial;		/* of the change that central took */
};

struct shards {
	struct routes *routes;
	struct shard *all;
	size_t count;
	bool is_draining;
};

static struct holder *holder_of(const struct shards *shards)
{
	return fleet_holder(pulse_fleet(shards->routes->pulse));
}

/* ---- the end ---- */

static void shard_free(struct shard *shard)
{
	struct shards *shards = shard->shards;
	struct shard **at = &shards->all;

	while (*at != shard)
		at = &(*at)->next;
	*at = shard->next;
	shards->count--;
	rpc_cancel(shards->routes->runtime.rpc, shard);
	if (shard->held)
		holder_drop(holder_of(shards), shards->routes->runtime.db, &shard->held);
	json_decref(shard->zone);
	arena_free(&shard->arena);
	free(shard->name);
	free(shard);
}

static struct tx begin_guarded(struct shard *shard, struct why *why)
{
	struct tx tx = tx_begin(shard->shards->routes->runtime.db, why);

	holder_guard(holder_of(shard->shards), &tx, shard->held);
	return tx;
}

struct failing {
	struct shard *shard;
	const char *reason;
};

static enum err write_failure(void *self, struct why *why)
{
	const struct failing *failing = self;
	struct shard *shard = failing->shard;
	struct tx tx = begin_guarded(shard, why);

	store_shard_failed(&tx, shard->name, failing->reason,
	                   backoff_ms(&again, (int)shard->router.failures, random_u32()));
	return tx_commit(&tx);
}

static void give_up(struct shard *shard, const char *reason)
{
	struct failing failing = { shard, reason };
	struct why why;

	metric_add(figures.failures, 1);
	log_warn("router's domain not published: router=%s dns=%s reason=\"%s\"",
	         shard->name, shard->router.dns, reason);
	if (tx_redo(write_failure, &failing, &why))
		log_warn("failure not written: router=%s reason=\"%s\"", shard->name,
		         why.text);
	shard_free(shard);
}

/* What one transaction writes, and then nothing is left to be done for now. */
static void end_by(struct shard *shard, enum err (*write)(void *self, struct why *why))
{
	struct why why;

	if (tx_redo(write, shard, &why))
		give_up(shard, why.text);
	else
		shard_free(shard);
}

/* ---- what others are asked ---- */

static void ask_at(struct shard *shard, const struct rpc_target *target,
                   const char *method, json_t *args, rpc_answer_fn *answered)
{
	char id[ID_LEN + 1];
	json_t *context;
	struct why why;
	enum err err;

	id_random(id);
	context = context_encode(id, true);
	err = rpc_call(shard->shards->routes->runtime.rpc, target, method, args, context,
	               CALL_MS, answered, shard, &why);
	json_decref(context);
	json_decref(args);
	if (err)
		give_up(shard, why.text);
}

static void ask(struct shard *shard, const char *method, json_t *args,
                rpc_answer_fn *answered)
{
	ask_at(shard, &central, method, args, answered);
}

static const char *domain_of(const struct shard *shard)
{
	return arena_printf(shard->arena, "%s.", shard->router.dns);
}

/* ---- its delegation, once its servers have it and until it goes ---- */

static const struct routes_settings *settings_of(const struct shard *shard)
{
	return &shard->shards->routes->settings;
}

static bool is_delegated(const struct shard *shard)
{
	return delegation_is_below(shard->router.dns, settings_of(shard)->parent);
}

/* Steals ENDPOINTS: all that its parent is to have of it. */
static void ask_parent(struct shard *shard, json_t *endpoints, rpc_answer_fn *answered)
{
	ask_at(shard, &ownership, "apply_endpoints", json_pack(
		"{s:s, s:s, s:s, s:b, s:o}", "storage_id",
		settings_of(shard)->parent_storage, "zone", settings_of(shard)->parent,
		"resource", arena_printf(shard->arena, "router/%s", shard->name),
		"complete", true, "endpoints", endpoints), answered);
}

static void not_delegated(struct shard *shard, const struct rpc_answer *answer)
{
	give_up(shard, arena_printf(shard->arena, "not delegated in %s: %s",
	                            settings_of(shard)->parent, answer->why.text));
}

static void has_ended(struct shard *shard);

static void hear_delegated(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err)
		not_delegated(shard, answer);
	else
		has_ended(shard);
}

static void hear_ns(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;
	const json_t *set = json_array_get(json_object_get(answer->result, "recordsets"), 0);

	if (answer->err)
		not_delegated(shard, answer);
	else
		ask_parent(shard, delegation_endpoints(shard->router.dns,
			json_object_get(set, "records"), shard->zone), hear_delegated);
}

static void delegate(struct shard *shard)
{
	const char *domain = domain_of(shard);

	ask(shard, "find_recordsets", json_pack("{s:s, s:{s:s, s:s}}", "domain", domain,
	    "criterion", "name", domain, "type", "NS"), hear_ns);
}

/* ---- do its servers have it? ---- */

static enum err write_active(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	store_shard_active(&tx, shard->name, shard->router.rev, RESAY_S);
	return tx_commit(&tx);
}

static enum err write_wait(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	store_shard_wait(&tx, shard->name, LOOK_MS);
	return tx_commit(&tx);
}

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

static bool is_published(const struct shard *shard, const json_t *domain)
{
	json_int_t serial = json_integer_value(json_object_get(domain, "serial"));

	return !strcmp(text_of(domain, "status"), "ACTIVE") &&
	       serial_covers((uint32_t)serial, shard->router.serial);
}

static void has_ended(struct shard *shard)
{
	if (shard->is_news)
		peers_zone_published(shard->shards->routes, &shard->router);
	end_by(shard, write_active);
}

static void is_out(struct shard *shard, bool is_news)
{
	shard->is_news = is_news;
	if (is_delegated(shard))
		delegate(shard);
	else
		has_ended(shard);
}

static void hear_state(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err) {
		give_up(shard, answer->why.text);
	} else if (!strcmp(text_of(answer->result, "status"), "ERROR")) {
		give_up(shard, text_of(answer->result, "reason"));
	} else if (is_published(shard, answer->result)) {
		is_out(shard, true);
	} else {
		end_by(shard, write_wait);
	}
}

static void ask_state(struct shard *shard)
{
	ask(shard, "get_domain", json_pack("{s:s}", "domain", domain_of(shard)),
	    hear_state);
}

/* ---- a change ---- */

static enum err write_told(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	store_moves_done(&tx, shard->moves, shard->move_count);
	store_shard_told(&tx, shard->name, shard->move_count < MOVES_MAX
	                 ? shard->router.rev : shard->router.done_rev, shard->serial,
	                 LOOK_MS);
	return tx_commit(&tx);
}

/* What is to be there; of a router that goes, that nothing is. */
static json_t *changes_of(const struct shard *shard)
{
	const struct router_row *router = &shard->router;
	struct address *shown = arena_alloc(shard->arena, (router->count + 1) *
	                                                  sizeof(*shown));
	bool is_going = router->state == ROUTER_GOING;
	json_t *changes = json_array();
	size_t count = 0;

	for (size_t i = 0; i < router->count; i++)
		if (router->addresses[i].is_shown && !is_going)
			shown[count++] = router->addresses[i].address;
	if (!is_going)
		shard_zone_extras(changes, shard->zone, router->dns);
	else if (!shard->has_no_extras)
		shard_zone_no_extras(changes, shard->zone, router->dns);
	shard_zone_wildcard(changes, router->dns, router->ttl, shown, count, 32);
	shard_zone_wildcard(changes, router->dns, router->ttl, shown, count, 128);
	for (size_t i = 0; i < shard->move_count; i++)
		if (shard->moves[i].target)
			shard_zone_alias(changes, shard->moves[i].dns,
			                 shard->moves[i].is_drop ? NULL
			                                         : shard->moves[i].target,
			                 router->ttl);
	return changes;
}

static void send_changes(struct shard *shard);
static void look(struct shard *shard);

static enum err write_adopted(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	shard->router.made_id[0] = '\0';
	store_shard_adopted(&tx, shard->name);
	return tx_commit(&tx);
}

/* Somebody else may have made it meanwhile: then it is theirs. */
static void hear_created(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;
	struct why why;

	if (answer->err && answer->err != ERR_EXISTS)
		give_up(shard, answer->why.text);
	else if (answer->err && tx_redo(write_adopted, shard, &why))
		give_up(shard, why.text);
	else
		send_changes(shard);
}

static void create_domain(struct shard *shard)
{
	json_t *domain = shard_zone_domain(shard->zone, shard->router.dns,
	                                   shard->shards->routes->settings.pool,
	                                   shard->router.description);

	json_object_set_new(domain, "id", json_string(shard->router.made_id));
	ask(shard, "create_domain", json_pack("{s:o}", "domain", domain), hear_created);
}

/* Its id is written before it is asked for, for the answer may be lost. */
static enum err write_missing(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	id_random(shard->router.made_id);
	shard->router.done_rev = 0;
	store_shard_missing(&tx, shard->name, shard->router.made_id);
	return tx_commit(&tx);
}

static void was_missing(struct shard *shard)
{
	struct why why;

	shard->is_asked_for = true;
	if (tx_redo(write_missing, shard, &why))
		give_up(shard, why.text);
	else
		create_domain(shard);
}

/* Said again, and nothing was otherwise: then its servers have that, too. */
static void was_told(struct shard *shard, uint32_t serial)
{
	struct why why;

	metric_add(figures.changes, 1);
	shard->serial = serial;
	if (shard->router.zone_status == ZONE_ACTIVE && !shard->move_count &&
	    shard->router.done_rev == shard->router.rev && shard->router.has_serial &&
	    shard->router.serial == serial)
		is_out(shard, false);
	else if (tx_redo(write_told, shard, &why))
		give_up(shard, why.text);
	else
		look(shard);
}

/* It was made for us, and what it has to begin with was not said yet. */
static bool is_to_begin(const struct shard *shard)
{
	return *shard->router.made_id && !shard->router.done_rev;
}

static bool has_serial(const struct shard *shard)
{
	return is_to_begin(shard) && !shard->has_no_serial &&
	       json_object_get(shard->zone, "serial");
}

static void hear_changed(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err == ERR_NOT_FOUND && !shard->is_asked_for) {
		was_missing(shard);
	} else if (answer->err == ERR_CONFLICT && has_serial(shard)) {
		shard->has_no_serial = true;	/* it may have been said before */
		send_changes(shard);
	} else if (answer->err) {
		give_up(shard, answer->why.text);
	} else {
		was_told(shard, (uint32_t)json_integer_value(
			json_object_get(answer->result, "serial")));
	}
}

/* What is said once: afterwards it is whoever's who changes it in central. */
static void add_beginning(const struct shard *shard, json_t *args)
{
	json_t *soa = json_object_get(shard->zone, "soa");

	if (soa)
		json_object_set(args, "soa", soa);
	if (has_serial(shard))
		json_object_set(args, "serial", json_object_get(shard->zone, "serial"));
}

static json_t *change_of(const struct shard *shard)
{
	return json_pack("{s:s, s:o}", "domain", domain_of(shard), "changes",
	                 changes_of(shard));
}

static void send_changes(struct shard *shard)
{
	json_t *args = change_of(shard);

	if (is_to_begin(shard))
		add_beginning(shard, args);
	ask(shard, "apply_changes", args, hear_changed);
}

/*
 * ---- a router that goes: what it has in its domain, and then the domain, if it was made
 * for it and has nothing of anybody else's ----
 */

static enum err write_gone(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	store_moves_drop_all(&tx, shard->name);
	store_router_delete(&tx, shard->name);
	return tx_commit(&tx);
}

static void hear_deleted(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err && answer->err != ERR_NOT_FOUND && answer->err != ERR_CONFLICT) {
		give_up(shard, answer->why.text);
		return;
	}
	if (answer->err == ERR_CONFLICT)
		log_info("domain kept: router=%s domain=%s reason=\"%s\"", shard->name,
		         domain_of(shard), answer->why.text);
	end_by(shard, write_gone);
}

static void delete_domain(struct shard *shard)
{
	ask(shard, "delete_domain", json_pack("{s:s, s:b}", "domain",
	    shard->router.made_id, "if_empty", true), hear_deleted);
}

static enum err write_moves_done(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	store_moves_done(&tx, shard->moves, shard->move_count);
	return tx_commit(&tx);
}

static void withdraw(struct shard *shard);

static void hear_withdrawn(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;
	struct why why;

	if (answer->err == ERR_INVALID && !shard->has_no_extras) {
		shard->has_no_extras = true;
		withdraw(shard);
		return;
	}
	if (answer->err && answer->err != ERR_NOT_FOUND)
		give_up(shard, answer->why.text);
	else if (!answer->err && shard->move_count == MOVES_MAX &&
	         tx_redo(write_moves_done, shard, &why))
		give_up(shard, why.text);
	else if (!answer->err && shard->move_count == MOVES_MAX)
		look(shard);
	else if (!answer->err && *shard->router.made_id)
		delete_domain(shard);
	else
		end_by(shard, write_gone);
}

static void withdraw(struct shard *shard)
{
	ask(shard, "apply_changes", change_of(shard), hear_withdrawn);
}

/* A parent that its storage does not know any more has nothing of us, either. */
static void hear_undelegated(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err && answer->err != ERR_NOT_FOUND)
		not_delegated(shard, answer);
	else
		withdraw(shard);
}

static void leave(struct shard *shard)
{
	if (is_delegated(shard))
		ask_parent(shard, json_array(), hear_undelegated);
	else
		withdraw(shard);
}

/* ---- what is to be done ---- */

static void take_move(void *self, const struct move_row *move)
{
	struct shard *shard = self;

	shard->moves[shard->move_count++] = *move;
}

static enum err read_shard(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = begin_guarded(shard, why);

	arena_reset(shard->arena);
	shard->move_count = 0;
	shard->moves = arena_alloc(shard->arena, MOVES_MAX * sizeof(*shard->moves));
	if (!store_router_read(&tx, shard->arena, shard->name, ROUTER_LOCK, &shard->router))
		tx_fail(&tx, ERR_NOT_FOUND, "no router %.63s", shard->name);
	store_moves_open(&tx, shard->arena, shard->name, MOVES_MAX, take_move, shard);
	return tx_commit(&tx);
}

static bool is_told(const struct shard *shard)
{
	return shard->router.done_rev == shard->router.rev &&
	       shard->router.zone_status == ZONE_PENDING;
}

static void look(struct shard *shard)
{
	struct why why;
	enum err err = tx_redo(read_shard, shard, &why);

	if (err || shard->shards->is_draining) {
		if (err && err != ERR_NOT_FOUND)
			log_warn("router not read: router=%s reason=\"%s\"", shard->name,
			         why.text);
		shard_free(shard);
		return;
	}
	json_decref(shard->zone);
	shard->zone = json_loads(shard->router.zone, 0, NULL);
	if (shard->router.state == ROUTER_GOING)
		leave(shard);
	else if (is_told(shard))
		ask_state(shard);
	else
		send_changes(shard);
}

/* ---- the beginning ---- */

static bool is_under_way(const struct shards *shards, const char *name)
{
	for (struct shard *at = shards->all; at; at = at->next)
		if (!strcmp(at->name, name))
			return true;
	return false;
}

void shards_now(struct shards *shards, const char *router)
{
	struct shard *shard;
	char object[128];
	struct why why;

	if (shards->is_draining || shards->count >= SHARDS_AT_ONCE ||
	    is_under_way(shards, router))
		return;			/* shards_fire() comes by again */
	shard = xcalloc(1, sizeof(*shard));
	shard->next = shards->all;
	shards->all = shard;
	shards->count++;
	shard->shards = shards;
	shard->name = xstrdup(router);
	shard->arena = arena_new();
	snprintf(object, sizeof(object), "routes:%s", router);
	if (holder_take(holder_of(shards), shards->routes->runtime.db, object, clock_ms(),
	                &shard->held, &why))
		shard_free(shard);	/* who has it, or comes by next, sees what is due */
	else
		look(shard);
}

struct due {
	char names[SHARDS_AT_ONCE][ROUTE_LABEL_MAX + 1];
	size_t count;
};

static void take_due(void *self, const char *name)
{
	struct due *due = self;

	snprintf(due->names[due->count++], sizeof(due->names[0]), "%s", name);
}

void shards_fire(struct shards *shards)
{
	struct due due = { .count = 0 };
	struct why why;
	struct tx tx = tx_once(shards->routes->runtime.db, &why);

	store_shards_due(&tx, NULL, SHARDS_AT_ONCE, take_due, &due);
	if (tx_commit(&tx)) {
		log_warn("due routers not read: reason=\"%s\"", why.text);
		return;
	}
	for (size_t i = 0; i < due.count; i++)
		shards_now(shards, due.names[i]);
}

/* ---- life ---- */

struct shards *shards_new(struct routes *routes)
{
	struct shards *shards = xcalloc(1, sizeof(*shards));

	shards->routes = routes;
	return shards;
}

void shards_free(struct shards **shards)
{
	while (*shards && (*shards)->all)
		shard_free((*shards)->all);
	free(*shards);
	*shards = NULL;
}

void shards_drain(struct shards *shards)
{
	shards->is_draining = true;
}

bool shards_are_idle(const struct shards *shards)
{
	return !shards->count;
}
