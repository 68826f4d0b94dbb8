/*
 * problems -- finds out whether the fleet is well, for `zonefleet status` without a
 * domain. Each problem is one line for the operator. The line contains the problem. If a
 * command can show more details, the line also contains this command.
 */
#pragma once

#include "cli.h"

/*
 * A domain that has been PENDING for more than PENDING_LONG_S seconds is a problem. A
 * change usually reaches the name servers in less time.
 */
enum { PENDING_LONG_S = 60 };

/*
 * Finds the problems, and writes a list of texts to PROBLEMS. STATUS: the answer to
 * get_status. TROUBLED: at most SHOWN_MAX domains in ERROR, followed by at most
 * SHOWN_MAX PENDING domains. In each of these two groups, the domain with the oldest
 * last change comes first.
 */
enum err problems_find(struct cli *cli, const json_t *status, const json_t *troubled,
                       size_t shown_max, json_t **problems);
/*
 * Prints the problems. If there are no problems, prints that the fleet is well, unless
 * --quiet is given.
 */
void problems_show(const struct output *out, const json_t *problems);
