#include "agent/version_gaps.h"

/* The version after ALL has come: advances to the next gap. */
static void version_gaps_advance(struct version_gaps *gaps)
{
	bool is_known;

	do {
		is_known = gaps->ahead & 1;
		gaps->ahead >>= 1;
		gaps->all++;
	} while (is_known);
}

static uint64_t version_gaps_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

void version_gaps_read(struct version_gaps *gaps, uint64_t version)
{
	if (version_gaps_distance(version, gaps->all) > VERSION_GAPS_AHEAD)
		*gaps = (struct version_gaps){ .all = version };
	while (gaps->all < version)
		version_gaps_advance(gaps);
}

void version_gaps_received(struct version_gaps *gaps, uint64_t version)
{
	if (version <= gaps->all || version - gaps->all > VERSION_GAPS_AHEAD + 1)
		return;
	if (version == gaps->all + 1)
		version_gaps_advance(gaps);
	else
		gaps->ahead |= UINT64_C(1) << (version - gaps->all - 2);
}

bool version_gaps_none_up_to(const struct version_gaps *gaps, uint64_t version)
{
	return version <= gaps->all;
}
