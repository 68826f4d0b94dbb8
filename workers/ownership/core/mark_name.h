/*
 * mark_name -- the name of the TXT record with a mark. The name has the record's name
 * and type, because no other record can be beside a CNAME (seed 001, "Bads"). As in
 * external-dns, the type stands before the first label, together with a prefix or a
 * suffix. If the prefix or suffix contains "%{record_type}", the type stands there
 * instead:
 *
 *                       A foo.example.com       A *.example.com   A example.com
 * _own-%{record_type}.  _own-a.foo.example.com  _own-a._wildcard… _own-a.example.com
 * txt-                  txt-a-foo.example.com   txt-a-*…          outside the zone
 * seed 001's own form   foo.example.com         *.example.com     example.com
 *
 * The first form is ours. A mark that a server would hide gets external-dns' plain form
 * (ns-sub.example.com). This applies to NS and DNAME, because a server hides the names
 * below them. In the form of seed 001 it applies to NS, CNAME and TXT, which cannot have
 * another TXT record beside them.
 *
 * The name of a mark may have several readings: a host may be called "a-foo".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/name.h"

enum { MARK_AFFIX_MAX = 100, MARK_READINGS_MAX = 36 };

struct mark_form {
	bool is_same;			/* the form of seed 001; no other member set */
	bool is_none;			/* marks are in a table, not in a zone */
	char prefix[MARK_AFFIX_MAX + 1], suffix[MARK_AFFIX_MAX + 1];
	char wildcard[NAME_MAX_LABEL + 1];	/* replaces "*"; "": keep "*" */
};

extern const struct mark_form mark_form_ours, mark_form_plain, mark_form_seed,
                              mark_form_none;

/*
 * PREFIX or SUFFIX is "". The other has letters, digits, "-", "_", "." and at most one
 * "%{record_type}", with "-" or "." between it and the label. It is folded to lower
 * case. ERR_INVALID: the text begins with FIELD.
 */
enum err mark_form_parse(const char *prefix, const char *suffix, const char *wildcard,
                         const char *field, struct mark_form *form, struct why *why);

bool mark_form_equal(const struct mark_form *a, const struct mark_form *b);

/* True: records of this type can have a mark. */
bool mark_type_is_known(uint16_t type);
/* all types that can have a mark, from index 0; 0 at the end */
uint16_t mark_type_at(size_t index);

/*
 * The name of the mark for TYPE at NAME, in lower case. ERR_INVALID: no name is possible,
 * because it is too long or outside ZONE; *why says so.
 */
enum err mark_name(const struct mark_form *form, const struct name *name, uint16_t type,
                   const struct name *zone, struct name *mark, struct why *why);

struct mark_reading {
	struct name name;
	uint16_t type;			/* 0: any: old marks, and seed 001's form */
};

/*
 * All records that a mark at NAME in ZONE may be for: the records for which mark_name()
 * makes NAME, and the readings of type 0. Returns their number.
 */
size_t mark_readings(const struct mark_form *form, const struct name *name,
                     const struct name *zone,
                     struct mark_reading readings[MARK_READINGS_MAX]);
