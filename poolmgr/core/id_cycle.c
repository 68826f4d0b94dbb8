#include "core/id_cycle.h"

#include <stdio.h>
#include <string.h>

static void id_cycle_set(char *id, const char *text)
{
	snprintf(id, ID_LEN + 1, "%s", text);
}

void id_cycle_begin(struct id_cycle *cycle, const char *anywhere)
{
	const char *origin = cycle->is_cut ? cycle->next_origin : anywhere;

	id_cycle_set(cycle->origin, origin);
	id_cycle_set(cycle->after, origin);
	id_cycle_set(cycle->upto, origin);
	cycle->is_cut = false;
	cycle->round_the_end = false;
}

const char *id_cycle_limit(const struct id_cycle *cycle)
{
	return cycle->round_the_end ? cycle->origin : ID_CYCLE_END;
}

void id_cycle_set_slice(struct id_cycle *cycle, const char *upto)
{
	id_cycle_set(cycle->upto, upto);
	cycle->is_cut_here = false;
}

void id_cycle_cut(struct id_cycle *cycle, const char *last)
{
	if (cycle->is_cut &&
	    !(cycle->is_cut_here && strcmp(last, cycle->next_origin) < 0))
		return;
	id_cycle_set(cycle->next_origin, last);
	cycle->is_cut = cycle->is_cut_here = true;
}

bool id_cycle_next(struct id_cycle *cycle)
{
	bool at_limit = strcmp(cycle->upto, id_cycle_limit(cycle)) >= 0;

	if (at_limit && (cycle->round_the_end || !*cycle->origin))
		return false;
	if (at_limit)
		cycle->upto[0] = '\0';
	cycle->round_the_end |= at_limit;
	id_cycle_set(cycle->after, cycle->upto);
	return true;
}
