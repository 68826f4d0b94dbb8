#include "ttls.h"

#include <stdlib.h>

#include "base/fnv.h"
#include "base/mem.h"
#include "model/name.h"

/* A stranger's file may contain names whose keys have the same place. */
enum { SLOTS_FIRST = 1024, PROBES_MAX = 1024 };

/*
 * The RRSIG records of a name are one set for each type that they cover. Two sets with
 * the same key could cause a warning that is wrong, no more.
 */
static uint64_t ttls_key(const struct rr *rr)
{
	uint8_t type[2] = { (uint8_t)(rr->type >> 8), (uint8_t)rr->type };
	uint64_t key = fnv_add(FNV_START, rr->name,
	                       name_wire_len(rr->name, NAME_MAX_WIRE));

	key = fnv_add(key, type, sizeof(type));
	if (rr->type == RR_RRSIG && rr->rdata_len > 1)
		key = fnv_add(key, rr->rdata, 2);
	return key ? key : 1;
}

/* The slot of the key or a free one; NULL: too many keys have the same place. */
static struct ttl_slot *ttls_slot(const struct ttls *ttls, uint64_t key)
{
	for (size_t i = 0; i < PROBES_MAX; i++) {
		struct ttl_slot *slot =
			&ttls->slots[((size_t)key + i) & (ttls->size - 1)];

		if (!slot->key || slot->key == key)
			return slot;
	}
	return NULL;
}

static void ttls_grow(struct ttls *ttls)
{
	struct ttls grown = {
		.size = ttls->size ? 2 * ttls->size : SLOTS_FIRST, .count = ttls->count,
	};

	grown.slots = xcalloc(grown.size, sizeof(*grown.slots));
	for (size_t i = 0; i < ttls->size; i++) {
		uint64_t key = ttls->slots[i].key;
		struct ttl_slot *slot = key ? ttls_slot(&grown, key) : NULL;

		if (slot)
			*slot = ttls->slots[i];
	}
	free(ttls->slots);
	*ttls = grown;
}

bool ttls_change(struct ttls *ttls, const struct rr *rr, uint32_t *before)
{
	uint64_t key = ttls_key(rr);
	struct ttl_slot *slot;

	if (ttls->count * 2 == ttls->size && ttls->count < TTLS_SETS_MAX)
		ttls_grow(ttls);
	slot = ttls_slot(ttls, key);
	if (!slot)
		return false;
	if (slot->key && slot->ttl != rr->ttl) {
		*before = slot->ttl;
		slot->ttl = rr->ttl;
		return true;
	}
	if (slot->key || ttls->count == TTLS_SETS_MAX)
		return false;
	*slot = (struct ttl_slot){ key, rr->ttl };
	ttls->count++;
	return false;
}

void ttls_clear(struct ttls *ttls)
{
	free(ttls->slots);
	*ttls = (struct ttls){ 0 };
}
