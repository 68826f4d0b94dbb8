/*
 * broker -- a connection to RabbitMQ that reconnects by itself. Only the files broker*
 * use librabbitmq.
 *
 * A lane (thread) connects to the broker, so an unreachable broker does not block the
 * event loop. The outbox keeps a published message until the broker confirms the message
 * or the time limit of the message is over. After a reconnect, the outbox sends the same
 * bytes again. A process has one connection to consume messages and one to publish
 * messages. During a memory alarm, RabbitMQ blocks the connections that publish.
 *
 * A new connection declares its exchanges, queues and bindings. After that, the
 * connection checks every few seconds that all of its exchanges, queues and bindings
 * still exist. If one is missing, the connection closes. The connection also closes if
 * its account has lost the right to use one of its exchanges, queues or bindings. The
 * next connection declares all exchanges, queues and bindings again.
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
	/* maximum size of a message; a larger delivery becomes a dead letter */
	int max_message_bytes;
	int queue_limit;	/* maximum number of messages that wait for the broker */
	/* period of the checks of exchanges, queues and bindings; 0: no checks */
	int check_period_s;
	bool send_user_id;	/* each message names the broker account that sends it */
};
extern const struct option broker_options[];	/* offsets into struct broker_config */
/* Checks that the URL is valid and the TLS files are complete. */
enum err broker_check(const struct broker_config *config, struct why *why);

/* Writes "host:5672,host2:5672/vhost", without user and password. */
void broker_describe(const struct broker_config *config, char *words, size_t size);

/* A queue to consume. The connection declares the queue, its exchange and bindings. */
struct broker_queue {
	enum {
		BROKER_WORK,	/* durable `name`, with `name.retry.MS` and `name.dead` */
		BROKER_FANOUT,	/* exclusive, bound to the exchange `name_fanout` */
		BROKER_REPLY,	/* exclusive, reached through the default exchange */
		/* like WORK, but bound to the exchange `source` with `key` */
		BROKER_NOTIFY,
		/* like NOTIFY, for a fanout exchange; keeps at most 100 000 messages */
		BROKER_FOREIGN_FANOUT,
	} kind;
	const char *name;	/* NULL for REPLY: the broker chooses the name */
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
	/* number of earlier attempts, from a header of a copy in a delay queue */
	int attempts;
	int expiration_ms;	/* the sender's time limit; 0: no limit */
	int64_t limit_unix_ms;	/* the end of that time limit; 0: unknown */
	/* the message arrived after this time (clock_boot_ms()) */
	int64_t since_ms;
	/*
	 * The broker account that sent the message (AMQP's user_id, which RabbitMQ
	 * verifies); "": unknown. If a worker with the account of this connection put a
	 * copy into a delay queue, `user` is the account of the original message, from a
	 * header of the copy.
	 */
	const char *user;	/* borrowed, like the body */
	bool is_user_copied;
	/* proof that a program of the fleet wrote `user` into the header (trust.h) */
	const char *user_proof;
	bool is_fanout;
	/* identify the delivery for its acknowledgement */
	uint64_t tag;
	uint32_t epoch;
};

struct broker_hooks {
	/* the connection consumes now; also called after each reconnect */
	void (*up)(void *self);
	void (*down)(void *self);
	/*
	 * The broker refused the account, its password, the virtual host or a right (403
	 * or 530 of AMQP); REASON is the text of the broker. The broker module still
	 * tries to connect again. NULL: no reaction.
	 */
	void (*refused)(void *self, const char *reason);
	/*
	 * Gets the next part of a body that is too large to keep. delivery() runs after
	 * the last part. NULL: the broker module discards the parts. If the connection is
	 * lost before the last part, down() runs, and delivery() does not.
	 */
	void (*discarded_part)(void *self, const void *bytes, size_t len);
	/* The delivery is valid only during the call: copy what you need later. */
	void (*delivery)(void *self, const struct broker_delivery *delivery);
	void (*drained)(void *self);	/* after a batch of deliveries */
	void *self;
};

/*
 * QUEUES: the queues to consume; the last row has the prefetch 0. A publisher passes
 * NULL.
 */
struct broker *broker_open(struct loop *loop, const struct broker_config *config,
                           const char *name, const struct broker_queue *queues,
                           const struct broker_hooks *hooks);
bool broker_is_up(const struct broker *broker);
/*
 * Returns the reason why the connection is down. The text is valid until the next turn of
 * the loop. NULL: the connection is up.
 */
const char *broker_down_reason(const struct broker *broker);
/* Returns the name of the reply queue. Each connection has a new queue. */
const char *broker_reply_queue(const struct broker *broker);
const char *broker_exchange(const struct broker *broker);	/* the control exchange */

/*
 * Acknowledges the delivery. This has no effect if the connection of the delivery is
 * lost: the broker then delivers the message again.
 */
void broker_ack(struct broker *broker, const struct broker_delivery *delivery);
/* Drops the message. */
void broker_reject(struct broker *broker, const struct broker_delivery *delivery);
/*
 * broker_retry() puts a copy of the message into a delay queue, for about DELAY_MS.
 * broker_dead_letter() puts a copy into the queue of dead letters. The headers of the
 * copy contain the reason, the account and the proof (user_proof). OUT publishes the
 * copy. When the broker has confirmed the copy, IN acknowledges the original.
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
	bool mandatory;		/* ERR_NOT_FOUND if no queue gets the message */
	bool patient;		/* if no queue gets the message, retries for 15 s */
	/*
	 * `exchange` is a fanout exchange: the connection declares it before the message
	 */
	bool fanout;
	int expiration_ms;	/* 0: no expiration */
	int deadline_ms;	/* time limit for the confirm; 0: 30 000 */
};

/*
 * The broker module calls CONFIRM once for each message. OK: the broker has confirmed the
 * message. ERR_NOT_FOUND: the exchange does not exist, or no queue gets the
 * message. ERR_UNREACHABLE: the broker refused the message (nack), the time limit is
 * over, or broker_close() was called. ERR_INTERNAL: the broker closed the channel because
 * of this message.
 */
typedef void broker_confirm_fn(void *self, enum err err);

/*
 * Copies the message. ERR_BUSY: queue_limit messages are already waiting. ERR_TOO_LARGE:
 * the message is larger than max_message_bytes. If broker_publish() fails, CONFIRM
 * does not run.
 */
enum err broker_publish(struct broker *broker, const struct broker_message *message,
                        broker_confirm_fn *confirm, void *self, struct why *why);
/*
 * Returns the number of unconfirmed messages, without unroutable messages that wait for
 * another attempt.
 */
size_t broker_unconfirmed(const struct broker *broker);

/* Stops consuming. The caller may still acknowledge earlier deliveries. */
void broker_pause(struct broker *broker);
/*
 * Drops unconfirmed messages and calls their confirm functions. Before this call, wait
 * until all deliveries and messages are finished.
 */
void broker_close(struct broker **broker);
