/*
 * ownership -- writes the endpoints of producers to shared zones (seed 001).
 *
 * service  calls -> rows: endpoints            round     a registry's rows -> its zone
 * due      rows that are due -> rounds         provider  reads and writes the zone
 *
 * The endpoints are in the database, and each call ends with its commit. A registry is a
 * storage_id in a zone. Only one process at a time works on a registry: it holds the
 * lock of the registry (consistency/holder.h). If a process dies, another process takes
 * the lock after its time. A round reads the zone, plans, and sends the changes. The
 * next round makes the changes that the last round could not make.
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
	size_t next;			/* index of the registry at which due.c begins */
	int due_period_ms, sweep_period_ms;	/* constants */
};

extern const struct rpc_method ownership_methods[];	/* service.c */

enum { ROUNDS_MAX = 8 };		/* at the same time in a process */

/* ---- due.c ---- */

void due_fire(void *ownership);
void sweep_fire(void *ownership);	/* deletes old rows */
/* Call it after a change of the rows. Starts a round if the registry may have one now. */
void due_now(struct ownership *ownership, struct registry *registry);
