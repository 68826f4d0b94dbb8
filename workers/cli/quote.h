/*
 * quote -- puts the data that a person wrote into a request: one argument, or one line of
 * a file, is one record. central reads data as in a zone file, where each word is a
 * string. So the client adds quotes to a string without quotes. The client then prints
 * the resulting strings of each value that the user may not expect (quotes_print()).
 */
#pragma once

#include "base/buf.h"
#include "cli.h"

struct quotes {
	int line;		/* of the file; 0: the values are arguments */
	size_t values;		/* that were appended */
	size_t count;		/* those that the user may not expect */
	struct buf notes;	/* one line for each of the first of these values */
};

/*
 * Appends DATA for the type to RECORDS. A TYPE that is no record type changes nothing:
 * central refuses the type. Names in NS, CNAME, PTR, MX, SRV and DNAME get ASCII (idn.h).
 * ERR_INVALID: DATA is not UTF-8, or has a name that is not valid.
 * The reason and the note name an argument by its number from 1: "value 2".
 */
enum err quote_append(json_t *records, const char *type, const char *data,
                      struct quotes *quotes, struct why *why);
/* Prints the notes, unless --quiet or --json is given. */
void quotes_print(const struct quotes *quotes, const struct output *out);
void quotes_clear(struct quotes *quotes);
