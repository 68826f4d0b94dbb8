/*
 * router -- functions for the commands about routers and routes. routes_ask() calls
 * zonefleet-routes. If a command waits until the name servers serve the domain of a
 * router, the command checks the router with router_look().
 */
#pragma once

#include <jansson.h>

#include "cli.h"

/*
 * Calls a method of zonefleet-routes. Takes over ARGS. ANSWER gets the member KEY of the
 * answer. The caller frees this member.
 */
enum err routes_ask(struct cli *cli, const char *method, json_t *args, const char *key,
                    json_t **answer);

/*
 * Replaces ROUTER by the current state of the router NAME. The caller frees ROUTER. Sets
 * IS_OUT to true if the router's domain is ACTIVE, otherwise to false. zonefleet-routes
 * retries a domain in ERROR, so an ERROR does not end a wait before its time limit.
 */
enum err router_look(struct cli *cli, const char *name, json_t **router, bool *is_out);
/*
 * Fails if the status of the router's domain is ERROR. Call the function at the end of
 * the time limit.
 */
enum err router_check_error(struct cli *cli, const json_t *router);
