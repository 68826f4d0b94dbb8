/*
 * apply -- parses many changes from one file: a JSON list in the form that central
 * accepts, or lines of `add|set|delete NAME TTL TYPE DATA`. The parser does no I/O. It
 * remembers the line of each record, because central names a record by its change and
 * its index: "changes[1].records[0]: ...".
 */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "quote.h"

struct apply {
	const char *file, *domain;
	/* Lines of one record set with different TTLs. NULL: no warnings. */
	void (*warn)(void *self, const char *text);
	void *self;
	/* results; apply_clear() frees them */
	json_t *changes;
	json_t *lines;	/* of each change: the lines of its records. JSON: empty */
	struct quotes quotes;	/* of the lines */
};

/*
 * The DATA of a line is one value (quote.h); the JSON list stays as it is. Modifies TEXT.
 * ERR_INVALID: *why names the file and the line. ERR_TOO_LARGE: TEXT contains more
 * changes than central accepts in one call.
 */
enum err apply_parse(struct apply *apply, char *text, struct why *why);
/*
 * Replaces the change and the record at the start of the reason with FILE:LINE. JSON has
 * no lines, so it only puts FILE before the reason.
 */
void apply_show_line(const struct apply *apply, struct why *why);
void apply_clear(struct apply *apply);
