/*
 * record -- sends changes of records to central. The client completes the names, and
 * central checks everything else.
 */
#pragma once

#include "cli.h"

/* The domain of the first argument: the form that central takes, and its name. */
struct zone_ref {
	char key[NAME_MAX_TEXT + 1];
	char name[NAME_MAX_TEXT + 1];
};
/* Asks central for the name if an id was given. */
enum err record_zone(struct cli *cli, struct zone_ref *zone);

/* Applies CHANGES (taken over) as one change, prints the result and does --wait. */
enum err record_change(struct cli *cli, const struct zone_ref *zone, json_t *changes);
