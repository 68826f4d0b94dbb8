/*
 * problems -- finds out whether the fleet is well, for `zonefleet status` without a
 * domain. Each problem is one line for the operator: what is wrong, and the command that
 * shows more.
 */
#pragma once

#include "cli.h"

enum { PENDING_LONG_S = 60 };	/* a change that is on its way takes less time */

/*
 * Finds the problems, as a list of texts. STATUS: the answer to get_status. TROUBLED:
 * the domains in ERROR, then the PENDING domains, the oldest first, at most SHOWN_MAX of
 * each.
 */
enum err problems_find(struct cli *cli, const json_t *status, const json_t *troubled,
                       size_t shown_max, json_t **problems);
/* Prints the problems, or that there are none. */
void problems_show(const struct output *out, const json_t *problems);
