/*
 * status -- prints the answer of get_status. `pool show` and `servers` also use these
 * functions.
 */
#pragma once

#include <jansson.h>

#include "output.h"

/* Prints the domain, with a row for each name server. */
void status_show_domain(const struct output *out, const json_t *domain);
/*
 * Makes the answer for --json about one domain, {"domain": ...}, from STATUS. Takes over
 * STATUS.
 */
json_t *status_only_domain(json_t *status);
void status_show_servers(const struct output *out, const json_t *status);
