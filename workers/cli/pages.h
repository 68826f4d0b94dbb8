/*
 * pages -- lists, which central hands out page by page. A table is printed as
 * the pages come; a JSON document is one, and printed when it is whole.
 * --limit, --sort and a criterion are the same for all.
 */
#pragma once

#include "cli.h"

struct listing {
	const char *method;		/* "find_domains" */
	const char *key;		/* of the array in its answer */
	const struct column *columns;
	void (*row)(struct table *table, const json_t *item);	/* adds its cells */
	const char *topic;		/* who has it; NULL: central */
};

/* Takes ARGS over. */
enum err pages_list(struct cli *cli, const struct listing *listing, json_t *args);
