/*
 * rpc_server -- opens a server on the queues of its topic.
 */
#include "runtime/rpc_private.h"

#include <stdlib.h>

#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/rpc_metrics.h"
#include "runtime/rpc_reply.h"

/* The broker delivers waiting messages again, to this process or another. */
static void server_on_down(void *self)
{
	struct rpc_server *server = self;

	server->caller = (struct caller_scan){ 0 };
	rpc_run_drop(server);
}

static void server_on_up(void *self)
{
	struct rpc_server *server = self;

	if (server->config.fanout_is_new)
		server->config.fanout_is_new(server->config.self);
}

static bool server_is_fleet_only(const struct rpc_server *server)
{
	for (const struct rpc_method *row = server->config.methods; row->name; row++)
		if (!row->fleet)
			return false;
	return true;
}

static void server_fill_queues(struct rpc_server *server)
{
	const struct rpc_server_config *config = &server->config;
	struct broker_queue *queue = server->queues;
	struct broker_queue row = { .name = config->topic, .prefetch = config->prefetch };

	row.kind = BROKER_WORK;
	if (!config->fanout_only)
		*queue++ = row;
	if (config->recovery) {
		row.name = config->recovery;
		*queue++ = row;
	}
	if (config->fanout || config->fanout_only) {
		row.name = config->topic;
		row.kind = BROKER_FANOUT;
		*queue++ = row;
	}
}

struct rpc_server *rpc_server_open(struct loop *loop, const struct broker_config *broker,
                                   struct broker *out,
                                   const struct rpc_server_config *config)
{
	struct rpc_server *server = xcalloc(1, sizeof *server);
	const struct broker_hooks hooks = {
		.up = server_on_up, .down = server_on_down,
		.discarded_part = rpc_receive_part, .delivery = rpc_receive_delivery,
		.drained = rpc_run_waiting,
		.self = server,
	};

	server->config = *config;
	server->is_fleet_only = server_is_fleet_only(server);
	server->out = out;
	server->max_bytes = broker->max_message_bytes;
	server->tail = &server->head;
	server->again = loop_timer_new(loop, rpc_run_waiting, server);
	server->heartbeat = loop_timer_new(loop, rpc_heartbeat, server);
	server->redo_timer = loop_timer_new(loop, rpc_run_redo, server);
	server->redo_queue.locked_max = config->prefetch > 1
	                                 ? (size_t)config->prefetch / 2 : 1;
	server->metrics = rpc_metrics_new(config->methods);
	server_fill_queues(server);
	server->in = broker_open(loop, broker, config->topic, server->queues, &hooks);
	server->replies = replies_new(loop, server->in, out);
	return server;
}

const char *rpc_server_down_reason(const struct rpc_server *server)
{
	return broker_down_reason(server->in);
}

void rpc_server_pause(struct rpc_server *server)
{
	broker_pause(server->in);
}

size_t rpc_server_waiting(const struct rpc_server *server)
{
	return server->waiting + server->redo_queue.count +
	       replies_waiting(server->replies);
}

/* The broker delivers unacknowledged messages again, to this process or another. */
void rpc_server_close(struct rpc_server **server)
{
	struct rpc_server *s = *server;

	if (!s)
		return;
	replies_free(&s->replies);
	broker_close(&s->in);
	rpc_run_drop(s);
	rpc_jobs_free(s);
	loop_timer_free(&s->again);
	loop_timer_free(&s->heartbeat);
	loop_timer_free(&s->redo_timer);
	rpc_metrics_free(&s->metrics);
	free(s);
	*server = NULL;
}
