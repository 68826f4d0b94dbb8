/*
 * name -- domain names in wire form: labels with a length prefix, followed by a zero
 * octet. A name has at most 255 octets in total (RFC 1035 2.3.4). A label can contain
 * any octets (RFC 2181 11). Owner names are in lower case. In text, a name ends with a
 * dot. name_format() writes letters in lower case, and puts a "\" before "." and "\"
 * within a label. name_format() writes octets other than letters, digits, "-", "_", "*"
 * and "/" as \DDD. So the strings of equal names are equal.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { NAME_MAX_WIRE = 255, NAME_MAX_LABEL = 63, NAME_MAX_TEXT = 1004 };

struct name {
	uint8_t len;	/* length with the zero octet of the root: 1 to 255 */
	uint8_t wire[NAME_MAX_WIRE];
};

/*
 * Converts text to a name in lower case. The text must end with a dot. ERR_INVALID: the
 * reason begins with FIELD.
 */
enum err name_parse(const char *text, const char *field, struct name *name,
                    struct why *why);
/*
 * Converts a text from rdata or a master file to a name, and keeps the case. ORIGIN
 * completes "@" and a name without the final dot. If ORIGIN is NULL, the function refuses
 * "@" and a name without the final dot.
 */
enum err name_parse_in(const char *text, const struct name *origin, const char *field,
                       struct name *name, struct why *why);
void name_fold(struct name *name);	/* converts NAME to lower case */
/*
 * Like name_parse(), for the names of domains, hosts and keys: allows only letters,
 * digits, "_", "/" (RFC 2317), "-" inside a label, and "*" as the first label. For owner
 * names of records, use name_parse(), because these names can contain any octets.
 */
enum err name_parse_owner(const char *text, const char *field, struct name *name,
                          struct why *why);
void name_format(const struct name *name, char text[NAME_MAX_TEXT + 1]);
void name_format_wire(const uint8_t *wire, char text[NAME_MAX_TEXT + 1]);

/*
 * Returns the length of the uncompressed name at WIRE; 0: the name does not end within
 * LEN octets.
 */
size_t name_wire_len(const uint8_t *wire, size_t len);
/* both names must be in lower case */
bool name_equal(const struct name *a, const struct name *b);
/* True: NAME is below ZONE, or both names are equal. */
bool name_is_below(const struct name *name, const struct name *zone);
/* Writes NAME without its first label to PARENT. False: NAME is the root. */
bool name_parent(const struct name *name, struct name *parent);
/* number of labels; the root has 0 labels */
int name_labels(const struct name *name);
/*
 * Compares two names in wire form by the canonical order (RFC 4034 6.1). Returns a
 * number below 0, 0, or above 0.
 */
int name_compare_wire(const uint8_t *a, const uint8_t *b);
