/*
 * presentation_field -- the kinds of fields in rdata, for presentation*.c only. Each kind
 * has a row: what it must be, the reader of its text, and its length on the wire.
 *
 * We parse the text because ldns wraps numbers, guesses relative names and overruns on
 * long lists. ldns converts only the kinds whose readers call it, and prints all kinds.
 */
#pragma once

#include <ldns/ldns.h>

#include "model/presentation_text.h"

struct field {
	ldns_rdf_type type;
	const struct field_kind *kind;
	const struct rdata_text *rdata;
	char *text;
	int number;		/* from 1, for errors */
	bool read_back;		/* set if its text could print differently */
	struct why *why;
};

enum {
	REST = 1,		/* as the last field it takes all remaining text */
	QUOTED = 2,		/* may have quotes */
	READ_BACK = 4,
};

/* The length on the wire of a kind without a fixed size. */
enum { WIRE_NAME = -1, WIRE_STRING = -2, WIRE_REST = -3 };

struct field_kind {
	const char *words;	/* what it must be */
	enum err (*read)(struct field *field);	/* appends to field->rdata->wire */
	int wire;		/* octets, or one of WIRE_ */
	int flags;
	size_t max;		/* of text: the safe limit of ldns; 0: any */
};

/* NULL: no text form here, so its records are written as in RFC 3597. */
const struct field_kind *field_kind(ldns_rdf_type type);
/* The fields of a type. NULL: one of them has no text form here. */
const ldns_rr_descriptor *field_layout(uint16_t type);
