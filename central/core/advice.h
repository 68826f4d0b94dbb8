/*
 * advice -- warns of records that central accepts, but that named-checkzone or kzonecheck
 * refuses or warns of. There is a warning if the host of an NS, MX or SRV record is an
 * IPv4 address. There is also a warning if a host inside the zone:
 *
 *	has no A or AAAA record (records of a matching wildcard count)
 *	has a CNAME record
 *	is below the delegation whose NS record names it, and has no glue there
 *
 * If the host is below any other delegation, the addresses of the host belong to the
 * delegated zone, and there is no warning. The caller reads the record sets at the names
 * of advice_names(). These names are the host, each name above the host up to the apex,
 * and the wildcard below each name above the host. A struct advice also stores the
 * warnings of core/limits.h and core/advice_set.h.
 */
#pragma once

#include "core/rrsets.h"
#include "core/zone.h"

enum {
	ADVICE_MAX = 20,		/* maximum number of texts in a struct advice */
	/* maximum number of names that advice_names() returns */
	ADVICE_NAMES_MAX = 500,
	/* maximum number of characters of a name in a text */
	ADVICE_NAME_SHOWN = 100,
};

#define ADVICE_IS_ADDRESS "is an IPv4 address: write the name of a host"

/* The caller initialises this struct with zeroes. */
struct advice {
	const char *texts[ADVICE_MAX];
	size_t count;
	/* number of further warnings, which have no text */
	size_t further;
};

/* True: the host is an address with a final dot, as in "MX 10 192.0.2.1.". */
bool advice_is_address(const struct name *host);
/*
 * Adds the new NS, MX and SRV records of CHANGES to SETS, as rows (`was`). Leaves out
 * records that a later change deletes again.
 */
void advice_read_changes(struct rrsets *sets, const struct change *changes, size_t count);
/*
 * Lists the names at which the caller must read record sets to check the hosts in the
 * rows (`was`) of SETS. Returns the number of names. NAMES has room for ADVICE_NAMES_MAX
 * names. If the names for a host do not fit into NAMES, this host and all later hosts get
 * no warning about addresses.
 */
size_t advice_names(const struct zone *zone, const struct rrsets *sets,
                    struct arena *arena, const char **names);
/*
 * Adds the warning TEXT to ADVICE. If ADVICE is full, only counts the warning. TEXT must
 * stay valid as long as ADVICE.
 */
void advice_add(struct advice *advice, const char *text);
/*
 * Adds the warnings about the hosts in the rows (`was`) of SETS to ADVICE. KNOWN: the
 * record sets at the names of advice_names().
 */
void advice_make(const struct zone *zone, const struct rrsets *sets,
                 struct rrsets *known, struct arena *arena, struct advice *advice);
