/*
 * catalog -- the records of a catalog zone (RFC 9432, version 2). Pure.
 *
 *	catalog.			NS   invalid.
 *	version.catalog.		TXT  "2"
 *	<domain id>.zones.catalog.	PTR  <domain>
 *
 * A member's label is its domain's id: a domain that was deleted and made again has
 * another one, by which its servers forget what they had of it (RFC 9432 5.4).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/changes.h"

#define CATALOG_NS "invalid."

/* Has NAME room for the labels of members? ERR_INVALID; the reason begins with FIELD. */
enum err catalog_name(const struct name *name, const char *field, struct why *why);

/* The record that says what zone this is. */
enum err catalog_version(const struct name *catalog, struct arena *arena,
                         struct change *change, struct why *why);

struct catalog_member {
	const char *id, *name;
	bool is_listed;			/* shall it be? */
};
/* What lists the member, or lists it no more, whatever there is by now. */
enum err catalog_change(const struct name *catalog, const struct catalog_member *member,
                        struct arena *arena, struct change *change, struct why *why);
