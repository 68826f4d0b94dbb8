#include "zones.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/map.h"
#include "minidns.h"
#include "model/serial.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"

enum {
	MAX_LOADS_WAITING = 4096,	/* on one lane */
	MAX_LOADS_FOR_ONE = 3,		/* for a zone that changes faster than it loads */
	/* time until a broken zone is read again */
	BROKEN_MS = 10000,
};

struct waiter {
	struct waiter *next;
	zone_fn *fn;
	void *self;
	uint32_t serial;		/* the lowest serial that is accepted */
	int loads;			/* loads that did not bring this serial */
};

/*
 * A domain: its newest snapshot, or the requests that wait for one, or the reason why
 * there is none.
 */
struct snapshot {
	struct snapshot *newer, *older;	/* in the order of last use */
	char id[ID_LEN + 1];
	struct zone *zone;
	struct waiter *waiters;
	bool loading;
	uint32_t broken_serial;
	int64_t broken_until_ms;	/* when it may be read again; 0: not broken */
};

struct reader {
	struct lane *lane;
	struct db *db;
};

/* Zones that were replaced or evicted while a transfer reads them. */
struct leaving {
	struct leaving *next;
	struct zone *zone;
};

struct zones {
	struct loop *loop;
	struct zones_config config;
	struct reader *readers;
	struct map *by_id;
	struct snapshot *newest, *oldest;
	struct leaving *leaving;
	uint64_t bytes;			/* size of all zones in memory */
	bool stopping;
	int broken;			/* number of snapshots */
	bool trimming;			/* trim() is scheduled for the end of the turn */
};

struct load {
	struct zones *zones;
	struct reader *reader;
	char id[ID_LEN + 1];
	uint32_t serial;		/* the serial of the head */
	struct zone *zone;
	enum err err;
	struct why why;
};

struct zones *zones_new(struct loop *loop, const struct zones_config *config)
{
	struct zones *zones = xcalloc(1, sizeof(*zones));

	zones->loop = loop;
	zones->config = *config;
	zones->by_id = map_new(random_u32());
	zones->readers = xcalloc(config->readers, sizeof(*zones->readers));
	for (int i = 0; i < config->readers; i++) {
		char name[32];

		snprintf(name, sizeof(name), "reader-%d", i);
		zones->readers[i].lane = lane_new(loop, name, MAX_LOADS_WAITING);
		zones->readers[i].db = db_new(config->db);
	}
	return zones;
}

/* ---- order of use ---- */

static void zones_unlink_snapshot(struct zones *zones, struct snapshot *snapshot)
{
	*(snapshot->newer ? &snapshot->newer->older : &zones->newest) = snapshot->older;
	*(snapshot->older ? &snapshot->older->newer : &zones->oldest) = snapshot->newer;
	snapshot->newer = snapshot->older = NULL;
}

static void zones_link_newest(struct zones *zones, struct snapshot *snapshot)
{
	snapshot->older = zones->newest;
	*(zones->newest ? &zones->newest->newer : &zones->oldest) = snapshot;
	zones->newest = snapshot;
}

static void zones_touch(struct zones *zones, struct snapshot *snapshot)
{
	zones_unlink_snapshot(zones, snapshot);
	zones_link_newest(zones, snapshot);
}

static struct snapshot *zones_snapshot(struct zones *zones, const char *id)
{
	struct snapshot *snapshot = map_get(zones->by_id, id, ID_LEN);

	if (snapshot)
		return snapshot;
	snapshot = xcalloc(1, sizeof(*snapshot));
	memcpy(snapshot->id, id, sizeof(snapshot->id));
	map_put(zones->by_id, id, ID_LEN, snapshot);
	zones_link_newest(zones, snapshot);
	return snapshot;
}

/* ---- the budget ---- */

static void zones_account(struct zones *zones, int64_t bytes)
{
	zones->bytes += bytes;
	metric_add(zones->config.figures->zones_bytes, bytes);
}

/* Frees the zone, or keeps it until its last transfer has ended. */
static void zones_release(struct zones *zones, struct zone **zone)
{
	struct leaving *leaving;

	if (!*zone)
		return;
	if ((*zone)->users == 1) {
		zones_account(zones, -(int64_t)(*zone)->memory);
		zone_release(zone);
		return;
	}
	leaving = xcalloc(1, sizeof(*leaving));
	leaving->zone = *zone;
	leaving->next = zones->leaving;
	zones->leaving = leaving;
	*zone = NULL;
}

static void zones_free_left(struct zones *zones)
{
	struct leaving **at = &zones->leaving;

	while (*at) {
		struct leaving *leaving = *at;

		if (leaving->zone->users > 1) {
			at = &leaving->next;
			continue;
		}
		*at = leaving->next;
		zones_release(zones, &leaving->zone);
		free(leaving);
	}
}

static void zones_set_broken(struct zones *zones, struct snapshot *snapshot,
                             int64_t until_ms)
{
	zones->broken += !!until_ms - !!snapshot->broken_until_ms;
	snapshot->broken_until_ms = until_ms;
}

static void zones_forget(struct zones *zones, struct snapshot *snapshot)
{
	zones_set_broken(zones, snapshot, 0);
	zones_release(zones, &snapshot->zone);
	zones_unlink_snapshot(zones, snapshot);
	map_remove(zones->by_id, snapshot->id, ID_LEN);
	free(snapshot);
}

static bool zones_is_idle(const struct zones *zones, const struct snapshot *snapshot)
{
	if (snapshot->loading || snapshot->waiters)
		return false;
	if (!snapshot->zone)
		return snapshot->broken_until_ms < loop_now_ms(zones->loop);
	return snapshot->zone->users == 1;
}

/*
 * Evicts zones, the longest unused first, until the budget is kept or all others are in
 * use.
 */
static void zones_trim(struct zones *zones)
{
	struct snapshot *snapshot = zones->oldest;

	zones_free_left(zones);
	while (snapshot && zones->bytes > (uint64_t)zones->config.memory) {
		struct snapshot *newer = snapshot->newer;

		if (zones_is_idle(zones, snapshot))
			zones_forget(zones, snapshot);
		snapshot = newer;
	}
}

static void zones_on_trim(void *self)
{
	struct zones *zones = self;

	zones->trimming = false;
	zones_trim(zones);
}

void zones_trim_later(struct zones *zones)
{
	if (zones->trimming || zones->stopping)
		return;
	zones->trimming = true;
	loop_later(zones->loop, zones_on_trim, zones);
}

/* ---- loads ---- */

static void zones_load_run(void *job)
{
	struct load *load = job;

	load->err = store_zone(load->reader->db, load->id, &load->zone, &load->why);
}

static void zones_start_load(struct zones *zones, struct snapshot *snapshot,
                             uint32_t serial);

static void zones_answer_waiter(struct waiter *waiter, enum err err, struct zone *zone)
{
	waiter->fn(waiter->self, err, err ? NULL : zone);
	free(waiter);
}

/*
 * True: the snapshot is not older than the waiter's head. Otherwise the zone is loaded
 * again.
 */
static bool zones_is_served(const struct waiter *waiter, const struct load *load)
{
	return load->err || serial_covers(load->zone->serial, waiter->serial);
}

static void zones_answer_waiters(struct zones *zones, struct snapshot *snapshot,
                                 struct load *load)
{
	struct waiter *waiter = snapshot->waiters, *next;
	bool again = false;
	uint32_t serial = 0;

	snapshot->waiters = NULL;
	for (; waiter; waiter = next) {
		next = waiter->next;
		if (zones_is_served(waiter, load)) {
			zones_answer_waiter(waiter, load->err, load->zone);
		} else if (++waiter->loads >= MAX_LOADS_FOR_ONE) {
			zones_answer_waiter(waiter, ERR_BUSY, NULL);
		} else {
			again = true;
			serial = waiter->serial;
			waiter->next = snapshot->waiters;
			snapshot->waiters = waiter;
		}
	}
	if (again && !snapshot->loading)
		zones_start_load(zones, snapshot, serial);
}

static void zones_note_failure(struct zones *zones, struct snapshot *snapshot,
                               const struct load *load)
{
	if (load->err == ERR_INVALID) {
		snapshot->broken_serial = load->serial;
		zones_set_broken(zones, snapshot, loop_now_ms(zones->loop) + BROKEN_MS);
	}
	if (load->err != ERR_NOT_FOUND)
		log_warn("zone not loaded: id=%s serial=%u err=%s reason=\"%s\"",
		         load->id, load->serial, err_name(load->err), load->why.text);
}

static void zones_keep(struct zones *zones, struct snapshot *snapshot,
                       const struct load *load)
{
	zones_release(zones, &snapshot->zone);
	snapshot->zone = load->zone;
	zones_set_broken(zones, snapshot, 0);
	zones_account(zones, load->zone->memory);
	log_debug("zone loaded: id=%s serial=%u records=%llu bytes=%llu", load->id,
	          load->zone->serial, (unsigned long long)load->zone->record_count,
	          (unsigned long long)load->zone->memory);
}

static void zones_load_done(void *job)
{
	struct load *load = job;
	struct zones *zones = load->zones;
	struct snapshot *snapshot = zones_snapshot(zones, load->id);

	if (!lane_job_ran(load->reader->lane)) {
		load->err = ERR_UNREACHABLE;
		fail(&load->why, load->err, "mini-DNS is stopping");
	}
	snapshot->loading = false;
	if (load->err)
		zones_note_failure(zones, snapshot, load);
	else
		zones_keep(zones, snapshot, load);
	if (load->zone)
		/* a callback may replace it by a newer one */
		zone_hold(load->zone);
	zones_answer_waiters(zones, snapshot, load);
	zone_release(&load->zone);
	if (load->err == ERR_NOT_FOUND && !snapshot->zone &&
	    zones_is_idle(zones, snapshot))
		zones_forget(zones, snapshot);
	free(load);
	zones_trim(zones);
}

static struct reader *zones_least_busy(const struct zones *zones)
{
	struct reader *best = &zones->readers[0];

	for (int i = 1; i < zones->config.readers; i++)
		if (lane_waiting(zones->readers[i].lane) < lane_waiting(best->lane))
			best = &zones->readers[i];
	return best;
}

static void zones_start_load(struct zones *zones, struct snapshot *snapshot,
                             uint32_t serial)
{
	struct load *load = xcalloc(1, sizeof(*load));
	struct waiter *waiter;

	load->zones = zones;
	load->reader = zones->stopping ? NULL : zones_least_busy(zones);
	load->serial = serial;
	memcpy(load->id, snapshot->id, sizeof(load->id));
	if (!zones->stopping &&
	    lane_submit(load->reader->lane, zones_load_run, zones_load_done, load)) {
		snapshot->loading = true;
		return;
	}
	free(load);
	while ((waiter = snapshot->waiters)) {
		snapshot->waiters = waiter->next;
		zones_answer_waiter(waiter, ERR_BUSY, NULL);
	}
}

/* ---- requests ---- */

/* A zone that was read before its head broke is not served any more. */
static bool zones_is_at(const struct snapshot *snapshot, const struct head *head)
{
	return snapshot->zone && head->soa_len && snapshot->zone->serial == head->serial;
}

struct zone *zones_cached(struct zones *zones, const struct head *head)
{
	struct snapshot *snapshot = map_get(zones->by_id, head->id, ID_LEN);

	if (!snapshot || !zones_is_at(snapshot, head))
		return NULL;
	zones_touch(zones, snapshot);
	return snapshot->zone;
}

static void zones_wait_for(struct snapshot *snapshot, const struct head *head,
                           zone_fn *fn, void *self)
{
	struct waiter *waiter = xcalloc(1, sizeof(*waiter));

	waiter->fn = fn;
	waiter->self = self;
	waiter->serial = head->serial;
	waiter->next = snapshot->waiters;
	snapshot->waiters = waiter;
}

static bool zones_is_broken(const struct snapshot *snapshot, const struct head *head)
{
	return snapshot->broken_until_ms && snapshot->broken_serial == head->serial;
}

bool zones_broken(struct zones *zones, const struct head *head)
{
	struct snapshot *snapshot = map_get(zones->by_id, head->id, ID_LEN);

	if (snapshot && serial_newer(head->serial, snapshot->broken_serial))
		zones_set_broken(zones, snapshot, 0);
	return !head->soa_len || (snapshot && zones_is_broken(snapshot, head));
}

bool zones_some_broken(const struct zones *zones)
{
	return zones->broken > 0;
}

void zones_get(struct zones *zones, const struct head *head, zone_fn *fn, void *self)
{
	struct snapshot *snapshot = zones_snapshot(zones, head->id);

	zones_touch(zones, snapshot);
	if (zones_is_at(snapshot, head)) {
		fn(self, OK, snapshot->zone);
		return;
	}
	if (zones_is_broken(snapshot, head) &&
	    snapshot->broken_until_ms > loop_now_ms(zones->loop)) {
		fn(self, ERR_INVALID, NULL);
		return;
	}
	if (!snapshot->loading) {
		zones_trim(zones);
		snapshot = zones_snapshot(zones, head->id);
	}
	if (!snapshot->loading && zones->bytes > (uint64_t)zones->config.memory) {
		log_warn("zone not loaded: id=%s reason=\"the zones in use fill "
		         "minidns.zone_memory\"", head->id);
		fn(self, ERR_BUSY, NULL);
		return;
	}
	zones_wait_for(snapshot, head, fn, self);
	if (!snapshot->loading)
		zones_start_load(zones, snapshot, head->serial);
}

void zones_free(struct zones **zones)
{
	struct zones *old = *zones;
	struct snapshot *snapshot;

	*zones = NULL;
	if (!old)
		return;
	old->stopping = true;
	loop_later_cancel(old->loop, old);
	for (int i = 0; i < old->config.readers; i++) {
		lane_free(&old->readers[i].lane);
		db_free(&old->readers[i].db);
	}
	while ((snapshot = map_any(old->by_id)))
		zones_forget(old, snapshot);
	while (old->leaving) {
		struct leaving *leaving = old->leaving;

		old->leaving = leaving->next;
		zone_release(&leaving->zone);
		free(leaving);
	}
	map_free(&old->by_id);
	free(old->readers);
	free(old);
}
