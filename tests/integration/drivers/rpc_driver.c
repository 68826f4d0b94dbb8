/*
 * rpc_driver -- our side of a conversation with a Python peer, for test_oslo.py.
 *
 *	rpc_driver server URL TOPIC                           answers until SIGTERM
 *	rpc_driver call   URL TOPIC METHOD ARGS TIMEOUT_MS    prints what came as JSON
 *	rpc_driver cast   URL TOPIC METHOD ARGS               prints how the hand-off went
 *	rpc_driver fanout URL TOPIC METHOD ARGS
 *	rpc_driver notify URL EVENT PAYLOAD
 *	rpc_driver listen URL EXCHANGE COUNT                  prints COUNT notifications
 *	rpc_driver bench  URL TOPIC OUTSTANDING SECONDS       calls of echo a second
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker.h"
#include "runtime/envelope.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"

enum { PREFETCH = 100, POLL_MS = 20, WAIT_MS = 20 * 1000 };

struct driver {
	struct loop *loop;
	struct broker_config config;
	struct broker *out;
	struct rpc_server *server;
	struct rpc_client *client;
	struct loop_timer *timer;
	int64_t counted;
	char last_id[ID_LEN + 1];	/* of the request that is tried again, */
	int runs;			/* and how often it was */
	char **args;
	bool is_held;			/* the row that `touch` wants, */
	json_t *touched;		/* and what was written to it, in its order */
	int touches;			/* tries of it */
	int left;			/* notifications to wait for */
	int64_t answered, failed;	/* of the bench */
	int64_t until_ms;
	int outstanding;
	json_t *value;
};

/* ---- what the server answers ---- */

static enum err run_echo(void *self, struct request *req)
{
	(void)self;
	req->result = json_incref(json_object_get(req->args, "value"));
	return OK;
}

static enum err run_large(void *self, struct request *req)
{
	size_t bytes = json_integer_value(json_object_get(req->args, "bytes"));
	char *text = xmalloc(bytes);

	(void)self;
	memset(text, 'x', bytes);
	req->result = json_stringn(text, bytes);
	free(text);
	return OK;
}

static enum err run_count(void *self, struct request *req)
{
	struct driver *driver = self;

	(void)req;
	driver->counted++;
	return OK;
}

static enum err run_counted(void *self, struct request *req)
{
	struct driver *driver = self;

	req->result = json_integer(driver->counted);
	return OK;
}

static void take_time(const struct request *req)
{
	long ms = json_integer_value(json_object_get(req->args, "ms"));

	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static enum err run_slow(void *self, struct request *req)
{
	(void)self;
	take_time(req);
	return OK;
}

/* fail_not_found and so on, a method an error. */
static enum err run_fail(void *self, struct request *req)
{
	const char *text = json_string_value(json_object_get(req->args, "text"));

	(void)self;
	for (enum err err = OK + 1; err < ERR_COUNT; err++)
		if (strcmp(err_name(err), req->method + strlen("fail_")) == 0)
			return fail(&req->why, err, "no: %s", text);
	return OK;
}

static int count_runs(struct driver *driver, const struct request *req)
{
	if (strcmp(driver->last_id, req->unique_id) != 0)
		driver->runs = 0;
	snprintf(driver->last_id, sizeof driver->last_id, "%s", req->unique_id);
	return ++driver->runs;
}

/* Fails its first TIMES runs; leaves marks that the next run must not see. */
static enum err fail_first(struct driver *driver, struct request *req, enum err err)
{
	int runs = count_runs(driver, req);

	bug_if(req->result || req->why.text[0]);
	req->result = json_integer(runs);
	if (runs <= json_integer_value(json_object_get(req->args, "times")))
		return fail(&req->why, err, "run %d", runs);
	driver->counted++;
	return OK;
}

static enum err run_race(void *self, struct request *req)
{
	take_time(req);
	return fail_first(self, req, ERR_RACE);
}

static enum err run_busy(void *self, struct request *req)
{
	return fail_first(self, req, ERR_BUSY);
}

/* The row of key "row" may be held; those of other keys never are. */
static enum err run_hold(void *self, struct request *req)
{
	struct driver *driver = self;

	driver->is_held = json_is_true(json_object_get(req->args, "held"));
	return OK;
}

static enum err run_touch(void *self, struct request *req)
{
	struct driver *driver = self;
	const char *key = json_string_value(json_object_get(req->args, "key"));

	driver->touches++;
	if (driver->is_held && key && strcmp(key, "row") == 0)
		return fail(&req->why, ERR_LOCKED, "it is held");
	json_array_append(driver->touched, json_object_get(req->args, "value"));
	return OK;
}

/* What was written since it was last asked. */
static enum err run_touched(void *self, struct request *req)
{
	struct driver *driver = self;

	req->result = json_pack("{s:o, s:i}", "values", driver->touched, "tries",
	                        driver->touches);
	driver->touched = json_array();
	driver->touches = 0;
	return OK;
}

static enum err run_context(void *self, struct request *req)
{
	const struct context *context = &req->context;

	(void)self;
	req->result = json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}",
	                        "request_id", context->request_id,
	                        "tenant", context->tenant, "user", context->user,
	                        "is_admin", context->is_admin,
	                        "all_tenants", context->all_tenants,
	                        "unique_id", req->unique_id);
	return OK;
}

/* Each is told how many there were; odd keys are refused. */
static void run_batch(void *self, struct request *const *reqs, size_t count,
                      enum err *errs)
{
	(void)self;
	for (size_t i = 0; i < count; i++) {
		const json_t *key = json_object_get(reqs[i]->args, "key");

		reqs[i]->result = json_integer(count);
		errs[i] = OK;
		if (json_integer_value(key) % 2)
			errs[i] = fail(&reqs[i]->why, ERR_EXISTS, "odd");
	}
}

#define FAIL(name) { "fail_" name, run_fail, "text" }
static const struct rpc_method methods[] = {
	{ "echo",    run_echo,    "value" },
	{ "large",   run_large,   "bytes" },
	{ "count",   run_count,   "by?" },
	{ "counted", run_counted, "" },
	{ "slow",    run_slow,    "ms" },
	{ "race",    run_race,    "times ms?" },
	{ "busy",    run_busy,    "times" },
	{ "hold",    run_hold,    "held" },
	{ "touch",   run_touch,   "key value", .subject = "key" },
	{ "touched", run_touched, "" },
	{ "context", run_context, "" },
	{ "batch",   NULL,        "key", run_batch },
	FAIL("invalid"), FAIL("arguments"), FAIL("method"), FAIL("version"),
	FAIL("denied"), FAIL("not_found"), FAIL("exists"), FAIL("conflict"),
	FAIL("quota"), FAIL("too_large"), FAIL("race"), FAIL("busy"),
	FAIL("expired"), FAIL("timeout"), FAIL("unreachable"), FAIL("remote"),
	FAIL("internal"),
	{ 0 }
};

/* ---- the modes ---- */

static json_t *parse(const char *text)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);

	if (!json)
		fatal("not JSON: %s", text);
	return json;
}

/* Takes the object. */
static void print(json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

	printf("%s\n", text);
	fflush(stdout);
	free(text);
	json_decref(json);
}

static void say_ready(void *self)
{
	struct driver *driver = self;

	if (rpc_server_down_reason(driver->server) || !broker_is_up(driver->out)) {
		loop_timer_set(driver->timer, POLL_MS);
		return;
	}
	print(json_string("ready"));
}

static void stop(void *self)
{
	struct driver *driver = self;

	loop_stop(driver->loop);
}

static int serve(struct driver *driver)
{
	const struct rpc_server_config config = {
		.topic = driver->args[0], .methods = methods, .version = "1.2",
		.prefetch = PREFETCH, .fanout = true, .self = driver,
	};

	rpc_metrics_init(methods);
	driver->touched = json_array();
	driver->server = rpc_server_open(driver->loop, &driver->config, driver->out,
	                                 &config);
	driver->timer = loop_timer_new(driver->loop, say_ready, driver);
	loop_timer_set(driver->timer, 0);
	loop_run(driver->loop);
	rpc_server_close(&driver->server);
	json_decref(driver->touched);
	return 0;
}

static void on_answer(void *self, const struct rpc_answer *answer)
{
	struct driver *driver = self;
	json_t *result = json_incref((json_t *)answer->result);

	print(json_pack("{s:s, s:s, s:s, s:o}", "err", err_name(answer->err), "class",
	                answer->class, "why", answer->why.text,
	                "result", result ? result : json_null()));
	loop_stop(driver->loop);
}

static int call(struct driver *driver)
{
	const struct rpc_target target = { .topic = driver->args[0] };
	json_t *args = parse(driver->args[2]);
	json_t *context = context_encode("req-driver", true);
	struct why why;

	if (rpc_call(driver->client, &target, driver->args[1], args, context,
	             atoi(driver->args[3]), on_answer, driver, &why))
		fatal("cannot call: %s", why.text);
	json_decref(args);
	json_decref(context);
	loop_run(driver->loop);
	return 0;
}

static void on_confirm(void *self, enum err err)
{
	struct driver *driver = self;

	print(json_pack("{s:s}", "err", err_name(err)));
	loop_stop(driver->loop);
}

static int cast_to(struct driver *driver, bool fanout)
{
	const struct rpc_target target = { .topic = driver->args[0], .fanout = fanout };
	json_t *args = parse(driver->args[2]);
	struct why why;

	if (rpc_cast_confirmed(driver->client, &target, driver->args[1], args, NULL,
	                       on_confirm, driver, &why))
		fatal("cannot cast: %s", why.text);
	json_decref(args);
	loop_run(driver->loop);
	return 0;
}

static int cast(struct driver *driver)
{
	return cast_to(driver, false);
}

static int fanout(struct driver *driver)
{
	return cast_to(driver, true);
}

static void stop_when_confirmed(void *self)
{
	struct driver *driver = self;

	if (broker_unconfirmed(driver->out) == 0)
		loop_stop(driver->loop);
	else
		loop_timer_set(driver->timer, POLL_MS);
}

static int notify(struct driver *driver)
{
	json_t *payload = parse(driver->args[1]);
	struct why why;

	if (rpc_notify(driver->client, driver->args[0], payload, &why))
		fatal("cannot notify: %s", why.text);
	json_decref(payload);
	driver->timer = loop_timer_new(driver->loop, stop_when_confirmed, driver);
	loop_timer_set(driver->timer, POLL_MS);
	loop_run(driver->loop);
	return 0;
}

struct listener {
	struct driver *driver;
	struct broker *in;
};

static void on_listening(void *self)
{
	(void)self;
	print(json_string("ready"));
}

static void on_notification(void *self, const struct broker_delivery *delivery)
{
	struct listener *listener = self;
	struct envelope_notification note;
	struct why why;

	broker_ack(listener->in, delivery);
	if (envelope_notification_decode(delivery->body, delivery->len,
	                                 listener->driver->config.max_message_bytes,
	                                 &note, &why)) {
		print(json_pack("{s:s}", "why", why.text));
		return;
	}
	print(json_pack("{s:s, s:s?, s:s?, s:O}", "event_type", note.event_type,
	                "publisher_id", note.publisher_id, "priority", note.priority,
	                "payload", note.payload));
	envelope_notification_clear(&note);
	if (--listener->driver->left == 0)
		loop_stop(listener->driver->loop);
}

static int listen_to(struct driver *driver)
{
	const struct broker_queue queues[] = {
		{ .kind = BROKER_NOTIFY, .name = "rpc_driver", .source = driver->args[0],
		  .key = "notifications.info", .prefetch = PREFETCH }, { 0 }
	};
	struct listener listener = { driver };
	const struct broker_hooks hooks = {
		.up = on_listening, .delivery = on_notification, .self = &listener,
	};

	driver->left = atoi(driver->args[1]);
	listener.in = broker_open(driver->loop, &driver->config, "listener", queues,
	                          &hooks);
	loop_run(driver->loop);
	broker_close(&listener.in);
	return 0;
}

/* ---- the bench ---- */

static void bench_call(struct driver *driver);

static void on_bench_answer(void *self, const struct rpc_answer *answer)
{
	struct driver *driver = self;

	if (driver->until_ms)
		driver->answered++;
	driver->failed += answer->err != OK;
	driver->outstanding--;
	if (!driver->until_ms || clock_ms() < driver->until_ms)
		bench_call(driver);
	else if (driver->outstanding == 0)
		loop_stop(driver->loop);
}

static void bench_call(struct driver *driver)
{
	const struct rpc_target target = { .topic = driver->args[0] };
	struct why why;

	if (rpc_call(driver->client, &target, "echo", driver->value, NULL, WAIT_MS,
	             on_bench_answer, driver, &why))
		fatal("cannot call: %s", why.text);
	driver->outstanding++;
}

/* Connecting and warming up take the first half second, and do not count. */
static void bench_begin(void *self)
{
	struct driver *driver = self;

	driver->until_ms = clock_ms() + atoi(driver->args[2]) * 1000;
}

static int bench(struct driver *driver)
{
	enum { WARM_UP_MS = 500 };
	double seconds = atoi(driver->args[2]);

	driver->value = parse("{\"value\": \"0123456789abcdef\"}");
	driver->timer = loop_timer_new(driver->loop, bench_begin, driver);
	loop_timer_set(driver->timer, WARM_UP_MS);
	for (int i = 0; i < atoi(driver->args[1]); i++)
		bench_call(driver);
	loop_run(driver->loop);
	print(json_pack("{s:f, s:I}", "calls_per_second", driver->answered / seconds,
	                "failed", (json_int_t)driver->failed));
	json_decref(driver->value);
	return driver->failed > 0;
}

static const struct {
	const char *name;
	int (*fn)(struct driver *driver);
	int args;
} modes[] = {
	{ "server", serve,     1 },
	{ "call",   call,      4 },
	{ "cast",   cast,      3 },
	{ "fanout", fanout,    3 },
	{ "notify", notify,    2 },
	{ "listen", listen_to, 2 },
	{ "bench",  bench,     3 },
};

static int run_mode(int (*fn)(struct driver *driver), char *url, char **args)
{
	struct driver driver = {
		.args = args,
		.config = {
			.url = url, .exchange = (char *)"zonefleet", .heartbeat_s = 15,
			.max_message_bytes = 1024 * 1024, .queue_limit = 10000,
		},
	};
	int status;

	driver.loop = loop_new();
	loop_signal(driver.loop, SIGTERM, stop, &driver);
	driver.out = broker_open(driver.loop, &driver.config, "out", NULL,
	                         &(struct broker_hooks){ 0 });
	driver.client = rpc_client_open(driver.loop, &driver.config, driver.out);
	status = fn(&driver);
	rpc_client_close(&driver.client);
	broker_close(&driver.out);
	loop_timer_free(&driver.timer);
	loop_free(&driver.loop);
	return status;
}

int main(int argc, char **argv)
{
	log_open("rpc_driver", false);
	if (getenv("RPC_DRIVER_DEBUG"))
		log_level_set(LOG_LEVEL_DEBUG);
	for (size_t i = 0; argc > 2 && i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(modes[i].name, argv[1]) == 0 && argc == 3 + modes[i].args)
			return run_mode(modes[i].fn, argv[2], argv + 3);
	fatal("usage: see the top of rpc_driver.c");
}
