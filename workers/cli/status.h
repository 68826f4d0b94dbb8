/* status -- the name servers of get_status as a table; also for `pool show`. */
#pragma once

#include <jansson.h>

#include "output.h"

/* A domain of get_status, with what each server has of it. */
void status_show_domain(const struct output *out, const json_t *domain);
void status_show_servers(const struct output *out, const json_t *status);
