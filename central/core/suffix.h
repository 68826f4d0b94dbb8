/*
 * suffix -- decides whether a tenant can create a domain, by a list of permitted
 * suffixes. The entries have the form of the Public Suffix List (publicsuffix.org), with
 * a final dot:
 *
 *	uk.		tenants can create domains below uk., but not uk.
 *	*.ck.		the same for each name directly below ck.
 *	!www.ck.	an exception from *.ck.: tenants can create www.ck.
 *
 * An entry matches its name and all names below it. `*` matches one label. If several
 * entries match a name, central uses the exception. Without an exception, it uses the
 * entry with the most labels. This entry is the suffix. The suffix of an exception has no
 * first label.
 */
#pragma once

#include "base/arena.h"
#include "model/name.h"
#include "model/suffix.h"

enum {
	/* a name with 127 labels has three possible entries for each label */
	SUFFIX_KEYS_MAX = 3 * 127,
};

/*
 * Writes all entries that can match NAME to KEYS (SUFFIX_KEYS_MAX). Returns their number,
 * which is 0 for the root.
 */
size_t suffix_keys(const struct name *name, struct arena *arena, const char **keys);

enum suffix_result {
	SUFFIX_PERMITTED,
	SUFFIX_NO_ENTRY,		/* the name is not below an entry */
	SUFFIX_ITSELF,			/* the name is itself a suffix */
};
/* Decides about NAME. ENTRIES: the keys of NAME that are in the list. */
enum suffix_result suffix_decide(const struct name *name, const char *const *entries,
                                  size_t count);
