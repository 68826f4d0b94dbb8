/*
 * broker_private -- declarations that only the files of the broker use.
 *
 *   broker_url.c             parses the URL; no I/O
 *   broker_connection.c      connects, logs in, makes error texts; on the lane
 *   broker_topology.c        declares exchanges, queues and bindings; on the lane
 *   broker_topology_check.c  checks periodically that all items exist; on the loop
 *   broker.c                 connects, reconnects, handles the turns of the loop
 *   broker_state.c           drops the connection, acknowledges messages, requests turns
 *   broker_read.c            reads frames: deliveries, returned messages and confirms
 *   broker_outbox.c          finds unconfirmed messages by their tags
 *   broker_publish.c         sends the messages of the outbox, handles confirms
 *   broker_admin.c           counts messages and moves dead letters; blocks
 */
#pragma once

#include <amqp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/id.h"
#include "runtime/broker.h"

struct lane;
struct loop_io;
struct loop_timer;

/*
 * The header that contains the end of a call's time limit, in milliseconds since 1970 by
 * the sender's clock.
 */
#define LIMIT_HEADER "x-zonefleet-limit"
/*
 * The headers of a copy: the broker account that sent the original message, and the
 * proof of this account (trust.h).
 */
#define USER_HEADER "x-zonefleet-user"
#define USER_PROOF_HEADER "x-zonefleet-user-proof"

enum {
	/* the channel for all methods except the topology checks */
	CHANNEL = 1,
	CHECK_CHANNEL = 2,	/* the channel for a topology check */
	/*
	 * Maximum size of a received frame: the default of RabbitMQ. A message header is
	 * one frame. The producer chooses the size of the header without regard to the
	 * frame_max of this connection, so every header that a producer can send must
	 * fit. If a header of this size has the deepest nesting, librabbitmq decodes the
	 * header in less than 4 MiB of stack.
	 */
	FRAME_MAX = 131072,
	SENT_FRAME_MAX = 8192,
	SHORT_MAX = 255,	/* maximum length of a name or key (AMQP, shortstr) */
	/* maximum number of sent messages that the broker has not confirmed */
	WINDOW = 1000,
	/* number of slots for sent messages: a power of two above WINDOW */
	FLIGHT_SLOTS = 1024,
};

/* ---- broker_url.c ---- */

enum { URL_HOSTS_MAX = 16 };

struct broker_host {
	char *name, *user, *password;
	int port;
};

struct broker_url {
	bool tls;
	char *vhost;
	struct broker_host hosts[URL_HOSTS_MAX];
	size_t count;
};

/* WHY never quotes the URL, because the URL contains a password. */
enum err broker_url_parse(const char *text, struct broker_url *url, struct why *why);
void broker_url_clear(struct broker_url *url);

/* ---- broker_connection.c ---- */

struct connection {
	amqp_connection_state_t amqp;
	int fd;
	const char *user;	/* name of the account; borrowed from the broker's URL */
	size_t body_max;	/* maximum number of body bytes in one frame */
	/*
	 * number of bytes that the connection can send before it must check the room in
	 * the socket again
	 */
	size_t credit;
};

/*
 * With a struct cancel, one thread can interrupt another thread that opens or uses a
 * connection. The struct contains a duplicate of the descriptor of the socket. The
 * thread that removes the duplicate from the struct must close the duplicate.
 */
struct cancel {
	atomic_bool wanted;
	atomic_int fd;		/* duplicate of the descriptor; -1: no duplicate */
};

void cancel_init(struct cancel *cancel);
void cancel_clear(struct cancel *cancel);
/* the interrupting thread calls cancel_now() */
void cancel_now(struct cancel *cancel);

/* ERR_DENIED: the broker refused the account, the virtual host or a right. */
enum err connection_open(const struct broker *broker, const struct broker_host *host,
                         struct cancel *cancel, struct connection **connection,
                         struct why *why);
/* Closes the connection when the broker has read all bytes, or after at most a second. */
void connection_linger(struct connection **connection);
/* Sends a close method and closes the connection. Takes at most about a second. */
void connection_close(struct connection **connection);
void connection_free(struct connection **connection);
/*
 * True: the socket has room for LEN bytes (at most one frame), so a send does not block.
 */
bool connection_writable(struct connection *connection, size_t len);
/*
 * After a call with ON = true, the kernel sends only full packets, until a call with ON
 * = false.
 */
void connection_cork(struct connection *connection, bool on);

enum err reply_check(amqp_rpc_reply_t reply, const char *what, struct why *why);
/* Returns AMQP's reply code, for example 406. 0: the reply has no code. */
int reply_code(amqp_rpc_reply_t reply);
/* True: the broker sends CODE when it refuses an account, a virtual host or a right. */
bool reply_is_refusal(int code);
/*
 * Like reply_check(), but returns ERR_DENIED if the code of the reply is a refusal
 * (reply_is_refusal()).
 */
enum err reply_check_rights(amqp_rpc_reply_t reply, const char *what, struct why *why);

/* ---- broker_topology.c ---- */

/*
 * Returns the delay of the queue `<queue>.retry.<ms>` to use for DELAY_MS: the shortest
 * delay that is at least DELAY_MS. If no delay is long enough, returns the longest delay.
 */
int topology_retry_step(int delay_ms);

enum { ARGUMENTS_MAX = 6 };

/* An exchange, queue or binding. */
struct topology_item {
	enum topology_kind { TOPOLOGY_EXCHANGE, TOPOLOGY_QUEUE, TOPOLOGY_BINDING } kind;
	/* name of the exchange or queue; for a binding: name of the queue */
	const char *name;
	/* true: the exchange or queue survives a restart of the broker */
	bool durable;
	const char *type;		/* type of an exchange */
	bool auto_delete;
	/* true: the broker deletes the queue when its connection ends */
	bool exclusive;
	amqp_table_entry_t argument[ARGUMENTS_MAX];
	int argument_count;
	const char *source, *key;	/* source exchange and routing key of a binding */
};

/* All items of a connection, in the order in which the connection declares them. */
struct topology {
	struct arena *arena;
	bool quorum;
	struct topology_item *item;
	size_t count, size;
};

struct topology *topology_new(const struct broker *broker, const char *reply_queue);
void topology_free(struct topology **topology);
/* ERR_DENIED: the account may not declare an item. */
enum err topology_declare(const struct topology *topology, const struct broker *broker,
                          struct connection *connection, struct why *why);

/*
 * An AMQP method to send, with the number of the method and the number of the positive
 * answer.
 */
struct topology_request {
	amqp_method_number_t method, answer;
	union {
		amqp_exchange_declare_t exchange;
		amqp_queue_declare_t queue;
		amqp_queue_bind_t binding;
	} of;
};
/*
 * Fills in the AMQP method that declares ITEM. PASSIVE: the method only tests that the
 * item exists. AMQP has no such test for a binding, so the method declares the binding
 * again.
 */
void topology_request(const struct topology_item *item, bool passive,
                      struct topology_request *request);
enum { TOPOLOGY_WORDS = 2 * SHORT_MAX + 96 };
void topology_item_describe(const struct topology_item *item, char *words, size_t size);

enum err topology_consume(const struct broker *broker, struct connection *connection,
                          struct why *why);
void topology_fanout_exchange(const char *name, amqp_exchange_declare_t *declare);

/* ---- broker_topology_check.c ---- */

/*
 * RabbitMQ reports the deletion of a queue that has a consumer, but no other deletion.
 * So each connection tests all items of its topology every few seconds, one after the
 * other. If an item is missing, or if the account has lost the right to use the item,
 * the check drops the connection. The next connection declares all items again. Each
 * check opens a new channel, because a channel caches its permissions.
 */
struct topology_check {
	enum { CHECK_IDLE, CHECK_OPENS, CHECK_ASKS, CHECK_CLOSES } state;
	size_t at;			/* index of the item that the check tests now */
	/* true: the next method must be sent as soon as the socket has room */
	bool due;
	/*
	 * Between two checks, the timer fires when the next check must begin. During a
	 * check, the timer fires if the broker has not answered a method within 10 s.
	 */
	struct loop_timer *timer;
};

void topology_check_schedule(struct broker *broker);
void topology_check_on_timer(struct broker *broker);	/* callback of `timer` */
bool topology_check_send(
    struct broker *broker); /* false: the socket has no room, or an error */
void topology_check_on_method(struct broker *broker, const amqp_method_t *method);

/* ---- acknowledgements to send (broker_state.c) ---- */

enum ack_kind { ACK_OK, ACK_REJECT, ACK_REQUEUE };

struct acks {
	struct ack {
		uint64_t tag;
		enum ack_kind how;
	} *item;
	size_t count, size;
	/* number of deliveries that the program has not acknowledged */
	size_t in_hand;
};

/* ---- the content that the broker is sending (broker_read.c) ---- */

struct content {
	enum { CONTENT_NONE, CONTENT_HEADER, CONTENT_BODY } expect;
	/* true: a returned (unroutable) message; false: a delivery */
	bool is_return;
	bool discard;		/* true: the connection does not keep the body */
	bool delivered;		/* true: the broker has sent a delivery in this turn */
	/* number of bytes of the body that have not arrived yet */
	uint64_t left;
	struct broker_delivery delivery;
	/* texts of the delivery */
	char user[SHORT_MAX + 1], user_proof[SHORT_MAX + 1];
	struct buf body;
};

/* ---- the outbox (broker_publish.c) ---- */

/*
 * A delivery whose copy is in the outbox. IN acknowledges the delivery when the broker
 * has confirmed the copy.
 */
struct original {
	LIST_ENTRY(original) link;
	/* the connection of the delivery; NULL: no copy, or IN is closed */
	struct broker *in;
	struct broker_delivery delivery;
};

struct message {
	TAILQ_ENTRY(message) link;	/* link in `waiting` or `returned` */
	broker_confirm_fn *confirm;
	void *self;
	struct original original;
	/* number for the AMQP property message_id, which a returned message also has */
	uint64_t id;
	int64_t deadline_ms, sent_ms;
	/*
	 * end of the attempts to send an unroutable message; 0: the broker has not
	 * returned the message
	 */
	int64_t resend_until_ms;
	bool persistent, mandatory, patient, fanout, is_json, is_returned;
	int expiration_ms;
	/*
	 * The members from `attempts` to `user_proof` are the headers of the message. A
	 * member that is 0 or "" makes no header. Exception: `user` makes a header if
	 * `queue` is not "".
	 */
	int attempts;
	int64_t dead_unix;
	const char *reason, *queue, *user, *user_proof;
	const char *exchange, *key;
	const uint8_t *body;
	size_t len;
	char bytes[];			/* the strings and the body */
};

TAILQ_HEAD(message_queue, message);

struct outbox {
	struct message_queue waiting;
	size_t waiting_count;
	/*
	 * unroutable messages that wait for another attempt, because possibly a consumer
	 * will soon declare the missing queue
	 */
	struct message_queue returned;
	size_t returned_count;
	/* true: the connection has sent a part of the first waiting message */
	bool begun;
	/* if `begun`: number of octets of the body that were sent */
	size_t offset;
	/* sent messages: the message with tag t is in slot t % FLIGHT_SLOTS */
	struct message *flight[FLIGHT_SLOTS];
	uint64_t first_tag, next_tag;
	size_t flight_count;
	uint64_t last_id;
	int64_t confirmed_ms;	/* the time of the last confirm */
	int64_t expire_ms;	/* the time at which the timer fires */
	/*
	 * If the broker closes the channel because of a bad message, the broker does not
	 * name this message. To find the bad message, the outbox sends the next `probes`
	 * messages one by one. 0: there is no bad message to find.
	 */
	size_t probes;
	/*
	 * true: another program has declared a fanout exchange with different
	 * properties, so the outbox no longer declares fanout exchanges
	 */
	bool fanout_foreign;
};

void outbox_init(struct outbox *outbox);
struct message **outbox_slot(struct outbox *outbox, uint64_t tag);
struct message *outbox_take(struct outbox *outbox, uint64_t tag);
void outbox_advance(struct outbox *outbox);
/* Drops all messages, and calls their confirm functions with ERR_UNREACHABLE. */
void outbox_close(struct outbox *outbox);
/*
 * Sends waiting messages, at most about 1 MiB in a turn. False: the socket needs more
 * room, or the connection is lost.
 */
bool outbox_send(struct broker *broker);
/*
 * Call outbox_rewind() after the connection is lost. Moves all sent messages without a
 * confirm back to the waiting messages.
 */
void outbox_rewind(struct broker *broker);
void outbox_expire(struct broker *broker);
void outbox_resend_returned(void *broker);	/* callback of a timer */
void outbox_confirm(struct broker *broker, uint64_t tag, bool multiple, enum err err);
void outbox_returned(struct broker *broker, amqp_bytes_t message_id);
/*
 * Call this function if the broker has closed the channel. CODE is the reason of the
 * broker, and METHOD is the method that failed.
 */
void outbox_on_channel_close(struct broker *broker, int code,
                             amqp_method_number_t method);

/* ---- the broker ---- */

struct connect_job;

/*
 * In a turn, a connection reads, then acknowledges, then sends. The connection never
 * waits: it sends a frame only if the kernel reports enough room for the frame.
 */
struct broker {
	struct loop *loop;
	struct lane *lane;
	char *name;
	struct broker_config config;	/* a copy without the URL */
	struct broker_url url;
	struct broker_queue *queues;	/* a copy */
	size_t queue_count;		/* 0: the connection only publishes */
	struct broker_hooks hooks;

	/* the open connection; NULL: the connection is down */
	struct connection *connection;
	struct connection *lingering;	/* old connection, which the lane will close */
	/* the attempt to connect that runs on the lane */
	struct connect_job *job;
	struct loop_io *io;
	struct loop_timer *reconnect, *tick, *expire, *resend;
	struct topology *topology;	/* topology of the connection */
	struct topology_check check;
	struct why down_reason;		/* reason why there is no connection */
	uint32_t epoch;			/* number of connections so far */
	int attempt;
	int64_t up_since_ms;
	char reply_queue[sizeof "reply_" + ID_LEN];

	void (*turn)(void *broker);
	/* true: turn() will run at the end of the loop's turn */
	bool turn_due;
	/* number of the turn of the loop in which the last read ran; 0: no read yet */
	uint64_t read_in;
	bool read_all;			/* true: the last read has read all input */
	/* time at which a read last found the socket empty, by clock_boot_ms() */
	int64_t drained_ms;
	/* true: RabbitMQ accepts no messages because of an alarm */
	bool blocked;
	bool paused;
	/* `busy`: a turn is running. `closed`: broker_close() was called */
	bool busy, closed;

	struct content content;
	struct acks acks;
	struct outbox outbox;
	/* deliveries of this connection whose copies the broker has not confirmed yet */
	LIST_HEAD(, original) copies;
};

const amqp_field_value_t *content_header_find(const amqp_basic_properties_t *properties,
                                              const char *key);
bool content_bytes_are(amqp_bytes_t bytes, const char *text);
bool broker_read(struct broker *broker);	/* false: more input is waiting */
void broker_turn_soon(struct broker *broker);
void broker_acknowledge(struct broker *broker, const struct broker_delivery *delivery,
                        enum ack_kind how);
void broker_reconnect_later(struct broker *broker);	/* connects again after a pause */
/* Closes the connection, and connects again after a pause. */
void broker_drop(struct broker *broker, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Call this function after broker_drop(). Calls the hook `refused` if
 * reply_is_refusal(CODE) is true.
 */
void broker_tell_refusal(struct broker *broker, int code);

/* ---- AMQP's own types, for all files ---- */

static inline amqp_bytes_t bytes_of(const char *text)
{
	return amqp_cstring_bytes(text);
}

static inline amqp_table_entry_t entry_text(const char *key, const char *value)
{
	return (amqp_table_entry_t){
		bytes_of(key), { AMQP_FIELD_KIND_UTF8, { .bytes = bytes_of(value) } },
	};
}

static inline amqp_table_entry_t entry_number(const char *key, int32_t value)
{
	return (amqp_table_entry_t){
		bytes_of(key), { AMQP_FIELD_KIND_I32, { .i32 = value } },
	};
}

static inline amqp_table_entry_t entry_large_number(const char *key, int64_t value)
{
	return (amqp_table_entry_t){
		bytes_of(key), { AMQP_FIELD_KIND_I64, { .i64 = value } },
	};
}
