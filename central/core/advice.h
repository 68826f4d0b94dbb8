/*
 * advice -- warns of records that central accepts, but that named-checkzone or kzonecheck
 * refuses or warns of. There is a warning if the host of an NS, MX or SRV record is an
 * IPv4 address, or if a host inside the zone
 *
 *	has no A or AAAA record (records of a matching wildcard count)
 *	has a CNAME record
 *	is below the delegation whose NS record names it, and has no glue there
 *
 * If another delegation hides the host, the addresses of the host are in the zone below.
 * Then there is no warning. The module needs all record sets at the names of
 * advice_names(), which are the host, the names between the host and the apex, and their
 * wildcards. The warnings about limits of name servers (core/limits.h) and about record
 * sets (core/advice_set.h) share the room of struct advice.
 */
#pragma once

#include "core/rrsets.h"
#include "core/zone.h"

enum {
	ADVICE_MAX = 20,		/* maximum number of texts */
	ADVICE_NAMES_MAX = 500,		/* maximum number of names to read */
	/* maximum number of characters of a name in a text */
	ADVICE_NAME_SHOWN = 100,
};

#define ADVICE_IS_ADDRESS "is an IPv4 address: write the name of a host"

/* Initialise it with zeroes. */
struct advice {
	const char *texts[ADVICE_MAX];
	size_t count;
	size_t further;			/* number of warnings without a text */
};

/* True: the host is an address with a final dot, as in "MX 10 192.0.2.1.". */
bool advice_is_address(const struct name *host);
/*
 * Adds to SETS, as rows (`was`), the records with hosts that CHANGES add or set and do
 * not delete again.
 */
void advice_read_changes(struct rrsets *sets, const struct change *changes, size_t count);
/*
 * Lists the names to read for the rows (`was`) of SETS. NAMES has room for
 * ADVICE_NAMES_MAX; hosts for which there is no room get no warning.
 */
size_t advice_names(const struct zone *zone, const struct rrsets *sets,
                    struct arena *arena, const char **names);
/* Adds a warning. TEXT must live as long as ADVICE. */
void advice_add(struct advice *advice, const char *text);
/*
 * Adds the warnings about the rows of SETS. KNOWN: the record sets at the names of
 * advice_names().
 */
void advice_make(const struct zone *zone, const struct rrsets *sets,
                 struct rrsets *known, struct arena *arena, struct advice *advice);
