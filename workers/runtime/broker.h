/*
 * broker -- a connection to RabbitMQ that reconnects by itself. Only the files broker*
 * use librabbitmq.
 *
 * A lane (a thread) connects to the broker, so an unreachable broker does not block the
 * event loop. The outbox keeps a published message until the broker confirms the message
 * or the time limit of the message is over. After a reconnect, the outbox sends the same
 * bytes again. A connection either consumes or publishes messages, because RabbitMQ
 * blocks the connections that publish during a memory alarm.
 *
 * A new connection declares its exchanges, queues and bindings. After that, the
 * connection checks every few seconds that all of its exchanges, queues and bindings
 * still exist. If an exchange, queue or binding is missing, or if the account has lost
 * the right to use it, the broker module closes the connection. The next connection
 * declares all exchanges, queues and bindings again.
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
	/* rabbit://user:password@host:5672,host2/vhost, or rabbits:// for TLS */
	char *url;
	char *exchange;		/* name of the control exchange: "zonefleet" */
	bool quorum;		/* true: declare the work queues as quorum queues */
	char *tls_ca, *tls_cert, *tls_key;
	int heartbeat_s;
	/*
	 * maximum size of the body of a message. If the body of a delivery is larger,
	 * the program does not keep this body (is_too_large)
	 */
	int max_message_bytes;
	int queue_limit;	/* maximum number of unconfirmed messages */
	/* period of the checks of exchanges, queues and bindings; 0: no checks */
	int check_period_s;
	/* true: each message names the broker account that sends the message */
	bool send_user_id;
};
/* with offsets into struct broker_config */
extern const struct option broker_options[];
/* Checks that the URL is valid and the TLS files are complete. */
enum err broker_check(const struct broker_config *config, struct why *why);

/* Writes "host:5672,host2:5672/vhost", without user and password. */
void broker_describe(const struct broker_config *config, char *words, size_t size);

/*
 * A queue to consume. The connection declares the queue, and the exchange and the binding
 * of the queue.
 */
struct broker_queue {
	enum {
		/*
		 * durable queue `name`, with the delay queues `name.retry.MS` and the
		 * queue `name.dead` for dead letters
		 */
		BROKER_WORK,
		BROKER_FANOUT,	/* exclusive queue, bound to the exchange `name_fanout` */
		/*
		 * exclusive queue; messages reach this queue through the default
		 * exchange
		 */
		BROKER_REPLY,
		/*
		 * like BROKER_WORK, but bound to the exchange `source` with the routing
		 * key `key`
		 */
		BROKER_NOTIFY,
		/*
		 * like BROKER_NOTIFY, but `source` is a fanout exchange, and the queue
		 * keeps at most 100 000 messages
		 */
		BROKER_FOREIGN_FANOUT,
	} kind;
	/*
	 * name of the queue; NULL for BROKER_REPLY, because the connection chooses the
	 * name
	 */
	const char *name;
	const char *source, *key;
	int prefetch;
};

struct broker_delivery {
	const char *queue;	/* name of the queue, as in broker_queue.name */
	const uint8_t *body;
	size_t len;
	bool is_json;
	/*
	 * true: the body was too large to keep. In this case, is_json is false and the
	 * body is empty
	 */
	bool is_too_large;
	uint64_t sent_bytes;	/* length of the body that the sender sent */
	bool redelivered;
	/*
	 * number of earlier attempts to handle the message. If the message is a copy
	 * from a delay queue, a header contains this number. Otherwise the number is 0
	 */
	int attempts;
	int expiration_ms;	/* the sender's time limit; 0: no limit */
	/* end of the sender's time limit, in milliseconds since 1970; 0: unknown */
	int64_t limit_unix_ms;
	/* the message arrived after this time (clock_boot_ms()) */
	int64_t since_ms;
	/*
	 * The broker account that sent the message (AMQP's user_id, which RabbitMQ
	 * verifies); "": unknown. If the message is a copy that a worker with the
	 * account of this connection put into a delay queue, `user` is the account that
	 * sent the original message. A header of the copy contains this account, and
	 * is_user_copied is true.
	 */
	const char *user;	/* borrowed, like the body */
	bool is_user_copied;
	/* proof that a program of the fleet wrote `user` into the header (trust.h) */
	const char *user_proof;
	bool is_fanout;
	/* `tag` and `epoch` identify the delivery for its acknowledgement */
	uint64_t tag;
	uint32_t epoch;
};

struct broker_hooks {
	/* runs when the connection begins to consume, also after each reconnect */
	void (*up)(void *self);
	void (*down)(void *self);
	/*
	 * The broker refused the account, its password, the virtual host or a right (403
	 * or 530 of AMQP); REASON is the text of the broker. The broker module still
	 * tries to connect again. NULL: no reaction.
	 */
	void (*refused)(void *self, const char *reason);
	/*
	 * Receives the next part of a body that is too large to keep. delivery() runs
	 * after the last part. NULL: the broker module discards the parts. If the
	 * connection is lost before the last part, down() runs, and delivery() does not.
	 */
	void (*discarded_part)(void *self, const void *bytes, size_t len);
	/*
	 * Handles a delivery. The delivery is valid only during this call, so copy the
	 * data that you need later.
	 */
	void (*delivery)(void *self, const struct broker_delivery *delivery);
	void (*drained)(void *self);	/* runs after a batch of deliveries */
	void *self;
};

/*
 * Opens a connection with the name NAME in the log. QUEUES contains the queues to
 * consume. The row after the last queue has the prefetch 0. A publisher passes NULL as
 * QUEUES.
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
/* returns the name of the control exchange */
const char *broker_exchange(const struct broker *broker);

/*
 * Acknowledges the delivery. If the connection of the delivery is lost, broker_ack() has
 * no effect, and the broker delivers the message again.
 */
void broker_ack(struct broker *broker, const struct broker_delivery *delivery);
/* Tells the broker to drop the message of the delivery. */
void broker_reject(struct broker *broker, const struct broker_delivery *delivery);
/*
 * broker_retry() puts a copy of the message into the delay queue with the shortest delay
 * that is at least DELAY_MS (at most 8 s). broker_dead_letter() puts a copy into the
 * queue of dead letters. The headers of the copy contain the reason, the account and the
 * proof (user_proof). OUT publishes the copy. When the broker has confirmed the copy, IN
 * acknowledges the original message. If the connection of the delivery is lost, the
 * functions have no effect.
 */
void broker_retry(struct broker *in, struct broker *out,
                  const struct broker_delivery *delivery, int delay_ms,
                  const char *reason);
void broker_dead_letter(struct broker *in, struct broker *out,
                        const struct broker_delivery *delivery, const char *reason);

struct broker_message {
	const char *exchange;	/* name of the exchange; "": the default exchange */
	const char *key;
	const void *body;
	size_t len;
	bool persistent;
	bool mandatory;		/* true: ERR_NOT_FOUND if no queue gets the message */
	/*
	 * true: if no queue gets the message, the outbox sends the message again for up
	 * to 15 s
	 */
	bool patient;
	/*
	 * true: `exchange` is a fanout exchange, which the connection declares before it
	 * sends the message
	 */
	bool fanout;
	/* time after which the broker drops the message; 0: no limit */
	int expiration_ms;
	int deadline_ms;	/* time limit of the confirm; 0: 30 s */
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
 * Puts a copy of the message into the outbox. ERR_BUSY: queue_limit messages are already
 * unconfirmed. ERR_TOO_LARGE: the body is larger than max_message_bytes, or the name of
 * the exchange or the key is longer than 255 octets. If broker_publish() fails, CONFIRM
 * does not run.
 */
enum err broker_publish(struct broker *broker, const struct broker_message *message,
                        broker_confirm_fn *confirm, void *self, struct why *why);
/*
 * Returns the number of unconfirmed messages. Unroutable messages that wait for another
 * attempt do not count.
 */
size_t broker_unconfirmed(const struct broker *broker);

/* Stops consuming. The caller may still acknowledge earlier deliveries. */
void broker_pause(struct broker *broker);
/*
 * Closes the connection, drops unconfirmed messages and calls their confirm functions.
 * Before this call, wait until the program has finished all deliveries and the broker has
 * confirmed all messages.
 */
void broker_close(struct broker **broker);
