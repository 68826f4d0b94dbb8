#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"
#include "runtime/loop.h"

enum {
	DEADLINE_MS = 30000,
	RESEND_MS = 500,	/* between two attempts with an unroutable message */
	RESEND_TOTAL_MS = 15000,	/* for all attempts with a message */
	RETURNED_MAX = 1000,	/* unroutable messages */
	CONFIRM_MS = 10000,	/* the longest wait for a confirm */
	REASON_MAX = 500,
	HEADERS_MAX = 7,
	HEAD_MAX = 4096,	/* bytes of the frames before a body: names and headers */
	ID_SIZE = 17,
	TURN_BYTES = 1 << 20,	/* sent in one turn of the loop */
};

/* ---- messages ---- */

static const char *message_place(char **at, const char *text)
{
	const char *placed = *at;
	size_t size = strlen(text) + 1;

	memcpy(*at, text, size);
	*at += size;
	return placed;
}

/* The headers of a copy; "": no such header. */
struct copied {
	const char *reason, *queue, *user, *user_proof;
};

/* One allocation: the struct, its texts, its body. */
static struct message *message_new(const struct broker_message *from,
                                   const struct copied *copied)
{
	size_t texts = strlen(from->exchange) + strlen(from->key) +
		       strlen(copied->reason) + strlen(copied->queue) +
		       strlen(copied->user) + strlen(copied->user_proof) + 6;
	struct message *message = xmalloc(sizeof *message + texts + from->len);
	char *at = message->bytes;

	memset(message, 0, sizeof *message);
	message->persistent = from->persistent;
	message->mandatory = from->mandatory;
	message->patient = from->patient;
	message->fanout = from->fanout;
	message->expiration_ms = from->expiration_ms;
	message->is_json = true;
	message->exchange = message_place(&at, from->exchange);
	message->key = message_place(&at, from->key);
	message->reason = message_place(&at, copied->reason);
	message->queue = message_place(&at, copied->queue);
	message->user = message_place(&at, copied->user);
	message->user_proof = message_place(&at, copied->user_proof);
	message->body = (const uint8_t *)at;
	message->len = from->len;
	if (from->len)
		memcpy(at, from->body, from->len);
	return message;
}

static void message_free(struct message *message)
{
	if (message->original.in)
		LIST_REMOVE(&message->original, link);
	free(message);
}

/* ---- the end of a message ---- */

/*
 * An unroutable copy shows that our queues were deleted: a new connection declares them
 * again. After any other failure the original goes back to its queue.
 */
static void original_acknowledge(const struct original *original, enum err err)
{
	const struct broker_delivery *delivery = &original->delivery;
	struct broker *in = original->in;

	if (!in->connection || delivery->epoch != in->epoch)
		return;
	if (err == ERR_NOT_FOUND)
		broker_drop(in, "the retry queue or the dead-letter queue of %s no "
		            "longer exists", delivery->queue);
	else
		broker_acknowledge(in, delivery, err ? ACK_REQUEUE : ACK_OK);
}

static void message_end(struct broker *broker, struct message *message, enum err err)
{
	if (message->original.in)
		original_acknowledge(&message->original, err);
	if (message->confirm && !broker->closed)
		message->confirm(message->self, err);
	message_free(message);
}

/* ---- the queue ---- */

static size_t outbox_count(const struct outbox *outbox)
{
	return outbox->waiting_count + outbox->flight_count;
}

size_t broker_unconfirmed(const struct broker *broker)
{
	return outbox_count(&broker->outbox);
}

static void outbox_remove_waiting(struct outbox *outbox, struct message *message)
{
	TAILQ_REMOVE(&outbox->waiting, message, link);
	outbox->waiting_count--;
}

static void outbox_remove_returned(struct outbox *outbox, struct message *message)
{
	TAILQ_REMOVE(&outbox->returned, message, link);
	outbox->returned_count--;
}

static void message_drop(struct message *message)
{
	if (message->confirm)
		message->confirm(message->self, ERR_UNREACHABLE);
	message_free(message);
}

void outbox_close(struct outbox *outbox)
{
	struct message *message;

	for (uint64_t tag = outbox->first_tag; tag < outbox->next_tag; tag++)
		if ((message = outbox_take(outbox, tag)))
			message_drop(message);
	while ((message = TAILQ_FIRST(&outbox->waiting))) {
		outbox_remove_waiting(outbox, message);
		message_drop(message);
	}
	while ((message = TAILQ_FIRST(&outbox->returned))) {
		outbox_remove_returned(outbox, message);
		message_drop(message);
	}
}

static void outbox_expire_at(struct broker *broker, int64_t deadline_ms)
{
	int64_t left_ms = deadline_ms - clock_ms();

	loop_timer_set(broker->expire, left_ms > 0 ? left_ms : 0);
	broker->outbox.expire_ms = deadline_ms;
}

/* Sets the one timer to an earlier deadline. Its message may be confirmed before. */
static void outbox_expire_by(struct broker *broker, int64_t deadline_ms)
{
	if (!loop_timer_armed(broker->expire) || deadline_ms < broker->outbox.expire_ms)
		outbox_expire_at(broker, deadline_ms);
}

static void outbox_add_waiting(struct broker *broker, struct message *message)
{
	struct outbox *outbox = &broker->outbox;

	TAILQ_INSERT_TAIL(&outbox->waiting, message, link);
	outbox->waiting_count++;
	outbox_expire_by(broker, message->deadline_ms);
	broker_turn_soon(broker);
}

static void outbox_enqueue(struct broker *broker, struct message *message,
                           int deadline_ms)
{
	bug_if(broker->queue_count);	/* a consumer gets no confirms */
	message->id = ++broker->outbox.last_id;
	message->deadline_ms = clock_ms() + (deadline_ms ? deadline_ms : DEADLINE_MS);
	outbox_add_waiting(broker, message);
}

enum err broker_publish(struct broker *broker, const struct broker_message *message,
                        broker_confirm_fn *confirm, void *self, struct why *why)
{
	struct message *copy;

	if (outbox_count(&broker->outbox) >= (size_t)broker->config.queue_limit)
		return fail(why, ERR_BUSY, "%d messages are already waiting for the "
			    "broker (broker.queue_limit): try again later",
			    broker->config.queue_limit);
	if (message->len > (size_t)broker->config.max_message_bytes)
		return fail(why, ERR_TOO_LARGE,
			    "the message has %zu bytes, more than "
			    "broker.max_message_bytes (%d)",
			    message->len, broker->config.max_message_bytes);
	if (strlen(message->exchange) > SHORT_MAX || strlen(message->key) > SHORT_MAX)
		return fail(why, ERR_TOO_LARGE,
		            "the exchange and the routing key must have at most %d bytes "
		            "each, not %zu and %zu", SHORT_MAX, strlen(message->exchange),
		            strlen(message->key));
	copy = message_new(message, &(struct copied){ "", "", "", "" });
	copy->confirm = confirm;
	copy->self = self;
	outbox_enqueue(broker, copy, message->deadline_ms);
	return OK;
}

/* ---- retries and dead letters: a copy; its confirm acknowledges the original ---- */

/* Cuts between two characters, if the text is too long. */
static void message_shorten(char *into, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size) {
		len = size - 1;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(into, text, len);
	into[len] = '\0';
}

static struct message *message_new_copy(struct broker *in,
                                        const struct broker_delivery *delivery,
                                        const char *key, const char *reason)
{
	char shortened[REASON_MAX + 1];
	struct broker_message from = {
		.exchange = "", .key = key, .body = delivery->body, .len = delivery->len,
		.persistent = true, .mandatory = true,
	};
	struct message *message;

	message_shorten(shortened, sizeof shortened, reason ? reason : "");
	message = message_new(&from, &(struct copied){ shortened, delivery->queue,
						       delivery->user,
						       delivery->user_proof });
	message->is_json = delivery->is_json;
	message->original.in = in;
	message->original.delivery = *delivery;
	message->original.delivery.queue = message->queue;
	message->original.delivery.user = message->user;
	message->original.delivery.user_proof = message->user_proof;
	LIST_INSERT_HEAD(&in->copies, &message->original, link);
	return message;
}

/* queue_limit does not count here: prefetch limits the number of copies. */
void broker_retry(struct broker *in, struct broker *out,
                  const struct broker_delivery *delivery, int delay_ms,
                  const char *reason)
{
	char key[SHORT_MAX + 1];
	struct message *message;

	if (!in->connection || delivery->epoch != in->epoch)
		return;
	snprintf(key, sizeof key, "%s.retry.%d", delivery->queue,
		 topology_retry_step(delay_ms));
	message = message_new_copy(in, delivery, key, reason);
	message->attempts = delivery->attempts + 1;
	outbox_enqueue(out, message, 0);
}

void broker_dead_letter(struct broker *in, struct broker *out,
                        const struct broker_delivery *delivery, const char *reason)
{
	char key[SHORT_MAX + 1];
	struct message *message;

	if (!in->connection || delivery->epoch != in->epoch)
		return;
	snprintf(key, sizeof key, "%s.dead", delivery->queue);
	message = message_new_copy(in, delivery, key, reason);
	message->attempts = delivery->attempts;
	message->dead_unix = clock_unix();
	outbox_enqueue(out, message, 0);
}

/* ---- sending ---- */

static amqp_table_entry_t entry_time(const char *key, int64_t unix_s)
{
	return (amqp_table_entry_t){
		bytes_of(key), { AMQP_FIELD_KIND_TIMESTAMP, { .u64 = (uint64_t)unix_s } },
	};
}

/*
 * The rest of the sender's time limit. The message may have waited here for a part of it.
 * The time limit ends with the deadline.
 */
static int message_expiration_left(const struct message *message)
{
	int64_t left_ms = message->deadline_ms - clock_ms();

	if (left_ms < 1)
		return 1;
	return left_ms < message->expiration_ms ? (int)left_ms : message->expiration_ms;
}

static int message_fill_headers(const struct message *message, int expiration_ms,
                                amqp_table_entry_t *entry)
{
	int count = 0;

	if (message->attempts)
		entry[count++] = entry_number("x-zonefleet-attempts", message->attempts);
	if (message->reason[0])
		entry[count++] = entry_text("x-zonefleet-reason", message->reason);
	if (message->queue[0]) {	/* a copy; user "": unknown */
		entry[count++] = entry_text("x-zonefleet-queue", message->queue);
		entry[count++] = entry_text(USER_HEADER, message->user);
	}
	if (message->user_proof[0])
		entry[count++] = entry_text(USER_PROOF_HEADER, message->user_proof);
	if (message->dead_unix)
		entry[count++] = entry_time("x-zonefleet-time", message->dead_unix);
	if (expiration_ms)
		entry[count++] = entry_large_number(LIMIT_HEADER,
						    clock_unix_ms() + expiration_ms);
	return count;
}

/* The properties of oslo.messaging (oslo_wire 4.1), and a message_id. */
static void message_fill_properties(const struct message *message, const char *user,
                                    amqp_basic_properties_t *properties,
                                    amqp_table_entry_t *headers, char *id,
                                    char *expiration)
{
	int expiration_ms = message->expiration_ms ? message_expiration_left(message) : 0;

	snprintf(id, ID_SIZE, "%llx", (unsigned long long)message->id);
	snprintf(expiration, ID_SIZE, "%d", expiration_ms);
	*properties = (amqp_basic_properties_t){
		._flags = AMQP_BASIC_CONTENT_TYPE_FLAG |
		          AMQP_BASIC_CONTENT_ENCODING_FLAG | AMQP_BASIC_HEADERS_FLAG |
		          AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_PRIORITY_FLAG |
		          AMQP_BASIC_MESSAGE_ID_FLAG |
		          (user ? AMQP_BASIC_USER_ID_FLAG : 0) |
		          (expiration_ms ? AMQP_BASIC_EXPIRATION_FLAG : 0),
		.content_type = bytes_of(message->is_json ? "application/json"
		                                          : "application/octet-stream"),
		.content_encoding = bytes_of(message->is_json ? "utf-8" : "binary"),
		.headers = { message_fill_headers(message, expiration_ms, headers),
		             headers },
		.delivery_mode = message->persistent ? AMQP_DELIVERY_PERSISTENT
		                                     : AMQP_DELIVERY_NONPERSISTENT,
		.message_id = bytes_of(id),
		.expiration = bytes_of(expiration),
		.user_id = bytes_of(user ? user : ""),
	};
}

/* oslo_wire T4: a fanout exchange ends with its last server. */
static int message_send_declare(struct broker *broker, const struct message *message)
{
	amqp_exchange_declare_t declare;

	if (!message->fanout || broker->outbox.fanout_foreign)
		return 0;
	topology_fanout_exchange(message->exchange, &declare);
	return amqp_send_method(broker->connection->amqp, CHANNEL,
				AMQP_EXCHANGE_DECLARE_METHOD, &declare);
}

static int message_send_method(struct broker *broker, const struct message *message)
{
	amqp_basic_publish_t publish = {
		.exchange = bytes_of(message->exchange),
		.routing_key = bytes_of(message->key),
		.mandatory = message->mandatory,
	};

	return amqp_send_method(broker->connection->amqp, CHANNEL,
				AMQP_BASIC_PUBLISH_METHOD, &publish);
}

static int message_send_header(struct broker *broker, const struct message *message)
{
	amqp_basic_properties_t properties;
	amqp_table_entry_t headers[HEADERS_MAX];
	char id[ID_SIZE], expiration[ID_SIZE];
	amqp_frame_t frame = {
		.frame_type = AMQP_FRAME_HEADER, .channel = CHANNEL,
		.payload.properties = {
			.class_id = AMQP_BASIC_CLASS, .body_size = message->len,
			.decoded = &properties,
		},
	};

	message_fill_properties(
	    message, broker->config.send_user_id ? broker->connection->user : NULL,
	    &properties, headers, id, expiration);
	return amqp_send_frame(broker->connection->amqp, &frame);
}

static int message_send_head(struct broker *broker, const struct message *message)
{
	int status = message_send_declare(broker, message);

	if (!status)
		status = message_send_method(broker, message);
	return status ? status : message_send_header(broker, message);
}

static int message_send_body(struct broker *broker, const struct message *message,
                             size_t offset, size_t len)
{
	amqp_frame_t frame = {
		.frame_type = AMQP_FRAME_BODY, .channel = CHANNEL,
		.payload.body_fragment = { len, (void *)(message->body + offset) },
	};

	return amqp_send_frame(broker->connection->amqp, &frame);
}

enum sent { SENT_ALL, SENT_PART, SENT_ERROR };

/* Not amqp_basic_publish(): it cannot stop in a message, so it would wait for room. */
static enum sent message_send(struct broker *broker, const struct message *message)
{
	struct outbox *outbox = &broker->outbox;
	size_t body_max = broker->connection->body_max;

	if (!outbox->begun) {
		if (!connection_writable(broker->connection, HEAD_MAX))
			return SENT_PART;
		if (message_send_head(broker, message))
			return SENT_ERROR;
		outbox->begun = true;
		outbox->offset = 0;
	}
	while (outbox->offset < message->len) {
		size_t left = message->len - outbox->offset;
		size_t part = left < body_max ? left : body_max;

		if (!connection_writable(broker->connection, part))
			return SENT_PART;
		if (message_send_body(broker, message, outbox->offset, part))
			return SENT_ERROR;
		outbox->offset += part;
	}
	outbox->begun = false;
	return SENT_ALL;
}

static void outbox_add_flight(struct outbox *outbox, struct message *message)
{
	outbox_remove_waiting(outbox, message);
	message->sent_ms = clock_ms();
	*outbox_slot(outbox, outbox->next_tag++) = message;
	outbox->flight_count++;
}

static bool outbox_window_open(const struct outbox *outbox)
{
	return outbox->next_tag - outbox->first_tag < (outbox->probes ? 1 : WINDOW);
}

/* A partly sent message is always completed, because the broker waits for the rest. */
static bool outbox_may_send(const struct broker *broker)
{
	const struct outbox *outbox = &broker->outbox;

	return outbox->begun || (!broker->blocked && outbox_window_open(outbox));
}

bool outbox_send(struct broker *broker)
{
	struct outbox *outbox = &broker->outbox;
	struct message *message;
	size_t bytes = 0;

	while ((message = TAILQ_FIRST(&outbox->waiting)) && outbox_may_send(broker)) {
		enum sent sent;

		if (bytes > TURN_BYTES) {
			broker_turn_soon(broker);
			return true;
		}
		bytes += message->len;
		sent = message_send(broker, message);
		if (sent == SENT_PART)
			return false;
		if (sent == SENT_ERROR) {
			broker_drop(broker, "cannot send to the broker");
			return false;
		}
		outbox_add_flight(outbox, message);
	}
	return true;
}

/* ---- unroutable messages ---- */

/*
 * A consumer declares a deleted exchange or binding again within seconds. False: the
 * attempts lasted too long, or too many messages wait.
 */
static bool outbox_keep_returned(struct broker *broker, struct message *message)
{
	struct outbox *outbox = &broker->outbox;
	int64_t now_ms = clock_ms();

	if (!message->patient || broker->closed || outbox->returned_count >= RETURNED_MAX)
		return false;
	if (!message->resend_until_ms)
		message->resend_until_ms = now_ms + RESEND_TOTAL_MS;
	if (now_ms + RESEND_MS >= message->resend_until_ms ||
	    now_ms + RESEND_MS >= message->deadline_ms)
		return false;
	TAILQ_INSERT_TAIL(&outbox->returned, message, link);
	outbox->returned_count++;
	if (!loop_timer_armed(broker->resend))
		loop_timer_set(broker->resend, RESEND_MS);
	return true;
}

void outbox_resend_returned(void *self)
{
	struct broker *broker = self;
	struct outbox *outbox = &broker->outbox;
	struct message *message;

	while ((message = TAILQ_FIRST(&outbox->returned))) {
		outbox_remove_returned(outbox, message);
		message->is_returned = false;
		outbox_add_waiting(broker, message);
	}
}

/* ---- confirms ---- */

static void outbox_confirm_tag(struct broker *broker, uint64_t tag, enum err err)
{
	struct outbox *outbox = &broker->outbox;
	struct message *message = outbox_take(outbox, tag);

	if (!message)
		return;		/* the deadline of the message has passed */
	if (outbox->probes)
		outbox->probes--;
	if (message->is_returned && outbox_keep_returned(broker, message))
		return;
	message_end(broker, message, message->is_returned ? ERR_NOT_FOUND : err);
}

/* Confirms come in any order. MULTIPLE: for all up to TAG; with TAG 0: for all. */
void outbox_confirm(struct broker *broker, uint64_t tag, bool multiple, enum err err)
{
	struct outbox *outbox = &broker->outbox;

	outbox->confirmed_ms = clock_ms();
	uint64_t first = multiple ? outbox->first_tag : tag;

	if (tag == 0 && multiple)
		tag = outbox->next_tag - 1;
	if (tag >= outbox->next_tag) {
		broker_drop(broker, "the broker confirmed an unknown message");
		return;
	}
	if (first < outbox->first_tag)
		return;
	for (uint64_t each = first; each <= tag; each++)
		outbox_confirm_tag(broker, each, err);
	outbox_advance(outbox);
}

void outbox_returned(struct broker *broker, amqp_bytes_t message_id)
{
	struct outbox *outbox = &broker->outbox;

	for (uint64_t tag = outbox->first_tag; tag < outbox->next_tag; tag++) {
		struct message *message = *outbox_slot(outbox, tag);
		char id[ID_SIZE];

		if (!message)
			continue;
		snprintf(id, sizeof id, "%llx", (unsigned long long)message->id);
		if (strlen(id) == message_id.len &&
		    memcmp(id, message_id.bytes, message_id.len) == 0) {
			message->is_returned = true;
			return;
		}
	}
}

/* ---- refused messages ---- */

/* The broker may refuse a large message before it has all of it. */
static struct message *outbox_only_probe(struct outbox *outbox)
{
	struct message *first = TAILQ_FIRST(&outbox->waiting);

	if (!outbox->probes || outbox->flight_count + outbox->begun != 1)
		return NULL;
	if (!outbox->begun)
		return outbox_take(outbox, outbox->first_tag);
	outbox->begun = false;
	outbox_remove_waiting(outbox, first);
	return first;
}

void outbox_on_channel_close(struct broker *broker, int code, amqp_method_number_t method)
{
	struct outbox *outbox = &broker->outbox;
	struct message *bad;

	if (broker->queue_count)
		return;
	if (method == AMQP_EXCHANGE_DECLARE_METHOD && code == AMQP_PRECONDITION_FAILED) {
		outbox->fanout_foreign = true;
		return;
	}
	bad = outbox_only_probe(outbox);
	if (!bad) {
		outbox->probes = outbox->flight_count + outbox->begun;
		return;
	}
	log_warn("broker refused a message: exchange=%s key=%s code=%d", bad->exchange,
		 bad->key, code);
	outbox->probes--;
	message_end(broker, bad, code == AMQP_NOT_FOUND ? ERR_NOT_FOUND : ERR_INTERNAL);
}

/* ---- deadlines ---- */

/*
 * A sent message and all messages after it got no confirm before the deadline, and no
 * alarm blocks the broker: it may be a node of a cluster that waits for a dead node. A
 * new connection learns that immediately.
 */
static void outbox_expire_flight(struct broker *broker, int64_t now_ms)
{
	struct outbox *outbox = &broker->outbox;
	bool late = false;

	for (uint64_t tag = outbox->first_tag; tag < outbox->next_tag; tag++) {
		const struct message *message = *outbox_slot(outbox, tag);

		if (!message || message->deadline_ms > now_ms)
			continue;
		late |= now_ms - message->sent_ms >= CONFIRM_MS &&
		        outbox->confirmed_ms < message->sent_ms;
		outbox_confirm_tag(broker, tag, ERR_UNREACHABLE);
	}
	outbox_advance(outbox);
	if (late && !broker->blocked && broker->connection)
		broker_drop(broker, "the broker did not confirm a message within %d s",
			    CONFIRM_MS / 1000);
}

/* The first message stays if it is partly sent, because it must be completed. */
static void outbox_expire_waiting(struct broker *broker, int64_t now_ms)
{
	struct outbox *outbox = &broker->outbox;
	struct message *message = TAILQ_FIRST(&outbox->waiting);

	if (message && outbox->begun)
		message = TAILQ_NEXT(message, link);
	while (message) {
		struct message *next = TAILQ_NEXT(message, link);

		if (message->deadline_ms <= now_ms) {
			outbox_remove_waiting(outbox, message);
			message_end(broker, message, ERR_UNREACHABLE);
		}
		message = next;
	}
}

static void message_earlier_deadline(const struct message *message, int64_t *deadline_ms)
{
	if (message && message->deadline_ms < *deadline_ms)
		*deadline_ms = message->deadline_ms;
}

static int64_t outbox_earliest_deadline(const struct outbox *outbox)
{
	const struct message *message;
	int64_t deadline_ms = INT64_MAX;

	for (size_t i = 0; i < FLIGHT_SLOTS; i++)
		message_earlier_deadline(outbox->flight[i], &deadline_ms);
	TAILQ_FOREACH(message, &outbox->waiting, link)
		message_earlier_deadline(message, &deadline_ms);
	return deadline_ms;
}

void outbox_expire(struct broker *broker)
{
	enum { CHECK_AGAIN_MS = 100 };
	int64_t now_ms = clock_ms(), next_ms;

	outbox_expire_flight(broker, now_ms);
	outbox_expire_waiting(broker, now_ms);
	next_ms = outbox_earliest_deadline(&broker->outbox);
	if (next_ms != INT64_MAX)
		outbox_expire_at(broker,
		                 next_ms > now_ms ? next_ms : now_ms + CHECK_AGAIN_MS);
}
