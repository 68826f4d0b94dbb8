/*
 * pages -- prints the lists that workers return page by page. The client prints each
 * page of a table when the page arrives. With --json, the client prints one document
 * after the last page. pages_list() handles --limit and --sort for all lists. If a list
 * is empty, the client prints no header. For an empty list, the client writes a line to
 * standard error, unless --json or --quiet is given.
 */
#pragma once

#include "cli.h"

struct listing {
	const char *method;		/* the method of the calls, "find_domains" */
	const char *key;		/* member of the answer that contains the items */
	const struct column *columns;
	/* adds the cells of one item */
	void (*row)(struct table *table, const json_t *item);
	/* topic to which the client sends the calls; NULL: central */
	const char *topic;
	const char *noun;		/* word for one item: "domain" */
	const char *pattern;	/* pattern that the user typed; NULL: no pattern */
};

/* Prints the list, or sets the document for --json. Takes over ARGS. */
enum err pages_list(struct cli *cli, const struct listing *listing, json_t *args);
