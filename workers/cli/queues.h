/*
 * queues -- finds the work queues of the fleet. The name of a queue is the topic of its
 * program.
 */
#pragma once

#include "cli.h"
#include "runtime/broker_admin.h"

struct queue_names {
	char **item;
	size_t count;
};
/*
 * Finds the queues of the pool in --pool, or of all pools that central lists. Fails with
 * ERR_NOT_FOUND if there is no such pool, and no pool manager of it has run. The caller
 * clears NAMES, also after an error.
 */
enum err queue_names_find(struct cli *cli, struct queue_names *names);
void queue_names_clear(struct queue_names *names);
