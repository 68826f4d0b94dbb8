#include "runtime/broker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"
#include "runtime/loop.h"
#include "runtime/offload.h"

enum {
	LOOK_MS = 200,
	QUEUE_NAME_MAX = 200,	/* leaves room for what is put behind it */
};

#define AT(member) offsetof(struct broker_config, member)

const struct option broker_options[] = {
	{ "url", OPTION_SECRET, AT(url), "rabbit://guest:guest@localhost:5672/", 10, 4096,
	  "URL of RabbitMQ: rabbit://user:password@host:5672,host2/vhost, or rabbits:// "
	  "for TLS. The program tries the hosts in turn, from a random one on" },
	{ "exchange", OPTION_TEXT, AT(exchange), "zonefleet", 1, QUEUE_NAME_MAX,
	  "name of the control exchange (control_exchange of oslo.messaging)" },
	{ "quorum", OPTION_BOOL, AT(quorum), "false", 0, 0,
	  "declare the work queues as quorum queues (rabbit_quorum_queue of "
	  "oslo.messaging)" },
	{ "tls_ca", OPTION_TEXT, AT(tls_ca), NULL, 1, 4096,
	  "file with the CAs of the broker's certificate (PEM). rabbits:// needs it" },
	{ "tls_cert", OPTION_TEXT, AT(tls_cert), NULL, 1, 4096,
	  "file with the client certificate of the program (PEM), if the broker asks for "
	  "one" },
	{ "tls_key", OPTION_TEXT, AT(tls_key), NULL, 1, 4096,
	  "file with the private key of tls_cert (PEM, without a password)" },
	{ "heartbeat", OPTION_SECONDS, AT(heartbeat_s), "10", 2, 300,
	  "heartbeat of the connection. The program closes a connection that is silent "
	  "for twice this time" },
	{ "max_message_bytes", OPTION_INT, AT(max_message_bytes), "4194304", 65536,
	  134217728,
	  "size of the largest message. A larger one that arrives becomes a dead letter; "
	  "the program does not send larger ones" },
	{ "queue_limit", OPTION_INT, AT(queue_limit), "10000", 1000, 1000000,
	  "number of messages that may wait in a process for the broker, and of calls "
	  "that may wait for an answer. The process refuses further ones" },
	{ "send_user_id", OPTION_BOOL, AT(send_user_id), "true", 0, 0,
	  "name the user of the url in messages (AMQP's user_id). RabbitMQ compares it "
	  "with the account. Set false if the account has another name, as with OAuth "
	  "2" },
	{ "check_period", OPTION_SECONDS, AT(check_period_s), "5", 1, 86400,
	  "time between two checks of exchanges, queues and bindings. The program "
	  "declares what is missing" },
	{ 0 }
};

enum err broker_check(const struct broker_config *config, struct why *why)
{
	struct broker_url url;
	bool tls;
	enum err err = broker_url_parse(config->url, &url, why);

	if (err)
		return err;
	tls = url.tls;
	broker_url_clear(&url);
	if (tls && !config->tls_ca)
		return fail(why, ERR_INVALID, "broker.tls_ca: required with rabbits://");
	if (!config->tls_cert != !config->tls_key)
		return fail(why, ERR_INVALID,
			    "broker.tls_cert and broker.tls_key: set both or "
			    "neither");
	return OK;
}

/* ---- dialing: a job of the lane, which reads only what never changes ---- */

struct dial {
	struct broker *broker;
	struct connection *lingering;	/* the one before, to be closed first */
	struct connection *connection;	/* NULL: why not */
	struct topology *topology;
	const struct broker_host *host;
	char reply_queue[sizeof "reply_" + ID_LEN];
	struct cancel cancel;
	struct why why;
};

static void dial_free(struct dial **dial)
{
	cancel_clear(&(*dial)->cancel);
	connection_free(&(*dial)->connection);
	connection_free(&(*dial)->lingering);
	topology_free(&(*dial)->topology);
	free(*dial);
	*dial = NULL;
}

static void dial_host(struct dial *dial, const struct broker_host *host)
{
	dial->host = host;
	dial->connection = connection_open(dial->broker, host, &dial->cancel, &dial->why);
	if (dial->connection && topology_declare(dial->topology, dial->broker,
						 dial->connection, &dial->why))
		connection_free(&dial->connection);
}

/* A fleet shall not meet at the first host of the list. */
static void dial_work(void *self)
{
	struct dial *dial = self;
	const struct broker_url *url = &dial->broker->url;
	size_t first = random_u32() % url->count;

	connection_linger(&dial->lingering);
	dial->topology = topology_new(dial->broker, dial->reply_queue);
	for (size_t i = 0; i < url->count && !dial->connection; i++) {
		if (atomic_load(&dial->cancel.wanted))
			return;
		dial_host(dial, &url->hosts[(first + i) % url->count]);
	}
}

static void on_io(void *self, int events);

static void broker_up(struct broker *broker, struct dial *dial)
{
	struct why why;

	broker->connection = dial->connection;
	broker->read_in = 0;
	broker->drained_ms = clock_boot_ms();
	dial->connection = NULL;
	broker->topology = dial->topology;
	dial->topology = NULL;
	broker->epoch++;
	broker->up_since_ms = clock_ms();
	memcpy(broker->reply_queue, dial->reply_queue, sizeof broker->reply_queue);
	log_info("broker connected: connection=%s host=%s port=%d", broker->name,
		 dial->host->name, dial->host->port);
	if (topology_consume(broker, broker->connection, &why)) {
		broker_drop(broker, "%s", why.text);
		return;
	}
	broker->io = loop_io_new(broker->loop, broker->connection->fd, LOOP_READ, on_io,
				 broker);
	loop_timer_set(broker->tick, 0);
	recheck_later(broker);
	if (broker->hooks.up && !broker->closed)
		broker->hooks.up(broker->hooks.self);
}

static void turn_begin(struct broker *broker);
static void turn_end(struct broker *broker);

static void on_dialed(void *self)
{
	struct dial *dial = self;
	struct broker *broker = dial->broker;

	broker->dial = NULL;
	if (broker->closed) {
		dial_free(&dial);
		return;
	}
	turn_begin(broker);
	if (dial->connection) {
		broker_up(broker, dial);
	} else {
		log_warn("broker not reached: connection=%s host=%s port=%d error=\"%s\"",
			 broker->name, dial->host->name, dial->host->port,
			 dial->why.text);
		broker->down_reason = dial->why;
		broker_redial(broker);
	}
	dial_free(&dial);
	turn_end(broker);
}

static void dial_start(void *self)
{
	struct broker *broker = self;
	struct dial *dial = xcalloc(1, sizeof *dial);
	char id[ID_LEN + 1];

	id_random(id);
	snprintf(dial->reply_queue, sizeof dial->reply_queue, "reply_%s", id);
	dial->broker = broker;
	dial->host = &broker->url.hosts[0];
	dial->lingering = broker->lingering;
	broker->lingering = NULL;
	cancel_init(&dial->cancel);
	broker->dial = dial;
	bug_if(!lane_submit(broker->lane, dial_work, on_dialed, dial));
}

/* ---- settling ---- */

void broker_ack(struct broker *broker, const struct broker_delivery *delivery)
{
	broker_settle(broker, delivery, SETTLE_ACK);
}

void broker_reject(struct broker *broker, const struct broker_delivery *delivery)
{
	broker_settle(broker, delivery, SETTLE_REJECT);
}

/*
 * When nothing is in hand any more and nothing was rejected, the highest
 * acknowledgement speaks for all that was delivered. 0: it may not.
 */
static uint64_t spokesman(const struct settles *settles)
{
	uint64_t highest = 0;

	if (settles->in_hand)
		return 0;
	for (size_t i = 0; i < settles->count; i++) {
		if (settles->item[i].how != SETTLE_ACK)
			return 0;
		if (settles->item[i].tag > highest)
			highest = settles->item[i].tag;
	}
	return highest;
}

static int settle_send(amqp_connection_state_t amqp, const struct settlement *item)
{
	if (item->how == SETTLE_ACK)
		return amqp_basic_ack(amqp, CHANNEL, item->tag, false);
	return amqp_basic_reject(amqp, CHANNEL, item->tag, item->how == SETTLE_REQUEUE);
}

enum { SETTLE_FRAME = 32 };	/* bytes, and some to spare */

/* How many of them went out; -1: the connection is broken. */
static ssize_t settles_send_each(struct broker *broker)
{
	const struct settles *settles = &broker->settles;
	size_t sent = 0;

	while (sent < settles->count &&
	       connection_writable(broker->connection, SETTLE_FRAME))
		if (settle_send(broker->connection->amqp, &settles->item[sent++]))
			return -1;
	return (ssize_t)sent;
}

static ssize_t settles_send_at_once(struct broker *broker, uint64_t tag)
{
	if (!connection_writable(broker->connection, SETTLE_FRAME))
		return 0;
	if (amqp_basic_ack(broker->connection->amqp, CHANNEL, tag, true))
		return -1;
	return (ssize_t)broker->settles.count;
}

/* false: there was no room for all, or the connection broke. */
static bool settles_send(struct broker *broker)
{
	struct settles *settles = &broker->settles;
	uint64_t tag = spokesman(settles);
	ssize_t sent;

	if (settles->count == 0)
		return true;
	sent = tag ? settles_send_at_once(broker, tag) : settles_send_each(broker);
	if (sent < 0) {
		broker_drop(broker, "cannot send");
		return false;
	}
	settles->count -= (size_t)sent;
	memmove(settles->item, settles->item + sent,
		settles->count * sizeof *settles->item);
	return settles->count == 0;
}

/* ---- the turn: read, settle, send ---- */

static void broker_free(struct broker *broker);

static void turn_begin(struct broker *broker)
{
	broker->busy = true;
}

/* A callback may have closed the broker: it stands until here. */
static void turn_end(struct broker *broker)
{
	broker->busy = false;
	if (broker->closed)
		broker_free(broker);
}

static void tell_drained(struct broker *broker)
{
	if (!broker->content.delivered)
		return;
	broker->content.delivered = false;
	if (broker->hooks.drained && !broker->closed)
		broker->hooks.drained(broker->hooks.self);
}

/* false: some of it must wait until there is room in the socket. */
static bool send_all(struct broker *broker)
{
	bool all;

	broker->connection->credit = 0;
	connection_cork(broker->connection, true);
	all = settles_send(broker) && recheck_send(broker) && outbox_send(broker);
	if (broker->connection)
		connection_cork(broker->connection, false);
	return all;
}

static bool has_to_send(const struct broker *broker)
{
	return broker->settles.count || broker->recheck.due ||
	       (!TAILQ_EMPTY(&broker->outbox.waiting) && !broker->blocked);
}

/*
 * Once a turn of the loop, at whose end there may be more to send: others want theirs.
 * False: there is more to be read.
 */
static bool read_once(struct broker *broker)
{
	uint64_t turn = loop_turn(broker->loop);

	if (broker->read_in == turn)
		return broker->read_all;
	broker->read_in = turn;
	broker->read_all = broker_read(broker);
	tell_drained(broker);
	return broker->read_all;
}

/* The library notices silence, and sends heartbeats, when it is asked to read. */
static void broker_turn(struct broker *broker)
{
	bool read_all, sent_all = true;

	if (!broker->connection)
		return;
	read_all = read_once(broker);
	if (broker->connection && has_to_send(broker))
		sent_all = send_all(broker);
	if (!broker->connection)
		return;
	loop_io_set(broker->io, sent_all ? LOOP_READ : LOOP_READ | LOOP_WRITE);
	if (!read_all)
		broker_turn_soon(broker);
}

static void turn(struct broker *broker)
{
	turn_begin(broker);
	broker_turn(broker);
	turn_end(broker);
}

static void on_io(void *self, int events)
{
	(void)events;
	turn(self);
}

static void on_turn_due(void *self)
{
	struct broker *broker = self;

	broker->turn_due = false;
	turn(broker);
}

/*
 * Requests are looked for more often, so that there is a recent moment at which none was
 * there: what a process finds that was stopped for a while may be as old as that.
 */
static int tick_ms(const struct broker *broker)
{
	if (broker->queue_count && broker->queues[0].kind != BROKER_REPLY)
		return LOOK_MS;
	return broker->config.heartbeat_s * 1000 / 4;
}

static void on_tick(void *self)
{
	struct broker *broker = self;

	loop_timer_set(broker->tick, tick_ms(broker));
	turn(broker);
}

static void on_expire(void *self)
{
	struct broker *broker = self;

	turn_begin(broker);
	outbox_expire(broker);
	turn_end(broker);
}

static void on_recheck(void *self)
{
	struct broker *broker = self;

	turn_begin(broker);
	recheck_fire(broker);
	turn_end(broker);
}

/* ---- open and close ---- */

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void config_copy(struct broker_config *into, const struct broker_config *from)
{
	*into = *from;
	into->url = NULL;	/* parsed, and its password kept in one place */
	into->exchange = copy(from->exchange);
	into->tls_ca = copy(from->tls_ca);
	into->tls_cert = copy(from->tls_cert);
	into->tls_key = copy(from->tls_key);
}

static void queue_copy(struct broker_queue *into, const struct broker_queue *from)
{
	bug_if(from->name && strlen(from->name) > QUEUE_NAME_MAX);
	bug_if(!from->name && from->kind != BROKER_REPLY);
	bug_if(from->prefetch > UINT16_MAX);
	*into = *from;
	into->name = copy(from->name);
	into->source = copy(from->source);
	into->key = copy(from->key);
}

static void queues_copy(struct broker *broker, const struct broker_queue *queues)
{
	while (queues && queues[broker->queue_count].prefetch)
		broker->queue_count++;
	broker->queues = xcalloc(broker->queue_count + 1, sizeof *broker->queues);
	for (size_t i = 0; i < broker->queue_count; i++)
		queue_copy(&broker->queues[i], &queues[i]);
}

struct broker *broker_open(struct loop *loop, const struct broker_config *config,
                           const char *name, const struct broker_queue *queues,
                           const struct broker_hooks *hooks)
{
	struct broker *broker = xcalloc(1, sizeof *broker);
	struct why why;

	if (broker_url_parse(config->url, &broker->url, &why))
		fatal("%s", why.text);
	broker->loop = loop;
	broker->name = xstrdup(name);
	config_copy(&broker->config, config);
	queues_copy(broker, queues);
	if (hooks)
		broker->hooks = *hooks;
	bug_if(broker->queue_count && !broker->hooks.delivery);
	outbox_init(&broker->outbox);
	LIST_INIT(&broker->copies);
	broker->turn = on_turn_due;
	broker->redial = loop_timer_new(loop, dial_start, broker);
	broker->tick = loop_timer_new(loop, on_tick, broker);
	broker->recheck.timer = loop_timer_new(loop, on_recheck, broker);
	broker->expire = loop_timer_new(loop, on_expire, broker);
	broker->offer = loop_timer_new(loop, outbox_offer, broker);
	broker->lane = lane_new(loop, name, 1);
	dial_start(broker);
	return broker;
}

bool broker_is_up(const struct broker *broker)
{
	return broker->connection;
}

const char *broker_down_reason(const struct broker *broker)
{
	if (broker->connection)
		return NULL;
	return broker->down_reason.text[0] ? broker->down_reason.text
					   : "is not connected yet";
}

const char *broker_reply_queue(const struct broker *broker)
{
	return broker->reply_queue;
}

const char *broker_exchange(const struct broker *broker)
{
	return broker->config.exchange;
}

static int cancel_send(struct connection *connection, size_t consumer)
{
	char tag[24];
	amqp_basic_cancel_t cancel = { .nowait = true };

	snprintf(tag, sizeof tag, "%zu", consumer);
	cancel.consumer_tag = bytes_of(tag);
	if (!connection_writable(connection, SETTLE_FRAME))
		return AMQP_STATUS_TIMEOUT;
	return amqp_send_method(connection->amqp, CHANNEL, AMQP_BASIC_CANCEL_METHOD,
				&cancel);
}

/* Deliveries that are under way already go back to their queues. */
void broker_pause(struct broker *broker)
{
	broker->paused = true;
	for (size_t i = 0; broker->connection && i < broker->queue_count; i++)
		if (cancel_send(broker->connection, i))
			broker_drop(broker, "cannot stop consuming");
}

static void copies_forget(struct broker *broker)
{
	struct original *original;

	while ((original = LIST_FIRST(&broker->copies))) {
		LIST_REMOVE(original, link);
		original->in = NULL;
	}
}

static void config_clear(struct broker_config *config)
{
	free(config->exchange);
	free(config->tls_ca);
	free(config->tls_cert);
	free(config->tls_key);
}

static void queues_clear(struct broker *broker)
{
	for (size_t i = 0; i < broker->queue_count; i++) {
		free((char *)broker->queues[i].name);
		free((char *)broker->queues[i].source);
		free((char *)broker->queues[i].key);
	}
	free(broker->queues);
}

static void broker_free(struct broker *broker)
{
	lane_free(&broker->lane);
	loop_later_cancel(broker->loop, broker);
	loop_io_free(&broker->io);
	loop_timer_free(&broker->redial);
	loop_timer_free(&broker->tick);
	loop_timer_free(&broker->recheck.timer);
	loop_timer_free(&broker->expire);
	loop_timer_free(&broker->offer);
	connection_free(&broker->lingering);
	connection_close(&broker->connection);
	copies_forget(broker);
	outbox_close(&broker->outbox);
	topology_free(&broker->topology);
	broker_url_clear(&broker->url);
	config_clear(&broker->config);
	queues_clear(broker);
	buf_clear(&broker->content.body);
	free(broker->settles.item);
	free(broker->name);
	free(broker);
}

void broker_close(struct broker **broker)
{
	struct broker *closed = *broker;

	if (!closed)
		return;
	*broker = NULL;
	closed->closed = true;
	if (closed->dial)
		cancel_now(&closed->dial->cancel);	/* lane_free() waits for it */
	if (closed->connection)
		settles_send(closed);
	if (!closed->busy)
		broker_free(closed);
}
