#include "core/rrsets.h"

#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"

enum { FIRST_SLOTS = 64 };

/*
 * FNV-1a. With chosen names a caller causes at most 5 000 probes for each of 5 000 sets.
 */
static size_t rrset_hash(const struct name *name, uint16_t type)
{
	uint64_t h = fnv_add(FNV_START ^ type, name->wire, name->len);

	return (size_t)(h ^ h >> 32);
}

static struct rrset **rrsets_find_slot(const struct rrsets *sets, const struct name *name,
                                       uint16_t type)
{
	size_t mask = sets->slot_count - 1, at = rrset_hash(name, type) & mask;

	while (sets->slots[at] && (sets->slots[at]->type != type ||
	                           !name_equal(&sets->slots[at]->name, name)))
		at = (at + 1) & mask;
	return &sets->slots[at];
}

static void rrsets_grow(struct rrsets *sets)
{
	struct rrset **items = sets->items;

	sets->size *= 2;
	sets->slot_count = sets->size * 2;
	sets->items = arena_alloc(sets->arena, sets->size * sizeof(*items));
	sets->slots = arena_alloc(sets->arena, sets->slot_count * sizeof(*items));
	memcpy(sets->items, items, sets->count * sizeof(*items));
	for (size_t i = 0; i < sets->count; i++)
		*rrsets_find_slot(sets, &items[i]->name, items[i]->type) = items[i];
}

void rrsets_init(struct rrsets *sets, struct arena *arena)
{
	*sets = (struct rrsets){
		.arena = arena,
		.size = FIRST_SLOTS / 2,
		.slot_count = FIRST_SLOTS,
		.items = arena_alloc(arena, FIRST_SLOTS / 2 * sizeof(*sets->items)),
		.slots = arena_alloc(arena, FIRST_SLOTS * sizeof(*sets->slots)),
	};
}

struct rrset *rrsets_get(struct rrsets *sets, const struct name *name, const char *owner,
                         uint16_t type)
{
	struct rrset **slot = rrsets_find_slot(sets, name, type);
	struct rrset *set = *slot;

	if (set)
		return set;
	if (sets->count == sets->size) {
		rrsets_grow(sets);
		slot = rrsets_find_slot(sets, name, type);
	}
	set = arena_alloc(sets->arena, sizeof(*set));
	set->name = *name;
	set->owner = owner;
	set->type = type;
	*slot = sets->items[sets->count++] = set;
	return set;
}

static int rrset_compare(const void *a, const void *b)
{
	const struct rrset *x = *(struct rrset *const *)a, *y = *(struct rrset *const *)b;
	int order = strcmp(x->owner, y->owner);

	return order ? order : x->type - y->type;
}

void rrsets_sort(struct rrsets *sets)
{
	qsort(sets->items, sets->count, sizeof(*sets->items), rrset_compare);
}
