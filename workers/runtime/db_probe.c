#include "runtime/db_probe.h"

#include <stdlib.h>

#include "base/backoff.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/migrate.h"
#include "runtime/offload.h"

enum { PING_MS = 5 * 1000, FAILED_MAX_MS = 4 * 1000 };

static const struct backoff backoff = { .first_ms = 200, .max_ms = FAILED_MAX_MS };

struct db_probe {
	struct lane *lane;
	struct loop_timer *timer;
	/* used by the lane's thread while a probe runs */
	struct db *db;
	bool schema;	/* also check the schema */
	enum err err;
	struct why why;
	/* used by the loop */
	bool ok;
	struct why down_reason;	/* if not `ok` */
	int failures;
};

static enum err db_probe_check_schema(struct db_probe *probe)
{
	int have, want;
	enum err err = migrate_version(probe->db, &have, &want, &probe->why);

	if (!err && have < want)
		err = fail(&probe->why, ERR_BUSY, "the schema of the database has "
		           "version %d, but this program needs version %d: run "
		           "'zonefleet db migrate'", have, want);
	return err;
}

static void db_probe_work(void *self)
{
	struct db_probe *probe = self;

	probe->err = db_ping(probe->db, &probe->why);
	if (!probe->err && probe->schema)
		probe->err = db_probe_check_schema(probe);
}

/* Returns the time until the next probe. Logs the first failure and its end. */
static int db_probe_end(struct db_probe *probe)
{
	if (!probe->err) {
		if (probe->failures)
			log_info("database usable");
		probe->failures = 0;
		return PING_MS;
	}
	if (probe->ok || probe->failures == 0)
		log_warn("database not usable: reason=\"%s\"", probe->why.text);
	return backoff_ms(&backoff, probe->failures++, random_u32());
}

static void db_probe_done(void *self)
{
	struct db_probe *probe = self;

	if (!lane_job_ran(probe->lane))
		return;
	loop_timer_set(probe->timer, db_probe_end(probe));
	probe->ok = !probe->err;
	probe->down_reason = probe->why;
}

/*
 * Only db_probe_done() sets the timer. So one probe runs at a time, and the lane has room
 * for it.
 */
static void db_probe_on_timer(void *self)
{
	struct db_probe *probe = self;

	bug_if(!lane_submit(probe->lane, db_probe_work, db_probe_done, probe));
}

struct db_probe *db_probe_new(struct loop *loop, const struct db_config *config,
			      bool schema)
{
	struct db_probe *probe = xcalloc(1, sizeof *probe);

	probe->db = db_new(config);
	probe->schema = schema;
	fail(&probe->down_reason, OK, "the program has not checked the database yet");
	probe->lane = lane_new(loop, "db-ping", 1);
	probe->timer = loop_timer_new(loop, db_probe_on_timer, probe);
	loop_timer_set(probe->timer, 0);
	return probe;
}

const char *db_probe_down_reason(const struct db_probe *probe)
{
	return probe->ok ? NULL : probe->down_reason.text;
}

void db_probe_free(struct db_probe **probe)
{
	if (!*probe)
		return;
	lane_free(&(*probe)->lane);
	loop_timer_free(&(*probe)->timer);
	db_free(&(*probe)->db);
	free(*probe);
	*probe = NULL;
}
