/*
 * compare -- repairs the effects of lost notifications of Neutron. A round has two
 * passes. The first pass reads ids and revisions: of all networks, of all subnets, then
 * of the ports of each network. The second pass begins some seconds later, because most
 * differences are changes whose notification has not arrived yet. It reads each differing
 * object by its id. Then it writes the object, or deletes it if Neutron no longer has it
 * (neutron_apply.h).
 *
 * A row has the time of the next round, so one process of the fleet makes each round.
 */
#pragma once

#include "ports.h"

struct comparison;

void compare_metrics(void);		/* before the fork */
/* NULL without ports.feed. The functions accept NULL. */
struct comparison *compare_new(struct ports *ports);
void compare_fire(struct comparison *comparison);	/* starts a round if one is due */
/* Makes a round due soon, after a gap in the feed. */
void compare_soon(struct comparison *comparison);
void compare_free(struct comparison **comparison);
