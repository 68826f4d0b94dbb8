/* rounds -- the number of rounds of a test with random inputs. */
#pragma once

#include <stdlib.h>

/*
 * Returns UNIT_PERCENT percent of ALL (by default 100 percent), but at least 1. With
 * sanitizers, each round is slow, so tests then run with a lower UNIT_PERCENT.
 */
static inline int rounds(int all)
{
	const char *percent = getenv("UNIT_PERCENT");
	int some = percent ? (int)((long)all * atoi(percent) / 100) : all;

	return some > 0 ? some : 1;
}
