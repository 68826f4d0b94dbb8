/*
 * orphan_zones -- lists the zones of the fleet on each server, and finds orphan zones.
 * For example, a zone becomes an orphan zone if an operator restores the server from a
 * backup. One of compare_every rounds of the sync reads the lists. If compare_every is
 * not 0 and the pool has an orphan zone that is not parked, every round reads the lists.
 * If compare_every is 0, no round reads the lists. Each process reads the lists of the
 * servers in its share, on the lanes of the servers. A list contains only zones that the
 * driver has marked as zones of the fleet (list() in driver.h).
 */
#pragma once

#include "poolmgr.h"

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope);
