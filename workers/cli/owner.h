/*
 * owner -- functions for all commands about shared zones. The functions read the zone
 * from the command line and call zonefleet-ownership.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

struct shared_zone {
	const char *storage_id;
	char name[NAME_MAX_TEXT + 1];
};
/* Reads the first two arguments: STORAGE_ID ZONE. */
enum err owner_zone(struct cli *cli, struct shared_zone *zone);

/*
 * Returns the arguments that all methods need. Adds KEY with VALUE, unless VALUE is
 * NULL.
 */
json_t *owner_arguments(const struct shared_zone *zone, const char *key, json_t *value);
/* Calls a method of zonefleet-ownership. Takes over ARGS. The caller frees the answer. */
enum err owner_ask(struct cli *cli, const char *method, json_t *args, json_t **answer);

/*
 * Gets the state and the plan of the zone from zonefleet-ownership. The caller frees
 * STATUS.
 */
enum err owner_state(struct cli *cli, const struct shared_zone *zone, json_t **status);

/* True: the last round of the zone has failed (the state is FAILED or PARKED). */
bool owner_is_failed(const json_t *status);
/*
 * Fails with the reason for which the last round has failed. Appends the text AND to
 * this reason. AND may be "".
 */
enum err owner_ended_in_error(struct cli *cli, const json_t *status, const char *and);
