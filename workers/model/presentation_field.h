/*
 * presentation_field -- the kinds of fields in rdata, for presentation*.c only. Each kind
 * has a row: a description of valid text, the function that reads the text, and the
 * length on the wire.
 *
 * zonefleet parses the text itself, because the parsers of ldns have faults. In these
 * parsers, large numbers overflow. The parsers also complete relative names with a
 * guess, and write long lists past the end of a buffer. Only some of the functions that
 * read text call ldns. ldns prints most kinds of fields. If ldns does not print a kind,
 * its row contains the function that prints this kind.
 */
#pragma once

#include <ldns/ldns.h>

#include "model/presentation_text.h"

struct field {
	ldns_rdf_type type;
	const struct field_kind *kind;
	const struct rdata_text *rdata;
	char *text;
	/* number of the field in the rdata, for errors; the first field is 1 */
	int number;
	/* true: ldns possibly prints this value as a text with a different meaning */
	bool read_back;
	struct why *why;
};

enum {
	/* the last field of this kind contains all remaining text */
	REST = 1,
	QUOTED = 2,		/* the text of the field can have quotes */
	READ_BACK = 4,
};

/* The length on the wire of a kind of field that has no fixed length. */
enum { WIRE_NAME = -1, WIRE_STRING = -2, WIRE_REST = -3 };

struct field_kind {
	const char *words;	/* description of valid text */
	enum err (*read)(struct field *field);	/* appends to field->rdata->wire */
	int wire;		/* length on the wire in octets, or one of WIRE_ */
	int flags;
	/* maximum length of the text that is safe for ldns; 0: no limit */
	size_t max;
	/*
	 * appends the text of the field; false: the field is malformed. NULL: ldns
	 * prints the field
	 */
	bool (*print)(const uint8_t *wire, size_t len, struct buf *text);
};

/*
 * Returns the kind of a field. NULL: this module has no text form of the field. In this
 * case, zonefleet writes the record in the form of RFC 3597.
 */
const struct field_kind *field_kind(ldns_rdf_type type);
/*
 * Returns the fields of a type. NULL: this module has no text form of one of the fields.
 */
const ldns_rr_descriptor *field_layout(uint16_t type);
