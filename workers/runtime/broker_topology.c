#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"

enum { KEPT_MAX = 100000, NAME_SIZE = SHORT_MAX + 1, ARGUMENTS_MAX = 6 };

/* One queue a step: in a queue with a time a message, a long one holds up the shorter. */
static const int retry_steps_ms[] = { 1000, 5000, 30000 };
enum { RETRY_STEPS = sizeof retry_steps_ms / sizeof retry_steps_ms[0] };

struct arguments {
	amqp_table_entry_t entry[ARGUMENTS_MAX];
	int count;
};

struct queue {
	const char *name;
	bool durable, exclusive;	/* what is exclusive goes with its connection */
	struct arguments arguments;
};

struct declaring {
	const struct broker *broker;
	amqp_connection_state_t amqp;
	struct why *why;
};

int topology_retry_step(int delay_ms)
{
	for (int i = 0; i < RETRY_STEPS; i++)
		if (retry_steps_ms[i] >= delay_ms)
			return retry_steps_ms[i];
	return retry_steps_ms[RETRY_STEPS - 1];
}

static void argument_add(struct arguments *arguments, amqp_table_entry_t entry)
{
	bug_if(arguments->count == ARGUMENTS_MAX);
	arguments->entry[arguments->count++] = entry;
}

static void argument_text(struct arguments *arguments, const char *key, const char *value)
{
	argument_add(arguments, entry_text(key, value));
}

static void argument_number(struct arguments *arguments, const char *key, int32_t value)
{
	argument_add(arguments, entry_number(key, value));
}

static amqp_table_t arguments_table(struct arguments *arguments)
{
	return (amqp_table_t){ arguments->count, arguments->entry };
}

static enum err settled(const struct declaring *to, const char *what)
{
	return reply_check(amqp_get_rpc_reply(to->amqp), what, to->why);
}

/*
 * It exists, and differs: someone else's choice, which is used as it is and
 * never deleted (oslo_wire T1). The refusal closed the channel: open it again.
 */
static enum err accept_difference(const struct declaring *to, const char *what)
{
	amqp_channel_close_ok_t answer = { 0 };
	enum err err = settled(to, what);

	if (reply_code(amqp_get_rpc_reply(to->amqp)) != AMQP_PRECONDITION_FAILED)
		return err;
	log_warn("broker topology differs, used as it is: connection=%s error=\"%s\"",
		 to->broker->name, to->why->text);
	if (amqp_send_method(to->amqp, CHANNEL, AMQP_CHANNEL_CLOSE_OK_METHOD, &answer))
		return err;
	amqp_channel_open(to->amqp, CHANNEL);
	return settled(to, "channel.open");
}

static enum err declare_exchange(const struct declaring *to, const char *name,
                                 const char *type, bool durable, bool auto_delete)
{
	char what[NAME_SIZE + 64];
	enum err err;

	snprintf(what, sizeof what, "exchange %s type=%s durable=%d auto_delete=%d", name,
		 type, durable, auto_delete);
	if (amqp_exchange_declare(to->amqp, CHANNEL, bytes_of(name), bytes_of(type),
				  false, durable, auto_delete, false, amqp_empty_table))
		return OK;
	err = accept_difference(to, what);
	if (err)
		return err;
	amqp_exchange_declare(to->amqp, CHANNEL, bytes_of(name), bytes_of(type), true,
			      durable, auto_delete, false, amqp_empty_table);
	return settled(to, what);
}

static enum err declare_queue(const struct declaring *to, struct queue *queue)
{
	char what[NAME_SIZE + 96];
	enum err err;

	snprintf(what, sizeof what, "queue %s durable=%d exclusive=%d arguments=%d",
		 queue->name, queue->durable, queue->exclusive, queue->arguments.count);
	if (amqp_queue_declare(to->amqp, CHANNEL, bytes_of(queue->name), false,
			       queue->durable, queue->exclusive, queue->exclusive,
			       arguments_table(&queue->arguments)))
		return OK;
	err = accept_difference(to, what);
	if (err)
		return err;
	amqp_queue_declare(to->amqp, CHANNEL, bytes_of(queue->name), true, queue->durable,
			   queue->exclusive, queue->exclusive, amqp_empty_table);
	return settled(to, what);
}

static enum err bind_queue(const struct declaring *to, const char *queue,
                           const char *exchange, const char *key)
{
	char what[3 * NAME_SIZE];

	snprintf(what, sizeof what, "bind %s to %s", queue, exchange);
	amqp_queue_bind(to->amqp, CHANNEL, bytes_of(queue), bytes_of(exchange),
			bytes_of(key), amqp_empty_table);
	return settled(to, what);
}

/* ---- the kinds of queues ---- */

/* No other argument: a Python peer declares this queue too, and must agree. */
static enum err declare_durable(const struct declaring *to, const char *name)
{
	struct queue queue = { .name = name, .durable = true };

	if (to->broker->config.quorum)
		argument_text(&queue.arguments, "x-queue-type", "quorum");
	return declare_queue(to, &queue);
}

/* What has waited here goes back to the queue it came from. */
static enum err declare_retry(const struct declaring *to, const char *name, int step_ms)
{
	char retry[NAME_SIZE];
	struct queue queue = { .name = retry, .durable = true };

	snprintf(retry, sizeof retry, "%s.retry.%d", name, step_ms);
	argument_number(&queue.arguments, "x-message-ttl", step_ms);
	argument_text(&queue.arguments, "x-dead-letter-exchange", "");
	argument_text(&queue.arguments, "x-dead-letter-routing-key", name);
	if (to->broker->config.quorum) {
		argument_text(&queue.arguments, "x-queue-type", "quorum");
		argument_text(&queue.arguments, "x-dead-letter-strategy",
			      "at-least-once");
		argument_text(&queue.arguments, "x-overflow", "reject-publish");
	}
	return declare_queue(to, &queue);
}

static enum err declare_dead(const struct declaring *to, const char *name)
{
	char dead[NAME_SIZE];
	struct queue queue = { .name = dead, .durable = true };

	snprintf(dead, sizeof dead, "%s.dead", name);
	argument_number(&queue.arguments, "x-max-length", KEPT_MAX);
	argument_text(&queue.arguments, "x-overflow", "drop-head");
	if (to->broker->config.quorum)
		argument_text(&queue.arguments, "x-queue-type", "quorum");
	return declare_queue(to, &queue);
}

static enum err declare_neighbours(const struct declaring *to, const char *name)
{
	enum err err = OK;

	for (int i = 0; !err && i < RETRY_STEPS; i++)
		err = declare_retry(to, name, retry_steps_ms[i]);
	return err ? err : declare_dead(to, name);
}

static enum err declare_with_neighbours(const struct declaring *to, const char *name)
{
	enum err err = declare_durable(to, name);

	return err ? err : declare_neighbours(to, name);
}

static enum err declare_work(const struct declaring *to, const struct broker_queue *queue)
{
	enum err err = declare_with_neighbours(to, queue->name);

	if (err)
		return err;
	return bind_queue(to, queue->name, to->broker->config.exchange, queue->name);
}

/* oslo's default for an exchange of others; when they chose otherwise, theirs counts. */
static enum err declare_notify(const struct declaring *to,
                               const struct broker_queue *queue)
{
	enum err err = declare_exchange(to, queue->source, "topic", false, false);

	if (!err)
		err = declare_with_neighbours(to, queue->name);
	return err ? err : bind_queue(to, queue->name, queue->source, queue->key);
}

/*
 * The exchange is as oslo's readers declare theirs. Nobody else empties this queue, so it
 * does not grow for ever.
 */
static enum err declare_overhear(const struct declaring *to,
                                 const struct broker_queue *queue)
{
	struct queue own = { .name = queue->name, .durable = true };
	enum err err = declare_exchange(to, queue->source, "fanout", false, true);

	argument_number(&own.arguments, "x-max-length", KEPT_MAX);
	argument_text(&own.arguments, "x-overflow", "drop-head");
	if (to->broker->config.quorum)
		argument_text(&own.arguments, "x-queue-type", "quorum");
	if (!err)
		err = declare_queue(to, &own);
	if (!err)
		err = declare_neighbours(to, queue->name);
	return err ? err : bind_queue(to, queue->name, queue->source, "");
}

static enum err declare_temporary(const struct declaring *to, const char *name)
{
	struct queue queue = { .name = name, .exclusive = true };

	return declare_queue(to, &queue);
}

/* The queue's name is made from the reply queue's, which is new with each connection. */
static void fanout_queue_name(const char *name, const char *reply_queue, char *into)
{
	snprintf(into, NAME_SIZE, "%s_fanout_%s", name, reply_queue + strlen("reply_"));
}

static enum err declare_fanout(const struct declaring *to,
                               const struct broker_queue *queue, const char *reply_queue)
{
	char name[NAME_SIZE], exchange[NAME_SIZE];
	enum err err;

	snprintf(exchange, sizeof exchange, "%s_fanout", queue->name);
	fanout_queue_name(queue->name, reply_queue, name);
	err = declare_exchange(to, exchange, "fanout", false, true);
	if (!err)
		err = declare_temporary(to, name);
	return err ? err : bind_queue(to, name, exchange, queue->name);
}

static enum err declare(const struct declaring *to, const struct broker_queue *queue,
                        const char *reply_queue)
{
	switch (queue->kind) {
	case BROKER_WORK:
		return declare_work(to, queue);
	case BROKER_NOTIFY:
		return declare_notify(to, queue);
	case BROKER_OVERHEAR:
		return declare_overhear(to, queue);
	case BROKER_FANOUT:
		return declare_fanout(to, queue, reply_queue);
	case BROKER_REPLY:
		return declare_temporary(to, reply_queue);
	}
	bug_if(true);
	return ERR_INTERNAL;
}

/* ---- all of it ---- */

static enum err select_confirms(const struct declaring *to)
{
	amqp_confirm_select(to->amqp, CHANNEL);
	return settled(to, "confirm.select");
}

enum err topology_declare(const struct broker *broker, struct connection *connection,
                          const char *reply_queue, struct why *why)
{
	struct declaring to = { broker, connection->amqp, why };
	enum err err =
	    declare_exchange(&to, broker->config.exchange, "topic", true, false);

	for (size_t i = 0; !err && i < broker->queue_count; i++)
		err = declare(&to, &broker->queues[i], reply_queue);
	if (!err && broker->queue_count == 0)
		err = select_confirms(&to);
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
