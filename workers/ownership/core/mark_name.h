/*
 * mark_name -- where the mark of a record stands: in the TXT record of a name that is
 * made from the record's name and type, for nothing can stand beside a CNAME (seed 001,
 * "Bads"). As external-dns makes it, the type comes before the first label, and a prefix
 * or a suffix with it; "%{record_type}" in one of these is where the type goes instead:
 *
 *	                      A foo.example.com       A *.example.com   A example.com
 *	_own-%{record_type}.  _own-a.foo.example.com  _own-a._wildcard… _own-a.example.com
 *	txt-                  txt-a-foo.example.com   txt-a-*…          outside the zone
 *	seed 001's own form   foo.example.com         *.example.com     example.com
 *
 * The first is ours. What a server would not show is marked in external-dns' plain form
 * (ns-sub.example.com): NS and DNAME, for a name below them is hidden, and in the seed's
 * form NS, CNAME and TXT, which cannot have another TXT record beside them.
 *
 * The way back has more than one answer: a host may be called "a-foo".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/name.h"

enum { MARK_AFFIX_MAX = 100, MARK_READINGS_MAX = 36 };

struct mark_form {
	bool is_same;			/* the seed's; the rest is empty then */
	bool is_none;			/* marks are in a table, and in no zone */
	char prefix[MARK_AFFIX_MAX + 1], suffix[MARK_AFFIX_MAX + 1];
	char wildcard[NAME_MAX_LABEL + 1];	/* for "*"; "": it stays */
};

extern const struct mark_form mark_form_ours, mark_form_plain, mark_form_seed,
                              mark_form_none;

/*
 * Letters, digits, "-", "_", "." and at most one "%{record_type}", which "-" or "."
 * parts from the label, folded to lower case; PREFIX or SUFFIX is "". ERR_INVALID, with
 * FIELD before the words.
 */
enum err mark_form_parse(const char *prefix, const char *suffix, const char *wildcard,
                         const char *field, struct mark_form *form, struct why *why);

bool mark_form_equal(const struct mark_form *a, const struct mark_form *b);

/* May records of that type be ours? Those that a mark's name can say. */
bool mark_type_is_known(uint16_t type);
uint16_t mark_type_at(size_t index);		/* all of them, from 0 on; 0 at the end */

/*
 * The name of the mark for TYPE at NAME, in lower case. ERR_INVALID: there can be none,
 * because it were too long or outside ZONE; why says so.
 */
enum err mark_name(const struct mark_form *form, const struct name *name, uint16_t type,
                   const struct name *zone, struct name *mark, struct why *why);

struct mark_reading {
	struct name name;
	uint16_t type;			/* 0: any: marks of old, and the seed's */
};

/*
 * What a mark at NAME could be for, in ZONE: what mark_name() makes NAME of, and nothing
 * else but the readings of type 0. Returns how many.
 */
size_t mark_readings(const struct mark_form *form, const struct name *name,
                     const struct name *zone,
                     struct mark_reading readings[MARK_READINGS_MAX]);
