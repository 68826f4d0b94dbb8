/*
 * broker_private -- what the files of the broker share.
 *
 *   broker_url.c         rabbit://... to hosts; pure
 *   broker_connection.c  one login: connect, TLS, errors in words; on the lane
 *   broker_topology.c    what a connection lives by, and its declaration; on the lane
 *   broker_topology_check.c     is it still there? asked now and then by the loop
 *   broker.c             life: connect, connect again; the turn
 *   broker_state.c       what all may do: lose the connection, settle, ask for a turn
 *   broker_read.c        frames to deliveries, returns and confirms
 *   broker_outbox.c      the messages that wait to be confirmed, by their tags
 *   broker_publish.c     the outbox: what waits to be sent, and to be confirmed
 *   broker_admin.c        for people: counts, dead letters; blocks
 *
 * A turn reads what is there, then settles, then sends, and never waits:
 * frames go out one by one, each after the kernel said that there is room.
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

/* When a call's time limit ends, by the sender's clock: milliseconds since 1970. */
#define LIMIT_HEADER "x-zonefleet-limit"
/* Of a copy: the broker account that sent its original. */
#define USER_HEADER "x-zonefleet-user"
#define USER_PROOF_HEADER "x-zonefleet-user-proof"

enum {
	CHANNEL = 1,		/* all but the rechecks */
	RECHECK_CHANNEL = 2,	/* open as long as a recheck lasts */
	/*
	 * RabbitMQ's default. The header of a message comes in one frame, whatever this
	 * connection agreed on: all that a producer can send there must fit. librabbitmq
	 * decodes the deepest nest of this size in less than 4 MiB of stack.
	 */
	FRAME_MAX = 131072,
	SENT_FRAME_MAX = 8192,
	SHORT_MAX = 255,	/* bytes of a name or key (AMQP 0-9-1, shortstr) */
	WINDOW = 1000,		/* messages sent and not confirmed */
	FLIGHT_SLOTS = 1024,	/* a power of two above it */
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

/* The reason never quotes the URL: there is a password in it. */
enum err broker_url_parse(const char *text, struct broker_url *url, struct why *why);
void broker_url_clear(struct broker_url *url);

/* ---- broker_connection.c ---- */

struct connection {
	amqp_connection_state_t amqp;
	int fd;
	const char *user;	/* borrowed from the broker's URL */
	size_t body_max;	/* bytes of a message in one frame */
	size_t credit;		/* bytes that may be sent before the kernel is asked */
};

/*
 * For one thread to break off what another does by a connection. Whoever takes the copy of
 * its socket out closes it: it is never another file's number.
 */
struct cancel {
	atomic_bool wanted;
	atomic_int fd;		/* -1: none */
};

void cancel_init(struct cancel *cancel);
void cancel_clear(struct cancel *cancel);
void cancel_now(struct cancel *cancel);		/* the other thread's */

struct connection *connection_open(const struct broker *broker,
                                   const struct broker_host *host, struct cancel *cancel,
                                   struct why *why);
/* For at most a second let the broker read what it was sent, then close. */
void connection_linger(struct connection **connection);
void connection_close(struct connection **connection);	/* politely; at most a second */
void connection_free(struct connection **connection);
/* Is there room for LEN bytes (at most a frame), so that sending them does not block? */
bool connection_writable(struct connection *connection, size_t len);
void connection_cork(struct connection *connection, bool on);	/* whole packets only */

enum err reply_check(amqp_rpc_reply_t reply, const char *what, struct why *why);
int reply_code(amqp_rpc_reply_t reply);	/* the broker's, 406 for one; 0: it said none */

/* ---- broker_topology.c ---- */

/* A step of the delay queues, `<queue>.retry.<ms>`: the smallest that is not shorter. */
int topology_retry_step(int delay_ms);

enum { ARGUMENTS_MAX = 6 };

/* One thing that a connection lives by. */
struct thing {
	enum thing_kind { THING_EXCHANGE, THING_QUEUE, THING_BINDING } kind;
	const char *name;		/* of a binding: its queue's */
	bool durable;			/* an exchange, a queue */
	const char *type;		/* an exchange */
	bool auto_delete;
	bool exclusive;			/* a queue: it goes with its connection */
	amqp_table_entry_t argument[ARGUMENTS_MAX];
	int argument_count;
	const char *source, *key;	/* a binding */
};

/* All of them, in the order in which they are declared. */
struct topology {
	struct arena *arena;
	bool quorum;
	struct thing *item;
	size_t count, size;
};

struct topology *topology_new(const struct broker *broker, const char *reply_queue);
void topology_free(struct topology **topology);
enum err topology_declare(const struct topology *topology, const struct broker *broker,
                          struct connection *connection, struct why *why);

/* What the broker is asked for a thing, and the method of a good answer. */
struct thing_request {
	amqp_method_number_t method, answer;
	union {
		amqp_exchange_declare_t exchange;
		amqp_queue_declare_t queue;
		amqp_queue_bind_t binding;
	} of;
};
/* PASSIVE: is it there? A binding cannot be asked for; to make it again changes nothing. */
void thing_request(const struct thing *thing, bool passive, struct thing_request *request);
enum { WORDS_SIZE = 2 * SHORT_MAX + 96 };
void thing_describe(const struct thing *thing, char *words, size_t size);

enum err topology_consume(const struct broker *broker, struct connection *connection,
                          struct why *why);
void topology_fanout_exchange(const char *name, amqp_exchange_declare_t *declare);

/* ---- broker_topology_check.c ---- */

/*
 * A thing that is deleted at the running broker is not announced, but for a queue with a
 * consumer. So each connection asks for all it lives by, one thing after the other, every
 * few seconds. What is missing, or is no longer allowed, drops the connection, and the
 * next one declares all of it. The channel is new each time: a channel that is kept
 * remembers what it was allowed.
 */
struct recheck {
	enum { RECHECK_IDLE, RECHECK_OPENS, RECHECK_ASKS, RECHECK_CLOSES } state;
	size_t at;			/* the thing that is asked for */
	bool due;			/* to be sent as soon as there is room */
	struct loop_timer *timer;	/* the next one; within one, the latest answer */
};

void recheck_later(struct broker *broker);
void recheck_fire(struct broker *broker);		/* the timer's */
bool recheck_send(struct broker *broker);		/* false: there was no room, or it broke */
void recheck_answered(struct broker *broker, const amqp_method_t *method);

/* ---- what waits to be settled (broker_state.c) ---- */

enum settle { SETTLE_ACK, SETTLE_REJECT, SETTLE_REQUEUE };

struct settles {
	struct settlement {
		uint64_t tag;
		enum settle how;
	} *item;
	size_t count, size;
	size_t in_hand;		/* delivered, and nothing said about it yet */
};

/* ---- the content that is being read (broker_read.c) ---- */

struct content {
	enum { CONTENT_NONE, CONTENT_HEADER, CONTENT_BODY } expect;
	bool is_return;		/* of a message that no queue takes, else a delivery */
	bool discard;		/* the body is too large to keep */
	bool delivered;		/* something was, in this turn */
	uint64_t left;		/* bytes of the body still to come */
	struct broker_delivery delivery;
	char user[SHORT_MAX + 1], user_proof[SHORT_MAX + 1];	/* the delivery's */
	struct buf body;
};

/* ---- the outbox (broker_publish.c) ---- */

/* The delivery that a copy stands for: acknowledged when the copy is confirmed. */
struct original {
	LIST_ENTRY(original) link;
	struct broker *in;	/* NULL: none, or closed meanwhile */
	struct broker_delivery delivery;
};

struct message {
	TAILQ_ENTRY(message) link;	/* while it waits */
	broker_confirm_fn *confirm;
	void *self;
	struct original original;
	uint64_t id;			/* message_id: a return tells it */
	int64_t deadline_ms, sent_ms;
	int64_t offered_until_ms;	/* 0: it was never returned */
	bool persistent, mandatory, patient, fanout, is_json, is_returned;
	int expiration_ms;
	int attempts;			/* a header if not 0, as are the next five */
	int64_t dead_unix;
	const char *reason, *queue, *user, *user_proof;
	const char *exchange, *key;
	const uint8_t *body;
	size_t len;
	char bytes[];			/* the texts and the body */
};

TAILQ_HEAD(message_queue, message);

struct outbox {
	struct message_queue waiting;
	size_t waiting_count;
	/* No queue took them; who reads it may be declaring it right now. */
	struct message_queue returned;
	size_t returned_count;
	bool begun;		/* the first of them is partly sent, */
	size_t offset;		/* up to here in its body */
	/* Sent: tag t is in slot t % FLIGHT_SLOTS until it is confirmed. */
	struct message *flight[FLIGHT_SLOTS];
	uint64_t first_tag, next_tag;
	size_t flight_count;
	uint64_t last_id;
	int64_t confirmed_ms;	/* when anything last was */
	int64_t expire_ms;	/* what the timer is set to */
	/*
	 * The broker closes the channel for one bad message and does not say
	 * which: then so many are sent one by one, and the guilty one is found.
	 */
	size_t suspects;
	bool fanout_foreign;	/* others declare fanout exchanges: use theirs */
};

void outbox_init(struct outbox *outbox);
struct message **outbox_slot(struct outbox *outbox, uint64_t tag);
struct message *outbox_take(struct outbox *outbox, uint64_t tag);
void outbox_advance(struct outbox *outbox);
void outbox_close(struct outbox *outbox);	/* whoever waits for a confirm hears it */
bool outbox_send(struct broker *broker);	/* false: it stopped for want of room */
void outbox_rewind(struct broker *broker);	/* the connection is gone */
void outbox_expire(struct broker *broker);
void outbox_offer(void *broker);	/* what was returned, again: a timer's */
void outbox_confirm(struct broker *broker, uint64_t tag, bool multiple, enum err err);
void outbox_returned(struct broker *broker, amqp_bytes_t message_id);
/* The broker closed the channel with CODE because of METHOD. */
void outbox_accused(struct broker *broker, int code, amqp_method_number_t method);

/* ---- the broker ---- */

struct dial;

struct broker {
	struct loop *loop;
	struct lane *lane;
	char *name;
	struct broker_config config;	/* copied, but for the URL */
	struct broker_url url;
	struct broker_queue *queues;	/* copied */
	size_t queue_count;		/* 0: a publisher */
	struct broker_hooks hooks;

	struct connection *connection;	/* NULL while it is down */
	struct connection *lingering;	/* left with a last word: the lane closes it */
	struct dial *dial;		/* under way on the lane */
	struct loop_io *io;
	struct loop_timer *redial, *tick, *expire, *offer;
	struct topology *topology;	/* of this connection */
	struct recheck recheck;
	struct why down_reason;		/* why there is no connection */
	uint32_t epoch;			/* counts the connections */
	int attempt;
	int64_t up_since_ms;
	char reply_queue[sizeof "reply_" + ID_LEN];

	void (*turn)(void *broker);
	bool turn_due;			/* at the end of the loop's turn */
	uint64_t read_in;		/* the loop's turn; 0: none yet of this connection */
	bool read_all;			/* what it said then */
	int64_t drained_ms;		/* clock_boot_ms(): the socket was empty */
	bool blocked;			/* by an alarm: it takes no messages */
	bool paused;
	bool busy, closed;		/* in a turn; closed from within it */

	struct content content;
	struct settles settles;
	struct outbox outbox;
	LIST_HEAD(, original) copies;	/* of our deliveries, not yet confirmed */
};

bool broker_read(struct broker *broker);	/* false: there is more */
void broker_turn_soon(struct broker *broker);
void broker_settle(struct broker *broker, const struct broker_delivery *delivery,
                   enum settle how);
void broker_redial(struct broker *broker);	/* after a while */
/* Leave the connection, and connect again after a while. */
void broker_drop(struct broker *broker, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

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
