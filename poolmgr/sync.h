/*
 * sync -- periodic_sync of the seed, each interval. It finds servers that miss a domain
 * or still have a deleted one, servers that are behind, and domains that central still
 * has as PENDING or in error. A round reads all domains of the share once, slice by
 * slice (core/id_cycle.h), on the lane. The loop handles a slice before the next one is
 * read. A round handles at most sync_batch domains of a server. The master also counts
 * domains and deletes old rows.
 *
 * A create or delete becomes a row that is due, which retry.h takes up. The last step of
 * the seed, all domains on all servers, is full_scan.h.
 */
#pragma once

#include "poolmgr.h"

struct sync;

void sync_metrics(void);		/* before the fork */
struct sync *sync_new(struct poolmgr *poolmgr);
void sync_free(struct sync **sync);
void sync_fire(struct sync *sync);	/* starts a round, unless one runs */
