#include "revisions.h"

#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct sight *)a)->id, ((const struct sight *)b)->id);
}

void sights_sort(struct sight *sights, size_t count)
{
	if (count)
		qsort(sights, count, sizeof(*sights), by_id);
}

bool sights_have(const struct sight *sights, size_t count, const char *id)
{
	struct sight key;

	memcpy(key.id, id, sizeof(key.id));
	return count && bsearch(&key, sights, count, sizeof(key), by_id);
}

static bool is_newer(const struct sight *their, const struct sight *our)
{
	if (our->is_gone || their->is_hint)
		return false;
	return !our->revision || !their->revision || their->revision > our->revision;
}

size_t sights_differing(const struct sight *ours, size_t our_count,
                        const struct sight *theirs, size_t their_count,
                        struct sight *differing)
{
	size_t i = 0, j = 0, count = 0;

	while (i < our_count || j < their_count) {
		int order = i == our_count ? 1 : j == their_count ? -1
		            : strcmp(ours[i].id, theirs[j].id);

		if (order < 0 && !ours[i].is_gone)
			differing[count++] = ours[i];
		if (order > 0)
			differing[count++] = theirs[j];
		if (!order && is_newer(&theirs[j], &ours[i]))
			differing[count++] = theirs[j];
		i += order <= 0;
		j += order >= 0;
	}
	return count;
}
