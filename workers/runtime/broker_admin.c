#include "runtime/broker_admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/mem.h"
#include "runtime/broker_private.h"

enum { ANSWER_S = 10 };

struct broker_admin {
	/* has only the members that connection_open() reads */
	struct broker as;
	struct cancel cancel;
	struct connection *connection;
};

/* ---- opening and closing ---- */

static enum err admin_connect_any(struct broker_admin *admin, struct why *why)
{
	const struct broker_url *url = &admin->as.url;

	for (size_t i = 0; i < url->count && !admin->connection; i++) {
		if (atomic_load(&admin->cancel.wanted))
			return fail(why, ERR_UNREACHABLE, "closed");
		connection_open(&admin->as, &url->hosts[i], &admin->cancel,
		                &admin->connection, why);
	}
	return admin->connection ? OK : ERR_UNREACHABLE;
}

static enum err admin_reply_check(const struct broker_admin *admin, const char *what,
                                  struct why *why)
{
	return reply_check(amqp_get_rpc_reply(admin->connection->amqp), what, why);
}

/* Each channel has confirms, for broker_admin_send(). */
static enum err admin_select_confirms(struct broker_admin *admin, struct why *why)
{
	amqp_confirm_select(admin->connection->amqp, CHANNEL);
	return admin_reply_check(admin, "confirm.select", why);
}

struct broker_admin *broker_admin_new(const struct broker_config *config)
{
	struct broker_admin *admin = xcalloc(1, sizeof(*admin));

	admin->as.config = *config;
	admin->as.name = xstrdup("admin");
	cancel_init(&admin->cancel);
	return admin;
}

enum err broker_admin_connect(struct broker_admin *admin, struct why *why)
{
	enum err err = OK;

	if (admin->connection)
		return OK;
	if (!admin->as.url.count)
		err = broker_url_parse(admin->as.config.url, &admin->as.url, why);
	if (!err)
		err = admin_connect_any(admin, why);
	if (!err)
		err = admin_select_confirms(admin, why);
	if (err)
		broker_admin_disconnect(admin);
	return err;
}

void broker_admin_disconnect(struct broker_admin *admin)
{
	connection_close(&admin->connection);
}

void broker_admin_cancel(struct broker_admin *admin)
{
	cancel_now(&admin->cancel);
}

enum err broker_admin_open(const struct broker_config *config,
                           struct broker_admin **admin, struct why *why)
{
	enum err err;

	*admin = broker_admin_new(config);
	err = broker_admin_connect(*admin, why);
	if (err)
		broker_admin_close(admin);
	return err;
}

void broker_admin_close(struct broker_admin **admin)
{
	struct broker_admin *closed = *admin;

	if (!closed)
		return;
	connection_close(&closed->connection);
	cancel_clear(&closed->cancel);
	broker_url_clear(&closed->as.url);
	free(closed->as.name);
	free(closed);
	*admin = NULL;
}

/* ---- counting ---- */

/* The refusal closed the channel and returned the messages that were taken on it. */
static enum err admin_reopen_channel(struct broker_admin *admin, struct why *why)
{
	amqp_channel_close_ok_t answer = { 0 };
	amqp_connection_state_t amqp = admin->connection->amqp;

	if (amqp_send_method(amqp, CHANNEL, AMQP_CHANNEL_CLOSE_OK_METHOD, &answer))
		return fail(why, ERR_UNREACHABLE, "the connection to the broker was "
		            "lost");
	amqp_channel_open(amqp, CHANNEL);
	enum err err = admin_reply_check(admin, "channel.open", why);
	return err ? err : admin_select_confirms(admin, why);
}

enum err broker_admin_count(struct broker_admin *admin, const char *queue,
                            struct broker_admin_queue *found, struct why *why)
{
	amqp_connection_state_t amqp = admin->connection->amqp;
	amqp_queue_declare_ok_t *ok =
	    amqp_queue_declare(amqp, CHANNEL, bytes_of(queue), true, false, false, false,
	                       amqp_empty_table);

	*found = (struct broker_admin_queue){ .exists = false };
	if (ok) {
		*found = (struct broker_admin_queue){ true, ok->message_count,
		                                      ok->consumer_count };
		amqp_maybe_release_buffers(amqp);
		return OK;
	}
	if (reply_code(amqp_get_rpc_reply(amqp)) == AMQP_NOT_FOUND)
		return admin_reopen_channel(admin, why);
	return admin_reply_check(admin, queue, why);
}

static enum err admin_count_suffix(struct broker_admin *admin, const char *queue,
                                   const char *suffix, struct broker_admin_queue *found,
                                   struct why *why)
{
	char *name = xprintf("%s%s", queue, suffix);
	enum err err = broker_admin_count(admin, name, found, why);

	free(name);
	return err;
}

/* The delay queues are those of broker_topology.c. */
enum err broker_admin_depth(struct broker_admin *admin, const char *queue,
                            struct broker_admin_depth *depth, struct why *why)
{
	static const char *const steps[] = { ".retry.1000", ".retry.5000",
	                                     ".retry.8000" };
	enum err err;

	*depth = (struct broker_admin_depth){ .delayed = 0 };
	err = broker_admin_count(admin, queue, &depth->work, why);
	if (err || !depth->work.exists)
		return err;
	err = admin_count_suffix(admin, queue, ".dead", &depth->dead, why);
	for (size_t i = 0; !err && i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct broker_admin_queue step;

		err = admin_count_suffix(admin, queue, steps[i], &step, why);
		depth->delayed += err ? 0 : step.messages;
	}
	return err;
}

/* ---- messages ---- */

static const char *admin_header_text(const amqp_basic_properties_t *properties,
                                     const char *key, struct arena *arena)
{
	const amqp_field_value_t *value = content_header_find(properties, key);

	if (!value || (value->kind != AMQP_FIELD_KIND_UTF8 &&
	               value->kind != AMQP_FIELD_KIND_BYTES))
		return "";
	return arena_printf(arena, "%.*s", (int)value->value.bytes.len,
	                    (const char *)value->value.bytes.bytes);
}

static int64_t admin_header_time(const amqp_basic_properties_t *properties,
                                 const char *key)
{
	const amqp_field_value_t *value = content_header_find(properties, key);

	return value && value->kind == AMQP_FIELD_KIND_TIMESTAMP
		? (int64_t)value->value.u64 : 0;
}

static bool admin_is_json(const amqp_basic_properties_t *properties)
{
	return properties->_flags & AMQP_BASIC_CONTENT_TYPE_FLAG &&
	       content_bytes_are(properties->content_type, "application/json");
}

static void admin_read_message(const amqp_message_t *message, struct arena *arena,
                               struct broker_admin_message *taken)
{
	const amqp_basic_properties_t *properties = &message->properties;

	taken->body = arena_dup(arena, message->body.bytes, message->body.len);
	taken->len = message->body.len;
	taken->queue = admin_header_text(properties, "x-zonefleet-queue", arena);
	taken->reason =
	    admin_header_text(properties, "x-zonefleet-reason", arena);
	taken->dead_unix = admin_header_time(properties, "x-zonefleet-time");
	taken->is_json = admin_is_json(properties);
}

enum err broker_admin_take(struct broker_admin *admin, const char *queue,
                           struct arena *arena, struct broker_admin_message *taken,
                           bool *found, struct why *why)
{
	amqp_connection_state_t amqp = admin->connection->amqp;
	amqp_rpc_reply_t reply = amqp_basic_get(amqp, CHANNEL, bytes_of(queue), false);
	amqp_message_t message;

	*found = false;
	if (reply.reply_type == AMQP_RESPONSE_NORMAL &&
	    reply.reply.id == AMQP_BASIC_GET_EMPTY_METHOD)
		return OK;
	enum err err = reply_check(reply, queue, why);
	if (err)
		return err;
	taken->tag = ((amqp_basic_get_ok_t *)reply.reply.decoded)->delivery_tag;
	err = reply_check(amqp_read_message(amqp, CHANNEL, &message, 0), queue, why);
	if (err)
		return err;
	admin_read_message(&message, arena, taken);
	amqp_destroy_message(&message);
	amqp_maybe_release_buffers(amqp);
	*found = true;
	return OK;
}

/* ---- sending and dropping ---- */

/* The broker returns an unroutable message before it confirms it. */
static enum err admin_wait_confirm(struct broker_admin *admin, const char *queue,
                                   struct why *why)
{
	struct timeval limit = { .tv_sec = ANSWER_S };
	bool returned = false;

	for (;;) {
		amqp_frame_t frame;
		amqp_message_t message;
		int status = amqp_simple_wait_frame_noblock(admin->connection->amqp,
		                                            &frame, &limit);

		if (status)
			return fail(why, ERR_UNREACHABLE, "queue %s: %s", queue,
			            amqp_error_string2(status));
		if (frame.frame_type != AMQP_FRAME_METHOD)
			continue;
		switch (frame.payload.method.id) {
		case AMQP_BASIC_RETURN_METHOD:
			returned = true;
			amqp_read_message(admin->connection->amqp, CHANNEL, &message, 0);
			amqp_destroy_message(&message);
			break;
		case AMQP_BASIC_ACK_METHOD:
			return returned ? fail(why, ERR_NOT_FOUND,
			                       "there is no queue '%s'", queue) : OK;
		default:
			return fail(why, ERR_UNREACHABLE,
			            "queue %s: the broker did not accept the message",
			            queue);
		}
	}
}

enum err broker_admin_send(struct broker_admin *admin, const char *queue,
                           const struct broker_admin_message *taken,
                           bool with_account, struct why *why)
{
	amqp_basic_properties_t properties = {
		._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
		          AMQP_BASIC_CONTENT_ENCODING_FLAG,
		.content_type = bytes_of(taken->is_json ? "application/json"
		                                         : "application/octet-stream"),
		.content_encoding = bytes_of("utf-8"),
		.delivery_mode = AMQP_DELIVERY_PERSISTENT,
	};
	amqp_bytes_t body = { taken->len, (void *)taken->body };
	int status;

	if (with_account) {
		properties._flags |= AMQP_BASIC_USER_ID_FLAG;
		properties.user_id = bytes_of(admin->connection->user);
	}
	status = amqp_basic_publish(admin->connection->amqp, CHANNEL, bytes_of(""),
	                            bytes_of(queue), true, false, &properties, body);
	if (status)
		return fail(why, ERR_UNREACHABLE, "queue %s: %s", queue,
		            amqp_error_string2(status));
	return admin_wait_confirm(admin, queue, why);
}

enum err broker_admin_drop(struct broker_admin *admin,
                           const struct broker_admin_message *taken, struct why *why)
{
	int status =
	    amqp_basic_ack(admin->connection->amqp, CHANNEL, taken->tag, false);

	return status ? fail(why, ERR_UNREACHABLE, "%s", amqp_error_string2(status)) : OK;
}
