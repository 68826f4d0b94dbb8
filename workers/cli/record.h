/*
 * record -- changes of records on their way to central: names are completed
 * here, all else is for central to judge.
 */
#pragma once

#include "cli.h"

/* The domain of the first argument: as central takes it, and its name. */
struct zone_ref {
	char key[NAME_MAX_TEXT + 1];
	char name[NAME_MAX_TEXT + 1];
};
/* Asks central for the name if an id was given. */
enum err record_zone(struct cli *cli, struct zone_ref *zone);

/* CHANGES (taken over) as one change of the domain: applied, told, and waited for. */
enum err record_change(struct cli *cli, const struct zone_ref *zone, json_t *changes);
