/*
 * ownership -- writes the endpoints of producers to shared zones (seed 001).
 *
 *	service  calls -> rows: endpoints            round  a registry's rows -> its zone
 *	due      rows that are due -> rounds         provider  reads and writes the zone
 *
 * The endpoints are in the database, and each call ends with its commit. One process at a
 * time works on a registry, a storage_id in a zone. It holds the lock of the registry
 * (consistency/holder.h). When a process dies, another one takes the lock after it ran
 * out. A round reads the zone, plans, and sends the changes. The next round does what the
 * last one left.
 */
#pragma once

#include "registry.h"
#include "runtime/worker.h"

struct lane;

struct ownership {
	struct runtime runtime;
	struct registries registries;
	struct lane *names;		/* looks up the names of primaries */
	bool is_draining;
	size_t next;			/* registry that due.c begins with */
	int due_period_ms, sweep_period_ms;	/* constant */
};

extern const struct rpc_method ownership_methods[];	/* service.c */

enum { ROUNDS_MAX = 8 };		/* of a process, at the same time */

/* ---- due.c ---- */

void due_fire(void *ownership);
void sweep_fire(void *ownership);	/* deletes old rows */
/* After a change of the rows: begins a round if the registry may have one now. */
void due_now(struct ownership *ownership, struct registry *registry);
