/*
 * router -- what the commands on routers and on routes have in common: the calls of
 * zonefleet-routes, and waiting until a router's name servers have its domain.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

/* Takes ARGS over. *answer, which is the caller's: what the answer has under KEY. */
enum err routes_ask(struct cli *cli, const char *method, json_t *args, const char *key,
                    json_t **answer);

/*
 * *router, which is the caller's, becomes what router NAME is by now. A domain that is in
 * ERROR ends the command.
 */
enum err router_look(struct cli *cli, const char *name, json_t **router, bool *is_out);
