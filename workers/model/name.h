/*
 * name -- domain names in wire form: length-prefixed labels with a zero at the end, at
 * most 255 octets (RFC 1035 2.3.4), any octets in a label (RFC 2181 11). Owner names are
 * in lower case. In text a name ends in a dot, and unusual octets are \DDD. name_format()
 * is canonical: equal names have equal texts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { NAME_MAX_WIRE = 255, NAME_MAX_LABEL = 63, NAME_MAX_TEXT = 1004 };

struct name {
	uint8_t len;			/* with the root's zero: 1 to 255 */
	uint8_t wire[NAME_MAX_WIRE];
};

/*
 * Converts text to a name in lower case. It needs the final dot. ERR_INVALID: the reason
 * begins with FIELD.
 */
enum err name_parse(const char *text, const char *field, struct name *name,
                    struct why *why);
/*
 * Converts text of rdata or master files to a name; keeps the case. ORIGIN completes "@"
 * and a name without the final dot. Without ORIGIN it refuses both.
 */
enum err name_parse_in(const char *text, const struct name *origin, const char *field,
                       struct name *name, struct why *why);
void name_fold(struct name *name);	/* to lower case */
/*
 * name_parse() for owners: allows only letters, digits, "-", "_", "/" (RFC 2317), and "*"
 * as the first label.
 */
enum err name_parse_owner(const char *text, const char *field, struct name *name,
                          struct why *why);
void name_format(const struct name *name, char text[NAME_MAX_TEXT + 1]);
void name_format_wire(const uint8_t *wire, char text[NAME_MAX_TEXT + 1]);

/* The length of the uncompressed name at WIRE; 0: it does not end within LEN. */
size_t name_wire_len(const uint8_t *wire, size_t len);
bool name_equal(const struct name *a, const struct name *b);	/* both in lower case */
/* true also if both are equal */
bool name_is_below(const struct name *name, const struct name *zone);
/* false: NAME is the root */
bool name_parent(const struct name *name, struct name *parent);
int name_labels(const struct name *name);			/* the root has 0 */
/* Canonical order of RFC 4034 6.1, on wire names: <0, 0, >0. */
int name_compare_wire(const uint8_t *a, const uint8_t *b);
