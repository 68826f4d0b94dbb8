/*
 * orphan_zones -- lists our zones on each server, and finds zones without a domain: a
 * deletion failed, or a server was restored from a backup. In each compare_every'th
 * round one process of the pool asks a server, on its lane. The list has only zones with
 * our mark.
 */
#pragma once

#include "poolmgr.h"

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope);
