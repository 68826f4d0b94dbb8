/*
 * orphan_zones -- lists our zones on each server, and finds orphan zones. A zone becomes
 * an orphan if its deletion fails, or if its server is restored from a backup. In each
 * compare_every'th round, one process of the pool asks each server, on the lane of the
 * server. The list contains only zones with our mark.
 */
#pragma once

#include "poolmgr.h"

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope);
