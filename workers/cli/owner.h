/*
 * owner -- what the commands on zones that others write, too, have in common: the zone
 * that is named, and the calls of zonefleet-ownership.
 */
#pragma once

#include <jansson.h>

#include "cli.h"

struct shared_zone {
	const char *storage_id;
	char name[NAME_MAX_TEXT + 1];
};
/* The first two arguments: STORAGE_ID ZONE. */
enum err owner_zone(struct cli *cli, struct shared_zone *zone);

/* The arguments of all methods; KEY and VALUE are one more, which may be NULL. */
json_t *owner_arguments(const struct shared_zone *zone, const char *key, json_t *value);
/* Takes ARGS over; *answer is the caller's. */
enum err owner_ask(struct cli *cli, const char *method, json_t *args, json_t **answer);

/* The zone's state and its plan. */
enum err owner_state(struct cli *cli, const struct shared_zone *zone, json_t **status);

/* Its last round did not end well. */
bool owner_is_failed(const json_t *status);
/* That ended the command; AND goes behind the reason, and may be "". */
enum err owner_ended_in_error(struct cli *cli, const json_t *status, const char *and);
