#include <stdio.h>
#include <string.h>

#include "core/shard_zone.h"
#include "model/serial.h"
#include "peers.h"
#include "runtime/metrics.h"
#include "shard_private.h"

enum {
	LOOK_MS = 250,			/* until its servers have it */
};

static struct metric *changes_told;

void shard_publish_metrics(void)
{
	changes_told = metric_new(METRIC_COUNTER, "routes_zone_changes_total",
	    "changes of routers' domains that central took", NULL, NULL);
}

/* ---- do its servers have it? ---- */

static enum err write_active(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = shard_begin_guarded(shard, why);

	store_shard_active(&tx, &shard->router,
	                   shard->shards->routes->settings.check_ms, ROUTES_PATIENCE_S);
	return tx_commit(&tx);
}

static enum err write_wait(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = shard_begin_guarded(shard, why);

	store_shard_wait(&tx, shard->name, LOOK_MS, ROUTES_PATIENCE_S);
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
	shard_end_by(shard, write_active);
}

static void hear_delegated(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err)
		shard_not_delegated(shard, answer);
	else
		has_ended(shard);
}

static void is_out(struct shard *shard, bool is_news)
{
	shard->is_news = is_news;
	if (shard_is_delegated(shard))
		shard_delegate(shard, hear_delegated);
	else
		has_ended(shard);
}

static void hear_state(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err) {
		shard_give_up(shard, answer->why.text);
	} else if (!strcmp(text_of(answer->result, "status"), "ERROR")) {
		shard_give_up(shard, text_of(answer->result, "reason"));
	} else if (is_published(shard, answer->result)) {
		is_out(shard, true);
	} else {
		shard_end_by(shard, write_wait);
	}
}

void shard_watch(struct shard *shard)
{
	shard_ask(shard, "get_domain", json_pack("{s:s}", "domain", shard_domain(shard)),
	          hear_state);
}

/* ---- a change ---- */

/* It was not told that before, or before anybody wrote down which one that was. */
static bool is_new(const struct shard *shard)
{
	return *shard->domain_id && strcmp(shard->router.domain_id, shard->domain_id);
}

/* Its name is the same, but none of our names are in it. */
static bool is_another(const struct shard *shard)
{
	return is_new(shard) && *shard->router.domain_id;
}

static enum err write_told(void *self, struct why *why)
{
	struct shard *shard = self;
	const struct shard_told told = {
		.rev = shard->move_count < MOVES_MAX ? shard->router.rev
		                                     : shard->router.done_rev,
		.serial = shard->serial, .after_ms = LOOK_MS,
	};
	struct tx tx = shard_begin_guarded(shard, why);

	if (is_another(shard))
		store_moves_again(&tx, shard->name);
	if (is_new(shard))
		store_shard_is(&tx, shard->name, shard->domain_id);
	store_moves_told(&tx, &shard->router, shard->moves, shard->move_count);
	store_shard_told(&tx, shard->name, &told, ROUTES_PATIENCE_S);
	return tx_commit(&tx);
}

static const char *target_of(const struct move_row *move)
{
	return move_asks(move->state) == MOVE_ASKS_CNAME ? move->target : NULL;
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
			                 target_of(&shard->moves[i]), router->ttl);
	return changes;
}

static enum err write_adopted(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = shard_begin_guarded(shard, why);

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
		shard_give_up(shard, answer->why.text);
	else if (answer->err && tx_retry_on_loop(write_adopted, shard, &why))
		shard_give_up(shard, why.text);
	else
		shard_publish(shard);
}

static void create_domain(struct shard *shard)
{
	json_t *domain = shard_zone_domain(shard->zone, shard->router.dns,
	                                   shard->shards->routes->settings.pool,
	                                   shard->router.description);

	json_object_set_new(domain, "id", json_string(shard->router.made_id));
	shard_ask(shard, "create_domain", json_pack("{s:o}", "domain", domain), hear_created);
}

/* Its id is written before it is asked for, for the answer may be lost. */
static enum err write_missing(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = shard_begin_guarded(shard, why);

	if (!*shard->router.made_id || shard->router.done_rev)	/* else: asked for before */
		id_random(shard->router.made_id);
	shard->router.done_rev = 0;
	store_shard_missing(&tx, shard->name, shard->router.made_id);
	return tx_commit(&tx);
}

static void was_missing(struct shard *shard)
{
	struct why why;

	shard->is_asked_for = true;
	if (tx_retry_on_loop(write_missing, shard, &why))
		shard_give_up(shard, why.text);
	else
		create_domain(shard);
}

/* Said again, and nothing was otherwise: then its servers have that, too. */
static void was_told(struct shard *shard, const json_t *answer)
{
	uint32_t serial = (uint32_t)json_integer_value(json_object_get(answer, "serial"));
	struct why why;

	metric_add(changes_told, 1);
	shard->serial = serial;
	snprintf(shard->domain_id, sizeof(shard->domain_id), "%s", text_of(answer, "id"));
	if (!is_new(shard) && shard->router.zone_status == ZONE_ACTIVE && !shard->move_count &&
	    shard->router.done_rev == shard->router.rev && shard->router.has_serial &&
	    shard->router.serial == serial)
		is_out(shard, false);
	else if (tx_retry_on_loop(write_told, shard, &why))
		shard_give_up(shard, why.text);
	else
		shard_look(shard);
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
		shard_publish(shard);
	} else if (answer->err) {
		shard_give_up(shard, answer->why.text);
	} else {
		was_told(shard, answer->result);
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

json_t *shard_change(const struct shard *shard)
{
	return json_pack("{s:s, s:o}", "domain", shard_domain(shard), "changes",
	                 changes_of(shard));
}

void shard_publish(struct shard *shard)
{
	json_t *args = shard_change(shard);

	if (is_to_begin(shard))
		add_beginning(shard, args);
	shard_ask(shard, "apply_changes", args, hear_changed);
}
