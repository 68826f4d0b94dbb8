/*
 * fleet_driver -- a worker of a fleet, with its locks, at the end of a pipe: reads
 * commands, a line of JSON each, and answers each with a line of JSON.
 *
 *   {"do": "join", "service": S, "period": ms, "timeout": ms, "ttl": ms}
 *   {"do": "run"}                       from now on it beats by itself
 *   {"do": "beat"} {"do": "share"}
 *   {"do": "take", "objects": [S...], "ms": N}      held until {"do": "drop"}
 *   {"do": "sure"}
 *   {"do": "write", "object": S, "value": N}        into counters, guarded by a lock
 *   {"do": "count", "objects": N, "times": N, "lock": B}
 *
 * count: as many times it takes an object o0, o1, ...; reads its counter in one statement
 * and writes it, one higher, in a later one, as who works on a name server would; the
 * table `held` notes who did. Without "lock" it takes and guards nothing. An answer has
 * err and why besides. The settings of the database are DB_* variables.
 */
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "consistency/membership.h"
#include "runtime/db.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"

struct driver {
	struct db *db;
	struct membership_config config;
	struct membership *fleet;
	struct held_set held;
	struct why why;
	bool running;
	int64_t beat_ms;		/* when it is due */
};

static const char *text_of(const json_t *command, const char *key)
{
	const char *text = json_string_value(json_object_get(command, key));

	return text ? text : "";
}

static int int_of(const json_t *command, const char *key)
{
	return (int)json_integer_value(json_object_get(command, key));
}

/* ---- its place ---- */

static enum err do_join(struct driver *d, const json_t *command, json_t *answer)
{
	d->config = (struct membership_config){ int_of(command, "period"),
	                                        int_of(command, "timeout"),
	                                        int_of(command, "ttl") };
	d->fleet = membership_new(&d->config, text_of(command, "service"), d->db);
	json_object_set_new(answer, "name", json_string(membership_name(d->fleet)));
	return OK;
}

static enum err do_run(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	d->running = true;
	return OK;
}

static enum err do_beat(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command;
	membership_beat(d->fleet);
	json_object_set_new(answer, "master",
	                    json_boolean(membership_is_master(d->fleet)));
	return OK;
}

static enum err do_share(struct driver *d, const json_t *command, json_t *answer)
{
	struct share share = membership_share(d->fleet, d->db);

	(void)command;
	json_object_set_new(answer, "factor", json_integer(share.factor));
	json_object_set_new(answer, "total", json_integer(share.total));
	json_object_set_new(answer, "generation",
	                    json_integer((json_int_t)share.generation));
	return OK;
}

/* ---- its locks ---- */

static enum err do_take(struct driver *d, const json_t *command, json_t *answer)
{
	const json_t *list = json_object_get(command, "objects");
	const char *objects[HELD_MAX];
	json_t *fences = json_array();
	size_t count = json_array_size(list);

	for (size_t i = 0; i < count; i++)
		objects[i] = json_string_value(json_array_get(list, i));
	enum err err = holder_take_all(membership_holder(d->fleet), d->db, objects, count,
	                               clock_ms() + int_of(command, "ms"), &d->held,
	                               &d->why);
	for (size_t i = 0; i < d->held.count; i++)
		json_array_append_new(fences, json_integer(
		    (json_int_t)held_fence(d->held.item[i])));
	json_object_set_new(answer, "fences", fences);
	return err;
}

static enum err do_drop(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	holder_drop_all(membership_holder(d->fleet), d->db, &d->held);
	return OK;
}

static enum err do_sure(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command;
	json_object_set_new(answer, "sure", json_boolean(
	    holder_is_sure(membership_holder(d->fleet), d->held.item[0])));
	return OK;
}

/* ---- counters ---- */

struct step {
	struct driver *d;
	const char *object;
	const struct held *held;	/* NULL: unguarded */
	int64_t value;
};

static enum err read_counter(void *self, struct why *why)
{
	struct step *step = self;
	struct tx tx = tx_autocommit(step->d->db, why);
	struct tx_rows rows;

	if (tx_select_row(&tx, NULL, &rows, "SELECT n FROM counters WHERE object = ?",
	                  TX_BIND(tx_text(step->object)))) {
		step->value = row_int(&rows);
		tx_select_end(&rows);
	}
	return tx_commit(&tx);
}

static enum err write_counter(void *self, struct why *why)
{
	struct step *step = self;
	struct tx tx = tx_begin(step->d->db, why);

	if (step->held)
		holder_guard(membership_holder(step->d->fleet), &tx, step->held);
	tx_exec(&tx, "UPDATE counters SET n = ? WHERE object = ?",
	        TX_BIND(tx_int(step->value), tx_text(step->object)));
	tx_exec(&tx, "INSERT INTO held (object, worker, fence, n) VALUES (?, ?, ?, ?)",
	        TX_BIND(tx_text(step->object), tx_text(membership_name(step->d->fleet)),
	                tx_int(step->held ? (int64_t)held_fence(step->held) : 0),
	                tx_int(step->value)));
	return tx_commit(&tx);
}

static enum err do_write(struct driver *d, const json_t *command, json_t *answer)
{
	struct step step = { d, text_of(command, "object"), d->held.item[0],
	                     int_of(command, "value") };

	(void)answer;
	return tx_retry(write_counter, &step, &d->why);
}

static enum err increment(struct driver *d, const char *object, bool lock)
{
	struct step step = { .d = d, .object = object };
	struct held *held = NULL;
	enum err err = OK;

	if (lock)
		err = holder_take(membership_holder(d->fleet), d->db, object,
		                  clock_ms() + 60 * 1000, &held, &d->why);
	step.held = held;
	if (!err)
		err = tx_retry(read_counter, &step, &d->why);
	step.value++;
	if (!err)
		err = tx_retry(write_counter, &step, &d->why);
	if (lock)
		holder_drop(membership_holder(d->fleet), d->db, &held);
	return err;
}

static enum err do_count(struct driver *d, const json_t *command, json_t *answer)
{
	bool lock = json_is_true(json_object_get(command, "lock"));
	unsigned objects = (unsigned)int_of(command, "objects");
	int times = int_of(command, "times"), done = 0;
	enum err err = OK;

	while (!err && done < times) {
		char object[16];

		snprintf(object, sizeof(object), "o%u", random_u32() % objects);
		err = increment(d, object, lock);
		done += !err;
	}
	json_object_set_new(answer, "done", json_integer(done));
	return err;
}

/* ---- the pipe ---- */

static const struct {
	const char *name;
	enum err (*run)(struct driver *d, const json_t *command, json_t *answer);
} commands[] = {
	{ "join",  do_join  },
	{ "run",   do_run   },
	{ "beat",  do_beat  },
	{ "share", do_share },
	{ "take",  do_take  },
	{ "drop",  do_drop  },
	{ "sure",  do_sure  },
	{ "write", do_write },
	{ "count", do_count },
};

static enum err run(struct driver *d, const json_t *command, json_t *answer)
{
	const char *name = text_of(command, "do");

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].run(d, command, answer);
	fatal("no such command: %s", name);
}

static void answer_line(struct driver *d, const char *line)
{
	json_t *command = json_loads(line, 0, NULL), *answer = json_object();

	if (!command)
		fatal("not a command: %s", line);
	enum err err = run(d, command, answer);
	json_object_set_new(answer, "err", json_string(err_name(err)));
	json_object_set_new(answer, "why", json_string(err ? d->why.text : ""));
	json_dumpf(answer, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(answer);
	json_decref(command);
}

static void live(struct driver *d)
{
	if (clock_ms() < d->beat_ms)
		return;
	d->beat_ms = clock_ms() + d->config.period_ms;
	membership_beat(d->fleet);
}

static int until_next(const struct driver *d)
{
	int64_t left_ms = d->beat_ms - clock_ms();

	return d->running ? (int)(left_ms > 0 ? left_ms : 0) : -1;
}

static char *setting(const char *name, const char *fallback)
{
	char *value = getenv(name);

	return value ? value : (char *)fallback;
}

int main(void)
{
	const struct db_config config = {
		.host = setting("DB_HOST", "127.0.0.1"),
		.user = setting("DB_USER", "zonefleet"),
		.password = setting("DB_PASSWORD", NULL),
		.name = setting("DB_NAME", "zonefleet"),
		.timeout_s = atoi(setting("DB_TIMEOUT", "10")),
	};
	struct driver d = { .running = false };
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char *line = NULL;
	size_t size = 0;

	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdin, NULL, _IONBF, 0);	/* so that poll() tells what is left */
	log_open("fleet_driver", false);
	metrics_init(1);
	membership_metrics();
	d.db = db_new(&config);
	for (;;) {
		if (poll(&in, 1, until_next(&d)) > 0) {
			if (getline(&line, &size, stdin) <= 0)
				break;
			answer_line(&d, line);
		}
		if (d.running)
			live(&d);
	}
	free(line);
	if (d.fleet)
		holder_drop_all(membership_holder(d.fleet), d.db, &d.held);
	membership_free(&d.fleet);
	db_free(&d.db);
	return 0;
}
