#include "consistency/election.h"

#include <stdlib.h>
#include <string.h>

static const struct member *election_master(const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (members[i].is_master)
			return &members[i];
	return NULL;
}

static bool member_is_alive(const struct member *member, int64_t now_ms, int timeout_ms)
{
	/* a time far in the future means that the clock went back */
	return member->plugin_time_ms + timeout_ms >= now_ms &&
	       member->plugin_time_ms <= now_ms + timeout_ms;
}

bool election_is_vacant(const struct member *members, size_t count, int64_t now_ms,
                        int timeout_ms)
{
	const struct member *master = election_master(members, count);

	return !master || !member_is_alive(master, now_ms, timeout_ms);
}

bool election_is_master(const struct member *members, size_t count, const char *me)
{
	const struct member *master = election_master(members, count);

	return master && !strcmp(master->plugin_name, me);
}

/* ---- the master's work ---- */

/* In the order of shares; members without a share follow, sorted by name. */
static int election_compare(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	unsigned x = (unsigned)a->hash_factor, y = (unsigned)b->hash_factor;

	return x != y ? (x > y) - (x < y) : strcmp(a->plugin_name, b->plugin_name);
}

static bool election_set_int(int *value, int to)
{
	bool differs = *value != to;

	*value = to;
	return differs;
}

static bool election_set_bool(bool *value, bool to)
{
	bool differs = *value != to;

	*value = to;
	return differs;
}

static uint64_t election_generation(const struct member *members, size_t count)
{
	uint64_t generation = 0;

	for (size_t i = 0; i < count; i++)
		if (members[i].generation > generation)
			generation = members[i].generation;
	return generation;
}

static bool election_is_consistent(const struct member *members, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (members[i].generation != members[0].generation)
			return false;
	return true;
}

bool election_assign(struct member *members, size_t count, const char *me,
                     int64_t now_ms, int timeout_ms)
{
	uint64_t generation = election_generation(members, count);
	bool differs = !election_is_consistent(members, count);
	int active = 0;

	qsort(members, count, sizeof(*members), election_compare);
	for (size_t i = 0; i < count; i++) {
		struct member *member = &members[i];
		bool is_me = !strcmp(member->plugin_name, me);
		bool heard = is_me || member_is_alive(member, now_ms, timeout_ms);

		differs |= election_set_bool(&member->active, heard);
		differs |= election_set_bool(&member->is_master, is_me);
		differs |= election_set_int(&member->hash_factor, heard ? active++ : -1);
	}
	for (size_t i = 0; i < count; i++)
		differs |= election_set_int(&members[i].total_number,
		                            members[i].is_master ? active : 0);
	for (size_t i = 0; differs && i < count; i++)
		members[i].generation = generation + 1;
	return differs;
}

/* ---- a member's work ---- */

struct share election_share(const struct member *members, size_t count, const char *me)
{
	const struct share none = { .total = 0 };
	const struct member *master = election_master(members, count), *own = NULL;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(members[i].plugin_name, me))
			own = &members[i];
	if (!master || !own || !own->active || own->generation != master->generation ||
	    own->hash_factor < 0 || own->hash_factor >= master->total_number)
		return none;
	return (struct share){ (uint32_t)own->hash_factor,
	                       (uint32_t)master->total_number, own->generation };
}

/* The CRC-32 of IEEE 802.3, reflected. */
uint32_t share_hash(const char *text)
{
	uint32_t crc = UINT32_MAX;

	for (; *text; text++) {
		crc ^= (uint8_t)*text;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

bool share_has(const struct share *share, const char *object_uuid)
{
	return share->total && share_hash(object_uuid) % share->total == share->factor;
}
