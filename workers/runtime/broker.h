/*
 * broker -- a connection to RabbitMQ that reconnects by itself. Only the files broker*
 * use librabbitmq.
 *
 * Connecting (resolve, TCP, TLS, login, declare) runs on a lane, so an unreachable
 * broker does not block the loop. The outbox keeps a published message until the broker
 * confirms it or its deadline passes. After a reconnect it sends the same bytes again.
 * It limits the number of unconfirmed messages. A process has two connections, because a
 * memory alarm blocks a connection that publishes: one consumes, one publishes. Before
 * each publish it reads all input and checks that the socket is writable. frame_max is 8
 * KiB, TCP_USER_TIMEOUT limits silence, and any error of the library drops the
 * connection.
 *
 * The connection declares its exchanges, queues and bindings when it connects, and
 * checks them every few seconds. If an item is missing, or the account has lost its
 * right to it, broker drops the connection, and the next connection declares the item
 * again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/option.h"

struct loop;
struct broker;

struct broker_config {
	/* rabbit://user:password@host:5672,host2/vhost; rabbits:// for TLS */
	char *url;
	char *exchange;		/* control exchange, "zonefleet" */
	bool quorum;		/* work queues are quorum queues */
	char *tls_ca, *tls_cert, *tls_key;
	int heartbeat_s;
	int max_message_bytes;	/* of a delivery; larger ones are dead letters */
	int queue_limit;	/* messages that may wait here for the broker */
	int check_period_s;	/* of exchanges, queues and bindings; 0: never */
	bool send_user_id;	/* each message names the broker account that sends it */
};
extern const struct option broker_options[];	/* offsets into struct broker_config */
/* Checks that the URL is valid and the TLS files are complete. */
enum err broker_check(const struct broker_config *config, struct why *why);

/* A queue to consume. broker_open() declares it with its exchange and bindings. */
struct broker_queue {
	enum {
		BROKER_WORK,	/* durable `name`, with `name.retry` and `name.dead` */
		BROKER_FANOUT,	/* exclusive, bound to the exchange `name`_fanout */
		BROKER_REPLY,	/* exclusive, reached through the default exchange */
		BROKER_NOTIFY,	/* like WORK, but bound to `source` with `key` */
		/* like NOTIFY, for a fanout exchange; keeps 100 000 messages */
		BROKER_FOREIGN_FANOUT,
	} kind;
	const char *name;	/* REPLY: NULL; the broker chooses the name */
	const char *source, *key;
	int prefetch;
};

struct broker_delivery {
	const char *queue;	/* as in broker_queue.name */
	const uint8_t *body;
	size_t len;
	bool is_json;
	bool is_too_large;	/* is_json is false and the body is empty */
	uint64_t sent_bytes;	/* length of the body that was sent */
	bool redelivered;
	int attempts;		/* earlier attempts, through the delay queues */
	int expiration_ms;	/* the sender's time limit; 0: no limit */
	int64_t limit_unix_ms;	/* the end of that time limit; 0: unknown */
	int64_t since_ms;	/* clock_boot_ms(): it arrived later than this */
	/*
	 * The broker account that sent it (AMQP's user_id, checked by RabbitMQ); "":
	 * unknown. A copy in a delay queue has the account of its original: our account
	 * sent the copy, and a header names the account of the original.
	 */
	const char *user;	/* borrowed, like the body */
	bool is_user_copied;
	/* proof that a worker wrote the header (trust.h); broker_retry() sends it */
	const char *user_proof;
	bool is_fanout;
	/* identify the delivery for its acknowledgement */
	uint64_t tag;
	uint32_t epoch;
};

struct broker_hooks {
	void (*up)(void *self);		/* consuming; also after each reconnect */
	void (*down)(void *self);
	/*
	 * A part of a body that is too large to keep, before its delivery(). NULL: ignore
	 * it. down() may come instead of the remaining parts.
	 */
	void (*discarded_part)(void *self, const void *bytes, size_t len);
	/* The delivery is borrowed; copy what must outlive the call. */
	void (*delivery)(void *self, const struct broker_delivery *delivery);
	void (*drained)(void *self);	/* after a batch of deliveries */
	void *self;
};

/* queues: ends with a row whose prefetch is 0; NULL for a publisher. */
struct broker *broker_open(struct loop *loop, const struct broker_config *config,
                           const char *name, const struct broker_queue *queues,
                           const struct broker_hooks *hooks);
bool broker_is_up(const struct broker *broker);
/*
 * Why the connection is down, as text, valid until the next turn of the loop; NULL: it is
 * up.
 */
const char *broker_down_reason(const struct broker *broker);
/* The name of the reply queue. Each connection has a new queue. */
const char *broker_reply_queue(const struct broker *broker);
const char *broker_exchange(const struct broker *broker);	/* the control exchange */

/* No effect if the connection of the delivery is lost: the broker delivers it again. */
void broker_ack(struct broker *broker, const struct broker_delivery *delivery);
/* Drops the message. */
void broker_reject(struct broker *broker, const struct broker_delivery *delivery);
/*
 * Puts a copy into a delay queue for DELAY_MS, or into `queue.dead`, with the reason in
 * the headers. OUT publishes the copy. IN acknowledges the original after the confirm of
 * the copy.
 */
void broker_retry(struct broker *in, struct broker *out,
                  const struct broker_delivery *delivery, int delay_ms,
                  const char *reason);
void broker_dead_letter(struct broker *in, struct broker *out,
                        const struct broker_delivery *delivery, const char *reason);

struct broker_message {
	const char *exchange;	/* "" is the default exchange */
	const char *key;
	const void *body;
	size_t len;
	bool persistent;
	bool mandatory;		/* ERR_NOT_FOUND if the message is unroutable, */
	bool patient;		/* but only after further attempts for 15 s */
	/* to a fanout exchange, which broker declares first */
	bool fanout;
	int expiration_ms;	/* 0: no expiration */
	int deadline_ms;	/* time limit for the confirm; 0: 30 000 */
};

/*
 * Comes once for each message. OK: confirmed. ERR_NOT_FOUND: unroutable, or no such
 * exchange. ERR_UNREACHABLE: the broker refused it (nack), the deadline passed, or
 * broker_close(). ERR_INTERNAL: the broker closed the channel because of this message.
 */
typedef void broker_confirm_fn(void *self, enum err err);

/*
 * Copies the message. ERR_BUSY: queue_limit is reached. ERR_TOO_LARGE: the message is
 * larger than max_message_bytes. After an error it does not call CONFIRM.
 */
enum err broker_publish(struct broker *broker, const struct broker_message *message,
                        broker_confirm_fn *confirm, void *self, struct why *why);
/* The number of messages without a confirm, except unroutable messages. */
size_t broker_unconfirmed(const struct broker *broker);

/* Stops consuming. The caller may still acknowledge earlier deliveries. */
void broker_pause(struct broker *broker);
/*
 * Drops unconfirmed messages and calls their confirm functions. Drain the broker first.
 */
void broker_close(struct broker **broker);
