#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"

enum {
	KEPT_MAX = 100000,
	DEAD_MAX_BYTES = 512 << 20,	/* of the dead letters of a queue */
	NAME_SIZE = SHORT_MAX + 1,
};

/* One queue a step: in a queue with a time a message, a long one holds up the shorter. */
static const int retry_steps_ms[] = { 1000, 5000, 8000 };
enum { RETRY_STEPS = sizeof retry_steps_ms / sizeof retry_steps_ms[0] };

int topology_retry_step(int delay_ms)
{
	for (int i = 0; i < RETRY_STEPS; i++)
		if (retry_steps_ms[i] >= delay_ms)
			return retry_steps_ms[i];
	return retry_steps_ms[RETRY_STEPS - 1];
}

/* ---- the list of things ---- */

static struct thing *topology_add(struct topology *topology, enum thing_kind kind,
                                  const char *name)
{
	struct thing *thing;

	if (topology->count == topology->size) {
		topology->size = topology->size ? 2 * topology->size : 16;
		topology->item = xrealloc(topology->item,
		                          topology->size * sizeof *topology->item);
	}
	thing = &topology->item[topology->count++];
	*thing = (struct thing){ .kind = kind, .name = arena_strdup(topology->arena, name) };
	return thing;
}

static void add_exchange(struct topology *topology, const char *name, const char *type,
                         bool durable, bool auto_delete)
{
	struct thing *thing = topology_add(topology, THING_EXCHANGE, name);

	thing->type = type;
	thing->durable = durable;
	thing->auto_delete = auto_delete;
}

static struct thing *add_queue(struct topology *topology, const char *name)
{
	struct thing *thing = topology_add(topology, THING_QUEUE, name);

	thing->durable = true;
	return thing;
}

/* The connection's own: it goes with it. */
static void add_temporary(struct topology *topology, const char *name)
{
	topology_add(topology, THING_QUEUE, name)->exclusive = true;
}

static void add_binding(struct topology *topology, const char *queue,
                        const char *exchange, const char *key)
{
	struct thing *thing = topology_add(topology, THING_BINDING, queue);

	thing->source = arena_strdup(topology->arena, exchange);
	thing->key = arena_strdup(topology->arena, key);
}

static void argument_add(struct thing *queue, amqp_table_entry_t entry)
{
	bug_if(queue->argument_count == ARGUMENTS_MAX);
	queue->argument[queue->argument_count++] = entry;
}

static void argument_text(struct thing *queue, const char *key, const char *value)
{
	argument_add(queue, entry_text(key, value));
}

static void argument_number(struct thing *queue, const char *key, int32_t value)
{
	argument_add(queue, entry_number(key, value));
}

/* ---- the kinds of queues ---- */

/* No other argument: a Python peer declares this queue too, and must agree. */
static void add_durable(struct topology *topology, const char *name)
{
	struct thing *queue = add_queue(topology, name);

	if (topology->quorum)
		argument_text(queue, "x-queue-type", "quorum");
}

/* What has waited here goes back to the queue it came from. */
static void add_retry(struct topology *topology, const char *name, int step_ms)
{
	struct thing *queue;
	char retry[NAME_SIZE];

	snprintf(retry, sizeof retry, "%s.retry.%d", name, step_ms);
	queue = add_queue(topology, retry);
	argument_number(queue, "x-message-ttl", step_ms);
	argument_text(queue, "x-dead-letter-exchange", "");
	argument_text(queue, "x-dead-letter-routing-key",
	              arena_strdup(topology->arena, name));
	if (topology->quorum) {
		argument_text(queue, "x-queue-type", "quorum");
		argument_text(queue, "x-dead-letter-strategy", "at-least-once");
		argument_text(queue, "x-overflow", "reject-publish");
	}
}

/* Nobody else empties this queue: it does not grow for ever. */
static struct thing *add_kept(struct topology *topology, const char *name)
{
	struct thing *queue = add_queue(topology, name);

	argument_number(queue, "x-max-length", KEPT_MAX);
	argument_text(queue, "x-overflow", "drop-head");
	if (topology->quorum)
		argument_text(queue, "x-queue-type", "quorum");
	return queue;
}

/* Any account can send a cast that fails: such casts must not fill the broker's disk. */
static void add_dead(struct topology *topology, const char *name)
{
	char dead[NAME_SIZE];

	snprintf(dead, sizeof dead, "%s.dead", name);
	argument_number(add_kept(topology, dead), "x-max-length-bytes", DEAD_MAX_BYTES);
}

static void add_neighbours(struct topology *topology, const char *name)
{
	for (int i = 0; i < RETRY_STEPS; i++)
		add_retry(topology, name, retry_steps_ms[i]);
	add_dead(topology, name);
}

static void add_work(struct topology *topology, const char *name, const char *exchange)
{
	add_durable(topology, name);
	add_neighbours(topology, name);
	add_binding(topology, name, exchange, name);
}

/* oslo's default for an exchange of others; when they chose otherwise, theirs counts. */
static void add_notify(struct topology *topology, const struct broker_queue *queue)
{
	add_exchange(topology, queue->source, "topic", false, false);
	add_durable(topology, queue->name);
	add_neighbours(topology, queue->name);
	add_binding(topology, queue->name, queue->source, queue->key);
}

/* The exchange is as oslo's readers declare theirs. */
static void add_overhear(struct topology *topology, const struct broker_queue *queue)
{
	add_exchange(topology, queue->source, "fanout", false, true);
	add_kept(topology, queue->name);
	add_neighbours(topology, queue->name);
	add_binding(topology, queue->name, queue->source, "");
}

/* The queue's name is made from the reply queue's, which is new with each connection. */
static void fanout_queue_name(const char *name, const char *reply_queue, char *into)
{
	snprintf(into, NAME_SIZE, "%s_fanout_%s", name, reply_queue + strlen("reply_"));
}

static void add_fanout(struct topology *topology, const char *name,
                       const char *reply_queue)
{
	char queue[NAME_SIZE], exchange[NAME_SIZE];

	snprintf(exchange, sizeof exchange, "%s_fanout", name);
	fanout_queue_name(name, reply_queue, queue);
	add_exchange(topology, exchange, "fanout", false, true);
	add_temporary(topology, queue);
	add_binding(topology, queue, exchange, name);
}

static void add_consumed(struct topology *topology, const struct broker *broker,
                         const struct broker_queue *queue, const char *reply_queue)
{
	switch (queue->kind) {
	case BROKER_WORK:
		add_work(topology, queue->name, broker->config.exchange);
		return;
	case BROKER_NOTIFY:
		add_notify(topology, queue);
		return;
	case BROKER_FOREIGN_FANOUT:
		add_overhear(topology, queue);
		return;
	case BROKER_FANOUT:
		add_fanout(topology, queue->name, reply_queue);
		return;
	case BROKER_REPLY:
		add_temporary(topology, reply_queue);
		return;
	}
	bug_if(true);
}

struct topology *topology_new(const struct broker *broker, const char *reply_queue)
{
	struct topology *topology = xcalloc(1, sizeof *topology);

	topology->arena = arena_new();
	topology->quorum = broker->config.quorum;
	add_exchange(topology, broker->config.exchange, "topic", true, false);
	for (size_t i = 0; i < broker->queue_count; i++)
		add_consumed(topology, broker, &broker->queues[i], reply_queue);
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

void thing_describe(const struct thing *thing, char *words, size_t size)
{
	switch (thing->kind) {
	case THING_EXCHANGE:
		snprintf(words, size, "exchange %s type=%s durable=%d auto_delete=%d",
		         thing->name, thing->type, thing->durable, thing->auto_delete);
		return;
	case THING_QUEUE:
		snprintf(words, size, "queue %s durable=%d exclusive=%d arguments=%d",
		         thing->name, thing->durable, thing->exclusive,
		         thing->argument_count);
		return;
	case THING_BINDING:
		snprintf(words, size, "binding of queue %s to exchange %s", thing->name,
		         thing->source);
		return;
	}
}

/* ---- asking for it ---- */

static amqp_table_t arguments_of(const struct thing *queue, bool passive)
{
	if (passive)
		return amqp_empty_table;
	return (amqp_table_t){ queue->argument_count,
		               (amqp_table_entry_t *)queue->argument };
}

void thing_request(const struct thing *thing, bool passive, struct thing_request *request)
{
	switch (thing->kind) {
	case THING_EXCHANGE:
		*request = (struct thing_request){
			AMQP_EXCHANGE_DECLARE_METHOD, AMQP_EXCHANGE_DECLARE_OK_METHOD,
			.of.exchange = {
				.exchange = bytes_of(thing->name),
				.type = bytes_of(thing->type),
				.passive = passive,
				.durable = thing->durable,
				.auto_delete = thing->auto_delete,
			},
		};
		return;
	case THING_QUEUE:
		*request = (struct thing_request){
			AMQP_QUEUE_DECLARE_METHOD, AMQP_QUEUE_DECLARE_OK_METHOD,
			.of.queue = {
				.queue = bytes_of(thing->name),
				.passive = passive,
				.durable = thing->durable,
				.exclusive = thing->exclusive,
				.auto_delete = thing->exclusive,
				.arguments = arguments_of(thing, passive),
			},
		};
		return;
	case THING_BINDING:
		*request = (struct thing_request){
			AMQP_QUEUE_BIND_METHOD, AMQP_QUEUE_BIND_OK_METHOD,
			.of.binding = {
				.queue = bytes_of(thing->name),
				.exchange = bytes_of(thing->source),
				.routing_key = bytes_of(thing->key),
			},
		};
		return;
	}
}

/* ---- declaring all of it: on the lane, before the connection is in use ---- */

static enum err settled(amqp_connection_state_t amqp, const char *what, struct why *why)
{
	return reply_check(amqp_get_rpc_reply(amqp), what, why);
}

static enum err thing_ask(const struct thing *thing, bool passive,
                          amqp_connection_state_t amqp, struct why *why)
{
	struct thing_request request;
	char what[WORDS_SIZE];

	thing_request(thing, passive, &request);
	if (amqp_simple_rpc_decoded(amqp, CHANNEL, request.method, request.answer,
	                            &request.of))
		return OK;
	thing_describe(thing, what, sizeof what);
	return settled(amqp, what, why);
}

/*
 * It exists, and differs: someone else's choice, which is used as it is and
 * never deleted (oslo_wire T1). The refusal closed the channel: open it again.
 */
static enum err accept_difference(const struct broker *broker,
                                  amqp_connection_state_t amqp, enum err err,
                                  struct why *why)
{
	amqp_channel_close_ok_t answer = { 0 };

	if (reply_code(amqp_get_rpc_reply(amqp)) != AMQP_PRECONDITION_FAILED)
		return err;
	log_warn("broker topology differs, used as it is: connection=%s error=\"%s\"",
	         broker->name, why->text);
	if (amqp_send_method(amqp, CHANNEL, AMQP_CHANNEL_CLOSE_OK_METHOD, &answer))
		return err;
	amqp_channel_open(amqp, CHANNEL);
	return settled(amqp, "channel.open", why);
}

static enum err thing_declare(const struct thing *thing, const struct broker *broker,
                              amqp_connection_state_t amqp, struct why *why)
{
	enum err err = thing_ask(thing, false, amqp, why);

	if (!err || thing->kind == THING_BINDING)
		return err;
	err = accept_difference(broker, amqp, err, why);
	return err ? err : thing_ask(thing, true, amqp, why);
}

static enum err select_confirms(amqp_connection_state_t amqp, struct why *why)
{
	amqp_confirm_select(amqp, CHANNEL);
	return settled(amqp, "confirm.select", why);
}

enum err topology_declare(const struct topology *topology, const struct broker *broker,
                          struct connection *connection, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < topology->count; i++)
		err = thing_declare(&topology->item[i], broker, connection->amqp, why);
	if (!err && broker->queue_count == 0)
		err = select_confirms(connection->amqp, why);
	amqp_maybe_release_buffers(connection->amqp);
	return err;
}

static int consume(amqp_connection_state_t amqp, const char *queue, size_t index,
                   int prefetch)
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

static const char *queue_to_consume(const struct broker *broker,
                                    const struct broker_queue *queue, char *name)
{
	if (queue->kind == BROKER_REPLY)
		return broker->reply_queue;
	if (queue->kind != BROKER_FANOUT)
		return queue->name;
	fanout_queue_name(queue->name, broker->reply_queue, name);
	return name;
}

/*
 * The consumer tag is the queue's number here. No answer is awaited: a
 * delivery could come before it, and deliveries are the loop's to read.
 */
enum err topology_consume(const struct broker *broker, struct connection *connection,
                          struct why *why)
{
	for (size_t i = 0; i < broker->queue_count; i++) {
		const struct broker_queue *queue = &broker->queues[i];
		char name[NAME_SIZE];
		int status =
		    consume(connection->amqp, queue_to_consume(broker, queue, name), i,
			    queue->prefetch);

		if (status)
			return fail(why, ERR_UNREACHABLE, "consume %zu: %s", i,
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
