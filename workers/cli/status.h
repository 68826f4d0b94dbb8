/* status -- the name servers of get_status as a table; also for `pool show`. */
#pragma once

#include <jansson.h>

#include "output.h"

void status_show_servers(const struct output *out, const json_t *status);
