/*
 * router -- functions shared by the commands on routers and routes: the calls to
 * zonefleet-routes, and the wait until the name servers have the domain of a router.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

/* Takes ARGS over. *answer is the member KEY of the answer; the caller frees it. */
enum err routes_ask(struct cli *cli, const char *method, json_t *args, const char *key,
                    json_t **answer);

/*
 * Replaces *router by the present state of router NAME. The caller frees it. Fails if the
 * domain of the router is in ERROR.
 */
enum err router_look(struct cli *cli, const char *name, json_t **router, bool *is_out);
