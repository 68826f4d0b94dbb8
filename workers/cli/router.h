/*
 * router -- functions for the commands about routers and routes. routes_ask() calls
 * zonefleet-routes. A command that waits until the name servers serve the domain of a
 * router checks the router with router_look() (await.h).
 */
#pragma once

#include <jansson.h>

#include "cli.h"

/* Takes over ARGS. *answer is the member KEY of the answer. The caller frees *answer. */
enum err routes_ask(struct cli *cli, const char *method, json_t *args, const char *key,
                    json_t **answer);

/*
 * Replaces *router with the current state of router NAME. The caller frees *router. Sets
 * *is_out if the router's domain is ACTIVE. zonefleet-routes retries a domain in ERROR,
 * so an ERROR does not end a wait before its time limit.
 */
enum err router_look(struct cli *cli, const char *name, json_t **router, bool *is_out);
/* Call it at the time limit. Fails if the status of the router's domain is ERROR. */
enum err router_check_error(struct cli *cli, const json_t *router);
