/*
 * status -- prints the answer of get_status. `pool show` and `servers` also use these
 * functions.
 */
#pragma once

#include <jansson.h>

#include "output.h"

/*
 * Prints the domain, with a row for each name server and action. Does not print the row
 * of a successful CREATE.
 */
void status_show_domain(const struct output *out, const json_t *domain);
/*
 * Returns the document for --json about one domain, {"domain": ...}. STATUS: the answer
 * to get_status. Takes over STATUS.
 */
json_t *status_only_domain(json_t *status);
void status_show_servers(const struct output *out, const json_t *status);
