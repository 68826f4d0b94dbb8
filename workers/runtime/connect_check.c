#include "runtime/connect_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/broker_admin.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/migrate.h"
#include "runtime/offload.h"
#include "runtime/worker_private.h"

enum { ADDRESS_MAX = 512 };

struct attempt {
	struct connect_check *check;
	char *what, *address;
	connect_probe *probe;	/* NULL: not tried, why has the reason */
	void *self;
	struct lane *lane;
	enum err err;
	struct why why;
};

struct connect_check {
	struct loop *loop;
	const struct db_config *database;
	struct attempt **attempt;
	size_t count, open;
};

/* ---- the broker and the database ---- */

static enum err connect_broker(void *self, struct why *why)
{
	struct broker_config config = *(const struct broker_config *)self;
	struct broker_admin *admin;
	enum err err;

	config.heartbeat_s = 0;
	err = broker_admin_open(&config, &admin, why);
	if (err)
		return err;
	broker_admin_close(&admin);
	return OK;
}

static enum err connect_schema(struct db *db, struct why *why)
{
	int have, want;
	enum err err = migrate_version(db, &have, &want, why);

	if (err)
		return err;
	if (have < want)
		return fail(why, ERR_CONFLICT, "the schema has version %d, but this "
		            "program needs version %d: run 'zonefleet db migrate'", have,
		            want);
	fail(why, OK, "the schema has version %d", have);
	return OK;
}

/* Finds an account without the rights of the program, such as that of another program. */
static enum err connect_tables(struct db *db, const struct program *program,
                               struct why *why)
{
	const char *const *table = program->worker->tables;
	struct why cause;
	char sql[128];

	for (; *table; table++) {
		snprintf(sql, sizeof sql, "DO (SELECT 1 FROM %s LIMIT 0)", *table);
		enum err err = db_script(db, sql, &cause);

		if (!err)
			continue;
		if (!strstr(cause.text, "denied"))
			return fail(why, err, "%s", cause.text);
		return fail(why, ERR_DENIED, "the account '%.64s' cannot read the table "
		            "%s: use the account of this program "
		            "(deploy/database-users.sql.sample): %.200s",
		            program->common.db.user, *table, cause.text);
	}
	return OK;
}

static enum err connect_database(void *self, struct why *why)
{
	const struct program *program = self;
	struct db *db = db_new(&program->common.db);
	enum err err = db_ping(db, why);

	if (!err && program->worker->tables)
		err = connect_schema(db, why);
	if (!err && program->worker->tables)
		err = connect_tables(db, program, why);
	db_free(&db);
	return err;
}

static void connect_add_common(struct connect_check *check, struct program *program)
{
	struct worker_common *common = &program->common;
	char address[ADDRESS_MAX];

	broker_describe(&common->broker, address, sizeof address);
	connect_check_add(check, "broker", address, connect_broker, &common->broker);
	if (common->no_database)
		return;
	snprintf(address, sizeof address, "%.400s/%.64s", common->db.host,
	         common->db.name);
	connect_check_add(check, "database", address, connect_database, program);
}

/* ---- the attempts ---- */

static struct attempt *attempt_new(struct connect_check *check, const char *what,
                                   const char *address)
{
	struct attempt *attempt = xcalloc(1, sizeof *attempt);

	*attempt = (struct attempt){
		.check = check, .what = xstrdup(what), .address = xstrdup(address),
	};
	check->attempt = xrealloc(check->attempt,
	                          (check->count + 1) * sizeof(*check->attempt));
	check->attempt[check->count++] = attempt;
	return attempt;
}

void connect_check_add(struct connect_check *check, const char *what, const char *address,
                       connect_probe *probe, void *self)
{
	struct attempt *attempt = attempt_new(check, what, address);

	attempt->probe = probe;
	attempt->self = self;
	attempt->lane = lane_new(check->loop, "connect", 1);
	check->open++;
}

void connect_check_skip(struct connect_check *check, const char *what,
                        const char *address, const char *reason)
{
	fail(&attempt_new(check, what, address)->why, OK, "%s", reason);
}

const struct db_config *connect_check_database(const struct connect_check *check)
{
	return check->database;
}

static void attempt_work(void *self)
{
	struct attempt *attempt = self;

	attempt->err = attempt->probe(attempt->self, &attempt->why);
}

static void attempt_done(void *self)
{
	struct connect_check *check = ((struct attempt *)self)->check;

	if (!--check->open)
		loop_stop(check->loop);
}

static void connect_check_wait(struct connect_check *check)
{
	for (size_t i = 0; i < check->count; i++)
		bug_if(check->attempt[i]->probe &&
		       !lane_submit(check->attempt[i]->lane, attempt_work, attempt_done,
		                    check->attempt[i]));
	while (check->open)
		loop_run(check->loop);
}

/* ---- the table ---- */

static int attempt_width(size_t width, const char *text)
{
	size_t len = strlen(text);

	return (int)(len > width ? len : width);
}

static const char *attempt_result(const struct attempt *attempt)
{
	if (!attempt->probe)
		return "not tried: ";
	if (attempt->err)
		return "FAILED: ";
	return *attempt->why.text ? "OK: " : "OK";
}

/* An answer of a server may contain line breaks and control characters. */
static void attempt_print_reason(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text);
	putchar('\n');
}

static bool connect_check_print(const struct connect_check *check)
{
	int what = 4, address = 7;
	bool all_good = true;

	for (size_t i = 0; i < check->count; i++) {
		what = attempt_width((size_t)what, check->attempt[i]->what);
		address = attempt_width((size_t)address, check->attempt[i]->address);
	}
	printf("%-*s  %-*s  %s\n", what, "WHAT", address, "ADDRESS", "RESULT");
	for (size_t i = 0; i < check->count; i++) {
		const struct attempt *attempt = check->attempt[i];

		printf("%-*s  %-*s  %s", what, attempt->what, address, attempt->address,
		       attempt_result(attempt));
		attempt_print_reason(attempt->why.text);
		all_good &= !attempt->err;
	}
	return all_good;
}

static void attempt_free(struct attempt *attempt)
{
	lane_free(&attempt->lane);
	free(attempt->what);
	free(attempt->address);
	free(attempt);
}

bool connect_check_run(struct program *program)
{
	struct connect_check check = {
		.loop = loop_new(), .database = &program->common.db,
	};
	bool all_good;

	connect_add_common(&check, program);
	if (program->worker->connect)
		program->worker->connect(program->worker->self, &check);
	connect_check_wait(&check);
	all_good = connect_check_print(&check);
	for (size_t i = 0; i < check.count; i++)
		attempt_free(check.attempt[i]);
	free(check.attempt);
	loop_free(&check.loop);
	return all_good;
}
