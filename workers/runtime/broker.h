/*
 * broker -- a connection to RabbitMQ that comes back by itself; the only
 * module that knows librabbitmq, whose two error worlds end here.
 *
 * Connecting (resolve, TCP, TLS, login, declare) runs on a lane, so a dead
 * broker never holds up the loop. A published message is kept until the
 * broker confirmed it, over reconnects (then the same bytes are sent again),
 * or until its deadline; the confirms are windowed. A process has two: one
 * consumes, one publishes, because a memory alarm blocks the publishers.
 * Publishing is preceded by a drain and a writability check, frame_max is
 * 8 KiB, TCP_USER_TIMEOUT is set, and any library error drops the connection
 * (DESIGN 10).
 *
 * What a connection lives by (exchanges, queues, bindings) is declared when it connects,
 * and asked for every few seconds. If it is missing, or is not allowed any more, the
 * connection is dropped, and the next one declares it again.
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
	int check_period_s;	/* of what a connection lives by; 0: never */
	bool send_user_id;	/* each message names the broker account that sends it */
};
extern const struct option broker_options[];	/* offsets into struct broker_config */
/* What the rows cannot say: is it a URL, and are the TLS files complete? */
enum err broker_check(const struct broker_config *config, struct why *why);

/* A queue to consume. The broker module declares what it needs around it. */
struct broker_queue {
	enum {
		BROKER_WORK,	/* durable `name`, with `name.retry` and `name.dead` */
		BROKER_FANOUT,	/* exclusive, bound to the exchange `name`_fanout */
		BROKER_REPLY,	/* exclusive, reached through the default exchange */
		BROKER_NOTIFY,	/* as WORK, but bound to `source` with `key` */
		/* As that, to a fanout exchange of others. It keeps the newest 100 000. */
		BROKER_FOREIGN_FANOUT,
	} kind;
	const char *name;	/* REPLY: NULL, the broker module makes one up */
	const char *source, *key;
	int prefetch;
};

struct broker_delivery {
	const char *queue;	/* as in broker_queue.name */
	const uint8_t *body;
	size_t len;
	bool is_json;
	bool is_too_large;	/* then it is not JSON, and its body is empty */
	uint64_t sent_bytes;	/* of the body as it was sent */
	bool redelivered;
	int attempts;		/* times it came back through the delay queue */
	int expiration_ms;	/* the sender's, 0: none, */
	int64_t limit_unix_ms;	/* and its end, if the sender told it; else 0 */
	int64_t since_ms;	/* clock_boot_ms(): it came later than this */
	/*
	 * The broker account that sent it, which RabbitMQ has checked (AMQP's user_id); "" if
	 * the sender named none. A copy in a delay queue keeps that of its original: our own
	 * account sent the copy, and a header names the original's.
	 */
	const char *user;	/* borrowed as the body is */
	bool is_user_copied;
	/* Shows that a worker wrote the header; broker_retry() sends it. trust.h; "": none */
	const char *user_proof;
	bool is_fanout;
	/* to settle it */
	uint64_t tag;
	uint32_t epoch;
};

struct broker_hooks {
	void (*up)(void *self);		/* consuming; also after each reconnect */
	void (*down)(void *self);
	/*
	 * A part of a body that is too large to be kept, before its delivery. NULL: ignored.
	 * down() may come instead of the rest.
	 */
	void (*passing)(void *self, const void *bytes, size_t len);
	/* The delivery is borrowed; copy what must outlive the call. */
	void (*delivery)(void *self, const struct broker_delivery *delivery);
	void (*drained)(void *self);	/* all there was is delivered: a batch */
	void *self;
};

/* queues: ends with a row whose prefetch is 0; NULL for a publisher. */
struct broker *broker_open(struct loop *loop, const struct broker_config *config,
                           const char *name, const struct broker_queue *queues,
                           const struct broker_hooks *hooks);
bool broker_is_up(const struct broker *broker);
/* Why it is not, in words, until the next turn of the loop; NULL: it is up. */
const char *broker_down_reason(const struct broker *broker);
/* A new name each time it is up. */
const char *broker_reply_queue(const struct broker *broker);
const char *broker_exchange(const struct broker *broker);	/* the control exchange */

/* Settle a delivery; nothing happens if its connection is gone (it comes again). */
void broker_ack(struct broker *broker, const struct broker_delivery *delivery);
/* Drop it. */
void broker_reject(struct broker *broker, const struct broker_delivery *delivery);
/*
 * Put it into `queue.retry` for delay_ms, or into `queue.dead` with the reason in the
 * headers; the original is acknowledged when the copy is confirmed. OUT publishes.
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
	bool mandatory;		/* a message no queue takes is ERR_NOT_FOUND, */
	bool patient;		/* though not before it was offered for 15 s */
	bool fanout;		/* a fanout exchange: declared first (oslo_wire T4) */
	int expiration_ms;	/* 0: none */
	int deadline_ms;	/* how long to keep it for a confirm; 0: 30 000 */
};

/*
 * Once for each message. err: OK confirmed; ERR_NOT_FOUND unroutable, or no such
 * exchange; ERR_UNREACHABLE nacked, deadline, or broker_close(); ERR_INTERNAL the broker
 * closed the channel for this message.
 */
typedef void broker_confirm_fn(void *self, enum err err);

/*
 * Copies the message. ERR_BUSY when queue_limit is reached, ERR_TOO_LARGE beyond
 * max_message_bytes: then confirm is not called.
 */
enum err broker_publish(struct broker *broker, const struct broker_message *message,
                        broker_confirm_fn *confirm, void *self, struct why *why);
/* Messages without a confirm, except those that no queue accepts at present. */
size_t broker_unconfirmed(const struct broker *broker);

/* Stop consuming; what is in hand may be settled. */
void broker_pause(struct broker *broker);
/* Drain first: what is not confirmed is dropped, and its confirm hears so from here. */
void broker_close(struct broker **broker);
