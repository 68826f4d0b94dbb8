#include "core/rrset.h"

#include <stdlib.h>
#include <string.h>

int rdata_compare(struct rdata a, struct rdata b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common ? memcmp(a.octets, b.octets, common) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static void rrset_make_room(struct rrset *set, struct arena *arena)
{
	struct rdata *old = set->records;

	if (set->count < set->size)
		return;
	set->size = set->size ? 2 * set->size : 1;
	set->records = arena_alloc(arena, set->size * sizeof(*old));
	if (set->count)
		memcpy(set->records, old, set->count * sizeof(*old));
}

void rrset_push(struct rrset *set, uint32_t ttl, struct rdata rdata, struct arena *arena)
{
	if (!set->count || ttl < set->ttl)
		set->ttl = ttl;
	rrset_make_room(set, arena);
	set->records[set->count++] = rdata;
}

static int rdata_compare_items(const void *a, const void *b)
{
	return rdata_compare(*(const struct rdata *)a, *(const struct rdata *)b);
}

void rrset_sort(struct rrset *set)
{
	size_t kept = 0;

	if (set->count < 2)
		return;
	qsort(set->records, set->count, sizeof(*set->records), rdata_compare_items);
	for (size_t i = 0; i < set->count; i++)
		if (!kept || rdata_compare(set->records[kept - 1], set->records[i]))
			set->records[kept++] = set->records[i];
	set->count = kept;
}

/* The index of the first record that is not less than RDATA. */
static size_t rrset_find(const struct rrset *set, struct rdata rdata)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rdata_compare(set->records[middle], rdata) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool rrset_is_at(const struct rrset *set, size_t at, struct rdata rdata)
{
	return at < set->count && !rdata_compare(set->records[at], rdata);
}

bool rrset_has(const struct rrset *set, struct rdata rdata)
{
	return rrset_is_at(set, rrset_find(set, rdata), rdata);
}

struct rrset rrset_copy(const struct rrset *set, struct arena *arena)
{
	struct rrset copy = *set;

	copy.size = set->count;
	copy.records = arena_alloc(arena, (set->count + 1) * sizeof(*set->records));
	if (set->count)
		memcpy(copy.records, set->records, set->count * sizeof(*set->records));
	return copy;
}

bool rrset_same_records(const struct rrset *a, const struct rrset *b)
{
	if (a->type != b->type || a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (rdata_compare(a->records[i], b->records[i]))
			return false;
	return true;
}

void rrset_pack(const struct rrset *set, struct buf *packed)
{
	for (size_t i = 0; i < set->count; i++) {
		buf_u16(packed, set->records[i].len);
		buf_append(packed, set->records[i].octets, set->records[i].len);
	}
}

bool rrset_unpack(struct rrset *set, uint32_t ttl, const uint8_t *packed, size_t len,
                  struct arena *arena)
{
	size_t at = 0;

	while (len - at >= 2) {
		struct rdata rdata = { packed + at + 2,
		                       (uint16_t)(packed[at] << 8 | packed[at + 1]) };

		if (rdata.len > len - at - 2)
			return false;
		rrset_push(set, ttl, rdata, arena);
		at += 2u + rdata.len;
	}
	return at == len;
}
