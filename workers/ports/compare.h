/*
 * compare -- finds the changes whose notifications from Neutron were lost, and applies
 * these changes. A round has two passes. The first pass reads the ids and revisions of
 * all networks, of all subnets, and then of the ports of each network. The second pass
 * begins five seconds later, because most differences that the first pass finds come from
 * changes whose notifications have not arrived yet. The second pass reads each differing
 * object from Neutron and writes the object to the tables. If Neutron does not have the
 * object, the second pass deletes the row of the object (neutron_apply.h).
 *
 * A row of the database contains the time of the next round, so each round runs in only
 * one process of the fleet.
 */
#pragma once

#include "ports.h"

struct comparison;

/* Registers the metrics. Call it before the fork. */
void compare_metrics(void);
/*
 * Makes the comparison of this process. Returns NULL if ports.feed is not set. The other
 * functions accept NULL.
 */
struct comparison *compare_new(struct ports *ports);
/* Starts a round if a round is due and this process runs no round. */
void compare_fire(struct comparison *comparison);
/* Makes the next round due within 30 seconds. Call it after a gap in the feed. */
void compare_soon(struct comparison *comparison);
void compare_free(struct comparison **comparison);
