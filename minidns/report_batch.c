#include "report_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/rpc.h"

enum { LINGER_MS = 10 };

/* The reports for the managers of one pool. */
struct pool_batch {
	struct pool_batch *next;
	char *name;
	json_t *reports;
};

struct report_batch {
	struct loop *loop;
	struct rpc_client *rpc;
	bool (*more_to_come)(const void *self);
	const void *self;
	struct loop_timer *timer;
	bool due;			/* report_batch_on_turn_end() is scheduled */
	struct pool_batch *pools;
};

static void report_batch_send(void *self);

struct report_batch *report_batch_new(struct loop *loop, struct rpc_client *rpc,
                                      bool (*more_to_come)(const void *self),
                                      const void *self)
{
	struct report_batch *batch = xcalloc(1, sizeof(*batch));

	batch->loop = loop;
	batch->rpc = rpc;
	batch->more_to_come = more_to_come;
	batch->self = self;
	batch->timer = loop_timer_new(loop, report_batch_send, batch);
	return batch;
}

static void pool_batch_free(struct pool_batch *pool)
{
	json_decref(pool->reports);
	free(pool->name);
	free(pool);
}

void report_batch_free(struct report_batch **batch)
{
	struct report_batch *old = *batch;

	*batch = NULL;
	if (!old)
		return;
	for (struct pool_batch *pool = old->pools, *next; pool; pool = next) {
		next = pool->next;
		pool_batch_free(pool);
	}
	loop_later_cancel(old->loop, old);
	loop_timer_free(&old->timer);
	free(old);
}

bool report_batch_idle(const struct report_batch *batch)
{
	return !batch->pools;
}

/* ---- out ---- */

static void report_batch_send_pool(struct report_batch *batch,
                                   const struct pool_batch *pool)
{
	char topic[300], request_id[ID_LEN + 1];
	struct rpc_target target = { .topic = topic };
	json_t *args = json_pack("{s:O}", "reports", pool->reports), *context;
	struct why why;

	id_random(request_id);
	context = context_encode(request_id, true);
	snprintf(topic, sizeof(topic), "pool_manager.%s", pool->name);
	if (rpc_cast(batch->rpc, &target, "update_statuses", args, context, &why))
		log_warn("reports not sent: req=%s pool=%s count=%zu reason=\"%s\"",
		         request_id, pool->name, json_array_size(pool->reports),
		         why.text);
	json_decref(context);
	json_decref(args);
}

static void report_batch_send(void *self)
{
	struct report_batch *batch = self;
	struct pool_batch *pool;

	loop_timer_cancel(batch->timer);
	while ((pool = batch->pools)) {
		batch->pools = pool->next;
		report_batch_send_pool(batch, pool);
		pool_batch_free(pool);
	}
}

/* ---- in ---- */

static void report_batch_on_turn_end(void *self)
{
	struct report_batch *batch = self;

	batch->due = false;
	if (!batch->more_to_come(batch->self))
		report_batch_send(batch);
	else if (batch->pools && !loop_timer_armed(batch->timer))
		loop_timer_set(batch->timer, LINGER_MS);
}

static struct pool_batch *report_batch_pool(struct report_batch *batch, const char *name)
{
	struct pool_batch *pool = batch->pools;

	while (pool && strcmp(pool->name, name))
		pool = pool->next;
	if (pool)
		return pool;
	pool = xcalloc(1, sizeof(*pool));
	pool->name = xstrdup(name);
	pool->reports = json_array();
	pool->next = batch->pools;
	batch->pools = pool;
	return pool;
}

static void report_batch_log(const struct server_report *report)
{
	if (report->differs)
		log_warn("server differs from the database: domain=%s server=%s "
		         "serial=%u reason=\"%s\"",
		         report->domain.name, report->name_server, report->serial,
		         report->reason);
	else if (report->report == REPORT_SUCCESS)
		log_debug("server serves the serial: domain=%s server=%s serial=%u",
		          report->domain.name, report->name_server, report->serial);
	else
		log_info("poll result reported: domain=%s server=%s wanted_serial=%u "
		         "status=%s reason=\"%s\"",
		         report->domain.name, report->name_server,
		         report->domain.state.serial, report_name(report->report),
		         report->reason);
}

void report_batch_add(struct report_batch *batch, const struct server_report *report)
{
	struct pool_batch *pool = report_batch_pool(batch, report->domain.pool);

	report_batch_log(report);
	json_array_append_new(pool->reports, server_report_encode(report));
	if (json_array_size(pool->reports) == LIST_MAX)
		report_batch_send(batch);
	if (!batch->due)
		loop_later(batch->loop, report_batch_on_turn_end, batch);
	batch->due = true;
}
