#include "core/id_cycle.h"

#include <stdio.h>
#include <string.h>

static void set(char *id, const char *text)
{
	snprintf(id, ID_LEN + 1, "%s", text);
}

void circuit_begin(struct circuit *circuit, const char *anywhere)
{
	const char *origin = circuit->is_cut ? circuit->next_origin : anywhere;

	set(circuit->origin, origin);
	set(circuit->after, origin);
	set(circuit->upto, origin);
	circuit->is_cut = false;
	circuit->round_the_end = false;
}

const char *circuit_limit(const struct circuit *circuit)
{
	return circuit->round_the_end ? circuit->origin : CIRCUIT_END;
}

void circuit_slice(struct circuit *circuit, const char *upto)
{
	set(circuit->upto, upto);
	circuit->is_cut_here = false;
}

void circuit_cut(struct circuit *circuit, const char *last)
{
	if (circuit->is_cut &&
	    !(circuit->is_cut_here && strcmp(last, circuit->next_origin) < 0))
		return;
	set(circuit->next_origin, last);
	circuit->is_cut = circuit->is_cut_here = true;
}

bool circuit_go_on(struct circuit *circuit)
{
	bool at_limit = strcmp(circuit->upto, circuit_limit(circuit)) >= 0;

	if (at_limit && (circuit->round_the_end || !*circuit->origin))
		return false;
	if (at_limit)
		circuit->upto[0] = '\0';
	circuit->round_the_end |= at_limit;
	set(circuit->after, circuit->upto);
	return true;
}
