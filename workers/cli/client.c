#include "client.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/rpc.h"

enum {
	CONNECT_MAX_MS = 10 * 1000,
	PAUSE_FIRST_MS = 20,
	PAUSE_MAX_MS = 250,
	DRAIN_MAX_MS = 200,
	DRAIN_POLL_MS = 1,
};

#define PING "oslo_rpc_server_ping"
#define AT(field) offsetof(struct client_config, field)

const struct option client_options[] = {
	{ "tenant",      OPTION_TEXT,    AT(tenant),      "default", 1, 255,
	  "tenant of the requests (project_id)" },
	{ "user",        OPTION_TEXT,    AT(user),        "",      0, 255,
	  "user name in the requests. \"\": no user name" },
	{ "admin",       OPTION_BOOL,    AT(admin),       "false", 0, 0,
	  "send requests as an administrator" },
	{ "all_tenants", OPTION_BOOL,    AT(all_tenants), "false", 0, 0,
	  "list the objects of all tenants (administrators only)" },
	{ "timeout",     OPTION_SECONDS, AT(timeout_s),   "30",    1, 3600,
	  "time limit for one answer" },
	{ 0 }
};

struct client {
	struct loop *loop;
	struct loop_timer *timer;
	struct broker *out;
	struct rpc_client *rpc;
	json_t *context;
	int timeout_ms;
	client_explain_fn *explain;	/* NULL: reasons stay as they are */
	const void *explain_self;
	bool is_up, is_over;		/* the broker is up; the pause has ended */
	/* the broker refused the account, a queue or a message; `refusal` says why */
	bool is_refused;
	struct why refusal;
	int out_now;			/* open calls of the window */
	const char *window_topic, *window_method;
	enum err window_err;		/* first failure of a call of the window */
	struct why window_why;
};

/* ---- connecting ---- */

static void client_on_broker_up(void *self)
{
	struct client *client = self;

	client->is_up = true;
	loop_stop(client->loop);
}

static void client_on_refused(void *self, const char *reason)
{
	struct client *client = self;

	client->is_refused = true;
	fail(&client->refusal, ERR_UNREACHABLE, "the broker refused the account in "
	     "broker.url (%.300s): check user, password and virtual host in broker.url, "
	     "and the rights of the account (docs/security.md)", reason);
	loop_stop(client->loop);
}

static void client_on_timer(void *self)
{
	struct client *client = self;

	client->is_over = true;
	loop_stop(client->loop);
}

/* loop_run() may return by an earlier loop_stop(): check the reason each time. */
static void client_run_until(struct client *client, const bool *reason, int ms)
{
	client->is_over = false;
	loop_timer_set(client->timer, ms);
	while (!*reason && !client->is_over)
		loop_run(client->loop);
	loop_timer_cancel(client->timer);
}

static json_t *client_make_context(const struct client_config *config)
{
	char id[ID_LEN + 1];

	id_random(id);
	return json_pack("{s:s+, s:s, s:s, s:b, s:b}", "request_id", "req-", id,
	                 "project_id", config->tenant, "user_id", config->user,
	                 "is_admin", config->admin, "all_tenants", config->all_tenants);
}

static int client_connect_ms(const struct client *client)
{
	return client->timeout_ms < CONNECT_MAX_MS ? client->timeout_ms : CONNECT_MAX_MS;
}

/* Waits until the broker accepts or refuses the connection, or the time is over. */
static enum err client_connect(struct client *client, struct why *why)
{
	int ms = client_connect_ms(client);

	client->is_over = false;
	loop_timer_set(client->timer, ms);
	while (!client->is_up && !client->is_refused && !client->is_over)
		loop_run(client->loop);
	loop_timer_cancel(client->timer);
	if (client->is_up)
		return OK;
	if (client->is_refused) {
		*why = client->refusal;
		return ERR_UNREACHABLE;
	}
	return fail(why, ERR_UNREACHABLE, "no connection to the broker within %d s: "
	            "%.200s: check that RabbitMQ is running, and that broker.url in the "
	            "settings contains the right host and port (--verbose shows the "
	            "attempts)",
	            ms / 1000, broker_down_reason(client->out));
}

enum err client_open(const struct client_config *config,
                     const struct broker_config *broker, struct client **client,
                     struct why *why)
{
	struct client *made = xcalloc(1, sizeof *made);
	const struct broker_hooks hooks = {
		.up = client_on_broker_up, .refused = client_on_refused, .self = made,
	};
	enum err err;

	made->timeout_ms = config->timeout_s * 1000;
	made->context = client_make_context(config);
	made->loop = loop_new();
	made->timer = loop_timer_new(made->loop, client_on_timer, made);
	made->out = broker_open(made->loop, broker, "requests", NULL, &hooks);
	made->rpc = rpc_client_open(made->loop, broker, made->out);
	rpc_client_on_refused(made->rpc, client_on_refused, made);
	err = client_connect(made, why);
	if (err)
		client_close(&made);
	else
		*client = made;
	return err;
}

void client_explain(struct client *client, client_explain_fn *explain, const void *self)
{
	client->explain = explain;
	client->explain_self = self;
}

void client_see_all(struct client *client)
{
	json_object_set_new(client->context, "all_tenants", json_true());
}

/* Waits for the broker's confirms. The answer to a call may come before its confirm. */
static void client_drain(struct client *client)
{
	int64_t until_ms = clock_ms() + DRAIN_MAX_MS;
	static const bool never;

	while (broker_unconfirmed(client->out) && clock_ms() < until_ms)
		client_run_until(client, &never, DRAIN_POLL_MS);
}

void client_close(struct client **client)
{
	struct client *closed = *client;

	if (!closed)
		return;
	client_drain(closed);
	rpc_client_close(&closed->rpc);
	broker_close(&closed->out);
	loop_timer_free(&closed->timer);
	loop_free(&closed->loop);
	json_decref(closed->context);
	free(closed);
	*client = NULL;
}

bool client_was_refused(const struct client *client)
{
	return client->is_refused;
}

bool client_may_recover(enum err err)
{
	return err_retry(err) != RETRY_NEVER;
}

void client_pause(struct client *client, int *ms)
{
	static const bool never;

	*ms = *ms ? *ms * 3 / 2 : PAUSE_FIRST_MS;
	if (*ms > PAUSE_MAX_MS)
		*ms = PAUSE_MAX_MS;
	client_run_until(client, &never, *ms);
}

/* ---- calling ---- */

struct waiter {
	struct client *client;
	const char *topic, *method;
	bool is_answered;
	enum err err;
	json_t *result;
	struct why why;
};

const char *client_program(const char *topic)
{
	static const char *const topics[] = { "central", "minidns", "ownership", "ports",
	                                      "routes" };

	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (!strcmp(topic, topics[i]))
			return topic;
	return strncmp(topic, "pool_manager.", 13) ? NULL : "poolmgr";
}

/* No worker has answered: adds what to check. */
static void client_note_silence(const struct client *client, const char *topic,
                                const struct rpc_answer *answer, struct why *why)
{
	static const char late[] = " in time";
	const char *program = client_program(topic), *more = strstr(why->text, late);

	if (answer->err == ERR_UNREACHABLE && !program)
		fail(why, answer->err, "%s: use central, minidns, ownership, ports, "
		     "routes or pool_manager.POOL",
		     answer->why.text);
	else if (answer->err == ERR_UNREACHABLE)
		fail(why, answer->err, "%s: check that zonefleet-%s is running with the "
		     "broker, virtual host and broker.exchange of the client. Check also "
		     "that your account may send to the topic",
		     answer->why.text, program);
	else if (answer->err == ERR_TIMEOUT && program)
		fail(why, answer->err, "%s did not answer within %d s%s: check that "
		     "zonefleet-%s is running, and that its database answers", topic,
		     client->timeout_ms / 1000, more ? more + strlen(late) : "", program);
}

static void client_note_failure(const struct client *client, const char *topic,
                                const char *method, const struct rpc_answer *answer,
                                struct why *why)
{
	*why = answer->why;
	if (!*answer->class)
		client_note_silence(client, topic, answer, why);
	if (client->explain)
		client->explain(client->explain_self, method, why);
}

static void client_on_answer(void *self, const struct rpc_answer *answer)
{
	struct waiter *waiter = self;

	waiter->is_answered = true;
	waiter->err = answer->err;
	if (answer->err)
		client_note_failure(waiter->client, waiter->topic, waiter->method, answer,
		                    &waiter->why);
	else
		waiter->result = json_incref((json_t *)answer->result);
	loop_stop(waiter->client->loop);
}

/* Drops the open calls of SELF: the broker refuses them. */
static enum err client_give_up(struct client *client, void *self, struct why *why)
{
	rpc_cancel(client->rpc, self);
	*why = client->refusal;
	return ERR_UNREACHABLE;
}

enum err client_call(struct client *client, const char *topic, const char *method,
                     json_t *args, json_t **result, struct why *why)
{
	const struct rpc_target target = { .topic = topic };
	struct waiter waiter = { .client = client, .topic = topic, .method = method };
	enum err err;

	client->is_refused = false;	/* the account may have its rights now */
	err = rpc_call(client->rpc, &target, method, args, client->context,
	               client->timeout_ms, client_on_answer, &waiter, why);
	json_decref(args);
	if (err)
		return err;
	while (!waiter.is_answered && !client->is_refused)
		loop_run(client->loop);
	if (!waiter.is_answered)
		return client_give_up(client, &waiter, why);
	if (waiter.err)
		*why = waiter.why;
	else
		*result = waiter.result;
	return waiter.err;
}

/* ---- ping ---- */

struct pings {
	struct client *client;
	client_pong_fn *answered;
	void *self;
	size_t open;
};

struct ping {
	struct pings *pings;
	const char *topic;
	bool is_answered;
};

static void ping_end(struct ping *ping, enum err err, const struct why *why)
{
	ping->is_answered = true;
	ping->pings->open--;
	ping->pings->answered(ping->pings->self, ping->topic, err, why);
}

static void ping_on_answer(void *self, const struct rpc_answer *answer)
{
	struct ping *ping = self;
	struct client *client = ping->pings->client;
	struct why why = { "" };

	if (answer->err)
		client_note_failure(client, ping->topic, PING, answer, &why);
	ping_end(ping, answer->err, &why);
	loop_stop(client->loop);
}

static void ping_send(struct ping *ping)
{
	struct client *client = ping->pings->client;
	const struct rpc_target target = { .topic = ping->topic };
	json_t *args = json_object();
	struct why why;
	enum err err = rpc_call(client->rpc, &target, PING, args, client->context,
	                        client->timeout_ms, ping_on_answer, ping, &why);

	json_decref(args);
	if (err)
		ping_end(ping, err, &why);
}

void client_ping(struct client *client, char *const *topics, size_t count,
                 client_pong_fn *answered, void *self)
{
	struct pings pings = { client, answered, self, count };
	struct ping *ping = xcalloc(count, sizeof(*ping));
	struct why why;

	client->is_refused = false;
	for (size_t i = 0; i < count; i++) {
		ping[i] = (struct ping){ .pings = &pings, .topic = topics[i] };
		ping_send(&ping[i]);
	}
	while (pings.open && !client->is_refused)
		loop_run(client->loop);
	for (size_t i = 0; i < count; i++)
		if (!ping[i].is_answered)
			ping_end(&ping[i], client_give_up(client, &ping[i], &why), &why);
	free(ping);
}

/* ---- the window ---- */

static void window_on_answer(void *self, const struct rpc_answer *answer)
{
	struct client *client = self;

	client->out_now--;
	if (answer->err && !client->window_err) {
		client->window_err = answer->err;
		client_note_failure(client, client->window_topic, client->window_method,
		                    answer, &client->window_why);
	}
	loop_stop(client->loop);
}

static enum err window_run(struct client *client, int max, struct why *why)
{
	while (client->out_now > max && !client->is_refused)
		loop_run(client->loop);
	if (client->out_now > max && !client->window_err) {
		client->window_err = client_give_up(client, client, &client->window_why);
		client->out_now = 0;
	}
	if (client->window_err)
		*why = client->window_why;
	return client->window_err;
}

enum err client_window_call(struct client *client, const char *topic, const char *method,
                            json_t *args, struct why *why)
{
	const struct rpc_target target = { .topic = topic };
	enum err err = window_run(client, CLIENT_WINDOW - 1, why);

	client->window_topic = topic;
	client->window_method = method;
	if (!err)
		err = rpc_call(client->rpc, &target, method, args, client->context,
		               client->timeout_ms, window_on_answer, client, why);
	json_decref(args);
	if (!err)
		client->out_now++;
	return err;
}

enum err client_window_close(struct client *client, struct why *why)
{
	enum err err = window_run(client, 0, why);

	client->window_err = OK;
	client->is_refused = false;
	return err;
}

/* ---- answers ---- */

const char *answer_text(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

int64_t answer_number(const json_t *json, const char *key)
{
	return json_integer_value(json_object_get(json, key));
}
