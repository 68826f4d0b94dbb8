/*
 * sql_script -- SQL text, cut into its statements at each `;` that stands outside
 * quotes and comments. The connection takes one statement at a time, so that
 * no text can smuggle in a second one. Knows no DELIMITER and no BEGIN ... END
 * of a stored program: the schema has none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct script {
	const char *statement;	/* borrowed from the text; not NUL-terminated */
	size_t len;		/* without the `;` */
	int line;		/* where it begins, from 1 */
	const char *rest;
	int rest_line;
};

struct script script_start(const char *text);
bool script_next(struct script *script);	/* false at the end */
