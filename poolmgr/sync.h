/*
 * sync -- periodic_sync of the seed, run at each interval. It finds servers that lack a
 * domain or still have a deleted one, servers that are behind, and domains that are
 * PENDING or in error in central. A round reads all domains of the share once, in slices
 * (core/id_cycle.h), on the lane. The loop handles a slice before the next one is read. A
 * round handles at most sync_batch domains of a server. The master also counts domains
 * and deletes old rows.
 *
 * For a create or delete it writes a row that is due, which retry.h handles. The last
 * step of the seed, all domains on all servers, is full_scan.h.
 */
#pragma once

#include "poolmgr.h"

struct sync;

void sync_metrics(void);		/* before the fork */
struct sync *sync_new(struct poolmgr *poolmgr);
void sync_free(struct sync **sync);
void sync_fire(struct sync *sync);	/* starts a round, unless one runs */
