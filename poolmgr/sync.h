/*
 * sync -- finds differences between the name servers and the database, and starts the
 * work that corrects the differences (requirements: seed 000, periodic_sync). A round
 * starts once in each periodic_sync_interval. A round finds servers that lack a domain,
 * still have a deleted domain, or are behind. A round also finds domains whose status in
 * the database is PENDING or ERROR. A round reads all domains in the share of this
 * process once, in slices (core/id_cycle.h), on the pool manager's lane. The event loop
 * handles a slice before the lane reads the next slice. A round handles at most
 * sync_batch domains of each server. The master also counts domains and deletes old rows.
 *
 * For a CREATE or DELETE, the sync writes a row that is due, and retry.h handles the row.
 * As the last step of periodic_sync, full_scan.h polls all domains on all servers.
 */
#pragma once

#include "poolmgr.h"

struct sync;

void sync_metrics(void);		/* call it before the fork */
struct sync *sync_new(struct poolmgr *poolmgr);
void sync_free(struct sync **sync);
void sync_fire(struct sync *sync);	/* starts a round, unless a round is running */
