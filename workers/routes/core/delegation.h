/*
 * delegation -- the endpoints that delegate a router's domain in its parent, a shared
 * zone. Their NS records are the NS records of the domain. A name server inside the
 * domain needs glue: its addresses. They come from the first records of the router, if
 * these have them (router_domain.h, "records").
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/*
 * True: DNS is below PARENT. False for PARENT "". Both have no final dot and are in lower
 * case.
 */
bool delegation_is_below(const char *dns, const char *parent);
/*
 * Makes a new list, the argument `endpoints` of apply_endpoints. Its names have a final
 * dot.
 */
json_t *delegation_endpoints(const char *dns, const json_t *ns, const json_t *zone);
