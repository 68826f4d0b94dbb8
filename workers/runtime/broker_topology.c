#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"

enum {
	BOUNDED_MAX = 100000,
	DEAD_MAX_BYTES = 512 << 20,	/* of the dead letters of a queue */
	NAME_SIZE = SHORT_MAX + 1,
};

/* A queue for each delay: in one queue a message with a long delay would block others. */
static const int retry_steps_ms[] = { 1000, 5000, 8000 };
enum { RETRY_STEPS = sizeof retry_steps_ms / sizeof retry_steps_ms[0] };

int topology_retry_step(int delay_ms)
{
	for (int i = 0; i < RETRY_STEPS; i++)
		if (retry_steps_ms[i] >= delay_ms)
			return retry_steps_ms[i];
	return retry_steps_ms[RETRY_STEPS - 1];
}

/* ---- the list of items ---- */

static struct topology_item *topology_add(struct topology *topology,
                                          enum topology_kind kind, const char *name)
{
	struct topology_item *item;

	if (topology->count == topology->size) {
		topology->size = topology->size ? 2 * topology->size : 16;
		topology->item = xrealloc(topology->item,
		                          topology->size * sizeof *topology->item);
	}
	item = &topology->item[topology->count++];
	*item = (struct topology_item){ .kind = kind,
	                                .name = arena_strdup(topology->arena, name) };
	return item;
}

static void topology_add_exchange(struct topology *topology, const char *name,
                                  const char *type, bool durable, bool auto_delete)
{
	struct topology_item *item = topology_add(topology, TOPOLOGY_EXCHANGE, name);

	item->type = type;
	item->durable = durable;
	item->auto_delete = auto_delete;
}

static struct topology_item *topology_add_queue(struct topology *topology,
                                                const char *name)
{
	struct topology_item *item = topology_add(topology, TOPOLOGY_QUEUE, name);

	item->durable = true;
	return item;
}

/* Adds a queue that ends with the connection. */
static void topology_add_temporary(struct topology *topology, const char *name)
{
	topology_add(topology, TOPOLOGY_QUEUE, name)->exclusive = true;
}

static void topology_add_binding(struct topology *topology, const char *queue,
                                 const char *exchange, const char *key)
{
	struct topology_item *item = topology_add(topology, TOPOLOGY_BINDING, queue);

	item->source = arena_strdup(topology->arena, exchange);
	item->key = arena_strdup(topology->arena, key);
}

static void topology_add_argument(struct topology_item *queue, amqp_table_entry_t entry)
{
	bug_if(queue->argument_count == ARGUMENTS_MAX);
	queue->argument[queue->argument_count++] = entry;
}

static void topology_add_text(struct topology_item *queue, const char *key,
                              const char *value)
{
	topology_add_argument(queue, entry_text(key, value));
}

static void topology_add_number(struct topology_item *queue, const char *key,
                                int32_t value)
{
	topology_add_argument(queue, entry_number(key, value));
}

/* ---- the kinds of queues ---- */

/* Sets no other arguments: a Python peer declares this queue, too, and must agree. */
static void topology_add_durable(struct topology *topology, const char *name)
{
	struct topology_item *queue = topology_add_queue(topology, name);

	if (topology->quorum)
		topology_add_text(queue, "x-queue-type", "quorum");
}

/* After its delay a message goes back to its first queue. */
static void topology_add_retry(struct topology *topology, const char *name, int step_ms)
{
	struct topology_item *queue;
	char retry[NAME_SIZE];

	snprintf(retry, sizeof retry, "%s.retry.%d", name, step_ms);
	queue = topology_add_queue(topology, retry);
	topology_add_number(queue, "x-message-ttl", step_ms);
	topology_add_text(queue, "x-dead-letter-exchange", "");
	topology_add_text(queue, "x-dead-letter-routing-key",
	                  arena_strdup(topology->arena, name));
	if (topology->quorum) {
		topology_add_text(queue, "x-queue-type", "quorum");
		topology_add_text(queue, "x-dead-letter-strategy", "at-least-once");
		topology_add_text(queue, "x-overflow", "reject-publish");
	}
}

/* No consumer may empty this queue, so its length has a limit. */
static struct topology_item *topology_add_bounded(struct topology *topology,
                                                  const char *name)
{
	struct topology_item *queue = topology_add_queue(topology, name);

	topology_add_number(queue, "x-max-length", BOUNDED_MAX);
	topology_add_text(queue, "x-overflow", "drop-head");
	if (topology->quorum)
		topology_add_text(queue, "x-queue-type", "quorum");
	return queue;
}

/* Any account can send a cast that fails: such casts must not fill the broker's disk. */
static void topology_add_dead(struct topology *topology, const char *name)
{
	char dead[NAME_SIZE];

	snprintf(dead, sizeof dead, "%s.dead", name);
	topology_add_number(topology_add_bounded(topology, dead), "x-max-length-bytes",
	                    DEAD_MAX_BYTES);
}

static void topology_add_retry_and_dead(struct topology *topology, const char *name)
{
	for (int i = 0; i < RETRY_STEPS; i++)
		topology_add_retry(topology, name, retry_steps_ms[i]);
	topology_add_dead(topology, name);
}

static void topology_add_work(struct topology *topology, const char *name,
                              const char *exchange)
{
	topology_add_durable(topology, name);
	topology_add_retry_and_dead(topology, name);
	topology_add_binding(topology, name, exchange, name);
}

/* Uses oslo.messaging's default for the exchange of another program, which may differ. */
static void topology_add_notify(struct topology *topology,
                                const struct broker_queue *queue)
{
	topology_add_exchange(topology, queue->source, "topic", false, false);
	topology_add_durable(topology, queue->name);
	topology_add_retry_and_dead(topology, queue->name);
	topology_add_binding(topology, queue->name, queue->source, queue->key);
}

/* Consumers of oslo.messaging declare the exchange in the same way. */
static void topology_add_foreign_fanout(struct topology *topology,
                                        const struct broker_queue *queue)
{
	topology_add_exchange(topology, queue->source, "fanout", false, true);
	topology_add_bounded(topology, queue->name);
	topology_add_retry_and_dead(topology, queue->name);
	topology_add_binding(topology, queue->name, queue->source, "");
}

/* Each connection has a new reply queue, and so a new fanout queue. */
static void topology_fanout_queue_name(const char *name, const char *reply_queue,
                                       char *into)
{
	snprintf(into, NAME_SIZE, "%s_fanout_%s", name, reply_queue + strlen("reply_"));
}

static void topology_add_fanout(struct topology *topology, const char *name,
                                const char *reply_queue)
{
	char queue[NAME_SIZE], exchange[NAME_SIZE];

	snprintf(exchange, sizeof exchange, "%s_fanout", name);
	topology_fanout_queue_name(name, reply_queue, queue);
	topology_add_exchange(topology, exchange, "fanout", false, true);
	topology_add_temporary(topology, queue);
	topology_add_binding(topology, queue, exchange, name);
}

static void topology_add_consumed(struct topology *topology, const struct broker *broker,
                                  const struct broker_queue *queue,
                                  const char *reply_queue)
{
	switch (queue->kind) {
	case BROKER_WORK:
		topology_add_work(topology, queue->name, broker->config.exchange);
		return;
	case BROKER_NOTIFY:
		topology_add_notify(topology, queue);
		return;
	case BROKER_FOREIGN_FANOUT:
		topology_add_foreign_fanout(topology, queue);
		return;
	case BROKER_FANOUT:
		topology_add_fanout(topology, queue->name, reply_queue);
		return;
	case BROKER_REPLY:
		topology_add_temporary(topology, reply_queue);
		return;
	}
	bug_if(true);
}

struct topology *topology_new(const struct broker *broker, const char *reply_queue)
{
	struct topology *topology = xcalloc(1, sizeof *topology);

	topology->arena = arena_new();
	topology->quorum = broker->config.quorum;
	topology_add_exchange(topology, broker->config.exchange, "topic", true, false);
	for (size_t i = 0; i < broker->queue_count; i++)
		topology_add_consumed(topology, broker, &broker->queues[i], reply_queue);
	return topology;
}

void topology_free(struct topology **topology)
{
	if (!*topology)
		return;
	arena_free(&(*topology)->arena);
	free((*topology)->item);
	free(*topology);
	*topology = NULL;
}

void topology_item_describe(const struct topology_item *item, char *words, size_t size)
{
	switch (item->kind) {
	case TOPOLOGY_EXCHANGE:
		snprintf(words, size, "exchange %s type=%s durable=%d auto_delete=%d",
		         item->name, item->type, item->durable, item->auto_delete);
		return;
	case TOPOLOGY_QUEUE:
		snprintf(words, size, "queue %s durable=%d exclusive=%d arguments=%d",
		         item->name, item->durable, item->exclusive,
		         item->argument_count);
		return;
	case TOPOLOGY_BINDING:
		snprintf(words, size, "binding of queue %s to exchange %s", item->name,
		         item->source);
		return;
	}
}

/* ---- requests for an item ---- */

static amqp_table_t topology_arguments(const struct topology_item *queue, bool passive)
{
	if (passive)
		return amqp_empty_table;
	return (amqp_table_t){ queue->argument_count,
		               (amqp_table_entry_t *)queue->argument };
}

void topology_request(const struct topology_item *item, bool passive,
                      struct topology_request *request)
{
	switch (item->kind) {
	case TOPOLOGY_EXCHANGE:
		*request = (struct topology_request){
			AMQP_EXCHANGE_DECLARE_METHOD, AMQP_EXCHANGE_DECLARE_OK_METHOD,
			.of.exchange = {
				.exchange = bytes_of(item->name),
				.type = bytes_of(item->type),
				.passive = passive,
				.durable = item->durable,
				.auto_delete = item->auto_delete,
			},
		};
		return;
	case TOPOLOGY_QUEUE:
		*request = (struct topology_request){
			AMQP_QUEUE_DECLARE_METHOD, AMQP_QUEUE_DECLARE_OK_METHOD,
			.of.queue = {
				.queue = bytes_of(item->name),
				.passive = passive,
				.durable = item->durable,
				.exclusive = item->exclusive,
				.auto_delete = item->exclusive,
				.arguments = topology_arguments(item, passive),
			},
		};
		return;
	case TOPOLOGY_BINDING:
		*request = (struct topology_request){
			AMQP_QUEUE_BIND_METHOD, AMQP_QUEUE_BIND_OK_METHOD,
			.of.binding = {
				.queue = bytes_of(item->name),
				.exchange = bytes_of(item->source),
				.routing_key = bytes_of(item->key),
			},
		};
		return;
	}
}

/* ---- the declaration: on the lane, before the connection is in use ---- */

static enum err topology_result(amqp_connection_state_t amqp, const char *what,
                                struct why *why)
{
	return reply_check_rights(amqp_get_rpc_reply(amqp), what, why);
}

static enum err topology_item_ask(const struct topology_item *item, bool passive,
                                  amqp_connection_state_t amqp, struct why *why)
{
	struct topology_request request;
	char what[TOPOLOGY_WORDS];

	topology_request(item, passive, &request);
	if (amqp_simple_rpc_decoded(amqp, CHANNEL, request.method, request.answer,
	                            &request.of))
		return OK;
	topology_item_describe(item, what, sizeof what);
	return topology_result(amqp, what, why);
}

/*
 * It exists with other properties, which another program has chosen. The program uses it
 * and never deletes it (oslo_wire T1). The refusal closed the channel: open it again.
 */
static enum err topology_accept_difference(const struct broker *broker,
                                           amqp_connection_state_t amqp, enum err err,
                                           struct why *why)
{
	amqp_channel_close_ok_t answer = { 0 };

	if (reply_code(amqp_get_rpc_reply(amqp)) != AMQP_PRECONDITION_FAILED)
		return err;
	log_warn("exchange or queue exists with other properties and stays unchanged: "
	         "connection=%s reason=\"%s\"",
	         broker->name, why->text);
	if (amqp_send_method(amqp, CHANNEL, AMQP_CHANNEL_CLOSE_OK_METHOD, &answer))
		return err;
	amqp_channel_open(amqp, CHANNEL);
	return topology_result(amqp, "channel.open", why);
}

static enum err topology_item_declare(const struct topology_item *item,
                                      const struct broker *broker,
                                      amqp_connection_state_t amqp, struct why *why)
{
	enum err err = topology_item_ask(item, false, amqp, why);

	if (!err || item->kind == TOPOLOGY_BINDING)
		return err;
	err = topology_accept_difference(broker, amqp, err, why);
	return err ? err : topology_item_ask(item, true, amqp, why);
}

static enum err topology_select_confirms(amqp_connection_state_t amqp, struct why *why)
{
	amqp_confirm_select(amqp, CHANNEL);
	return topology_result(amqp, "confirm.select", why);
}

enum err topology_declare(const struct topology *topology, const struct broker *broker,
                          struct connection *connection, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < topology->count; i++)
		err = topology_item_declare(&topology->item[i], broker, connection->amqp,
		                            why);
	if (!err && broker->queue_count == 0)
		err = topology_select_confirms(connection->amqp, why);
	amqp_maybe_release_buffers(connection->amqp);
	return err;
}

static int topology_consume_queue(amqp_connection_state_t amqp, const char *queue,
                                  size_t index, int prefetch)
{
	char tag[24];
	amqp_basic_qos_t qos = { .prefetch_count = (uint16_t)prefetch };
	amqp_basic_consume_t request = { .queue = bytes_of(queue), .nowait = true };
	int status = amqp_send_method(amqp, CHANNEL, AMQP_BASIC_QOS_METHOD, &qos);

	if (status)
		return status;
	snprintf(tag, sizeof tag, "%zu", index);
	request.consumer_tag = bytes_of(tag);
	return amqp_send_method(amqp, CHANNEL, AMQP_BASIC_CONSUME_METHOD, &request);
}

static const char *topology_queue_name(const struct broker *broker,
                                       const struct broker_queue *queue, char *name)
{
	if (queue->kind == BROKER_REPLY)
		return broker->reply_queue;
	if (queue->kind != BROKER_FANOUT)
		return queue->name;
	topology_fanout_queue_name(queue->name, broker->reply_queue, name);
	return name;
}

/*
 * The consumer tag is the index of the queue. The lane does not wait for an answer: a
 * delivery could come first, and only the loop reads deliveries.
 */
enum err topology_consume(const struct broker *broker, struct connection *connection,
                          struct why *why)
{
	for (size_t i = 0; i < broker->queue_count; i++) {
		const struct broker_queue *queue = &broker->queues[i];
		char name[NAME_SIZE];
		int status = topology_consume_queue(
		    connection->amqp, topology_queue_name(broker, queue, name), i,
		    queue->prefetch);

		if (status)
			return fail(why, ERR_UNREACHABLE, "cannot receive messages "
			            "from the queue %s: %s", name,
			            amqp_error_string2(status));
	}
	return OK;
}

void topology_fanout_exchange(const char *name, amqp_exchange_declare_t *declare)
{
	*declare = (amqp_exchange_declare_t){
		.exchange = bytes_of(name),
		.type = bytes_of("fanout"),
		.auto_delete = true,
		.nowait = true,
		.arguments = amqp_empty_table,
	};
}
