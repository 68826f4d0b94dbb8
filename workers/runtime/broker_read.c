#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/log.h"
#include "runtime/broker_private.h"

/* One read: 256 small deliveries, the confirms of 768 messages, or 1 ms. */
enum { TURN_FRAMES = 768, TURN_US = 1000 };

enum { ATTEMPTS_MAX = 1000000, EXPIRATION_MAX_MS = 24 * 3600 * 1000 };

bool content_bytes_are(amqp_bytes_t bytes, const char *text)
{
	return bytes.len == strlen(text) && memcmp(bytes.bytes, text, bytes.len) == 0;
}

/* ---- headers ---- */

const amqp_field_value_t *content_header_find(const amqp_basic_properties_t *properties,
                                              const char *key)
{
	if (!(properties->_flags & AMQP_BASIC_HEADERS_FLAG))
		return NULL;
	for (int i = 0; i < properties->headers.num_entries; i++)
		if (content_bytes_are(properties->headers.entries[i].key, key))
			return &properties->headers.entries[i].value;
	return NULL;
}

/* Reads a number of any width: the width depends on the publisher's library. */
static bool content_field_number(const amqp_field_value_t *field, int64_t *number)
{
	switch (field->kind) {
	case AMQP_FIELD_KIND_I8:
		*number = field->value.i8;
		return true;
	case AMQP_FIELD_KIND_U8:
		*number = field->value.u8;
		return true;
	case AMQP_FIELD_KIND_I16:
		*number = field->value.i16;
		return true;
	case AMQP_FIELD_KIND_I32:
		*number = field->value.i32;
		return true;
	case AMQP_FIELD_KIND_U32:
		*number = field->value.u32;
		return true;
	case AMQP_FIELD_KIND_I64:
	case AMQP_FIELD_KIND_U64:	/* py-amqp sends signed numbers as this type */
		*number = field->value.i64;
		return true;
	default:
		return false;
	}
}

/* Reads a number from 0 to MAX; 0 if it is absent or not a number. */
static int64_t content_header_number(const amqp_basic_properties_t *properties,
                                     const char *key, int64_t max)
{
	const amqp_field_value_t *field = content_header_find(properties, key);
	int64_t number;

	if (!field || !content_field_number(field, &number) || number < 0)
		return 0;
	return number < max ? number : max;
}

/* Reads milliseconds in decimal digits (oslo_wire 4.1); 0 if absent or malformed. */
static int content_expiration(const amqp_basic_properties_t *properties)
{
	const char *digits = properties->expiration.bytes;
	int64_t ms = 0;

	if (!(properties->_flags & AMQP_BASIC_EXPIRATION_FLAG))
		return 0;
	for (size_t i = 0; i < properties->expiration.len; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return 0;
		ms = 10 * ms + (digits[i] - '0');
		if (ms > EXPIRATION_MAX_MS)
			return EXPIRATION_MAX_MS;
	}
	return (int)ms;
}

static void content_copy_text(char text[SHORT_MAX + 1], amqp_bytes_t bytes)
{
	size_t len = bytes.len <= SHORT_MAX ? bytes.len : 0;

	if (len)
		memcpy(text, bytes.bytes, len);
	text[len] = '\0';
}

static void content_header_text(const amqp_basic_properties_t *properties,
                                const char *key, char text[SHORT_MAX + 1])
{
	const amqp_field_value_t *field = content_header_find(properties, key);

	if (field && field->kind == AMQP_FIELD_KIND_UTF8)
		content_copy_text(text, field->value.bytes);
	else
		text[0] = '\0';
}

/*
 * The sender's account. RabbitMQ accepts only the sender's own user_id. A copy in a delay
 * queue has our user_id, and a header names the account of the original. Another program
 * with our account could forge this header: see user_proof.
 */
static void content_find_user(const struct broker *broker,
                              const amqp_basic_properties_t *properties,
                              struct content *content)
{
	struct broker_delivery *delivery = &content->delivery;

	content->user[0] = content->user_proof[0] = '\0';
	delivery->user = content->user;
	delivery->user_proof = content->user_proof;
	delivery->is_user_copied = false;
	if (!(properties->_flags & AMQP_BASIC_USER_ID_FLAG))
		return;
	content_copy_text(content->user, properties->user_id);
	if (strcmp(content->user, broker->connection->user) == 0 &&
	    content_header_find(properties, USER_HEADER)) {
		delivery->is_user_copied = true;
		content_header_text(properties, USER_HEADER, content->user);
		content_header_text(properties, USER_PROOF_HEADER, content->user_proof);
	}
}

/* A compressed body (oslo_wire T29) does not count as JSON. The program refuses it. */
static bool content_is_json(const amqp_basic_properties_t *properties)
{
	return (properties->_flags & AMQP_BASIC_CONTENT_TYPE_FLAG) &&
	       content_bytes_are(properties->content_type, "application/json") &&
	       !content_header_find(properties, "compression");
}

/* ---- content: a method, a header, and any number of bodies ---- */

static void content_deliver(struct broker *broker)
{
	struct broker_delivery *delivery = &broker->content.delivery;

	delivery->body = broker->content.body.data;
	delivery->len = broker->content.body.len;
	broker->acks.in_hand++;
	if (broker->paused || broker->closed) {
		broker_acknowledge(broker, delivery, ACK_REQUEUE);
		return;
	}
	broker->content.delivered = true;
	broker->hooks.delivery(broker->hooks.self, delivery);
}

static void content_complete(struct broker *broker)
{
	broker->content.expect = CONTENT_NONE;
	if (!broker->content.is_return)
		content_deliver(broker);
}

/*
 * A body that is too large is read and discarded. If the connection were dropped instead,
 * the broker would deliver the same message again and again.
 */
static void content_delivery_header(struct broker *broker,
                                    const amqp_basic_properties_t *properties,
                                    uint64_t size)
{
	struct content *content = &broker->content;

	content->discard = size > (uint64_t)broker->config.max_message_bytes;
	content->delivery.is_json = content_is_json(properties) && !content->discard;
	content->delivery.is_too_large = content->discard;
	content->delivery.sent_bytes = size;
	content->delivery.attempts =
	    (int)content_header_number(properties, "x-zonefleet-attempts", ATTEMPTS_MAX);
	content->delivery.expiration_ms = content_expiration(properties);
	content->delivery.limit_unix_ms =
	    content_header_number(properties, LIMIT_HEADER, INT64_MAX);
	content_find_user(broker, properties, content);
}

static void broker_on_header(struct broker *broker, const amqp_frame_t *frame)
{
	struct content *content = &broker->content;
	const amqp_basic_properties_t *properties = frame->payload.properties.decoded;

	if (content->expect != CONTENT_HEADER ||
	    frame->payload.properties.class_id != AMQP_BASIC_CLASS) {
		broker_drop(broker, "the broker sent an unexpected header");
		return;
	}
	content->expect = CONTENT_BODY;
	content->left = frame->payload.properties.body_size;
	content->discard = content->is_return;
	if (!content->is_return)
		content_delivery_header(broker, properties, content->left);
	else if (properties->_flags & AMQP_BASIC_MESSAGE_ID_FLAG)
		outbox_returned(broker, properties->message_id);
	if (content->left == 0)
		content_complete(broker);
}

static void broker_on_body(struct broker *broker, const amqp_frame_t *frame)
{
	struct content *content = &broker->content;
	amqp_bytes_t part = frame->payload.body_fragment;

	if (content->expect != CONTENT_BODY || part.len > content->left) {
		broker_drop(broker, "the broker sent an unexpected body");
		return;
	}
	if (!content->discard)
		buf_append(&content->body, part.bytes, part.len);
	else if (!content->is_return && broker->hooks.discarded_part)
		broker->hooks.discarded_part(broker->hooks.self, part.bytes, part.len);
	content->left -= part.len;
	if (content->left == 0)
		content_complete(broker);
}

static void content_begin(struct broker *broker, bool is_return)
{
	buf_reset(&broker->content.body);
	broker->content.expect = CONTENT_HEADER;
	broker->content.is_return = is_return;
}

/* ---- methods ---- */

/* The consumer tag is the index of the queue. */
static const struct broker_queue *broker_consumer_queue(const struct broker *broker,
                                                        amqp_bytes_t tag)
{
	size_t number = 0;

	if (tag.len == 0 || tag.len > 4)
		return NULL;
	for (size_t i = 0; i < tag.len; i++) {
		char digit = ((const char *)tag.bytes)[i];

		if (digit < '0' || digit > '9')
			return NULL;
		number = number * 10 + (size_t)(digit - '0');
	}
	return number < broker->queue_count ? &broker->queues[number] : NULL;
}

static void broker_on_deliver(struct broker *broker, const void *decoded)
{
	const amqp_basic_deliver_t *deliver = decoded;
	const struct broker_queue *queue =
	    broker_consumer_queue(broker, deliver->consumer_tag);

	if (!queue) {
		broker_drop(broker, "the broker sent a message to an unknown consumer");
		return;
	}
	content_begin(broker, false);
	broker->content.delivery = (struct broker_delivery){
		.queue = queue->kind == BROKER_REPLY ? broker->reply_queue : queue->name,
		.redelivered = deliver->redelivered,
		.tag = deliver->delivery_tag,
		.epoch = broker->epoch,
		.since_ms = broker->drained_ms,
		.is_fanout = queue->kind == BROKER_FANOUT,
	};
}

/* oslo_wire T7: a positive confirm follows each returned message. */
static void broker_on_return(struct broker *broker, const void *decoded)
{
	(void)decoded;
	content_begin(broker, true);
}

static void broker_on_ack(struct broker *broker, const void *decoded)
{
	const amqp_basic_ack_t *ack = decoded;

	outbox_confirm(broker, ack->delivery_tag, ack->multiple, OK);
}

static void broker_on_nack(struct broker *broker, const void *decoded)
{
	const amqp_basic_nack_t *nack = decoded;

	outbox_confirm(broker, nack->delivery_tag, nack->multiple, ERR_UNREACHABLE);
}

/* The queue was deleted or its node is down: a new connection declares it again. */
static void broker_on_cancel(struct broker *broker, const void *decoded)
{
	const amqp_basic_cancel_t *cancel = decoded;
	const struct broker_queue *queue =
	    broker_consumer_queue(broker, cancel->consumer_tag);

	broker_drop(broker, "the broker cancelled the consumer of %s",
		    queue && queue->name ? queue->name : "the reply queue");
}

static void broker_on_channel_close(struct broker *broker, const void *decoded)
{
	const amqp_channel_close_t *close = decoded;
	int code = close->reply_code;

	outbox_on_channel_close(broker, code,
	                        (amqp_method_number_t)close->class_id << 16 |
	                            close->method_id);
	broker_drop(broker, "the broker closed the channel: %d %.*s", code,
		    (int)close->reply_text.len, (const char *)close->reply_text.bytes);
	broker_tell_refusal(broker, code);
}

static void broker_on_connection_close(struct broker *broker, const void *decoded)
{
	const amqp_connection_close_t *close = decoded;
	int code = close->reply_code;

	broker_drop(broker, "the broker closed the connection: %d %.*s", code,
		    (int)close->reply_text.len, (const char *)close->reply_text.bytes);
	broker_tell_refusal(broker, code);
}

static void broker_on_blocked(struct broker *broker, const void *decoded)
{
	const amqp_connection_blocked_t *blocked = decoded;

	broker->blocked = true;
	log_warn("broker accepts no messages: connection=%s reason=\"%.*s\"",
	         broker->name, (int)blocked->reason.len,
	         (const char *)blocked->reason.bytes);
}

static void broker_on_unblocked(struct broker *broker, const void *decoded)
{
	(void)decoded;
	broker->blocked = false;
	log_info("broker accepts messages again: connection=%s", broker->name);
}

static void broker_ignore_method(struct broker *broker, const void *decoded)
{
	(void)broker, (void)decoded;
}

static const struct {
	amqp_method_number_t id;
	void (*fn)(struct broker *broker, const void *decoded);
} methods[] = {
	{ AMQP_BASIC_DELIVER_METHOD,        broker_on_deliver },
	{ AMQP_BASIC_ACK_METHOD,            broker_on_ack },
	{ AMQP_BASIC_NACK_METHOD,           broker_on_nack },
	{ AMQP_BASIC_RETURN_METHOD,         broker_on_return },
	{ AMQP_BASIC_CANCEL_METHOD,         broker_on_cancel },
	{ AMQP_BASIC_QOS_OK_METHOD,         broker_ignore_method },
	{ AMQP_BASIC_CANCEL_OK_METHOD,      broker_ignore_method },
	{ AMQP_CHANNEL_CLOSE_METHOD,        broker_on_channel_close },
	{ AMQP_CONNECTION_CLOSE_METHOD,     broker_on_connection_close },
	{ AMQP_CONNECTION_BLOCKED_METHOD,   broker_on_blocked },
	{ AMQP_CONNECTION_UNBLOCKED_METHOD, broker_on_unblocked },
};

static void broker_on_method(struct broker *broker, const amqp_frame_t *frame)
{
	amqp_method_number_t id = frame->payload.method.id;

	if (frame->channel == CHECK_CHANNEL) {
		topology_check_on_method(broker, &frame->payload.method);
		return;
	}
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
		if (methods[i].id == id) {
			methods[i].fn(broker, frame->payload.method.decoded);
			return;
		}
	broker_drop(broker, "the broker sent an unexpected method: %s",
		    amqp_method_name(id) ? amqp_method_name(id) : "unknown");
}

static void broker_on_frame(struct broker *broker, const amqp_frame_t *frame)
{
	switch (frame->frame_type) {
	case AMQP_FRAME_METHOD:
		broker_on_method(broker, frame);
		return;
	case AMQP_FRAME_HEADER:
		broker_on_header(broker, frame);
		return;
	case AMQP_FRAME_BODY:
		broker_on_body(broker, frame);
		return;
	default:
		return;		/* a heartbeat needs no reaction */
	}
}

/* ---- failures ---- */

static bool broker_is_decode_error(int status)
{
	return status == AMQP_STATUS_BAD_AMQP_DATA ||
	       status == AMQP_STATUS_TABLE_TOO_BIG ||
	       status == AMQP_STATUS_INVALID_PARAMETER;
}

/*
 * The broker would deliver a message with an undecodable header again on each new
 * connection. The method frame before the header has its delivery tag. So reject the
 * message, which loses it, and close the connection. Only a broker with a frame_max above
 * FRAME_MAX delivers such a message.
 */
static void broker_reject_undecodable(struct broker *broker)
{
	static struct log_limit limit;
	const struct content *content = &broker->content;

	if (content->expect != CONTENT_HEADER || content->is_return || broker->lingering)
		return;
	if (!connection_writable(broker->connection, SENT_FRAME_MAX))
		return;
	if (amqp_basic_reject(broker->connection->amqp, CHANNEL, content->delivery.tag,
			      false))
		return;
	if (log_is_due(&limit, LOG_STRANGER_MS))
		log_warn("message dropped: queue=%s reason=bad_header unlogged=%llu "
		         "advice=\"set frame_max of RabbitMQ to %d or less\"",
		         content->delivery.queue, (unsigned long long)limit.unlogged,
		         FRAME_MAX);
	broker->lingering = broker->connection;
	broker->connection = NULL;
}

static void broker_on_read_error(struct broker *broker, int status)
{
	if (broker_is_decode_error(status))
		broker_reject_undecodable(broker);
	broker_drop(broker, "%s", amqp_error_string2(status));
}

bool broker_read(struct broker *broker)
{
	static const struct timeval at_once;
	int64_t until_us = clock_us() + TURN_US;
	amqp_frame_t frame;

	for (int frames = 0; frames < TURN_FRAMES && clock_us() < until_us; frames++) {
		amqp_connection_state_t amqp = broker->connection->amqp;
		int status = amqp_simple_wait_frame_noblock(amqp, &frame, &at_once);

		if (status == AMQP_STATUS_TIMEOUT) {
			broker->drained_ms = clock_boot_ms();
			return true;
		}
		if (status != AMQP_STATUS_OK) {
			broker_on_read_error(broker, status);
			return true;
		}
		broker_on_frame(broker, &frame);
		if (!broker->connection)
			return true;
		amqp_maybe_release_buffers_on_channel(amqp, frame.channel);
	}
	return false;
}
