/*
 * strays -- asks each server which zones it has from us, and looks for a domain that each
 * of them stands for. One that has none is a stray: a deletion that failed, or was undone
 * by a server that came back from a copy. A server is asked by one process of the pool,
 * on its lane, every compare_every'th round; what nobody marked as ours is not listed.
 */
#pragma once

#include "poolmgr.h"

void orphan_zones_find(struct poolmgr *poolmgr, const struct scope *scope);
