#include "agent/version_gaps.h"

/* The one after ALL is known by now: so are those that follow it without a gap. */
static void next(struct heard *heard)
{
	bool is_known;

	do {
		is_known = heard->ahead & 1;
		heard->ahead >>= 1;
		heard->all++;
	} while (is_known);
}

static uint64_t between(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

void heard_all(struct heard *heard, uint64_t version)
{
	if (between(version, heard->all) > HEARD_AHEAD)
		*heard = (struct heard){ .all = version };
	while (heard->all < version)
		next(heard);
}

void heard_one(struct heard *heard, uint64_t version)
{
	if (version <= heard->all || version - heard->all > HEARD_AHEAD + 1)
		return;
	if (version == heard->all + 1)
		next(heard);
	else
		heard->ahead |= UINT64_C(1) << (version - heard->all - 2);
}

bool heard_has(const struct heard *heard, uint64_t version)
{
	return version <= heard->all;
}
