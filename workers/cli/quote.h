/*
 * quote -- puts the data that a person wrote into a request: one argument, or one line of
 * a file, is one record. central reads data as in a zone file, where each word is a string. So the
 * client adds quotes to a string without quotes. The client then prints the resulting strings (quotes_print()), if the user may not expect them.
 */
#pragma once

#include "base/buf.h"
#include "cli.h"

struct quotes {
	size_t count;		/* the values that the user may not expect */
	size_t strings;		/* of the first of them */
	struct buf first;	/* its canonical text */
};

/*
 * Appends DATA for the type to RECORDS. A TYPE that is no record type changes nothing:
 * central refuses the type. Names in NS, CNAME, PTR, MX, SRV and DNAME get ASCII (idn.h).
 * ERR_INVALID: DATA is not UTF-8, or has a name that is not valid.
 */
enum err quote_append(json_t *records, const char *type, const char *data,
                      struct quotes *quotes, struct why *why);
/* Prints a note, unless --quiet or --json is given. */
void quotes_print(const struct quotes *quotes, const struct output *out);
void quotes_clear(struct quotes *quotes);
