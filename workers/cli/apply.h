/*
 * apply -- parses many changes from one file. The file contains a JSON list in the form
 * that central accepts, or lines of `add|set|delete NAME TTL TYPE DATA`. The parser does
 * no I/O. The parser remembers the line of each record, because the reasons of central
 * contain the index of the change and of the record: "changes[1].records[0]: ...".
 */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "quote.h"

struct apply {
	const char *file, *domain;
	/*
	 * The parser calls warn() with a text if the lines of one record set contain
	 * different TTLs, or if TXT data in a JSON list has several words without quotes.
	 * NULL: no warnings.
	 */
	void (*warn)(void *self, const char *text);
	void *self;
	/* the results of apply_parse(); apply_clear() frees the results */
	json_t *changes;
	/*
	 * for each change, a list of the line numbers of its records; empty for a JSON
	 * list
	 */
	json_t *lines;
	struct quotes quotes;	/* notes about the quotes in the data of the lines */
};

/*
 * Parses TEXT and sets the results. Modifies TEXT. The DATA of a line is one value
 * (quote.h). In a JSON list, the parser only completes relative names. ERR_INVALID: the
 * reason names the file, and the line or the change that is not valid. ERR_TOO_LARGE:
 * TEXT contains more changes than central accepts in one call.
 */
enum err apply_parse(struct apply *apply, char *text, struct why *why);
/*
 * Replaces the indexes of the change and of the record at the start of the reason by
 * FILE:LINE. For a JSON list, the function only puts FILE before the reason.
 */
void apply_show_line(const struct apply *apply, struct why *why);
void apply_clear(struct apply *apply);
