/*
 * orphan_zones -- lists the zones of the fleet on each server, and finds orphan zones. A
 * zone becomes an orphan zone if its deletion fails, or if an operator restores the
 * server from a backup. One of compare_every rounds of the sync reads the lists. Each
 * process gets the lists from the servers in its share, on the lanes of the servers. If
 * the pool has an orphan zone that is not parked, every round reads the lists. The list
 * contains only zones that the driver has marked as zones of the fleet.
 */
#pragma once

#include "poolmgr.h"

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope);
