#include "core/share.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fnv.h"

enum { HASH_TEXT = 16 };

/* Owners that share a name trust each other not to construct equal hashes. */
static void share_write_hash(struct rdata rdata, char text[HASH_TEXT + 1])
{
	snprintf(text, HASH_TEXT + 1, "%016" PRIx64,
	         fnv_add(FNV_START, rdata.octets, rdata.len));
}

const char *share_part(const struct rrset *set, struct arena *arena)
{
	char *text = arena_alloc(arena, set->count * (HASH_TEXT + 1) + 1), *at = text;

	for (size_t i = 0; i < set->count; i++) {
		if (i)
			*at++ = '.';
		share_write_hash(set->records[i], at);
		at += HASH_TEXT;
	}
	return text;
}

static bool share_wants(const struct marking *by, struct rdata rdata)
{
	const char *part = by->mark ? mark_get(by->mark, "part") : NULL;
	char text[HASH_TEXT + 1];

	share_write_hash(rdata, text);
	return part && strstr(part, text);
}

bool share_has_others(const struct view_set *set)
{
	for (const struct claim *claim = set->claims; claim; claim = claim->next)
		if (!claim->by->is_ours)
			return true;
	return false;
}

/*
 * True: another owner wants the record. A record in no owner's part also belongs to
 * others.
 */
static bool share_is_wanted_by_others(const struct view_set *set, struct rdata rdata)
{
	if (!set->ours || !share_wants(set->ours, rdata))
		return true;
	for (const struct claim *claim = set->claims; claim; claim = claim->next)
		if (!claim->by->is_ours && share_wants(claim->by, rdata))
			return true;
	return false;
}

struct rrset share_merge(const struct view_set *set, const struct rrset *wanted,
                         struct arena *arena)
{
	struct rrset merged = { .type = set->rrset.type };

	for (size_t i = 0; i < set->rrset.count; i++)
		if (share_is_wanted_by_others(set, set->rrset.records[i]))
			rrset_push(&merged, set->rrset.ttl, set->rrset.records[i], arena);
	for (size_t i = 0; wanted && i < wanted->count; i++)
		rrset_push(&merged, set->rrset.ttl, wanted->records[i], arena);
	rrset_sort(&merged);
	return merged;
}
