/*
 * broker_driver -- the broker module at the end of a pipe: reads commands, a
 * line each, does what they say and prints its counters as one line of JSON.
 *
 *   open-out                             connect the publisher
 *   open-in KIND NAME PREFETCH [SOURCE]  connect a consumer (work fanout reply notify)
 *   publish EXCHANGE KEY COUNT BYTES FLAGS DEADLINE_MS   "-" is the default exchange
 *   do ack|hold|reject|retry|bury        with each delivery from now on
 *   pause | close-in | stats | quit
 *
 * FLAGS: m mandatory, p persistent, f fanout, w waits for a queue, - none. A body begins
 * with the message's number, so that what was lost or came twice can be counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker.h"
#include "runtime/loop.h"

enum { NUMBERS = 1 << 20, BEAT_MS = 10, LINE_SIZE = 1024 };

enum action { DO_ACK, DO_HOLD, DO_REJECT, DO_RETRY, DO_BURY, ACTIONS };
static const char *const action_names[ACTIONS] = {
	"ack", "hold", "reject", "retry", "bury",
};
static const char *const kind_names[] = { "work", "fanout", "reply", "notify" };

struct driver {
	struct loop *loop;
	struct loop_io *input;
	struct loop_timer *beat;
	struct broker_config config;
	struct broker *in, *out;
	char name[256], source[256];	/* of the queue consumed */
	enum action action;
	char line[LINE_SIZE];
	size_t line_len;
	/* what is being published */
	char exchange[256], key[256];
	struct broker_message message;
	char *body;
	int to_publish;
	/* what came of it */
	int published, confirmed[ERR_COUNT];
	int ups, downs, delivered, redelivered, not_json, drained, distinct, attempts,
	    users_seen, largest;
	uint8_t seen[NUMBERS];
	int64_t beat_due_ms, started_ms, last_confirm_ms;
	int late_ms;
};

static void on_up(void *self)
{
	((struct driver *)self)->ups++;
}

static void on_down(void *self)
{
	((struct driver *)self)->downs++;
}

static void on_drained(void *self)
{
	((struct driver *)self)->drained++;
}

static void count_number(struct driver *driver, const struct broker_delivery *delivery)
{
	char digits[16] = { 0 };
	unsigned long number;

	memcpy(digits, delivery->body, delivery->len < 15 ? delivery->len : 15);
	number = strtoul(digits, NULL, 10);
	if (number < NUMBERS && !driver->seen[number]) {
		driver->seen[number] = 1;
		driver->distinct++;
	}
}

static void settle(struct driver *driver, const struct broker_delivery *delivery)
{
	switch (driver->action) {
	case DO_ACK:
		broker_ack(driver->in, delivery);
		return;
	case DO_REJECT:
		broker_reject(driver->in, delivery);
		return;
	case DO_RETRY:
		broker_retry(driver->in, driver->out, delivery, 500, "told to");
		return;
	case DO_BURY:
		broker_dead_letter(driver->in, driver->out, delivery, "told to");
		return;
	default:
		return;
	}
}

static const char *setting(const char *name, const char *fallback)
{
	const char *value = getenv(name);

	return value ? value : fallback;
}

static void on_delivery(void *self, const struct broker_delivery *delivery)
{
	struct driver *driver = self;

	driver->delivered++;
	driver->redelivered += delivery->redelivered;
	driver->not_json += !delivery->is_json;
	driver->attempts = delivery->attempts;
	driver->users_seen +=
	    strcmp(delivery->user, setting("BROKER_WANT_USER", "")) == 0;
	if ((int)delivery->len > driver->largest)
		driver->largest = (int)delivery->len;
	if (delivery->len)
		count_number(driver, delivery);
	settle(driver, delivery);
}

/* ---- publishing ---- */

static void publish_more(struct driver *driver);

static void on_confirm(void *self, enum err err)
{
	struct driver *driver = self;

	driver->confirmed[err]++;
	driver->last_confirm_ms = clock_ms();
	publish_more(driver);
}

static void publish_more(struct driver *driver)
{
	struct why why;

	while (driver->to_publish > 0) {
		int len = snprintf(driver->body, 16, "%-15d", driver->published);

		driver->body[len] = ' ';
		if (broker_publish(driver->out, &driver->message, on_confirm, driver,
				   &why))
			return;
		driver->published++;
		driver->to_publish--;
	}
}

static void publish(struct driver *driver, const char *line)
{
	char flags[8];
	int bytes;

	if (sscanf(line, "%255s %255s %d %d %7s %d", driver->exchange, driver->key,
		   &driver->to_publish, &bytes, flags,
		   &driver->message.deadline_ms) != 6 ||
	    bytes < 16)
		fatal("publish: %s", line);
	free(driver->body);
	driver->body = xmalloc((size_t)bytes);
	memset(driver->body, ' ', (size_t)bytes);
	driver->message.exchange = strcmp(driver->exchange, "-") ? driver->exchange : "";
	driver->message.key = driver->key;
	driver->message.body = driver->body;
	driver->message.len = (size_t)bytes;
	driver->message.mandatory = strchr(flags, 'm');
	driver->message.persistent = strchr(flags, 'p');
	driver->message.fanout = strchr(flags, 'f');
	driver->message.patient = strchr(flags, 'w');
	driver->started_ms = clock_ms();
	publish_more(driver);
}

/* ---- the other commands ---- */

static void open_out(struct driver *driver, const char *line)
{
	static const struct broker_hooks hooks;

	(void)line;
	driver->out = broker_open(driver->loop, &driver->config, "out", NULL, &hooks);
}

static void open_in(struct driver *driver, const char *line)
{
	const struct broker_hooks hooks = {
		.up = on_up, .down = on_down, .delivery = on_delivery,
		.drained = on_drained, .self = driver,
	};
	struct broker_queue queues[2] = {
		{ .name = driver->name, .key = "notifications.info" },
	};
	char kind[16];

	if (sscanf(line, "%15s %255s %d %255s", kind, driver->name, &queues[0].prefetch,
		   driver->source) < 3)
		fatal("open-in: %s", line);
	for (size_t i = 0; i < sizeof kind_names / sizeof kind_names[0]; i++)
		if (strcmp(kind, kind_names[i]) == 0)
			queues[0].kind = i;
	if (queues[0].kind == BROKER_REPLY)
		queues[0].name = NULL;
	queues[0].source = driver->source;
	driver->in = broker_open(driver->loop, &driver->config, "in", queues, &hooks);
}

static void set_action(struct driver *driver, const char *line)
{
	for (int i = 0; i < ACTIONS; i++)
		if (strcmp(line, action_names[i]) == 0) {
			driver->action = i;
			return;
		}
	fatal("no such action: %s", line);
}

static void pause_in(struct driver *driver, const char *line)
{
	(void)line;
	broker_pause(driver->in);
}

static void close_in(struct driver *driver, const char *line)
{
	(void)line;
	broker_close(&driver->in);
}

#define AT(member) offsetof(struct driver, member)

static const struct {
	const char *name;
	size_t offset;
} counters[] = {
	{ "published", AT(published) },     { "ups", AT(ups) },
	{ "downs", AT(downs) },             { "delivered", AT(delivered) },
	{ "redelivered", AT(redelivered) }, { "distinct", AT(distinct) },
	{ "not_json", AT(not_json) },       { "drained", AT(drained) },
	{ "attempts", AT(attempts) },       { "largest", AT(largest) },
	{ "users_seen", AT(users_seen) },
	{ "late_ms", AT(late_ms) },
};

static void print_counters(const struct driver *driver)
{
	for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
		printf("\"%s\": %d, ", counters[i].name,
		       *(const int *)((const char *)driver + counters[i].offset));
	for (int err = 0; err < ERR_COUNT; err++)
		if (driver->confirmed[err])
			printf("\"%s\": %d, ", err_name(err), driver->confirmed[err]);
}

static void stats(struct driver *driver, const char *line)
{
	(void)line;
	printf("{");
	print_counters(driver);
	printf("\"unconfirmed\": %zu, ",
	       driver->out ? broker_unconfirmed(driver->out) : 0);
	printf("\"publish_ms\": %lld, ",
	       (long long)(driver->last_confirm_ms - driver->started_ms));
	printf("\"in_up\": %d, \"out_up\": %d, ", driver->in && broker_is_up(driver->in),
	       driver->out && broker_is_up(driver->out));
	printf("\"reply_queue\": \"%s\"}\n",
	       driver->in ? broker_reply_queue(driver->in) : "");
	fflush(stdout);
}

static void quit(struct driver *driver, const char *line)
{
	(void)line;
	loop_stop(driver->loop);
}

static const struct {
	const char *name;
	void (*fn)(struct driver *driver, const char *line);
} commands[] = {
	{ "open-out", open_out   }, { "open-in", open_in  }, { "publish",  publish  },
	{ "do",       set_action }, { "pause",   pause_in }, { "close-in", close_in },
	{ "stats",    stats      }, { "quit",    quit     },
};

static void obey(struct driver *driver, char *line)
{
	char *rest = line;
	const char *word = strsep(&rest, " ");

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(word, commands[i].name) == 0) {
			commands[i].fn(driver, rest ? rest : "");
			return;
		}
	fatal("no such command: %s", word);
}

static void on_byte(struct driver *driver, char byte)
{
	if (byte != '\n') {
		if (driver->line_len < LINE_SIZE - 1)
			driver->line[driver->line_len++] = byte;
		return;
	}
	driver->line[driver->line_len] = '\0';
	driver->line_len = 0;
	obey(driver, driver->line);
}

static void on_input(void *self, int events)
{
	struct driver *driver = self;
	char bytes[4096];
	ssize_t len = read(STDIN_FILENO, bytes, sizeof bytes);

	(void)events;
	if (len <= 0)
		loop_stop(driver->loop);
	for (ssize_t i = 0; i < len; i++)
		on_byte(driver, bytes[i]);
}

/* A timer that should fire every 10 ms tells how long the loop was held up. */
static void on_beat(void *self)
{
	struct driver *driver = self;
	int64_t late_ms = clock_ms() - driver->beat_due_ms;

	if (late_ms > driver->late_ms)
		driver->late_ms = (int)late_ms;
	driver->beat_due_ms = clock_ms() + BEAT_MS;
	loop_timer_set(driver->beat, BEAT_MS);
}

static void driver_init(struct driver *driver)
{
	const char *ca = getenv("BROKER_TLS_CA");

	driver->config = (struct broker_config){
		.url = xstrdup(setting("BROKER_URL", "")),
		.exchange = xstrdup("zonefleet"),
		.quorum = atoi(setting("BROKER_QUORUM", "0")),
		.tls_ca = ca ? xstrdup(ca) : NULL,
		.heartbeat_s = atoi(setting("BROKER_HEARTBEAT", "2")),
		.max_message_bytes = atoi(setting("BROKER_MAX_BYTES", "1048576")),
		.queue_limit = 10000,
		.check_period_s = atoi(setting("BROKER_CHECK_PERIOD", "5")),
		.send_user_id = true,
	};
	driver->loop = loop_new();
	driver->input =
	    loop_io_new(driver->loop, STDIN_FILENO, LOOP_READ, on_input, driver);
	driver->beat = loop_timer_new(driver->loop, on_beat, driver);
	driver->beat_due_ms = clock_ms() + BEAT_MS;
	loop_timer_set(driver->beat, BEAT_MS);
}

static void driver_clear(struct driver *driver)
{
	broker_close(&driver->in);
	broker_close(&driver->out);
	loop_timer_free(&driver->beat);
	loop_io_free(&driver->input);
	loop_free(&driver->loop);
	free(driver->config.url);
	free(driver->config.exchange);
	free(driver->config.tls_ca);
	free(driver->body);
}

int main(void)
{
	struct driver *driver = xcalloc(1, sizeof *driver);

	log_open("broker_driver", false);
	driver_init(driver);
	loop_run(driver->loop);
	driver_clear(driver);
	free(driver);
	return 0;
}
