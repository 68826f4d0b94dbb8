/*
 * compare -- finds the changes whose notifications from Neutron were lost, and applies
 * these changes. A round has two passes. The first pass reads the ids and revisions of
 * all networks, of all subnets, and then of the ports of each network. The second pass
 * begins a few seconds later, because most differences come from changes whose
 * notifications have not arrived yet. The second pass reads each object that differs from
 * Neutron. Then it writes the object, or deletes the object if Neutron does not have it
 * (neutron_apply.h).
 *
 * A row of the database contains the time of the next round, so only one process of the
 * fleet runs each round.
 */
#pragma once

#include "ports.h"

struct comparison;

void compare_metrics(void);		/* before the fork */
/* Returns NULL if ports.feed is not set. The other functions accept NULL. */
struct comparison *compare_new(struct ports *ports);
void compare_fire(struct comparison *comparison);	/* starts a round if one is due */
/* Makes the next round due soon. Call it after a gap in the feed. */
void compare_soon(struct comparison *comparison);
void compare_free(struct comparison **comparison);
