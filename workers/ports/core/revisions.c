#include "revisions.h"

#include <stdlib.h>
#include <string.h>

static int revision_compare_ids(const void *a, const void *b)
{
	return strcmp(((const struct revision *)a)->id, ((const struct revision *)b)->id);
}

void revisions_sort(struct revision *revisions, size_t count)
{
	if (count)
		qsort(revisions, count, sizeof(*revisions), revision_compare_ids);
}

bool revisions_have(const struct revision *revisions, size_t count, const char *id)
{
	struct revision key;

	memcpy(key.id, id, sizeof(key.id));
	return count && bsearch(&key, revisions, count, sizeof(key),
	                        revision_compare_ids);
}

static bool revision_is_newer(const struct revision *their, const struct revision *our)
{
	if (our->is_gone || their->is_partial)
		return false;
	return !our->revision || !their->revision || their->revision > our->revision;
}

size_t revisions_diff(const struct revision *ours, size_t our_count,
                      const struct revision *theirs, size_t their_count,
                      struct revision *differing)
{
	size_t i = 0, j = 0, count = 0;

	while (i < our_count || j < their_count) {
		int order = i == our_count ? 1 : j == their_count ? -1
		            : strcmp(ours[i].id, theirs[j].id);

		if (order < 0 && !ours[i].is_gone)
			differing[count++] = ours[i];
		if (order > 0)
			differing[count++] = theirs[j];
		if (!order && revision_is_newer(&theirs[j], &ours[i]))
			differing[count++] = theirs[j];
		i += order <= 0;
		j += order >= 0;
	}
	return count;
}
