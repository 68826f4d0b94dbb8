/*
 * quote -- puts the data that a person wrote into a request. One argument, or one line
 * of a file, is the data of one record. central reads data as in a zone file, where each
 * word is a string. So the client adds quotes to a string without quotes. If the
 * resulting strings of a value can surprise the user, the client prints these strings
 * (quotes_print()).
 */
#pragma once

#include "base/buf.h"
#include "cli.h"

struct quotes {
	/*
	 * number of the current line in the file; 0: the values are arguments of the
	 * command
	 */
	int line;
	size_t values;		/* number of values that quote_append() has appended */
	size_t count;		/* number of values whose strings can surprise the user */
	struct buf notes;	/* one line for each value in `count`, at most 10 lines */
};

/*
 * Appends DATA to RECORDS in the form that central reads for TYPE. If TYPE is not a
 * record type, appends DATA unchanged, and central refuses TYPE. Converts names in NS,
 * CNAME, PTR, MX, SRV and DNAME to ASCII (idn.h). ERR_INVALID: DATA is not UTF-8, or
 * contains an invalid name. For arguments, the reason and the note name the value by its
 * number: "value 2" is the second value.
 */
enum err quote_append(json_t *records, const char *type, const char *data,
                      struct quotes *quotes, struct why *why);
/*
 * Returns the number of strings if DATA is a TXT or SPF record of several strings without
 * any quotes, and appends the strings in quotes to TEXT. Otherwise returns 0.
 */
size_t quote_unquoted_strings(const char *type, const char *data, struct buf *text);
/* Prints the notes, unless --quiet or --json is given. */
void quotes_print(const struct quotes *quotes, const struct output *out);
void quotes_clear(struct quotes *quotes);
