/*
 * delegation -- a router's domain in its parent, a zone that others write, too: what the
 * ownership registry (seed 001) is asked for. Its NS are those of the domain; where one
 * of them is a name in the domain itself, so are its addresses (glue), if the router says
 * them (shard_zone.h, "records"). Nothing here knows a database.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Is DNS below PARENT ("" is nobody's)? Both without a last dot, in lower case. */
bool delegation_is_below(const char *dns, const char *parent);
/* The argument `endpoints` of apply_endpoints: names, and with a last dot. New. */
json_t *delegation_endpoints(const char *dns, const json_t *ns, const json_t *zone);
