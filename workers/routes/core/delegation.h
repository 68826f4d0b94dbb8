/*
 * delegation -- makes the endpoints that delegate a router's domain in its parent zone, a
 * shared zone. The delegation contains the NS records of the domain. A name server inside
 * the domain also needs glue records with the addresses of this name server.
 * delegation_endpoints() takes the glue records from the initial records of the domain,
 * if the initial records contain the addresses ("records" in router_domain.h).
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/*
 * True: DNS is below PARENT. False if PARENT is "". Both names are in lower case and have
 * no final dot.
 */
bool delegation_is_below(const char *dns, const char *parent);
/*
 * Makes a new list for the argument `endpoints` of apply_endpoints. The names in the list
 * have a final dot.
 */
json_t *delegation_endpoints(const char *dns, const json_t *ns, const json_t *zone);
