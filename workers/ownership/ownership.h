/*
 * ownership -- writes the endpoints of producers to shared zones (requirements: seed
 * 001).
 *
 * service  calls -> rows: endpoints            round     a registry's rows -> its zone
 * due      rows that are due -> rounds         provider  reads and writes the zone
 *
 * zonefleet-ownership answers a call with endpoints after it has committed the endpoints
 * to the database. A registry is a storage_id in a zone. Only one process at a time works
 * on a registry: the process that holds the lock of the registry (consistency/holder.h).
 * If this process dies, the lock expires, and another process takes the lock. A round
 * reads the zone, makes a plan, and sends the changes. If a round cannot make a change,
 * the next round retries the change.
 */
#pragma once

#include "registry.h"
#include "runtime/worker.h"

struct lane;

struct ownership {
	struct runtime runtime;
	struct registries registries;
	/* thread that looks up the addresses of primaries */
	struct lane *names;
	bool is_draining;
	/* index of the registry that due_fire() tries first */
	size_t next;
	/* periods of the timers. The program never changes these periods. */
	int due_period_ms, sweep_period_ms;
};

extern const struct rpc_method ownership_methods[];	/* service.c */

/* maximum number of rounds that run at the same time in a process */
enum { ROUNDS_MAX = 8 };

/* ---- due.c ---- */

/* Starts rounds of the registries that are due. Runs each second. */
void due_fire(void *ownership);
/* Deletes old rows. Runs each minute. */
void sweep_fire(void *ownership);
/*
 * Starts a round of the registry if a round is possible now. Call it when rows of the
 * registry have changed.
 */
void due_now(struct ownership *ownership, struct registry *registry);
