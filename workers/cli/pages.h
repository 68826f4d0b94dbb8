/*
 * pages -- lists, which workers answer page by page. A table is printed page by page. A
 * JSON document is printed when all pages are there. All lists treat --limit, --sort and
 * a criterion the same way.
 */
#pragma once

#include "cli.h"

struct listing {
	const char *method;		/* "find_domains" */
	const char *key;		/* of the array in its answer */
	const struct column *columns;
	void (*row)(struct table *table, const json_t *item);	/* adds its cells */
	const char *topic;		/* of the worker; NULL: central */
};

/* Takes ARGS over. */
enum err pages_list(struct cli *cli, const struct listing *listing, json_t *args);
