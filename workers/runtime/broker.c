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
	QUEUE_NAME_MAX = 200,	/* so that there is room for a suffix */
};

#define AT(member) offsetof(struct broker_config, member)

const struct option broker_options[] = {
	{ "url", OPTION_SECRET, AT(url), "rabbit://guest:guest@localhost:5672/", 10, 4096,
	  "URL of RabbitMQ: rabbit://user:password@host:5672,host2/vhost. With "
	  "rabbits://, the program uses TLS. The program first tries a random host, "
	  "then the other hosts in turn" },
	{ "exchange", OPTION_TEXT, AT(exchange), "zonefleet", 1, QUEUE_NAME_MAX,
	  "name of the control exchange (control_exchange of oslo.messaging)" },
	{ "quorum", OPTION_BOOL, AT(quorum), "false", 0, 0,
	  "declare the work queues as quorum queues (rabbit_quorum_queue of "
	  "oslo.messaging)" },
	{ "tls_ca", OPTION_TEXT, AT(tls_ca), NULL, 1, 4096,
	  "file with CA certificates (PEM). The program verifies the certificate of "
	  "RabbitMQ with these CA certificates. Required if the url begins with "
	  "rabbits://",
	  .file = OPTION_FILE },
	{ "tls_cert", OPTION_TEXT, AT(tls_cert), NULL, 1, 4096,
	  "file with the client certificate of the program (PEM). Set tls_cert and "
	  "tls_key if RabbitMQ requires a client certificate",
	  .file = OPTION_FILE },
	{ "tls_key", OPTION_TEXT, AT(tls_key), NULL, 1, 4096,
	  "file with the private key of tls_cert (PEM, without a password)",
	  .file = OPTION_FILE },
	{ "heartbeat", OPTION_SECONDS, AT(heartbeat_s), "10", 2, 300,
	  "AMQP heartbeat interval of the connection to RabbitMQ. The program closes a "
	  "connection that is silent for twice this time" },
	{ "max_message_bytes", OPTION_INT, AT(max_message_bytes), "4194304", 65536,
	  134217728,
	  "largest size of a message in bytes. The program refuses to send a larger "
	  "message. If a larger call arrives, the caller gets the error TooLarge. A "
	  "larger cast becomes a dead letter, except on topics that only programs of "
	  "the fleet may use. On these topics, the program discards a larger cast" },
	{ "queue_limit", OPTION_INT, AT(queue_limit), "10000", 1000, 1000000,
	  "largest number of messages of a process that are waiting for RabbitMQ. The "
	  "same limit applies to the calls that are waiting for an answer. When a "
	  "process reaches one of these limits, the process refuses to send further "
	  "messages or calls" },
	{ "send_user_id", OPTION_BOOL, AT(send_user_id), "true", 0, 0,
	  "put the user name of the url into each message (user_id of AMQP). "
	  "RabbitMQ compares this name with the account of the connection. If the "
	  "account has a different name, for example with OAuth 2, set send_user_id "
	  "to false" },
	{ "check_period", OPTION_SECONDS, AT(check_period_s), "5", 1, 86400,
	  "time between two checks of the exchanges, queues and bindings. The program "
	  "declares a missing exchange, queue or binding again" },
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
		return fail(why, ERR_INVALID, "broker.tls_ca: must be set if broker.url "
		            "begins with rabbits://");
	if (!config->tls_cert != !config->tls_key)
		return fail(why, ERR_INVALID,
			    "broker.tls_cert and broker.tls_key: set both settings, or "
			    "leave both empty");
	return OK;
}

/* ---- connecting: a job of the lane, which reads only constant members ---- */

struct connect_job {
	struct broker *broker;
	/* the previous connection, which must be closed first */
	struct connection *lingering;
	/* NULL: the attempt failed; `why` has the reason */
	struct connection *connection;
	struct topology *topology;
	const struct broker_host *host;
	bool is_refused;		/* `why` is the refusal of `host` */
	char reply_queue[sizeof "reply_" + ID_LEN];
	struct cancel cancel;
	struct why why;
};

static void connect_job_free(struct connect_job **job)
{
	cancel_clear(&(*job)->cancel);
	connection_free(&(*job)->connection);
	connection_free(&(*job)->lingering);
	topology_free(&(*job)->topology);
	free(*job);
	*job = NULL;
}

static enum err connect_job_open(struct connect_job *job, const struct broker_host *host,
                                 struct why *why)
{
	enum err err = connection_open(job->broker, host, &job->cancel, &job->connection,
	                               why);

	if (err)
		return err;
	err = topology_declare(job->topology, job->broker, job->connection, why);
	if (err)
		connection_free(&job->connection);
	return err;
}

/* A refusal tells more than the silence of the other hosts. */
static void connect_job_try_host(struct connect_job *job, const struct broker_host *host)
{
	struct why why = { "" };
	enum err err = connect_job_open(job, host, &why);

	if (err && job->is_refused)
		return;
	job->host = host;
	job->why = why;
	job->is_refused = err == ERR_DENIED;
}

/* Starts at a random host, to spread the connections of the fleet. */
static void connect_job_run(void *self)
{
	struct connect_job *job = self;
	const struct broker_url *url = &job->broker->url;
	size_t first = random_u32() % url->count;

	connection_linger(&job->lingering);
	job->topology = topology_new(job->broker, job->reply_queue);
	for (size_t i = 0; i < url->count && !job->connection; i++) {
		if (atomic_load(&job->cancel.wanted))
			return;
		connect_job_try_host(job, &url->hosts[(first + i) % url->count]);
	}
}

static void broker_on_io(void *self, int events);

static void broker_on_connected(struct broker *broker, struct connect_job *job)
{
	struct why why;

	broker->connection = job->connection;
	broker->read_in = 0;
	broker->drained_ms = clock_boot_ms();
	job->connection = NULL;
	broker->topology = job->topology;
	job->topology = NULL;
	broker->epoch++;
	broker->up_since_ms = clock_ms();
	memcpy(broker->reply_queue, job->reply_queue, sizeof broker->reply_queue);
	log_info("broker connected: connection=%s host=%s port=%d", broker->name,
		 job->host->name, job->host->port);
	if (topology_consume(broker, broker->connection, &why)) {
		broker_drop(broker, "%s", why.text);
		return;
	}
	broker->io = loop_io_new(broker->loop, broker->connection->fd, LOOP_READ,
				 broker_on_io, broker);
	loop_timer_set(broker->tick, 0);
	topology_check_schedule(broker);
	if (broker->hooks.up && !broker->closed)
		broker->hooks.up(broker->hooks.self);
}

static void broker_turn_begin(struct broker *broker);
static void broker_turn_end(struct broker *broker);

static void connect_job_done(void *self)
{
	struct connect_job *job = self;
	struct broker *broker = job->broker;

	broker->job = NULL;
	if (broker->closed) {
		connect_job_free(&job);
		return;
	}
	broker_turn_begin(broker);
	if (job->connection) {
		broker_on_connected(broker, job);
	} else {
		log_warn("broker unreachable: connection=%s host=%s port=%d "
			 "reason=\"%s\"", broker->name, job->host->name,
			 job->host->port, job->why.text);
		broker->down_reason = job->why;
		broker_reconnect_later(broker);
		if (job->is_refused)
			broker_tell_refusal(broker, AMQP_ACCESS_REFUSED);
	}
	connect_job_free(&job);
	broker_turn_end(broker);
}

static void connect_job_start(void *self)
{
	struct broker *broker = self;
	struct connect_job *job = xcalloc(1, sizeof *job);
	char id[ID_LEN + 1];

	id_random(id);
	snprintf(job->reply_queue, sizeof job->reply_queue, "reply_%s", id);
	job->broker = broker;
	job->host = &broker->url.hosts[0];
	job->lingering = broker->lingering;
	broker->lingering = NULL;
	cancel_init(&job->cancel);
	broker->job = job;
	bug_if(!lane_submit(broker->lane, connect_job_run, connect_job_done, job));
}

/* ---- acknowledgements ---- */

void broker_ack(struct broker *broker, const struct broker_delivery *delivery)
{
	broker_acknowledge(broker, delivery, ACK_OK);
}

void broker_reject(struct broker *broker, const struct broker_delivery *delivery)
{
	broker_acknowledge(broker, delivery, ACK_REJECT);
}

/*
 * If all deliveries have an acknowledgement and none is rejected, one acknowledgement of
 * the highest tag is enough. Returns this tag, or 0.
 */
static uint64_t acks_last_tag(const struct acks *acks)
{
	uint64_t highest = 0;

	if (acks->in_hand)
		return 0;
	for (size_t i = 0; i < acks->count; i++) {
		if (acks->item[i].how != ACK_OK)
			return 0;
		if (acks->item[i].tag > highest)
			highest = acks->item[i].tag;
	}
	return highest;
}

static int ack_send(amqp_connection_state_t amqp, const struct ack *item)
{
	if (item->how == ACK_OK)
		return amqp_basic_ack(amqp, CHANNEL, item->tag, false);
	return amqp_basic_reject(amqp, CHANNEL, item->tag, item->how == ACK_REQUEUE);
}

enum { ACK_FRAME = 32 };	/* bytes, with a reserve */

/* Returns the number of sent acknowledgements; -1: the connection is broken. */
static ssize_t acks_send_each(struct broker *broker)
{
	const struct acks *acks = &broker->acks;
	size_t sent = 0;

	while (sent < acks->count && connection_writable(broker->connection, ACK_FRAME))
		if (ack_send(broker->connection->amqp, &acks->item[sent++]))
			return -1;
	return (ssize_t)sent;
}

static ssize_t acks_send_multiple(struct broker *broker, uint64_t tag)
{
	if (!connection_writable(broker->connection, ACK_FRAME))
		return 0;
	if (amqp_basic_ack(broker->connection->amqp, CHANNEL, tag, true))
		return -1;
	return (ssize_t)broker->acks.count;
}

/* False: no room for all, or the connection is broken. */
static bool acks_send(struct broker *broker)
{
	struct acks *acks = &broker->acks;
	uint64_t tag = acks_last_tag(acks);
	ssize_t sent;

	if (acks->count == 0)
		return true;
	sent = tag ? acks_send_multiple(broker, tag) : acks_send_each(broker);
	if (sent < 0) {
		broker_drop(broker, "cannot send to the broker");
		return false;
	}
	acks->count -= (size_t)sent;
	memmove(acks->item, acks->item + sent, acks->count * sizeof *acks->item);
	return acks->count == 0;
}

/* ---- the turn: read, acknowledge, send ---- */

static void broker_free(struct broker *broker);

static void broker_turn_begin(struct broker *broker)
{
	broker->busy = true;
}

/* A callback may have closed the broker. It is freed only here. */
static void broker_turn_end(struct broker *broker)
{
	broker->busy = false;
	if (broker->closed)
		broker_free(broker);
}

static void broker_call_drained(struct broker *broker)
{
	if (!broker->content.delivered)
		return;
	broker->content.delivered = false;
	if (broker->hooks.drained && !broker->closed)
		broker->hooks.drained(broker->hooks.self);
}

/* False: the rest needs more room in the socket. */
static bool broker_send(struct broker *broker)
{
	bool all;

	broker->connection->credit = 0;
	connection_cork(broker->connection, true);
	all = acks_send(broker) && topology_check_send(broker) && outbox_send(broker);
	if (broker->connection)
		connection_cork(broker->connection, false);
	return all;
}

static bool broker_has_to_send(const struct broker *broker)
{
	return broker->acks.count || broker->check.due ||
	       (!TAILQ_EMPTY(&broker->outbox.waiting) && !broker->blocked);
}

/*
 * Reads once in a turn of the loop, so that other work has its turn. The broker may run
 * again in the same turn to send. False: there is more input.
 */
static bool broker_read_once(struct broker *broker)
{
	uint64_t turn = loop_turn(broker->loop);

	if (broker->read_in == turn)
		return broker->read_all;
	broker->read_in = turn;
	broker->read_all = broker_read(broker);
	broker_call_drained(broker);
	return broker->read_all;
}

/* The library sends heartbeats and notices silence only in a read. */
static void broker_turn_body(struct broker *broker)
{
	bool read_all, sent_all = true;

	if (!broker->connection)
		return;
	read_all = broker_read_once(broker);
	if (broker->connection && broker_has_to_send(broker))
		sent_all = broker_send(broker);
	if (!broker->connection)
		return;
	loop_io_set(broker->io, sent_all ? LOOP_READ : LOOP_READ | LOOP_WRITE);
	if (!read_all)
		broker_turn_soon(broker);
}

static void broker_turn(struct broker *broker)
{
	broker_turn_begin(broker);
	broker_turn_body(broker);
	broker_turn_end(broker);
}

static void broker_on_io(void *self, int events)
{
	(void)events;
	broker_turn(self);
}

static void broker_on_turn(void *self)
{
	struct broker *broker = self;

	broker->turn_due = false;
	broker_turn(broker);
}

/*
 * A consumer of requests reads more often, to know a recent time at which the socket was
 * empty. After the process was stopped, a request may be as old as this time.
 */
static int broker_tick_ms(const struct broker *broker)
{
	if (broker->queue_count && broker->queues[0].kind != BROKER_REPLY)
		return LOOK_MS;
	return broker->config.heartbeat_s * 1000 / 4;
}

static void broker_on_tick(void *self)
{
	struct broker *broker = self;

	loop_timer_set(broker->tick, broker_tick_ms(broker));
	broker_turn(broker);
}

static void broker_on_expire(void *self)
{
	struct broker *broker = self;

	broker_turn_begin(broker);
	outbox_expire(broker);
	broker_turn_end(broker);
}

static void broker_on_check_timer(void *self)
{
	struct broker *broker = self;

	broker_turn_begin(broker);
	topology_check_on_timer(broker);
	broker_turn_end(broker);
}

/* ---- open and close ---- */

static char *broker_copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void broker_config_copy(struct broker_config *into,
			       const struct broker_config *from)
{
	*into = *from;
	into->url = NULL;	/* broker->url has the password */
	into->exchange = broker_copy_text(from->exchange);
	into->tls_ca = broker_copy_text(from->tls_ca);
	into->tls_cert = broker_copy_text(from->tls_cert);
	into->tls_key = broker_copy_text(from->tls_key);
}

static void broker_queue_copy(struct broker_queue *into, const struct broker_queue *from)
{
	bug_if(from->name && strlen(from->name) > QUEUE_NAME_MAX);
	bug_if(!from->name && from->kind != BROKER_REPLY);
	bug_if(from->prefetch > UINT16_MAX);
	*into = *from;
	into->name = broker_copy_text(from->name);
	into->source = broker_copy_text(from->source);
	into->key = broker_copy_text(from->key);
}

static void broker_queues_copy(struct broker *broker, const struct broker_queue *queues)
{
	while (queues && queues[broker->queue_count].prefetch)
		broker->queue_count++;
	broker->queues = xcalloc(broker->queue_count + 1, sizeof *broker->queues);
	for (size_t i = 0; i < broker->queue_count; i++)
		broker_queue_copy(&broker->queues[i], &queues[i]);
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
	broker_config_copy(&broker->config, config);
	broker_queues_copy(broker, queues);
	if (hooks)
		broker->hooks = *hooks;
	bug_if(broker->queue_count && !broker->hooks.delivery);
	outbox_init(&broker->outbox);
	LIST_INIT(&broker->copies);
	broker->turn = broker_on_turn;
	broker->reconnect = loop_timer_new(loop, connect_job_start, broker);
	broker->tick = loop_timer_new(loop, broker_on_tick, broker);
	broker->check.timer = loop_timer_new(loop, broker_on_check_timer, broker);
	broker->expire = loop_timer_new(loop, broker_on_expire, broker);
	broker->resend = loop_timer_new(loop, outbox_resend_returned, broker);
	broker->lane = lane_new(loop, name, 1);
	connect_job_start(broker);
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
					   : "the program has not connected to the "
					     "broker yet";
}

const char *broker_reply_queue(const struct broker *broker)
{
	return broker->reply_queue;
}

const char *broker_exchange(const struct broker *broker)
{
	return broker->config.exchange;
}

static int broker_cancel_consumer(struct connection *connection, size_t consumer)
{
	char tag[24];
	amqp_basic_cancel_t cancel = { .nowait = true };

	snprintf(tag, sizeof tag, "%zu", consumer);
	cancel.consumer_tag = bytes_of(tag);
	if (!connection_writable(connection, ACK_FRAME))
		return AMQP_STATUS_TIMEOUT;
	return amqp_send_method(connection->amqp, CHANNEL, AMQP_BASIC_CANCEL_METHOD,
				&cancel);
}

/* The broker puts deliveries that are on their way back into their queues. */
void broker_pause(struct broker *broker)
{
	broker->paused = true;
	for (size_t i = 0; broker->connection && i < broker->queue_count; i++)
		if (broker_cancel_consumer(broker->connection, i))
			broker_drop(broker, "cannot ask the broker to send no more "
			                    "messages");
}

static void broker_forget_copies(struct broker *broker)
{
	struct original *original;

	while ((original = LIST_FIRST(&broker->copies))) {
		LIST_REMOVE(original, link);
		original->in = NULL;
	}
}

static void broker_config_clear(struct broker_config *config)
{
	free(config->exchange);
	free(config->tls_ca);
	free(config->tls_cert);
	free(config->tls_key);
}

static void broker_queues_clear(struct broker *broker)
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
	loop_timer_free(&broker->reconnect);
	loop_timer_free(&broker->tick);
	loop_timer_free(&broker->check.timer);
	loop_timer_free(&broker->expire);
	loop_timer_free(&broker->resend);
	connection_free(&broker->lingering);
	connection_close(&broker->connection);
	broker_forget_copies(broker);
	outbox_close(&broker->outbox);
	topology_free(&broker->topology);
	broker_url_clear(&broker->url);
	broker_config_clear(&broker->config);
	broker_queues_clear(broker);
	buf_clear(&broker->content.body);
	free(broker->acks.item);
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
	if (closed->job)
		cancel_now(&closed->job->cancel);	/* lane_free() waits for it */
	if (closed->connection)
		acks_send(closed);
	if (!closed->busy)
		broker_free(closed);
}
