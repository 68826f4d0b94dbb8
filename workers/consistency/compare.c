#include "consistency/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"

enum {
	MEMORY_ROUNDS = 3,
	HOUR_MS = 3600 * 1000,
	REPAIRS_MAX = 32,		/* that an object is remembered by */
};

/* One that differed, or was repaired within the hour. */
struct object {
	struct object *next;
	enum difference difference;	/* DIFF_NONE: only repaired */
	uint64_t slave_version;
	uint64_t round;			/* in which it was seen last */
	int64_t repaired_ms[REPAIRS_MAX];	/* the newest first */
	int repairs;
	size_t id_len;
	uint8_t id[];
};

struct compare {
	struct compare_terms terms;
	struct map *by_id;
	struct object *first;
	uint64_t round;
};

struct compare *compare_new(uint32_t seed, const struct compare_terms *terms)
{
	struct compare *compare = xcalloc(1, sizeof(*compare));

	bug_if(terms->repairs_an_hour < 1 || terms->repairs_an_hour > REPAIRS_MAX);
	compare->terms = *terms;
	compare->by_id = map_new(seed);
	return compare;
}

void compare_free(struct compare **compare)
{
	struct compare *old = *compare;
	struct object *object;

	*compare = NULL;
	if (!old)
		return;
	while ((object = old->first)) {
		old->first = object->next;
		free(object);
	}
	map_free(&old->by_id);
	free(old);
}

/* ---- objects ---- */

static struct object *object_new(struct compare *compare, const void *id, size_t id_len)
{
	struct object *object = xcalloc(1, sizeof(*object) + id_len);

	object->id_len = id_len;
	memcpy(object->id, id, id_len);
	object->next = compare->first;
	compare->first = object;
	map_put(compare->by_id, id, id_len, object);
	return object;
}

static int repairs_of_an_hour(const struct object *object, int64_t now_ms)
{
	int count = 0;

	while (count < object->repairs && object->repaired_ms[count] > now_ms - HOUR_MS)
		count++;
	return count;
}

static void note_repair(struct object *object, int64_t now_ms)
{
	memmove(object->repaired_ms + 1, object->repaired_ms,
	        (REPAIRS_MAX - 1) * sizeof(*object->repaired_ms));
	object->repaired_ms[0] = now_ms;
	object->repairs += object->repairs < REPAIRS_MAX;
}

static bool is_parked(const struct compare *compare, const struct object *object,
                      int64_t now_ms)
{
	return repairs_of_an_hour(object, now_ms) >= compare->terms.repairs_an_hour;
}

/* ---- what differs ---- */

static enum difference difference_of(const struct sight *sight)
{
	if (sight->in_master && !sight->in_slave)
		return DIFF_CREATE;
	if (!sight->in_master && sight->in_slave)
		return DIFF_DELETE;
	if (!sight->in_master || (sight->master_version == sight->slave_version &&
	                          !sight->content_differs))
		return DIFF_NONE;
	return DIFF_UPDATE;
}

/* A slave that moves is on its way: only one that stands still is repaired. */
static bool is_as_before(const struct object *object, enum difference difference,
                         const struct sight *sight)
{
	return object->difference == difference &&
	       (difference != DIFF_UPDATE ||
	        object->slave_version == sight->slave_version);
}

static void remember(struct object *object, enum difference difference,
                     const struct sight *sight)
{
	object->difference = difference;
	object->slave_version = sight->slave_version;
}

/* ---- a round ---- */

void compare_begin(struct compare *compare)
{
	compare->round++;
}

static bool is_over(const struct compare *compare, const struct object *object)
{
	return object->round + MEMORY_ROUNDS <= compare->round;
}

void compare_end(struct compare *compare, int64_t now_ms)
{
	struct object **at = &compare->first;

	while (*at) {
		struct object *object = *at;

		if (is_over(compare, object))
			object->difference = DIFF_NONE;
		if (object->difference || repairs_of_an_hour(object, now_ms)) {
			at = &object->next;
			continue;
		}
		*at = object->next;
		map_remove(compare->by_id, object->id, object->id_len);
		free(object);
	}
}

enum compare_advice compare_saw(struct compare *compare, const void *id, size_t id_len,
                                const struct sight *sight, int64_t now_ms)
{
	struct object *object = map_get(compare->by_id, id, id_len);
	enum difference difference = difference_of(sight);
	bool believed;

	if (sight->failed || (!object && !difference))
		return COMPARE_NOTHING;
	if (!object)
		object = object_new(compare, id, id_len);
	believed = difference && is_as_before(object, difference, sight);
	remember(object, difference, sight);
	object->round = compare->round;
	if (!believed)
		return COMPARE_NOTHING;
	return is_parked(compare, object, now_ms) ? COMPARE_PARKED : COMPARE_REPAIR;
}

enum difference compare_confirm(struct compare *compare, const void *id, size_t id_len,
                                const struct sight *sight, int64_t now_ms)
{
	struct object *object = map_get(compare->by_id, id, id_len);
	enum difference difference = difference_of(sight);

	if (!object || sight->failed || is_parked(compare, object, now_ms))
		return DIFF_NONE;
	if (!difference || !is_as_before(object, difference, sight))
		difference = DIFF_NONE;
	else
		note_repair(object, now_ms);
	object->difference = DIFF_NONE;
	return difference;
}

/* ---- how many ---- */

size_t compare_pending(const struct compare *compare)
{
	size_t count = 0;

	for (const struct object *at = compare->first; at; at = at->next)
		count += at->difference != DIFF_NONE;
	return count;
}

size_t compare_parked(const struct compare *compare, int64_t now_ms)
{
	size_t count = 0;

	for (const struct object *at = compare->first; at; at = at->next)
		count += is_parked(compare, at, now_ms);
	return count;
}
