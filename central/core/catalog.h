/*
 * catalog -- the records of a catalog zone (RFC 9432, version 2).
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
 * ERR_INVALID: NAME is too long. The owner names of the PTR records end with NAME and
 * must have at most 255 octets. The reason begins with FIELD.
 */
enum err catalog_name(const struct name *name, const char *field, struct why *why);

/* Makes the change that adds the record with the version of the format. */
enum err catalog_version(const struct name *catalog, struct arena *arena,
                         struct change *change, struct why *why);

struct catalog_member {
	const char *id, *name;
	bool is_listed;			/* true: add the member; false: remove it */
};
/*
 * Makes the change that adds or removes a member. The zone may already contain the
 * member.
 */
enum err catalog_change(const struct name *catalog, const struct catalog_member *member,
                        struct arena *arena, struct change *change, struct why *why);
