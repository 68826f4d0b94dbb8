#include "catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "edit.h"
#include "poolmgr_cast.h"
#include "runtime/loop.h"
#include "runtime/offload.h"
#include "store_catalog.h"

enum {
	GATHER_MS = 20,			/* after a single domain */
	GATHER_MORE_MS = 5,		/* more for each member of the last rounds */
	GATHER_MAX_MS = 5000,
	UPDATES_MAX = 10,		/* for one catalog zone in a round */
};

/* The pause after rounds that only skipped what was locked. */
static const struct backoff skipped = { .first_ms = GATHER_MS, .max_ms = 1000 };

/* One transaction. */
struct update {
	struct catalog *catalog;
	struct catalog_ref of;
	struct arena *arena;
	const char **ids;		/* ids of domains that were due at the start */
	size_t id_count;
	struct zone zone;		/* the catalog zone after the update */
	size_t changed;			/* number of changed members */
	size_t in_doubt;		/* members of a try whose COMMIT got no answer */
	/* another transaction has locked some members, or the catalog zone */
	bool skipped;
};

/* A round, on the lane; one at a time. */
struct catalog {
	struct central *central;
	struct lane *lane;
	struct db *db;
	struct loop_timer *timer;
	bool is_running;
	/* catalog_schedule() was called during the round */
	bool is_due_again;
	int64_t ended_ms;
	/* of the current round: */
	struct arena *arena;
	char request_id[ID_LEN + 1];
	bool is_incomplete;		/* some members are still due */
	size_t members;			/* added or removed */
	int skips;			/* incomplete rounds in a row that had none */
	/*
	 * The members of the last rounds. Each round halves it, because another central
	 * may have done a part of the work.
	 */
	size_t load;
	struct zone *changed;		/* catalog zones, for casts */
	size_t changed_count;
};

/* ---- a transaction ---- */

static enum err update_make_changes(const struct update *u,
                                    const struct catalog_member *members,
                                    size_t count, struct change *changes, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < count; i++)
		err = catalog_change(&u->zone.apex, &members[i], u->arena, &changes[i],
		                     why);
	return err;
}

/*
 * Locks the catalog zone after its members. No lock waits. False: the pool has dropped
 * the catalog zone, and it is being deleted; or another transaction has locked it:
 * ERR_LOCKED.
 */
static bool update_lock_catalog(struct update *u, struct write *write)
{
	struct domain_key key = { .name = "" };

	memcpy(key.id, u->of.id, sizeof key.id);
	return store_domain_lock(write->tx, &key, &write->access, false, u->arena,
	                         &write->zone) &&
	       write->zone.is.state.task != TASK_DELETE;
}

static enum err update_list_members(struct update *u, struct write *write)
{
	struct catalog_member *members =
		arena_alloc(u->arena, u->id_count * sizeof(*members));
	struct edit edit = {
		.changes = arena_alloc(u->arena, u->id_count * sizeof(*edit.changes)),
	};
	struct edit_outcome outcome;
	enum err err;

	edit.count = store_catalog_lock(write->tx, u->arena, &u->of, u->ids, u->id_count,
	                                members, &u->skipped);
	if (!edit.count || !update_lock_catalog(u, write))
		return write->tx->err;
	u->zone = write->zone;
	err = update_make_changes(u, members, edit.count, edit.changes, &write->req->why);
	if (!err)
		err = edit_apply(write, &edit, &outcome);
	if (err)
		return err;
	store_buffer_flush(write->buffer, write->tx);
	store_catalog_mark(write->tx, u->arena, &u->of, members, edit.count);
	u->zone = write->zone;
	u->changed = edit.count;
	return write->tx->err;
}

/* One try. tx_retry() repeats it after ERR_RACE. */
static enum err update_try(void *self, struct why *why)
{
	struct update *u = self;
	struct request req = {
		.context = { .request_id = u->catalog->request_id, .is_admin = true },
		.arena = u->arena,
	};
	struct tx tx = tx_begin(u->catalog->db, &req.why);
	struct write write = {
		.central = u->catalog->central,
		.req = &req,
		.tx = &tx,
		.access = { .tenant = "", .all = true },
		.arena = u->arena,
		.buffer = store_buffer_new(),
	};
	enum err err;

	u->changed = 0;
	err = update_list_members(u, &write);
	if (err)
		tx_fail(&tx, err, "%s", req.why.text);
	err = tx_commit(&tx);
	if (err == ERR_LOCKED) {
		/* in doubt, the next try finds out whether the last one has committed */
		u->skipped = true;
		err = u->in_doubt ? ERR_RACE : OK;
	}
	if (err == ERR_RACE && u->changed)
		u->in_doubt = u->changed;
	if (!err && !u->changed)
		/* u->zone still has the state of that try */
		u->changed = u->in_doubt;
	store_buffer_free(&write.buffer);
	*why = req.why;
	return err;
}

/* ---- a round ---- */

/* Copies ZONE out of the arena of the update, for the cast. */
static void catalog_keep_changed(struct catalog *catalog, const struct zone *zone)
{
	struct zone *kept = &catalog->changed[catalog->changed_count];

	*kept = *zone;
	kept->is.name = arena_strdup(catalog->arena, zone->is.name);
	kept->is.tenant = arena_strdup(catalog->arena, zone->is.tenant);
	kept->pool = arena_strdup(catalog->arena, zone->pool);
}

/* False: all is done, or the rest must wait. */
static bool catalog_update_some(struct catalog *catalog, struct update *u,
                                struct why *why)
{
	struct tx tx = tx_autocommit(catalog->db, why);
	enum err err;

	arena_reset(u->arena);
	u->in_doubt = 0;
	u->ids = arena_alloc(u->arena, CATALOG_MEMBERS * sizeof(*u->ids));
	u->id_count = store_catalog_due(&tx, u->arena, &u->of, u->ids);
	err = tx_commit(&tx);
	if (err || !u->id_count)
		return false;
	err = tx_retry(update_try, u, why);
	catalog->is_incomplete |= u->skipped;
	if (err) {
		log_warn("catalog zone not updated: catalog=%s err=%s reason=\"%s\"",
		         u->of.id, err_name(err), why->text);
		return false;
	}
	if (u->changed)
		catalog_keep_changed(catalog, &u->zone);
	catalog->members += u->changed;
	return u->changed && u->id_count == CATALOG_MEMBERS;
}

static void catalog_update_one(struct catalog *catalog, const struct catalog_ref *of)
{
	struct update u = { .catalog = catalog, .of = *of, .arena = arena_new() };
	size_t before = catalog->members;
	int updates = 1;
	struct why why;

	while (catalog_update_some(catalog, &u, &why) && updates < UPDATES_MAX)
		updates++;
	catalog->is_incomplete |= updates == UPDATES_MAX;
	catalog->changed_count += catalog->members != before;
	arena_free(&u.arena);
}

/* On the lane. */
static void catalog_work(void *job)
{
	struct catalog *catalog = job;
	struct catalog_ref *found;
	struct why why;
	struct tx tx = tx_autocommit(catalog->db, &why);
	size_t count;

	found = arena_alloc(catalog->arena, CATALOGS_MAX * sizeof(*found));
	catalog->changed = arena_alloc(catalog->arena,
	                               CATALOGS_MAX * sizeof(*catalog->changed));
	count = store_catalog_find(&tx, catalog->arena, found);
	if (tx_commit(&tx))
		return;
	for (size_t i = 0; i < count; i++)
		catalog_update_one(catalog, &found[i]);
}

static void catalog_send_casts(struct catalog *catalog)
{
	const struct context context = { .request_id = catalog->request_id };

	for (size_t i = 0; i < catalog->changed_count; i++) {
		const struct zone *zone = &catalog->changed[i];

		log_info("catalog zone updated: req=%s domain=%s serial=%u records=%u",
		         catalog->request_id, zone->is.name, zone->is.state.serial,
		         zone->records);
		poolmgr_cast_send(catalog->central,
		                  &(struct poolmgr_cast){ "update_domain", zone,
		                                          &context }, 1);
	}
}

static void catalog_wait_for_more(struct catalog *catalog)
{
	int64_t pause_ms = (int64_t)catalog->load * GATHER_MORE_MS;
	int64_t since_ms = clock_ms() - catalog->ended_ms;

	if (catalog->skips)
		pause_ms = backoff_ms(&skipped, catalog->skips - 1, random_u32());
	pause_ms = (pause_ms < GATHER_MAX_MS ? pause_ms : GATHER_MAX_MS) - since_ms;
	loop_timer_set(catalog->timer, pause_ms > GATHER_MS ? pause_ms : GATHER_MS);
}

/* On the loop. */
static void catalog_done(void *job)
{
	struct catalog *catalog = job;

	catalog->is_running = false;
	catalog->ended_ms = clock_ms();
	catalog->load /= 2;
	if (catalog->load < catalog->members)
		catalog->load = catalog->members;
	if (!lane_job_ran(catalog->lane))
		return;
	catalog->skips = catalog->is_incomplete && !catalog->members ? catalog->skips + 1
	                                                             : 0;
	catalog_send_casts(catalog);
	if (catalog->is_due_again || catalog->is_incomplete)
		catalog_wait_for_more(catalog);
}

static void catalog_run(void *self)
{
	struct catalog *catalog = self;

	if (catalog->is_running)
		return;
	arena_reset(catalog->arena);
	id_random(catalog->request_id);
	catalog->is_due_again = false;
	catalog->is_incomplete = false;
	catalog->members = 0;
	catalog->changed_count = 0;
	catalog->is_running = lane_submit(catalog->lane, catalog_work, catalog_done,
	                                  catalog);
}

void catalog_schedule(struct central *central)
{
	struct catalog *catalog = central->catalog;

	if (catalog->is_running)
		catalog->is_due_again = true;
	else if (!loop_timer_armed(catalog->timer))
		catalog_wait_for_more(catalog);
}

void catalog_fire(void *self)
{
	struct central *central = self;

	if (central->catalog && !loop_timer_armed(central->catalog->timer))
		catalog_run(central->catalog);
}

bool catalog_idle(const struct central *central)
{
	const struct catalog *catalog = central->catalog;

	return !catalog || (!catalog->is_running && !loop_timer_armed(catalog->timer));
}

void catalog_start(struct central *central)
{
	struct catalog *catalog = xcalloc(1, sizeof(*catalog));

	central->catalog = catalog;
	catalog->central = central;
	catalog->arena = arena_new();
	catalog->db = db_new(central->runtime->db_config);
	catalog->lane = lane_new(central->runtime->loop, "catalog", 1);
	catalog->timer = loop_timer_new(central->runtime->loop, catalog_run, catalog);
}

void catalog_stop(struct central *central)
{
	struct catalog *catalog = central->catalog;

	if (!catalog)
		return;
	lane_free(&catalog->lane);
	loop_timer_free(&catalog->timer);
	db_free(&catalog->db);
	arena_free(&catalog->arena);
	free(catalog);
	central->catalog = NULL;
}
