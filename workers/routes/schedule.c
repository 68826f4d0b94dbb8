#include "schedule.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/mem.h"
#include "binding.h"
#include "consistency/heartbeat.h"
#include "consistency/membership.h"
#include "core/strategy.h"
#include "peers.h"
#include "runtime/metrics.h"

enum {
	BATCH = 100,			/* routes of a transaction */
	BATCHES = 5,			/* of a turn of the timer: calls wait meanwhile */
	CAREFUL = 2 * BATCH,		/* routes that are bound one by one after a failure */
	LABELS_MAX = 64, CANDIDATES_MAX = 1000,
	GROUPS_MAX = BATCH,		/* each route may have another one */
};

static struct figures {
	struct metric *bound, *rebound, *failed;
} figures;

void schedule_metrics(void)
{
	figures.bound = metric_new(METRIC_COUNTER, "routes_bound_total",
	    "routes that got a router", NULL, NULL);
	figures.rebound = metric_new(METRIC_COUNTER, "routes_rebound_total",
	    "routes that got another router", NULL, NULL);
	figures.failed = metric_new(METRIC_COUNTER, "routes_unschedulable_total",
	    "attempts to bind a route that found no router. Its last_error has the "
	    "reason", NULL, NULL);
}

struct scheduler {
	struct routes *routes;
	int careful;			/* so many are bound one by one */
};

/* Where the strategy stands in a group of routers. */
struct position {
	const char *label;
	uint64_t at;
};

/* What one transaction does. */
struct batch {
	struct scheduler *scheduler;
	const struct strategy *strategy;
	struct arena *arena;
	struct tx *tx;
	void (*read)(struct batch *batch);	/* the routes that it is for */
	struct route_share share;
	const char *id;				/* of the one that it is for */
	struct route_row routes[BATCH];
	size_t count;
	struct router_row routers[CANDIDATES_MAX];
	struct candidate candidates[CANDIDATES_MAX];
	size_t candidate_count;
	struct position positions[GROUPS_MAX];
	size_t position_count;
	struct bound bound[BATCH];
	size_t bound_count;
	struct hosts_news hosts;
	struct route_news news[BATCH];		/* of those that could not be bound */
	size_t news_count;
	char last_id[ID_LEN + 1];		/* at which it failed, if it did */
};

/* ---- what it is for ---- */

static void take_route(void *self, const struct route_row *route)
{
	struct batch *batch = self;

	if (batch->count < BATCH)
		batch->routes[batch->count++] = *route;
}

static void read_due(struct batch *batch)
{
	store_routes_due(batch->tx, batch->arena, &batch->share, take_route, batch);
}

static void read_moving(struct batch *batch)
{
	store_routes_moving(batch->tx, batch->arena, &batch->share, take_route, batch);
}

/* Somebody else may have been here. */
static void read_one(struct batch *batch)
{
	struct route_row route;

	if (store_route_lock(batch->tx, batch->arena,
	                     &(struct route_key){ .id = batch->id }, &route) &&
	    !route.is_scheduled && !route.is_waiting)
		take_route(batch, &route);
}

static void take_router(void *self, const struct router_row *router)
{
	struct batch *batch = self;

	if (batch->candidate_count == CANDIDATES_MAX)
		return;
	batch->routers[batch->candidate_count] = *router;
	batch->candidates[batch->candidate_count++] = (struct candidate){
		.name = router->name, .label = router->label, .bound = router->bound,
		.has_capacity = router->has_capacity, .capacity = router->capacity,
		.is_down = !router->is_live,
	};
}

/* ---- one of them ---- */

/* {"zone": "east"} as "zone=east"; what is no text was refused when it came. */
static size_t read_labels(const struct route_row *route, struct arena *arena,
                          const char **labels)
{
	json_t *json = json_loads(route->labels, 0, NULL);
	const char *key;
	json_t *value;
	size_t count = 0;

	json_object_foreach(json, key, value)
		if (count < LABELS_MAX && json_is_string(value))
			labels[count++] = arena_printf(arena, "%s=%s", key,
			                               json_string_value(value));
	json_decref(json);
	return count;
}

static struct position *position_of(struct batch *batch, const char *label)
{
	struct position *position;

	for (size_t i = 0; i < batch->position_count; i++)
		if (!strcmp(batch->positions[i].label, label))
			return &batch->positions[i];
	bug_if(batch->position_count == GROUPS_MAX);
	position = &batch->positions[batch->position_count++];
	*position = (struct position){ label, store_position_read(batch->tx,
	                               strategy_name(batch->strategy), label) };
	return position;
}

static enum err pick(struct batch *batch, const struct route_row *route, size_t *picked,
                     struct why *why)
{
	const char *labels[LABELS_MAX];
	const struct applicant applicant = { route->id, labels,
	                                     read_labels(route, batch->arena, labels) };
	struct position *position = position_of(batch, strategy_group(batch->strategy,
	    &applicant, batch->candidates, batch->candidate_count));
	enum err err = strategy_pick(batch->strategy, &applicant, batch->candidates,
	                             batch->candidate_count, position->at, picked, why);

	position->at += !err;
	return err;
}

static void note_failure(struct batch *batch, const struct route_row *route,
                         const struct why *why)
{
	const struct backoff again = {
		1000, batch->scheduler->routes->settings.retry_max_ms,
	};

	store_route_failed(batch->tx, route->id, why->text,
	                   backoff_ms(&again, (int)route->attempts, random_u32()));
	metric_add(figures.failed, 1);
	if (strcmp(route->last_error, why->text))
		batch->news[batch->news_count++] = (struct route_news){
			.event = "route.unschedulable", .id = route->id,
			.namespace = route->namespace, .name = route->name,
			.router = route->router, .dns = route->dns,
			.reason = arena_strdup(batch->arena, why->text),
		};
}

static void bind_route(struct batch *batch, const struct route_row *route)
{
	struct bound *bound = &batch->bound[batch->bound_count];
	size_t picked;
	struct why why;
	enum err err = pick(batch, route, &picked, &why);

	memcpy(batch->last_id, route->id, sizeof(batch->last_id));
	if (!err)
		err = binding_make(batch->scheduler->routes, batch->tx, batch->arena, route,
		                   &batch->routers[picked], bound, &why);
	if (batch->tx->err)
		return;
	if (err) {
		note_failure(batch, route, &why);
		return;
	}
	batch->candidates[picked].bound++;
	batch->bound_count++;
}

/* ---- all of them ---- */

static void put_positions(struct batch *batch)
{
	for (size_t i = 0; i < batch->position_count && batch->bound_count; i++)
		if (batch->strategy->has_position)
			store_position_put(batch->tx, strategy_name(batch->strategy),
			                   batch->positions[i].label,
			                   batch->positions[i].at);
}

/* Nothing of a run before that came to nothing. */
static void begin(struct batch *batch)
{
	arena_reset(batch->arena);
	batch->count = batch->candidate_count = batch->position_count = 0;
	batch->bound_count = batch->news_count = 0;
	batch->hosts = (struct hosts_news){ .arena = batch->arena };
	batch->last_id[0] = '\0';
}

static enum err run(void *self, struct why *why)
{
	struct batch *batch = self;
	const struct alive_rule rule = routes_alive_rule(batch->scheduler->routes);
	struct tx tx = tx_begin(batch->scheduler->routes->runtime.db, why);

	begin(batch);
	batch->tx = &tx;
	store_strategy_lock(&tx, strategy_name(batch->strategy));
	batch->read(batch);
	if (batch->count)
		store_routers_active(&tx, batch->arena, &rule, take_router, batch);
	for (size_t i = 0; i < batch->count && !tx.err; i++)
		bind_route(batch, &batch->routes[i]);
	put_positions(batch);
	binding_news(&tx, batch->bound, batch->bound_count, &batch->hosts);
	hosts_news_raise(&batch->hosts, &tx);
	return tx_commit(&tx);
}

static void tell(const struct batch *batch)
{
	struct routes *routes = batch->scheduler->routes;

	binding_tell(routes, batch->bound, batch->bound_count);
	hosts_news_tell(&batch->hosts, routes);
	for (size_t i = 0; i < batch->bound_count; i++)
		metric_add(batch->bound[i].was_router ? figures.rebound : figures.bound, 1);
	for (size_t i = 0; i < batch->news_count; i++)
		peers_route(routes, &batch->news[i]);
}

struct failed {
	struct batch *batch;
	const struct why *why;
};

static enum err write_failed(void *self, struct why *why)
{
	const struct failed *failed = self;
	struct tx tx = tx_autocommit(failed->batch->scheduler->routes->runtime.db, why);

	store_route_failed(&tx, failed->batch->last_id, failed->why->text,
	                   failed->batch->scheduler->routes->settings.retry_max_ms);
	return tx_commit(&tx);
}

/* Whichever route it was, the others are bound one by one; and then it waits. */
static void be_careful(struct batch *batch, enum err err, const struct why *why)
{
	struct failed failed = { batch, why };
	struct why again;

	log_warn("routes not bound: at=%s reason=\"%s\"", batch->last_id, why->text);
	if (err_retry(err) != RETRY_NEVER)
		return;
	batch->scheduler->careful = CAREFUL;
	if (batch->count == 1 && tx_retry_on_loop(write_failed, &failed, &again))
		log_warn("failure not written: route=%s reason=\"%s\"", batch->last_id,
		         again.text);
}

/* How many routes it was for. */
static size_t run_batch(struct batch *batch)
{
	struct scheduler *scheduler = batch->scheduler;
	struct why why;
	enum err err;

	batch->share.limit = scheduler->careful ? 1 : BATCH;
	err = tx_retry_on_loop(run, batch, &why);
	if (scheduler->careful)
		scheduler->careful--;
	if (err) {
		be_careful(batch, err, &why);
		return 0;
	}
	tell(batch);
	return batch->count;
}

static struct batch *batch_new(struct scheduler *scheduler)
{
	struct batch *batch = xcalloc(1, sizeof(*batch));

	batch->scheduler = scheduler;
	batch->strategy = strategy_at((enum strategy_word)scheduler->routes->settings.strategy);
	batch->arena = arena_new();
	return batch;
}

static void batch_free(struct batch *batch)
{
	arena_free(&batch->arena);
	free(batch);
}

/* A turn with nothing to do writes nothing. */
static bool is_wanted(const struct scheduler *scheduler, const struct route_share *share)
{
	struct why why;
	struct tx tx = tx_autocommit(scheduler->routes->runtime.db, &why);
	bool any = store_routes_wanting(&tx, share);

	if (tx_commit(&tx))
		log_warn("routes not looked at: reason=\"%s\"", why.text);
	return any;
}

void scheduler_fire(struct scheduler *scheduler)
{
	void (*const reads[])(struct batch *) = { read_due, read_moving };
	struct share share =
	    membership_share(heartbeat_membership(scheduler->routes->heartbeat),
	                     scheduler->routes->runtime.db);
	struct batch *batch = batch_new(scheduler);

	batch->share = (struct route_share){ .factor = share.factor, .total = share.total };
	if (share.total && batch->strategy && is_wanted(scheduler, &batch->share))
		for (size_t i = 0; i < 2; i++) {
			batch->read = reads[i];
			for (int done = 0; done < BATCHES && run_batch(batch); done++)
				;
		}
	batch_free(batch);
}

/* Whoever binds elsewhere hears that there is one, if there still is. */
static void tell_new(const struct batch *batch)
{
	struct routes *routes = batch->scheduler->routes;
	struct route_row route;
	struct why why;
	struct tx tx = tx_autocommit(routes->runtime.db, &why);
	bool is_new = store_route_read(&tx, batch->arena,
	                               &(struct route_key){ .id = batch->id }, &route) &&
	              !route.is_scheduled && !route.is_waiting;

	if (!tx_commit(&tx) && is_new)
		peers_route(routes, &(struct route_news){
			.event = "route.new", .id = route.id,
			.namespace = route.namespace, .name = route.name, .reason = "" });
}

void scheduler_now(struct scheduler *scheduler, const char *id)
{
	struct batch *batch = batch_new(scheduler);

	batch->read = read_one;
	batch->id = id;
	if (batch->strategy)
		run_batch(batch);
	else
		tell_new(batch);
	batch_free(batch);
}

struct scheduler *scheduler_new(struct routes *routes)
{
	struct scheduler *scheduler = xcalloc(1, sizeof(*scheduler));

	scheduler->routes = routes;
	return scheduler;
}

void scheduler_free(struct scheduler **scheduler)
{
	free(*scheduler);
	*scheduler = NULL;
}
