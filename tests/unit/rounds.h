/* How often a test of random inputs repeats. */
#pragma once

#include <stdlib.h>

/* UNIT_PERCENT (100) percent of ALL, at least one. Sanitizers make a round slow. */
static inline int rounds(int all)
{
	const char *percent = getenv("UNIT_PERCENT");
	int some = percent ? (int)((long)all * atoi(percent) / 100) : all;

	return some > 0 ? some : 1;
}
