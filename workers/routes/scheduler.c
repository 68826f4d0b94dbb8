#include "scheduler.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/mem.h"
#include "binding.h"
#include "consistency/membership.h"
#include "core/strategy.h"
#include "notifications.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	BATCH = 100,			/* routes in one transaction */
	BATCHES = 5,			/* batches in one turn; calls wait meanwhile */
	SINGLE = 2 * BATCH,		/* routes bound one by one after a failure */
	LABELS_MAX = 64, CANDIDATES_MAX = 1000,
	GROUPS_MAX = BATCH,		/* each route may have its own group */
	/* routes of calls; more of them wait until their process finds them */
	WAITING_MAX = 64,
};

static struct figures {
	struct metric *bound, *rebound, *failed;
} figures;

void scheduler_metrics(void)
{
	figures.bound = metric_new(METRIC_COUNTER, "routes_bound_total",
	    "routes without a router that the scheduler bound to a router", NULL, NULL);
	figures.rebound = metric_new(METRIC_COUNTER, "routes_rebound_total",
	    "routes that the scheduler moved to another router", NULL, NULL);
	figures.failed = metric_new(METRIC_COUNTER, "routes_unschedulable_total",
	    "attempts of the scheduler that found no router for a route. The field "
	    "last_error of the route contains the reason", NULL, NULL);
}

struct scheduler {
	struct routes *routes;
	/* number of next routes that are bound one by one */
	int single;
	struct loop_timer *redo;	/* after a locked row */
	int locked;			/* runs in a row that found a row locked */
	/* routes of calls that found a row locked */
	char waiting[WAITING_MAX][ID_LEN + 1];
	size_t waiting_count;
};

/* The position of the strategy in a group of routers. */
struct position {
	const char *label;
	uint64_t at;
};

/* One transaction. */
struct batch {
	struct scheduler *scheduler;
	const struct strategy *strategy;
	struct arena *arena;
	struct tx *tx;
	void (*read)(struct batch *batch);	/* reads the routes */
	struct route_share share;
	const char *id;				/* for batch_read_one */
	struct route_row routes[BATCH];
	size_t count;
	struct router_row routers[CANDIDATES_MAX];
	struct candidate candidates[CANDIDATES_MAX];
	size_t candidate_count;
	struct position positions[GROUPS_MAX];
	size_t position_count;
	struct binding_result results[BATCH];
	size_t result_count;
	struct host_changes changes;
	struct route_event failures[BATCH];
	size_t failure_count;
	/* after an error: the route that caused it */
	char last_id[ID_LEN + 1];
};

/* ---- the routes ---- */

static void batch_add_route(void *self, const struct route_row *route)
{
	struct batch *batch = self;

	if (batch->count < BATCH)
		batch->routes[batch->count++] = *route;
}

static void batch_read_unbound(struct batch *batch)
{
	store_routes_unbound(batch->tx, batch->arena, &batch->share, batch_add_route,
	                     batch);
}

static void batch_read_draining(struct batch *batch)
{
	store_routes_draining(batch->tx, batch->arena, &batch->share, batch_add_route,
	                      batch);
}

/* Another process may have bound the route. */
static void batch_read_one(struct batch *batch)
{
	struct route_row route;

	if (store_route_lock(batch->tx, batch->arena,
	                     &(struct route_key){ .id = batch->id }, &route) &&
	    !route.is_scheduled && !route.is_waiting)
		batch_add_route(batch, &route);
}

static void batch_add_router(void *self, const struct router_row *router)
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

/* ---- one route ---- */

/* {"zone": "east"} as "zone=east". All values are texts. */
static size_t route_labels(const struct route_row *route, struct arena *arena,
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

static struct position *batch_position(struct batch *batch, const char *label)
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

static enum err batch_pick(struct batch *batch, const struct route_row *route,
                           size_t *picked, struct why *why)
{
	const char *labels[LABELS_MAX];
	const struct applicant applicant = { route->id, labels,
	                                     route_labels(route, batch->arena, labels) };
	struct position *position = batch_position(batch, strategy_group(batch->strategy,
	    &applicant, batch->candidates, batch->candidate_count));
	enum err err = strategy_pick(batch->strategy, &applicant, batch->candidates,
	                             batch->candidate_count, position->at, picked, why);

	position->at += !err;
	return err;
}

static void batch_note_failure(struct batch *batch, const struct route_row *route,
                               const struct why *why)
{
	const struct backoff again = {
		1000, batch->scheduler->routes->settings.retry_max_ms,
	};

	store_route_failed(batch->tx, route->id, why->text,
	                   backoff_ms(&again, (int)route->attempts, random_u32()));
	metric_add(figures.failed, 1);
	if (strcmp(route->last_error, why->text))
		batch->failures[batch->failure_count++] = (struct route_event){
			.event = "route.unschedulable", .id = route->id,
			.namespace = route->namespace, .name = route->name,
			.router = route->router, .dns = route->dns,
			.reason = arena_strdup(batch->arena, why->text),
		};
}

static void batch_bind_route(struct batch *batch, const struct route_row *route)
{
	struct binding_result *result = &batch->results[batch->result_count];
	size_t picked;
	struct why why;
	enum err err = batch_pick(batch, route, &picked, &why);

	memcpy(batch->last_id, route->id, sizeof(batch->last_id));
	if (!err)
		err = binding_assign(batch->scheduler->routes, batch->tx, batch->arena,
		                     route, &batch->routers[picked], result, &why);
	if (batch->tx->err)
		return;
	if (err) {
		batch_note_failure(batch, route, &why);
		return;
	}
	batch->candidates[picked].bound++;
	batch->result_count++;
}

/* ---- the batch ---- */

static void batch_write_positions(struct batch *batch)
{
	for (size_t i = 0; i < batch->position_count && batch->result_count; i++)
		if (batch->strategy->has_position)
			store_position_write(batch->tx, strategy_name(batch->strategy),
			                     batch->positions[i].label,
			                     batch->positions[i].at);
}

/* Resets the batch after a run that ended in a conflict in the database. */
static void batch_reset(struct batch *batch)
{
	arena_reset(batch->arena);
	batch->count = batch->candidate_count = batch->position_count = 0;
	batch->result_count = batch->failure_count = 0;
	batch->changes = (struct host_changes){ .arena = batch->arena };
	batch->last_id[0] = '\0';
}

static enum err batch_write(void *self, struct why *why)
{
	struct batch *batch = self;
	const struct alive_rule rule = routes_alive_rule(batch->scheduler->routes);
	struct tx tx = tx_begin(batch->scheduler->routes->runtime.db, why);

	batch_reset(batch);
	batch->tx = &tx;
	store_strategy_lock(&tx, strategy_name(batch->strategy));
	batch->read(batch);
	if (batch->count)
		store_routers_active(&tx, batch->arena, &rule, batch_add_router, batch);
	for (size_t i = 0; i < batch->count && !tx.err; i++)
		batch_bind_route(batch, &batch->routes[i]);
	batch_write_positions(batch);
	binding_add_changes(&tx, batch->results, batch->result_count, &batch->changes);
	host_changes_write(&batch->changes, &tx);
	return tx_commit(&tx);
}

static void batch_notify(const struct batch *batch)
{
	struct routes *routes = batch->scheduler->routes;

	binding_notify(routes, batch->results, batch->result_count);
	host_changes_cast(&batch->changes, routes);
	for (size_t i = 0; i < batch->result_count; i++)
		metric_add(batch->results[i].former_router ? figures.rebound
		           : figures.bound, 1);
	for (size_t i = 0; i < batch->failure_count; i++)
		notifications_send_route(routes, &batch->failures[i]);
}

struct batch_failure {
	struct batch *batch;
	const struct why *why;
};

static enum err batch_write_failure(void *self, struct why *why)
{
	const struct batch_failure *failed = self;
	struct tx tx = tx_autocommit(failed->batch->scheduler->routes->runtime.db, why);

	store_route_failed(&tx, failed->batch->last_id, failed->why->text,
	                   failed->batch->scheduler->routes->settings.retry_max_ms);
	return tx_commit(&tx);
}

/* Other processes bind routes, too, and lock the same rows for a moment. */
static const struct backoff locked_pause = { .first_ms = 7, .max_ms = 400 };

static void scheduler_redo_later(struct scheduler *scheduler, const struct why *why)
{
	log_debug("routes not bound yet: reason=\"%s\"", why->text);
	if (!loop_timer_armed(scheduler->redo))
		loop_timer_set(scheduler->redo, backoff_ms(&locked_pause,
		               scheduler->locked++, random_u32()));
}

/* Lets the next routes be bound one by one, to find the route that causes the error. */
static void batch_handle_error(struct batch *batch, enum err err, const struct why *why)
{
	struct batch_failure failed = { batch, why };
	struct why again;

	log_warn("routes not bound: last_route=%s reason=\"%s\"", batch->last_id,
	         why->text);
	if (err_retry(err) != RETRY_NEVER)
		return;
	batch->scheduler->single = SINGLE;
	if (batch->count == 1 && tx_retry_on_loop(batch_write_failure, &failed, &again))
		log_warn("failed attempt to bind the route not stored: route=%s "
		         "reason=\"%s\"",
		         batch->last_id, again.text);
}

/* Binds BATCH->count routes. ERR_LOCKED: the redo timer tries again. */
static enum err scheduler_run_batch(struct batch *batch)
{
	struct scheduler *scheduler = batch->scheduler;
	struct why why;
	enum err err;

	batch->share.limit = scheduler->single ? 1 : BATCH;
	err = tx_retry_on_loop(batch_write, batch, &why);
	if (scheduler->single)
		scheduler->single--;
	if (err == ERR_LOCKED) {
		scheduler_redo_later(scheduler, &why);
		return err;
	}
	scheduler->locked = 0;
	if (err)
		batch_handle_error(batch, err, &why);
	else
		batch_notify(batch);
	return err;
}

static struct batch *scheduler_batch_new(struct scheduler *scheduler)
{
	struct batch *batch = xcalloc(1, sizeof(*batch));

	batch->scheduler = scheduler;
	batch->strategy = strategy_at(
	    (enum strategy_word)scheduler->routes->settings.strategy);
	batch->arena = arena_new();
	return batch;
}

static void scheduler_batch_free(struct batch *batch)
{
	arena_free(&batch->arena);
	free(batch);
}

/* False: no route is due. Then a turn writes nothing. */
static bool scheduler_is_due(const struct scheduler *scheduler,
                             const struct route_share *share)
{
	struct why why;
	struct tx tx = tx_autocommit(scheduler->routes->runtime.db, &why);
	bool any = store_routes_any_due(&tx, share);

	if (tx_commit(&tx))
		log_warn("cannot read which routes are due: reason=\"%s\"", why.text);
	return any;
}

void scheduler_fire(struct scheduler *scheduler)
{
	void (*const reads[])(struct batch *) = { batch_read_unbound,
	                                          batch_read_draining };
	struct share share =
	    membership_share(scheduler->routes->runtime.membership,
	                     scheduler->routes->runtime.db);
	struct batch *batch = scheduler_batch_new(scheduler);

	batch->share.factor = share.factor;
	batch->share.total = share.total;
	if (share.total && batch->strategy && scheduler_is_due(scheduler, &batch->share))
		for (size_t i = 0; i < 2; i++) {
			batch->read = reads[i];
			for (int n = 0; n < BATCHES; n++)
				if (scheduler_run_batch(batch) || !batch->count)
					break;
		}
	scheduler_batch_free(batch);
}

/* Notifies the program that makes the bindings with the strategy "external". */
static void batch_notify_new(const struct batch *batch)
{
	struct routes *routes = batch->scheduler->routes;
	struct route_row route;
	struct why why;
	struct tx tx = tx_autocommit(routes->runtime.db, &why);
	bool is_new = store_route_read(&tx, batch->arena,
	                               &(struct route_key){ .id = batch->id }, &route) &&
	              !route.is_scheduled && !route.is_waiting;

	if (!tx_commit(&tx) && is_new)
		notifications_send_route(routes, &(struct route_event){
			.event = "route.new", .id = route.id,
			.namespace = route.namespace, .name = route.name, .reason = "" });
}

/* False: a row is locked. */
static bool scheduler_bind_one(struct scheduler *scheduler, const char *id)
{
	struct batch *batch = scheduler_batch_new(scheduler);
	enum err err = OK;

	batch->read = batch_read_one;
	batch->id = id;
	if (batch->strategy)
		err = scheduler_run_batch(batch);
	else
		batch_notify_new(batch);
	scheduler_batch_free(batch);
	return err != ERR_LOCKED;
}

void scheduler_schedule(struct scheduler *scheduler, const char *id)
{
	if (!scheduler_bind_one(scheduler, id) && scheduler->waiting_count < WAITING_MAX)
		memcpy(scheduler->waiting[scheduler->waiting_count++], id, ID_LEN + 1);
}

/* First the routes of calls, which may be in the shares of other processes. */
static void scheduler_redo(void *self)
{
	struct scheduler *scheduler = self;
	size_t done = 0;

	while (done < scheduler->waiting_count &&
	       scheduler_bind_one(scheduler, scheduler->waiting[done]))
		done++;
	scheduler->waiting_count -= done;
	memmove(scheduler->waiting, scheduler->waiting[done],
	        scheduler->waiting_count * sizeof(scheduler->waiting[0]));
	if (!scheduler->waiting_count)
		scheduler_fire(scheduler);
}

struct scheduler *scheduler_new(struct routes *routes)
{
	struct scheduler *scheduler = xcalloc(1, sizeof(*scheduler));

	scheduler->routes = routes;
	scheduler->redo = loop_timer_new(routes->runtime.loop, scheduler_redo, scheduler);
	return scheduler;
}

void scheduler_free(struct scheduler **scheduler)
{
	if (*scheduler)
		loop_timer_free(&(*scheduler)->redo);
	free(*scheduler);
	*scheduler = NULL;
}
