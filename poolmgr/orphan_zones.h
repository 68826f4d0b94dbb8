/*
 * orphan_zones -- lists the zones of the fleet on each server, and finds orphan zones. A
 * zone becomes an orphan zone if its deletion fails, or if an operator restores the
 * server from a backup. In one of compare_every rounds of the sync, one process of the
 * pool gets the list from each server, on the lane of the server. The list contains only
 * zones that the driver has marked as zones of the fleet.
 */
#pragma once

#include "poolmgr.h"

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope);
