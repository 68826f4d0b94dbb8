/*
 * compare -- what Neutron has, next to what we know of it, now and then: what was never
 * told, or got lost on its way, is found here. It takes two looks. The first one reads
 * ids and revisions, of all networks, of all subnets, and then of one network's ports
 * after another's.
 * What differs is asked for by its id when that is over, and a while has passed: by then
 * most of it has been told, for both sides go on changing. What Neutron says then is
 * told (telling.h), or that it is gone.
 *
 * One process of the fleet does it at a time, for the row says when it is due.
 */
#pragma once

#include "ports.h"

struct comparison;

void compare_metrics(void);		/* before the fork */
/* NULL: ports.feed names no exchange. Else COMPARISON may be NULL everywhere. */
struct comparison *compare_new(struct ports *ports);
void compare_fire(struct comparison *comparison);	/* begins, if one is due */
/* Something may just have been missed. */
void compare_soon(struct comparison *comparison);
void compare_free(struct comparison **comparison);
