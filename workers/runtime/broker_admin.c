#include "runtime/broker_admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/mem.h"
#include "runtime/broker_private.h"

enum { ANSWER_S = 10 };

struct broker_desk {
	struct broker as;		/* what connection_open() asks of a broker */
	struct cancel cancel;
	struct connection *connection;
};

/* ---- open and close ---- */

static enum err connect_any(struct broker_desk *desk, struct why *why)
{
	const struct broker_url *url = &desk->as.url;

	for (size_t i = 0; i < url->count && !desk->connection; i++) {
		if (atomic_load(&desk->cancel.wanted))
			return fail(why, ERR_UNREACHABLE, "closed");
		desk->connection =
		    connection_open(&desk->as, &url->hosts[i], &desk->cancel, why);
	}
	return desk->connection ? OK : ERR_UNREACHABLE;
}

static enum err settled(const struct broker_desk *desk, const char *what,
                        struct why *why)
{
	return reply_check(amqp_get_rpc_reply(desk->connection->amqp), what, why);
}

/* Each channel is opened with confirms, for what is sent back. */
static enum err select_confirms(struct broker_desk *desk, struct why *why)
{
	amqp_confirm_select(desk->connection->amqp, CHANNEL);
	return settled(desk, "confirm.select", why);
}

struct broker_desk *broker_desk_new(const struct broker_config *config)
{
	struct broker_desk *desk = xcalloc(1, sizeof(*desk));

	desk->as.config = *config;
	desk->as.name = xstrdup("desk");
	cancel_init(&desk->cancel);
	return desk;
}

enum err broker_desk_connect(struct broker_desk *desk, struct why *why)
{
	enum err err = OK;

	if (desk->connection)
		return OK;
	if (!desk->as.url.count)
		err = broker_url_parse(desk->as.config.url, &desk->as.url, why);
	if (!err)
		err = connect_any(desk, why);
	if (!err)
		err = select_confirms(desk, why);
	if (err)
		broker_desk_hang_up(desk);
	return err;
}

void broker_desk_hang_up(struct broker_desk *desk)
{
	connection_close(&desk->connection);
}

void broker_desk_cancel(struct broker_desk *desk)
{
	cancel_now(&desk->cancel);
}

enum err broker_desk_open(const struct broker_config *config, struct broker_desk **desk,
                          struct why *why)
{
	enum err err;

	*desk = broker_desk_new(config);
	err = broker_desk_connect(*desk, why);
	if (err)
		broker_desk_close(desk);
	return err;
}

void broker_desk_close(struct broker_desk **desk)
{
	struct broker_desk *closed = *desk;

	if (!closed)
		return;
	connection_close(&closed->connection);
	cancel_clear(&closed->cancel);
	broker_url_clear(&closed->as.url);
	free(closed->as.name);
	free(closed);
	*desk = NULL;
}

/* ---- counting ---- */

/* The refusal closed the channel, and gave back what was taken on it. */
static enum err open_again(struct broker_desk *desk, struct why *why)
{
	amqp_channel_close_ok_t answer = { 0 };
	amqp_connection_state_t amqp = desk->connection->amqp;

	if (amqp_send_method(amqp, CHANNEL, AMQP_CHANNEL_CLOSE_OK_METHOD, &answer))
		return fail(why, ERR_UNREACHABLE, "the broker is gone");
	amqp_channel_open(amqp, CHANNEL);
	enum err err = settled(desk, "channel.open", why);
	return err ? err : select_confirms(desk, why);
}

enum err broker_desk_count(struct broker_desk *desk, const char *queue,
                           struct desk_queue *found, struct why *why)
{
	amqp_connection_state_t amqp = desk->connection->amqp;
	amqp_queue_declare_ok_t *ok =
	    amqp_queue_declare(amqp, CHANNEL, bytes_of(queue), true, false, false, false,
	                       amqp_empty_table);

	*found = (struct desk_queue){ .exists = false };
	if (ok) {
		*found = (struct desk_queue){ true, ok->message_count,
		                              ok->consumer_count };
		amqp_maybe_release_buffers(amqp);
		return OK;
	}
	if (reply_code(amqp_get_rpc_reply(amqp)) == AMQP_NOT_FOUND)
		return open_again(desk, why);
	return settled(desk, queue, why);
}

static enum err count_suffix(struct broker_desk *desk, const char *queue,
                             const char *suffix, struct desk_queue *found,
                             struct why *why)
{
	char *name = xprintf("%s%s", queue, suffix);
	enum err err = broker_desk_count(desk, name, found, why);

	free(name);
	return err;
}

/* The steps of the delay queues are broker_topology.c's. */
enum err broker_desk_depth(struct broker_desk *desk, const char *queue,
                           struct desk_depth *depth, struct why *why)
{
	static const char *const steps[] = { ".retry.1000", ".retry.5000",
	                                     ".retry.8000" };
	enum err err = broker_desk_count(desk, queue, &depth->work, why);

	if (!err)
		err = count_suffix(desk, queue, ".dead", &depth->dead, why);
	depth->delayed = 0;
	for (size_t i = 0; !err && i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct desk_queue step;

		err = count_suffix(desk, queue, steps[i], &step, why);
		depth->delayed += err ? 0 : step.messages;
	}
	return err;
}

/* ---- letters ---- */

static const amqp_field_value_t *header(const amqp_basic_properties_t *properties,
                                        const char *key)
{
	const amqp_table_t *headers = &properties->headers;

	for (int i = 0; properties->_flags & AMQP_BASIC_HEADERS_FLAG &&
	     i < headers->num_entries; i++)
		if (headers->entries[i].key.len == strlen(key) &&
		    !memcmp(headers->entries[i].key.bytes, key, strlen(key)))
			return &headers->entries[i].value;
	return NULL;
}

static const char *header_text(const amqp_basic_properties_t *properties,
                               const char *key, struct arena *arena)
{
	const amqp_field_value_t *value = header(properties, key);

	if (!value || (value->kind != AMQP_FIELD_KIND_UTF8 &&
	               value->kind != AMQP_FIELD_KIND_BYTES))
		return "";
	return arena_printf(arena, "%.*s", (int)value->value.bytes.len,
	                    (const char *)value->value.bytes.bytes);
}

static int64_t header_time(const amqp_basic_properties_t *properties, const char *key)
{
	const amqp_field_value_t *value = header(properties, key);

	return value && value->kind == AMQP_FIELD_KIND_TIMESTAMP
		? (int64_t)value->value.u64 : 0;
}

static bool says_json(const amqp_basic_properties_t *properties)
{
	static const char json[] = "application/json";

	return properties->_flags & AMQP_BASIC_CONTENT_TYPE_FLAG &&
	       properties->content_type.len == sizeof(json) - 1 &&
	       !memcmp(properties->content_type.bytes, json, sizeof(json) - 1);
}

static void read_letter(const amqp_message_t *message, struct arena *arena,
                        struct desk_letter *letter)
{
	const amqp_basic_properties_t *properties = &message->properties;

	letter->body = arena_dup(arena, message->body.bytes, message->body.len);
	letter->len = message->body.len;
	letter->queue = header_text(properties, "x-zonefleet-queue", arena);
	letter->reason = header_text(properties, "x-zonefleet-reason", arena);
	letter->buried_unix = header_time(properties, "x-zonefleet-time");
	letter->is_json = says_json(properties);
}

enum err broker_desk_take(struct broker_desk *desk, const char *queue,
                          struct arena *arena, struct desk_letter *letter, bool *found,
                          struct why *why)
{
	amqp_connection_state_t amqp = desk->connection->amqp;
	amqp_rpc_reply_t reply = amqp_basic_get(amqp, CHANNEL, bytes_of(queue), false);
	amqp_message_t message;

	*found = false;
	if (reply.reply_type == AMQP_RESPONSE_NORMAL &&
	    reply.reply.id == AMQP_BASIC_GET_EMPTY_METHOD)
		return OK;
	enum err err = reply_check(reply, queue, why);
	if (err)
		return err;
	letter->tag = ((amqp_basic_get_ok_t *)reply.reply.decoded)->delivery_tag;
	err = reply_check(amqp_read_message(amqp, CHANNEL, &message, 0), queue, why);
	if (err)
		return err;
	read_letter(&message, arena, letter);
	amqp_destroy_message(&message);
	amqp_maybe_release_buffers(amqp);
	*found = true;
	return OK;
}

/* ---- settling ---- */

/* A message that no queue takes comes back before its confirm. */
static enum err await_confirm(struct broker_desk *desk, const char *queue,
                              struct why *why)
{
	struct timeval limit = { .tv_sec = ANSWER_S };
	bool returned = false;

	for (;;) {
		amqp_frame_t frame;
		amqp_message_t message;
		int status = amqp_simple_wait_frame_noblock(desk->connection->amqp,
		                                            &frame, &limit);

		if (status)
			return fail(why, ERR_UNREACHABLE, "%s: %s", queue,
			            amqp_error_string2(status));
		if (frame.frame_type != AMQP_FRAME_METHOD)
			continue;
		switch (frame.payload.method.id) {
		case AMQP_BASIC_RETURN_METHOD:
			returned = true;
			amqp_read_message(desk->connection->amqp, CHANNEL, &message, 0);
			amqp_destroy_message(&message);
			break;
		case AMQP_BASIC_ACK_METHOD:
			return returned ? fail(why, ERR_NOT_FOUND, "there is no queue %s",
			                       queue) : OK;
		default:
			return fail(why, ERR_UNREACHABLE, "%s: the broker refused it",
			            queue);
		}
	}
}

enum err broker_desk_send(struct broker_desk *desk, const char *queue,
                          const struct desk_letter *letter, bool vouch, struct why *why)
{
	amqp_basic_properties_t properties = {
		._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
		          AMQP_BASIC_CONTENT_ENCODING_FLAG,
		.content_type = bytes_of(letter->is_json ? "application/json"
		                                         : "application/octet-stream"),
		.content_encoding = bytes_of("utf-8"),
		.delivery_mode = AMQP_DELIVERY_PERSISTENT,
	};
	amqp_bytes_t body = { letter->len, (void *)letter->body };
	int status;

	if (vouch) {
		properties._flags |= AMQP_BASIC_USER_ID_FLAG;
		properties.user_id = bytes_of(desk->connection->user);
	}
	status = amqp_basic_publish(desk->connection->amqp, CHANNEL, bytes_of(""),
	                            bytes_of(queue), true, false, &properties, body);
	if (status)
		return fail(why, ERR_UNREACHABLE, "%s: %s", queue,
		            amqp_error_string2(status));
	return await_confirm(desk, queue, why);
}

enum err broker_desk_drop(struct broker_desk *desk, const struct desk_letter *letter,
                          struct why *why)
{
	int status = amqp_basic_ack(desk->connection->amqp, CHANNEL, letter->tag, false);

	return status ? fail(why, ERR_UNREACHABLE, "%s", amqp_error_string2(status)) : OK;
}
