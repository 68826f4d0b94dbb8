/*
 * quote -- puts the data that a person wrote into a request: one argument, or one line of
 * a file, is one record. The client adds the quotes of a string that has none, because
 * central reads data as in a zone file, where each word is a string. The client then says
 * what it made of the data (quotes_print()), if this can surprise.
 */
#pragma once

#include "base/buf.h"
#include "cli.h"

struct quotes {
	size_t count;		/* the values that can surprise */
	size_t strings;		/* of the first of them */
	struct buf first;	/* its canonical text */
};

/*
 * Makes the JSON string of DATA for the type. A TYPE that is no record type gets no
 * quotes: central refuses the type. NULL: DATA is not UTF-8.
 */
json_t *quote_data(const char *type, const char *data, struct quotes *quotes);
/* Prints a note, unless --quiet or --json is given. */
void quotes_print(const struct quotes *quotes, const struct output *out);
void quotes_clear(struct quotes *quotes);
