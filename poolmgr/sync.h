/*
 * sync -- periodic_sync of the seed, each interval: servers that miss a domain, or have
 * one that is to be gone; domains that are behind; domains that no verdict settled. All
 * domains of the share once round, a slice at a time (core/circuit.h), on the lane; what a
 * slice shows is done on the loop before the next one is read. No more than sync_batch of
 * a server in a round. The master counts, and forgets what is settled.
 *
 * What a server has to create or delete becomes a row that is due: retry.h does the rest.
 * The seed's last step, all domains on all servers, is patrol's.
 */
#pragma once

#include "poolmgr.h"

struct sync;

void sync_metrics(void);		/* before the fork */
struct sync *sync_new(struct poolmgr *poolmgr);
void sync_free(struct sync **sync);
void sync_fire(struct sync *sync);	/* a round, unless one is on its way */
