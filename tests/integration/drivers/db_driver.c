/*
 * db_driver -- db, tx and migrate at the end of a pipe: reads commands, a line of JSON
 * each, and answers each with a line of JSON.
 *
 *   {"do": "begin" | "snapshot" | "once" | "commit" | "rollback" | "ping"}
 *   {"do": "exec", "sql": S, "bind": [VALUE...]}          matched
 *   {"do": "blind", "sql": S, "bind": [VALUE...], "wait": "short" | "none"}
 *                                                         as exec, behind TX_BLIND,
 *                                                         TX_BLIND_SHORT_LIMIT or
 *                                                         TX_BLIND_NO_LOCK_WAIT
 *   {"do": "rows", "head": S, "tuple": S, "tail": S, "columns": N, "bind": [VALUE...]}
 *   {"do": "select", "sql": S, "bind": [...], "read": "tiub", "limit": N, "arena": B}
 *   {"do": "row", ...}                                    as select, its first row alone
 *   {"do": "stream", "sql": S, "read": "tiub"}            counts what it reads
 *   {"do": "fail", "why": S}                              a failure of the caller's own
 *   {"do": "redo", "sql": S}                            tx_retry() around that statement
 *   {"do": "again", "sql": S}                       tx_retry_on_loop(), as on a loop
 *   {"do": "script", "sql": S} {"do": "migrate"} {"do": "version"}
 *
 * VALUE: a text, an integer, null, {"hex": S}, {"zeroes": N}. The letters of "read", a
 * column each: t text, i integer, u 32 bit, b bytes in hex, ? is it NULL (stays). An
 * answer has err, why, up and ms besides. The settings come from DB_* variables.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pause.h"
#include "runtime/db.h"
#include "runtime/migrate.h"
#include "runtime/tx.h"

struct driver {
	struct db *db;
	struct arena *arena;	/* of one command */
	struct tx tx;
	struct why why;
	int tries;
	const char *redo_sql;
};

static const char *text_of(const json_t *command, const char *key)
{
	const char *text = json_string_value(json_object_get(command, key));

	return text ? text : "";
}

/* ---- values ---- */

static struct tx_value hex_value(struct driver *d, const char *hex)
{
	size_t len = strlen(hex) / 2;
	uint8_t *bytes = arena_alloc(d->arena, len);
	unsigned byte;

	for (size_t i = 0; i < len && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		bytes[i] = byte;
	return tx_bytes(bytes, len);
}

static struct tx_value value_of(struct driver *d, const json_t *value)
{
	if (json_is_string(value))
		return tx_text(json_string_value(value));
	if (json_is_integer(value))
		return tx_int(json_integer_value(value));
	if (json_object_get(value, "hex"))
		return hex_value(d, text_of(value, "hex"));
	if (json_object_get(value, "zeroes")) {
		size_t len = json_integer_value(json_object_get(value, "zeroes"));

		return tx_bytes(arena_alloc(d->arena, len), len);
	}
	return tx_null();
}

static struct tx_value *bind_of(struct driver *d, const json_t *command)
{
	const json_t *list = json_object_get(command, "bind");
	struct tx_value *values =
		arena_alloc(d->arena, (json_array_size(list) + 1) * sizeof *values);
	size_t i;
	json_t *value;

	json_array_foreach((json_t *)list, i, value)
		values[i] = value_of(d, value);
	values[i].type = TX_END;
	return values;
}

static json_t *hex_of(const uint8_t *bytes, size_t len)
{
	struct buf hex = { 0 };
	json_t *text;

	for (size_t i = 0; i < len; i++)
		buf_printf(&hex, "%02x", bytes[i]);
	text = json_string(buf_string(&hex));
	buf_clear(&hex);
	return text;
}

static json_t *column_of(struct tx_rows *rows, char kind)
{
	const uint8_t *bytes;
	const char *text;
	size_t len;

	switch (kind) {
	case 'i':
		return json_integer(row_int(rows));
	case 'u':
		return json_integer(row_u32(rows));
	case 't':
		text = row_text(rows);
		return text ? json_string(text) : json_null();
	case 'b':
		bytes = row_bytes(rows, &len);
		return bytes ? hex_of(bytes, len) : json_null();
	default:
		return json_boolean(row_is_null(rows));
	}
}

/* ---- commands ---- */

static void do_begin(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	d->tx = tx_begin(d->db, &d->why);
}

static void do_snapshot(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	d->tx = tx_begin_snapshot(d->db, &d->why);
}

static void do_once(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	d->tx = tx_autocommit(d->db, &d->why);
}

static void do_commit(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	tx_commit(&d->tx);
}

static void do_rollback(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	tx_rollback(&d->tx);
}

/* As a function would that is given a transaction by value. */
static void do_copy(struct driver *d, const json_t *command, json_t *answer)
{
	struct tx copy = d->tx;

	(void)answer;
	tx_exec(&copy, text_of(command, "sql"), TX_NONE);
}

static void do_ping(struct driver *d, const json_t *command, json_t *answer)
{
	(void)command, (void)answer;
	d->tx = (struct tx){ .err = db_ping(d->db, &d->why) };
}

static void do_exec(struct driver *d, const json_t *command, json_t *answer)
{
	int64_t matched = tx_exec(&d->tx, text_of(command, "sql"), bind_of(d, command));

	json_object_set_new(answer, "matched", json_integer(matched));
}

static void do_blind(struct driver *d, const json_t *command, json_t *answer)
{
	const char *wait = json_string_value(json_object_get(command, "wait"));
	const char *prefix = !wait ? TX_BLIND : !strcmp(wait, "short")
	                     ? TX_BLIND_SHORT_LIMIT : TX_BLIND_NO_LOCK_WAIT;
	const char *sql = arena_printf(d->arena, "%s%s", prefix, text_of(command, "sql"));
	int64_t matched = tx_exec(&d->tx, sql, bind_of(d, command));

	json_object_set_new(answer, "matched", json_integer(matched));
	json_object_set_new(answer, "id", json_integer((json_int_t)tx_last_id(&d->tx)));
}

static void do_rows(struct driver *d, const json_t *command, json_t *answer)
{
	size_t columns = json_integer_value(json_object_get(command, "columns"));
	size_t count = json_array_size(json_object_get(command, "bind"));
	int64_t matched = tx_exec_rows(
		&d->tx, text_of(command, "head"), text_of(command, "tuple"),
		text_of(command, "tail"), bind_of(d, command), columns, count / columns);

	json_object_set_new(answer, "matched", json_integer(matched));
}

static json_t *row_of(struct tx_rows *rows, const char *kinds)
{
	json_t *row = json_array();

	for (; *kinds; kinds++)
		json_array_append_new(row, column_of(rows, *kinds));
	return row;
}

static void do_select(struct driver *d, const json_t *command, json_t *answer)
{
	const char *kinds = text_of(command, "read");
	size_t limit = json_integer_value(json_object_get(command, "limit"));
	bool has_arena = json_is_true(json_object_get(command, "arena"));
	json_t *list = json_array();
	struct tx_rows rows;

	tx_select(&d->tx, has_arena ? d->arena : NULL, &rows, text_of(command, "sql"),
	          bind_of(d, command));
	while ((!limit || json_array_size(list) < limit) && tx_next(&rows))
		json_array_append_new(list, row_of(&rows, kinds));
	tx_select_end(&rows);
	json_object_set_new(answer, "rows", list);
}

static void do_row(struct driver *d, const json_t *command, json_t *answer)
{
	json_t *list = json_array();
	struct tx_rows rows;

	if (tx_select_row(&d->tx, NULL, &rows, text_of(command, "sql"),
	                  bind_of(d, command)))
		json_array_append_new(list, row_of(&rows, text_of(command, "read")));
	tx_select_end(&rows);
	json_object_set_new(answer, "rows", list);
}

static void stream_column(struct tx_rows *rows, char kind, int64_t *sum)
{
	size_t len;

	if (kind == 'i') {
		*sum += row_int(rows);
	} else {
		row_bytes(rows, &len);
		*sum += len;
	}
}

static void do_stream(struct driver *d, const json_t *command, json_t *answer)
{
	const char *kinds = text_of(command, "read");
	int64_t count = 0, sum = 0;
	struct tx_rows rows;

	tx_select(&d->tx, NULL, &rows, text_of(command, "sql"), TX_NONE);
	for (; tx_next(&rows); count++)
		for (const char *kind = kinds; *kind; kind++)
			stream_column(&rows, *kind, &sum);
	json_object_set_new(answer, "count", json_integer(count));
	json_object_set_new(answer, "sum", json_integer(sum));
}

static void do_fail(struct driver *d, const json_t *command, json_t *answer)
{
	(void)answer;
	tx_fail(&d->tx, ERR_QUOTA, "%s", text_of(command, "why"));
}

static enum err redo_try(void *self, struct why *why)
{
	struct driver *d = self;
	struct tx tx = tx_begin(d->db, why);

	d->tries++;
	tx_exec(&tx, d->redo_sql, TX_NONE);
	return tx_commit(&tx);
}

static void do_redo(struct driver *d, const json_t *command, json_t *answer)
{
	d->tries = 0;
	d->redo_sql = text_of(command, "sql");
	d->tx = (struct tx){ .err = tx_retry(redo_try, d, &d->why) };
	json_object_set_new(answer, "tries", json_integer(d->tries));
}

static void do_again(struct driver *d, const json_t *command, json_t *answer)
{
	bool before = pause_forbid(true);

	d->tries = 0;
	d->redo_sql = text_of(command, "sql");
	d->tx = (struct tx){ .err = tx_retry_on_loop(redo_try, d, &d->why) };
	json_object_set_new(answer, "tries", json_integer(d->tries));
	pause_forbid(before);
}

static void do_script(struct driver *d, const json_t *command, json_t *answer)
{
	(void)answer;
	d->tx = (struct tx){ .err = db_script(d->db, text_of(command, "sql"), &d->why) };
}

static void on_progress(void *self, int version, const char *name, bool applied)
{
	json_array_append_new(self, json_pack("[isb]", version, name, (int)applied));
}

static void do_migrate(struct driver *d, const json_t *command, json_t *answer)
{
	json_t *list = json_array();

	(void)command;
	d->tx = (struct tx){ .err = migrate_run(d->db, on_progress, list, &d->why) };
	json_object_set_new(answer, "versions", list);
}

static void do_version(struct driver *d, const json_t *command, json_t *answer)
{
	int have = -1, want = -1;

	(void)command;
	d->tx = (struct tx){ .err = migrate_version(d->db, &have, &want, &d->why) };
	json_object_set_new(answer, "have", json_integer(have));
	json_object_set_new(answer, "want", json_integer(want));
}

static const struct {
	const char *name;
	void (*run)(struct driver *d, const json_t *command, json_t *answer);
} commands[] = {
	{ "begin",    do_begin    },
	{ "snapshot", do_snapshot },
	{ "once",     do_once     },
	{ "commit",   do_commit   },
	{ "rollback", do_rollback },
	{ "copy", do_copy },
	{ "ping",     do_ping     },
	{ "exec",     do_exec     },
	{ "blind",    do_blind    },
	{ "rows",     do_rows     },
	{ "select",   do_select   },
	{ "row",      do_row      },
	{ "stream",   do_stream   },
	{ "fail",     do_fail     },
	{ "redo",     do_redo     },
	{ "again",    do_again    },
	{ "script",   do_script   },
	{ "migrate",  do_migrate  },
	{ "version",  do_version  },
};

static void run(struct driver *d, const json_t *command, json_t *answer)
{
	const char *name = text_of(command, "do");

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(commands[i].name, name) == 0) {
			commands[i].run(d, command, answer);
			return;
		}
	fatal("no such command: %s", name);
}

static void answer_line(struct driver *d, const char *line)
{
	json_t *command = json_loads(line, 0, NULL), *answer = json_object();
	int64_t started_ms = clock_ms();

	if (!command)
		fatal("not a command: %s", line);
	run(d, command, answer);
	json_object_set_new(answer, "ms", json_integer(clock_ms() - started_ms));
	json_object_set_new(answer, "err", json_string(err_name(d->tx.err)));
	json_object_set_new(answer, "why", json_string(d->tx.err ? d->why.text : ""));
	json_object_set_new(answer, "up", json_boolean(db_is_up(d->db)));
	json_dumpf(answer, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(answer);
	json_decref(command);
	arena_reset(d->arena);
}

static char *setting(const char *name, const char *fallback)
{
	char *value = getenv(name);

	return value ? value : (char *)fallback;
}

int main(void)
{
	struct db_config config = {
		.host = setting("DB_HOST", "127.0.0.1"),
		.user = setting("DB_USER", "zonefleet"),
		.password = setting("DB_PASSWORD", NULL),
		.name = setting("DB_NAME", "zonefleet"),
		.tls = getenv("DB_TLS"),
		.tls_ca = setting("DB_TLS_CA", NULL),
		.timeout_s = atoi(setting("DB_TIMEOUT", "10")),
		.read_committed = getenv("DB_READ_COMMITTED"),
	};
	struct driver driver = { .arena = arena_new() };
	char *line = NULL;
	size_t size = 0;

	signal(SIGPIPE, SIG_IGN);
	log_open("db_driver", false);
	if (db_check(&config, &driver.why))
		fatal("%s", driver.why.text);
	driver.db = db_new(&config);
	while (getline(&line, &size, stdin) > 0)
		answer_line(&driver, line);
	free(line);
	tx_rollback(&driver.tx);
	db_free(&driver.db);
	arena_free(&driver.arena);
	return 0;
}
