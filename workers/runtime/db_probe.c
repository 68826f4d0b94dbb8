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

struct ping {
	struct lane *lane;
	struct loop_timer *timer;
	/* of the lane's thread, while a ping is out */
	struct db *db;
	bool schema;	/* is to be looked at too */
	enum err err;
	struct why why;
	/* of the loop */
	bool ok;
	struct why trouble;	/* if it is not */
	int failures;
};

static enum err check_schema(struct ping *ping)
{
	int have, want;
	enum err err = migrate_version(ping->db, &have, &want, &ping->why);

	if (!err && have < want)
		err = fail(&ping->why, ERR_BUSY, "its schema has version %d, this "
			   "program needs %d: run `zonefleet db migrate`", have, want);
	return err;
}

static void ping_work(void *self)
{
	struct ping *ping = self;

	ping->err = db_ping(ping->db, &ping->why);
	if (!ping->err && ping->schema)
		ping->err = check_schema(ping);
}

/* How long until the next; a failure is told once, and so is its end. */
static int ping_settle(struct ping *ping)
{
	if (!ping->err) {
		if (ping->failures)
			log_info("database usable");
		ping->failures = 0;
		return PING_MS;
	}
	if (ping->ok || ping->failures == 0)
		log_warn("database not usable: reason=\"%s\"", ping->why.text);
	return backoff_ms(&backoff, ping->failures++, random_u32());
}

static void ping_done(void *self)
{
	struct ping *ping = self;

	if (!lane_job_ran(ping->lane))
		return;
	loop_timer_set(ping->timer, ping_settle(ping));
	ping->ok = !ping->err;
	ping->trouble = ping->why;
}

/* Only ping_done() sets the timer again: one is out at a time, and the lane has room. */
static void ping_fire(void *self)
{
	struct ping *ping = self;

	bug_if(!lane_submit(ping->lane, ping_work, ping_done, ping));
}

struct ping *ping_new(struct loop *loop, const struct db_config *config, bool schema)
{
	struct ping *ping = xcalloc(1, sizeof *ping);

	ping->db = db_new(config);
	ping->schema = schema;
	fail(&ping->trouble, OK, "not asked yet");
	ping->lane = lane_new(loop, "db-ping", 1);
	ping->timer = loop_timer_new(loop, ping_fire, ping);
	loop_timer_set(ping->timer, 0);
	return ping;
}

const char *ping_trouble(const struct ping *ping)
{
	return ping->ok ? NULL : ping->trouble.text;
}

void ping_free(struct ping **ping)
{
	if (!*ping)
		return;
	lane_free(&(*ping)->lane);
	loop_timer_free(&(*ping)->timer);
	db_free(&(*ping)->db);
	free(*ping);
	*ping = NULL;
}
