#include "catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "edit.h"
#include "peers.h"
#include "runtime/loop.h"
#include "runtime/offload.h"
#include "store_catalog.h"

enum {
	GATHER_MS = 20,			/* after a single domain */
	GATHER_MORE_MS = 5,		/* for each that came of late */
	GATHER_MAX_MS = 5000,
	UPDATES_MAX = 10,		/* of one catalog in a round */
};

/* One transaction. */
struct update {
	struct catalog *catalog;
	struct catalog_ref of;
	struct arena *arena;
	const char **ids;		/* that were due before it began */
	size_t id_count;
	struct zone zone;		/* the catalog as it is afterwards */
	size_t changed;			/* members */
	size_t doubt;		/* the same, by a try whose COMMIT had no answer */
	bool passed;			/* some were locked */
};

/* A round, on the lane; one at a time. */
struct catalog {
	struct central *central;
	struct lane *lane;
	struct db *db;
	struct loop_timer *timer;
	bool is_running;
	bool again;			/* another domain came or went meanwhile */
	int64_t ended_ms;
	/* of the round: */
	struct arena *arena;
	char request_id[ID_LEN + 1];
	bool is_cut;			/* there is more to do */
	size_t members;			/* that were listed, or are no more */
	/*
	 * What the rounds found of late: half of it stays from each to the next, for what
	 * one did not find another central may have done.
	 */
	size_t load;
	struct zone *changed;		/* catalogs, of which pool managers are told */
	size_t changed_count;
};

/* ---- a transaction ---- */

static enum err make_changes(const struct update *u, const struct catalog_member *members,
                             size_t count, struct change *changes, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < count; i++)
		err = catalog_change(&u->zone.apex, &members[i], u->arena, &changes[i],
		                     why);
	return err;
}

/*
 * Behind the rows of its members, for which nobody waits here. The catalog that a pool
 * has no more is being deleted.
 */
static bool lock_catalog(struct update *u, struct write *write)
{
	struct domain_key key = { .name = "" };

	memcpy(key.id, u->of.id, sizeof key.id);
	return store_domain_lock_wait(write->tx, &key, &write->access, u->arena,
	                              &write->zone) &&
	       write->zone.is.state.task != TASK_DELETE;
}

static enum err list_members(struct update *u, struct write *write)
{
	struct catalog_member *members =
		arena_alloc(u->arena, u->id_count * sizeof(*members));
	struct edit edit = {
		.changes = arena_alloc(u->arena, u->id_count * sizeof(*edit.changes)),
	};
	struct edit_outcome outcome;
	enum err err;

	edit.count = store_catalog_lock(write->tx, u->arena, &u->of, u->ids, u->id_count,
	                                members, &u->passed);
	if (!edit.count || !lock_catalog(u, write))
		return write->tx->err;
	u->zone = write->zone;
	err = make_changes(u, members, edit.count, edit.changes, &write->req->why);
	if (!err)
		err = edit_apply(write, &edit, &outcome);
	if (err)
		return err;
	store_later_write(write->later, write->tx);
	store_catalog_mark(write->tx, u->arena, &u->of, members, edit.count);
	u->zone = write->zone;
	u->changed = edit.count;
	return write->tx->err;
}

/* One try; ERR_RACE is tried again. */
static enum err try_update(void *self, struct why *why)
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
		.later = store_later_new(),
	};
	enum err err;

	u->changed = 0;
	err = list_members(u, &write);
	if (err)
		tx_fail(&tx, err, "%s", req.why.text);
	err = tx_commit(&tx);
	if (err == ERR_RACE && u->changed)
		u->doubt = u->changed;
	if (!err && !u->changed)
		u->changed = u->doubt;		/* and u->zone, as that try left it */
	store_later_free(&write.later);
	*why = req.why;
	return err;
}

/* ---- a round ---- */

/* What is told of it behind the last update; each update's arena goes. */
static void keep_news(struct catalog *catalog, const struct zone *zone)
{
	struct zone *kept = &catalog->changed[catalog->changed_count];

	*kept = *zone;
	kept->is.name = arena_strdup(catalog->arena, zone->is.name);
	kept->is.tenant = arena_strdup(catalog->arena, zone->is.tenant);
	kept->pool = arena_strdup(catalog->arena, zone->pool);
}

/* False: there is no more to do, or it has to wait. */
static bool update_some(struct catalog *catalog, struct update *u, struct why *why)
{
	struct tx tx = tx_autocommit(catalog->db, why);
	enum err err;

	arena_reset(u->arena);
	u->doubt = 0;
	u->ids = arena_alloc(u->arena, CATALOG_MEMBERS * sizeof(*u->ids));
	u->id_count = store_catalog_due(&tx, u->arena, &u->of, u->ids);
	err = tx_commit(&tx);
	if (err || !u->id_count)
		return false;
	err = tx_retry(try_update, u, why);
	if (err) {
		log_warn("catalog not updated: catalog=%s err=%s reason=\"%s\"", u->of.id,
		         err_name(err), why->text);
		return false;
	}
	if (u->changed)
		keep_news(catalog, &u->zone);
	catalog->members += u->changed;
	catalog->is_cut |= u->passed;
	return u->changed && u->id_count == CATALOG_MEMBERS;
}

static void update_one(struct catalog *catalog, const struct catalog_ref *of)
{
	struct update u = { .catalog = catalog, .of = *of, .arena = arena_new() };
	size_t before = catalog->members;
	int updates = 1;
	struct why why;

	while (update_some(catalog, &u, &why) && updates < UPDATES_MAX)
		updates++;
	catalog->is_cut |= updates == UPDATES_MAX;
	catalog->changed_count += catalog->members != before;
	arena_free(&u.arena);
}

/* On the lane's thread. */
static void work(void *job)
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
		update_one(catalog, &found[i]);
}

static void tell(struct catalog *catalog)
{
	const struct context context = { .request_id = catalog->request_id };

	for (size_t i = 0; i < catalog->changed_count; i++) {
		const struct zone *zone = &catalog->changed[i];

		log_info("catalog updated: req=%s domain=%s serial=%u records=%u",
		         catalog->request_id, zone->is.name, zone->is.state.serial,
		         zone->records);
		peers_tell(catalog->central,
		           &(struct news){ "update_domain", zone, &context }, 1);
	}
}

static void wait_for_more(struct catalog *catalog)
{
	int64_t pause_ms = (int64_t)catalog->load * GATHER_MORE_MS;
	int64_t since_ms = clock_ms() - catalog->ended_ms;

	pause_ms = (pause_ms < GATHER_MAX_MS ? pause_ms : GATHER_MAX_MS) - since_ms;
	loop_timer_set(catalog->timer, pause_ms > GATHER_MS ? pause_ms : GATHER_MS);
}

/* On the loop. */
static void done(void *job)
{
	struct catalog *catalog = job;

	catalog->is_running = false;
	catalog->ended_ms = clock_ms();
	catalog->load /= 2;
	if (catalog->load < catalog->members)
		catalog->load = catalog->members;
	if (!lane_job_ran(catalog->lane))
		return;
	tell(catalog);
	if (catalog->again || catalog->is_cut)
		wait_for_more(catalog);
}

static void run(void *self)
{
	struct catalog *catalog = self;

	if (catalog->is_running)
		return;
	arena_reset(catalog->arena);
	id_random(catalog->request_id);
	catalog->again = false;
	catalog->is_cut = false;
	catalog->members = 0;
	catalog->changed_count = 0;
	catalog->is_running = lane_submit(catalog->lane, work, done, catalog);
}

void catalog_soon(struct central *central)
{
	struct catalog *catalog = central->catalog;

	if (catalog->is_running)
		catalog->again = true;
	else if (!loop_timer_armed(catalog->timer))
		wait_for_more(catalog);
}

void catalog_fire(void *self)
{
	struct central *central = self;

	if (central->catalog && !loop_timer_armed(central->catalog->timer))
		run(central->catalog);
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
	catalog->timer = loop_timer_new(central->runtime->loop, run, catalog);
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
