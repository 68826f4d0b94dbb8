/*
 * mark_name -- makes the name of the TXT record that contains an ownership mark. The TXT
 * record usually needs a different name than the marked record set, because a name with
 * a CNAME cannot have other records ("Bads" in the requirements, seed 001). So the name
 * of the TXT record contains the name and type of the marked record set. As in
 * external-dns, zonefleet puts the type in front of the first DNS label, and adds a
 * prefix or a suffix. If the prefix or suffix contains "%{record_type}", zonefleet puts
 * the type only in the place of this string:
 *
 *                       A foo.example.com       A *.example.com   A example.com
 * _own-%{record_type}.  _own-a.foo.example.com  _own-a._wildcard… _own-a.example.com
 * txt-                  txt-a-foo.example.com   txt-a-*…          outside the zone
 * form of seed 001      foo.example.com         *.example.com     example.com
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/name.h"

enum { MARK_AFFIX_MAX = 100, MARK_READINGS_MAX = 36 };

/*
 * The form of a mark's name. The first form in the table above is zonefleet's own form.
 * If the prefix ends in a dot, marks for NS and DNAME have the plain form of
 * external-dns (ns-sub.example.com), because a server hides names below NS and DNAME. In
 * the form of seed 001, marks for NS, CNAME and TXT have the plain form, because these
 * types allow no other TXT record at their name. A mark's name can fit several record
 * sets, because a host can have a name such as "a-foo".
 */
struct mark_form {
	/* The form of seed 001. In this case, no other member is set. */
	bool is_same;
	/*
	 * The marks are not in a zone (storage "table" or "memory"). In this case, no
	 * other member is set.
	 */
	bool is_none;
	char prefix[MARK_AFFIX_MAX + 1], suffix[MARK_AFFIX_MAX + 1];
	char wildcard[NAME_MAX_LABEL + 1];	/* replaces "*"; "": keep "*" */
};

extern const struct mark_form mark_form_ours, mark_form_plain, mark_form_seed,
                              mark_form_none;

/*
 * Makes a form from the texts of the settings. PREFIX or SUFFIX must be "". The other
 * one of these two texts can contain letters, digits, "-", "_", "." and one
 * "%{record_type}", with "-" or "." between this string and the DNS label. Converts the
 * texts to lower case. ERR_INVALID: a text is malformed, and *why begins with FIELD.
 */
enum err mark_form_parse(const char *prefix, const char *suffix, const char *wildcard,
                         const char *field, struct mark_form *form, struct why *why);

bool mark_form_equal(const struct mark_form *a, const struct mark_form *b);

/* True: records of this type can have a mark. */
bool mark_type_is_known(uint16_t type);
/*
 * Returns the type at INDEX (0, 1, ...) in the list of types that can have a mark. 0: the
 * end of the list.
 */
uint16_t mark_type_at(size_t index);

/*
 * Makes the name of the mark for TYPE at NAME, in lower case. ERR_INVALID: the name would
 * be too long or outside ZONE. *why contains the reason.
 */
enum err mark_name(const struct mark_form *form, const struct name *name, uint16_t type,
                   const struct name *zone, struct name *mark, struct why *why);

/* One record set to which a mark possibly belongs. */
struct mark_reading {
	struct name name;
	/*
	 * type of the record set; 0: unknown, because the name of an old mark or of a
	 * mark in the form of seed 001 does not contain the type
	 */
	uint16_t type;
};

/*
 * Finds all record sets to which a mark at NAME in ZONE possibly belongs: all record
 * sets for which mark_name() makes NAME, and record sets of an unknown type (0). Returns
 * the number of readings.
 */
size_t mark_readings(const struct mark_form *form, const struct name *name,
                     const struct name *zone,
                     struct mark_reading readings[MARK_READINGS_MAX]);
