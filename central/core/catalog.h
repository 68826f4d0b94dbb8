/*
 * catalog -- makes the changes that write the records of a catalog zone (RFC 9432,
 * version 2).
 *
 * 	catalog.			NS   invalid.
 * 	version.catalog.		TXT  "2"
 * 	<domain id>.zones.catalog.	PTR  <domain>
 *
 * A catalog zone lists each domain under a label: the id of the domain. A domain that a
 * caller deletes and creates again has a new id. So the servers delete the old zone
 * before they create the new zone (RFC 9432 5.4).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/changes.h"

#define CATALOG_NS "invalid."

/*
 * Checks that NAME can be the name of a catalog zone. ERR_INVALID: NAME is too long,
 * because the owner names of the PTR records end with NAME and must have at most 255
 * octets. The reason begins with FIELD.
 */
enum err catalog_name(const struct name *name, const char *field, struct why *why);

/* Makes the change that sets the TXT record with the version of the catalog format. */
enum err catalog_version(const struct name *catalog, struct arena *arena,
                         struct change *change, struct why *why);

struct catalog_member {
	const char *id, *name;
	/* true: add the member; false: remove the member */
	bool is_listed;
};
/*
 * Makes the change that adds or removes MEMBER. The change also succeeds if the zone
 * already contains the member to add, or does not contain the member to remove.
 */
enum err catalog_change(const struct name *catalog, const struct catalog_member *member,
                        struct arena *arena, struct change *change, struct why *why);
