/*
 * sql_script -- splits SQL text into statements, at each `;` outside quotes and comments.
 * The connection accepts one statement at a time, so no text can add a second statement.
 * sql_script does not support DELIMITER or the BEGIN ... END of a stored program, because
 * the schema does not use them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct script {
	const char *statement;	/* borrowed from the text; not NUL-terminated */
	size_t len;		/* without the `;` */
	int line;		/* number of its first line, from 1 */
	const char *rest;
	int rest_line;
};

struct script sql_script_start(const char *text);
bool sql_script_next(struct script *script);	/* false at the end */
