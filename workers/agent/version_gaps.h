/*
 * heard -- which versions of a thing are known, of those that are told one by one: all up
 * to one, and some of the next. What was told out of order fills its gap; a gap that
 * stays is a message that got lost. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { HEARD_AHEAD = 64 };

struct heard {				/* zeroed: nothing */
	uint64_t all;			/* each one up to it is known */
	uint64_t ahead;			/* bit i: all + 2 + i is, too */
};

/*
 * The thing was read as it is in VERSION; what was told meanwhile is still known. If VERSION
 * is far behind, they are counted anew.
 */
void heard_all(struct heard *heard, uint64_t version);
/* VERSION was told. One that is more than HEARD_AHEAD ahead is forgotten: it is a gap. */
void heard_one(struct heard *heard, uint64_t version);
/* Nothing up to VERSION is missing. */
bool heard_has(const struct heard *heard, uint64_t version);
