/*
 * presentation_field -- the kinds of field that rdata is made of, for
 * presentation*.c only: a row a kind says what it must be, how its text is
 * read, and how long it is on the wire.
 *
 * Text is taken apart here because ldns wraps numbers, guesses at relative
 * names and overruns on long lists. It converts only the kinds whose readers
 * say so, and prints them all.
 */
#pragma once

#include <ldns/ldns.h>

#include "model/presentation_text.h"

struct field {
	ldns_rdf_type type;
	const struct field_kind *kind;
	const struct rdata_text *rdata;
	char *text;
	int number;		/* from 1, for people */
	bool read_back;		/* set by a field that may not print as it was read */
	struct why *why;
};

enum {
	REST = 1,		/* as the last field it takes all that is left */
	QUOTED = 2,		/* may stand in quotes */
	READ_BACK = 4,
};

/* How long a field is on the wire, but for those of a fixed size. */
enum { WIRE_NAME = -1, WIRE_STRING = -2, WIRE_REST = -3 };

struct field_kind {
	const char *words;	/* what it must be */
	enum err (*read)(struct field *field);	/* appends to field->rdata->wire */
	int wire;		/* octets, or one of WIRE_ */
	int flags;
	size_t max;		/* of text: what ldns can take without harm; 0: any */
};

/* NULL: it has no text here, its records are written as RFC 3597 says. */
const struct field_kind *field_kind(ldns_rdf_type type);
/* The fields of a type. NULL: one of them has no text here. */
const ldns_rr_descriptor *field_layout(uint16_t type);
