#include "core/usage.h"

#include <stdlib.h>
#include <string.h>

static int usage_compare(const void *a, const void *b)
{
	const struct usage_change *x = a, *y = b;

	return strcmp(x->tenant, y->tenant);
}

/* Removes the changes without a tenant or without an effect. */
static size_t usage_keep_changed(struct usage_change *changes, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (changes[i].tenant && changes[i].domains)
			changes[kept++] = changes[i];
	return kept;
}

static void usage_add(struct usage_change *sum, const struct usage_change *change)
{
	sum->domains += change->domains;
	if (change->max >= 0 && (sum->max < 0 || change->max < sum->max))
		sum->max = change->max;
}

size_t usage_merge(struct usage_change *changes, size_t count)
{
	size_t merged = 0;

	count = usage_keep_changed(changes, count);
	if (count)
		qsort(changes, count, sizeof(*changes), usage_compare);
	for (size_t i = 0; i < count; i++) {
		if (merged && !usage_compare(&changes[merged - 1], &changes[i]))
			usage_add(&changes[merged - 1], &changes[i]);
		else
			changes[merged++] = changes[i];
	}
	return usage_keep_changed(changes, merged);
}
