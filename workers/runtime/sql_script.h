/*
 * sql_script -- cuts SQL text into statements, at each `;` outside of quotes and
 * comments. The connection takes one statement at a time, so a text cannot smuggle in a
 * second statement. DELIMITER and the BEGIN ... END of a stored program are not
 * supported: the schema does not use them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct script {
	const char *statement;	/* borrowed from the text; not NUL-terminated */
	size_t len;		/* without the `;` */
	int line;		/* line of its start, from 1 */
	const char *rest;
	int rest_line;
};

struct script sql_script_start(const char *text);
bool sql_script_next(struct script *script);	/* false at the end */
