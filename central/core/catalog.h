/*
 * catalog -- the records of a catalog zone (RFC 9432, version 2).
 *
 * 	catalog.			NS   invalid.
 * 	version.catalog.		TXT  "2"
 * 	<domain id>.zones.catalog.	PTR  <domain>
 *
 * A catalog zone lists each domain under a label: the id of the domain. If a domain is
 * deleted and created again, it gets a new id, so that the servers drop the old zone
 * (RFC 9432 5.4).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/changes.h"

#define CATALOG_NS "invalid."

/*
 * ERR_INVALID: NAME is too long, because the names of members are even longer. The
 * reason begins with FIELD.
 */
enum err catalog_name(const struct name *name, const char *field, struct why *why);

/* Makes the change that adds the record with the version of the format. */
enum err catalog_version(const struct name *catalog, struct arena *arena,
                         struct change *change, struct why *why);

struct catalog_member {
	const char *id, *name;
	bool is_listed;			/* false: remove it */
};
/*
 * Makes the change that adds or removes a member. The zone may already contain the
 * member.
 */
enum err catalog_change(const struct name *catalog, const struct catalog_member *member,
                        struct arena *arena, struct change *change, struct why *why);
