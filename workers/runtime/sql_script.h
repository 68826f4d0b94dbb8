/*
 * sql_script -- splits SQL text into statements, at each `;` outside quotes and
 * comments. The database connection accepts only one statement at a time, so the program
 * must split the text. This module does not support DELIMITER or the BEGIN ... END of a
 * stored program, because the schema uses neither.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct script {
	/* start of the statement in the text; not NUL-terminated */
	const char *statement;
	size_t len;		/* length of the statement without the `;` */
	int line;		/* number of the first line of the statement, from 1 */
	const char *rest;
	int rest_line;
};

struct script sql_script_start(const char *text);
/* finds the next statement; false: there are no more statements */
bool sql_script_next(struct script *script);
