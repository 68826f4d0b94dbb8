/*
 * record -- sends changes of records to central. The client completes relative names.
 * Central checks all other values.
 */
#pragma once

#include "cli.h"
#include "quote.h"

/*
 * The domain in the first argument. `key` is the form that central accepts. `name` is
 * the domain name.
 */
struct zone_ref {
	char key[NAME_MAX_TEXT + 1];
	char name[NAME_MAX_TEXT + 1];
};
/* Reads the first argument. If the argument is an id, asks central for the name. */
enum err record_zone(struct cli *cli, struct zone_ref *zone);

/*
 * Sends CHANGES in one call, prints the result with the notes of QUOTES and handles
 * --wait. Takes over CHANGES.
 */
enum err record_change(struct cli *cli, const struct zone_ref *zone, json_t *changes,
                       const struct quotes *quotes);
