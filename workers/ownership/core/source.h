/*
 * source -- whether a resource is believed that says what it wants (seed 001, "Source").
 *
 * One that had many endpoints and has none now may have lost its memory, however often it
 * says so: its list counts as incomplete, and what the zone would lose is held, until
 * somebody approves that, and nothing in the zone is the resource's any more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct source_report {
	bool is_complete;		/* it says so */
	size_t count;			/* of endpoints that it wants now */
	size_t left;			/* that it wanted before, and does not name now */
	size_t had;			/* at most, as long as it is not believed */
	bool owns_sets;			/* it owns sets in the zone */
	size_t min_records;		/* with fewer nothing is too much */
};

struct source_state {
	bool is_complete;		/* what is not wanted may go */
	size_t endpoints;		/* to compare the next report with */
};

struct source_state source_decide(const struct source_report *report);
