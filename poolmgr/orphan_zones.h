/*
 * orphan_zones -- lists the zones of the fleet on each server, and finds orphan zones. A
 * zone becomes an orphan zone if its deletion fails, or if an operator restores the
 * server from a backup. In one of compare_every rounds of the sync, the process whose
 * share contains a server gets the list from this server, on the lane of the server. If
 * the pool has an orphan zone that is not parked, this process gets the list in every
 * round. The list contains only zones that the driver has marked as zones of the fleet.
 */
#pragma once

#include "poolmgr.h"

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope);
