/*
 * queues -- finds the names of the work queues of the fleet. The name of a queue is the
 * name of a topic, or the name of a topic followed by ".recovery".
 */
#pragma once

#include "cli.h"
#include "runtime/broker_admin.h"

struct queue_names {
	char **item;
	size_t count;
};
/*
 * Finds the queues of all services that have run in the fleet. If --pool is given,
 * leaves out the queues of all other pools. If central does not answer, uses the names
 * of all services and of one pool: the pool in --pool, or the pool "default".
 * ERR_NOT_FOUND: the pool in --pool does not exist, and no pool manager of this pool has
 * run. The caller clears NAMES, also after an error.
 */
enum err queue_names_find(struct cli *cli, struct queue_names *names);
void queue_names_clear(struct queue_names *names);
