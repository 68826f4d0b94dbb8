/*
 * broker_admin -- counts the messages of queues for an operator. This module also reads
 * and drops dead letters, and sends dead letters to their work queue again. The client
 * uses this module, and so does the thread that counts messages periodically
 * (consistency/queue_watch.h). Each function can block. The broker must answer each
 * request within ten seconds.
 *
 * A message that the caller has taken stays with the connection of its struct
 * broker_admin until the caller drops the message. If the connection ends before the
 * caller drops the message, the message returns to its queue. The message also returns
 * if broker_admin_count() or broker_admin_depth() finds that a queue is missing. To send
 * a dead letter again, the caller sends a copy and, after the confirm, drops the dead
 * letter. If the program crashes between these two steps, both messages remain. Both
 * messages together are safe, because a message that arrives twice has only one effect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/broker.h"

struct broker_admin;

/*
 * Connects to the first host of the URL that accepts the login. ERR_UNREACHABLE: the
 * program could not log in to any host.
 */
enum err broker_admin_open(const struct broker_config *config,
                           struct broker_admin **admin, struct why *why);
void broker_admin_close(struct broker_admin **admin);

/*
 * Makes a connection that stays open between calls. broker_admin_new() does not connect:
 * call broker_admin_connect() before the first use. After each failure, call
 * broker_admin_disconnect() and connect again. The connection sends no heartbeats, so
 * the heartbeat of CONFIG must be 0. Another thread may call broker_admin_cancel().
 * After broker_admin_cancel(), a running call ends soon (a TCP connect within five
 * seconds), and the only allowed call is broker_admin_close().
 */
struct broker_admin *broker_admin_new(const struct broker_config *config);
enum err broker_admin_connect(struct broker_admin *admin, struct why *why);
void broker_admin_disconnect(struct broker_admin *admin);
void broker_admin_cancel(struct broker_admin *admin);

struct broker_admin_queue {
	bool exists;
	/* number of messages that are ready for delivery, and number of consumers */
	uint32_t messages, consumers;
};
enum err broker_admin_count(struct broker_admin *admin, const char *queue,
                            struct broker_admin_queue *found, struct why *why);
/*
 * The numbers of messages in a work queue, in the delay queues and in the queue of dead
 * letters. If the work queue does not exist, broker_admin_depth() does not ask for the
 * other queues, because RabbitMQ logs an error for each request about a missing queue.
 */
struct broker_admin_depth {
	struct broker_admin_queue work, dead;
	uint32_t delayed;
};
enum err broker_admin_depth(struct broker_admin *admin, const char *queue,
                            struct broker_admin_depth *depth, struct why *why);

/* A taken message. The arena of broker_admin_take() contains the strings and the body. */
struct broker_admin_message {
	uint64_t tag;
	const uint8_t *body;
	size_t len;
	const char *queue;		/* name of the original queue; "": unknown */
	const char *reason;
	/* time at which the message became a dead letter; 0: unknown */
	int64_t dead_unix;
	bool is_json;
};
/*
 * Takes the oldest message of QUEUE that the broker has not delivered to a consumer.
 * FOUND gets false if there is no such message.
 */
enum err broker_admin_take(struct broker_admin *admin, const char *queue,
                           struct arena *arena, struct broker_admin_message *taken,
                           bool *found, struct why *why);
/*
 * Sends a persistent copy of the message to QUEUE and waits for the confirm.
 * WITH_ACCOUNT: the copy names the broker account of ADMIN's connection as its sender.
 * ERR_NOT_FOUND: the queue does not exist.
 */
enum err broker_admin_send(struct broker_admin *admin, const char *queue,
                           const struct broker_admin_message *taken,
                           bool with_account, struct why *why);
enum err broker_admin_drop(struct broker_admin *admin,
                           const struct broker_admin_message *taken, struct why *why);
