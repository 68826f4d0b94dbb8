/*
 * ownership -- what producers want in zones that they share with others (seed 001).
 *
 *	service  calls -> rows: what is wanted       round  a registry's rows -> its zone
 *	due      rows that are due -> rounds         provider  who has the zone
 *
 * What is wanted is in the database, and each call ends with its commit. A registry, a
 * storage-id in a zone, is worked on by one process at a time, who holds its lock
 * (consistency/holder.h): any number of them share the registries, and one that dies is
 * succeeded when its lock has run out. A round reads the zone, plans, and does it; what
 * it left open the next one finds, by the same means.
 */
#pragma once

#include "registry.h"
#include "runtime/worker.h"

struct heartbeat;
struct lane;
struct queue_watch;

struct ownership {
	struct runtime runtime;
	struct registries registries;
	struct heartbeat *heartbeat;
	struct queue_watch *queues;
	struct lane *names;		/* of primaries, that are looked up */
	bool is_draining;
	size_t next;			/* registry to look at first, due.c's */
	int due_period_ms, sweep_period_ms;	/* constant */
};

extern const struct rpc_method ownership_methods[];	/* service.c */

enum { ROUNDS_MAX = 8 };		/* at once, of a process */

/* ---- due.c ---- */

void due_fire(void *ownership);
void sweep_fire(void *ownership);	/* rows that are over */
/* What was asked for is in the rows: begin with it, if the registry may. */
void due_now(struct ownership *ownership, struct registry *registry);
