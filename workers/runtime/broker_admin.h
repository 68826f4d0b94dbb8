/*
 * broker_admin -- the work of an operator on queues: count their messages, read dead
 * letters, send them back to work, or drop them. The command line uses it, and a lane
 * that counts messages at intervals. Each call blocks for at most ten seconds.
 *
 * A taken message belongs to this connection until the caller drops it. If the connection
 * ends before, the message returns to its queue. Sending a dead letter back has two
 * steps: send a copy, then drop the letter. A crash between the steps leaves both. This
 * does no harm, because a message that comes twice has one effect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/broker.h"

struct broker_admin;

/* Connects to the first host of the URL that answers. ERR_UNREACHABLE. */
enum err broker_admin_open(const struct broker_config *config,
                           struct broker_admin **admin, struct why *why);
void broker_admin_close(struct broker_admin **admin);

/*
 * For a connection that stays open. broker_admin_new() does not connect. Connect before
 * use, and again after broker_admin_disconnect(), which must follow each failure. The
 * connection sends no heartbeats: CONFIG must set no heartbeat. Another thread may
 * cancel; then a running call ends soon (a TCP connect within five seconds). After that
 * the caller may only call broker_admin_close().
 */
struct broker_admin *broker_admin_new(const struct broker_config *config);
enum err broker_admin_connect(struct broker_admin *admin, struct why *why);
void broker_admin_disconnect(struct broker_admin *admin);
void broker_admin_cancel(struct broker_admin *admin);

struct broker_admin_queue {
	bool exists;
	uint32_t messages, consumers;	/* messages that are ready for delivery */
};
enum err broker_admin_count(struct broker_admin *admin, const char *queue,
                            struct broker_admin_queue *found, struct why *why);
/* A work queue with its delay queues and its dead letters. */
struct broker_admin_depth {
	struct broker_admin_queue work, dead;
	uint32_t delayed;
};
enum err broker_admin_depth(struct broker_admin *admin, const char *queue,
                            struct broker_admin_depth *depth, struct why *why);

/* Texts and body are in the arena of broker_admin_take(). */
struct broker_admin_message {
	uint64_t tag;
	const uint8_t *body;
	size_t len;
	const char *queue;		/* its first queue; "": unknown */
	const char *reason;
	int64_t dead_unix;		/* when it became a dead letter; 0: unknown */
	bool is_json;
};
/* Takes the oldest message that no consumer has. *found: there is such a message. */
enum err broker_admin_take(struct broker_admin *admin, const char *queue,
                           struct arena *arena, struct broker_admin_message *taken,
                           bool *found, struct why *why);
/*
 * Sends a copy of the message to QUEUE, persistent and confirmed. WITH_ACCOUNT: the copy
 * has the broker account of this connection, so that workers see this account as the
 * sender. ERR_NOT_FOUND: the queue does not exist.
 */
enum err broker_admin_send(struct broker_admin *admin, const char *queue,
                           const struct broker_admin_message *taken,
                           bool with_account, struct why *why);
enum err broker_admin_drop(struct broker_admin *admin,
                           const struct broker_admin_message *taken, struct why *why);
