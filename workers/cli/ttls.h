/*
 * ttls -- remembers the TTL of each record set of an import, to find records of a set
 * that are not consecutive and have another TTL: the reader of the file compares only
 * consecutive records. A set needs at most 64 bytes, and at most TTLS_SETS_MAX sets are
 * compared.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/rr.h"

enum { TTLS_SETS_MAX = 1024 * 1024 };

struct ttls {
	struct ttl_slot { uint64_t key; uint32_t ttl; } *slots;	/* key 0: free */
	size_t size, count;	/* size: a power of two, at least twice the count */
};

/* Notes the TTL of the record. True: the set had another one, *before, until now. */
bool ttls_change(struct ttls *ttls, const struct rr *rr, uint32_t *before);
void ttls_clear(struct ttls *ttls);
