/*
 * pages -- prints the lists that workers return page by page. The client prints each page
 * of a table when the page arrives. It prints a JSON document only when all pages have
 * arrived. pages_list() handles --limit and --sort for all lists. If a list is empty, the
 * client prints no header, and writes a line to standard error.
 */
#pragma once

#include "cli.h"

struct listing {
	const char *method;		/* "find_domains" */
	const char *key;		/* member of the answer with the array */
	const struct column *columns;
	/* adds the cells of one item */
	void (*row)(struct table *table, const json_t *item);
	const char *topic;		/* topic of the worker; NULL: central */
	const char *noun;		/* word for one item: "domain" */
	const char *pattern;		/* pattern of the user; NULL: no pattern */
};

/* Takes over ARGS. */
enum err pages_list(struct cli *cli, const struct listing *listing, json_t *args);
