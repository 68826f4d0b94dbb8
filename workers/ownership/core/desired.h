/*
 * wish -- what our owner wants at a name: of all endpoints for it those that win.
 *
 * Endpoints of one resource and type make one set, whatever their set ids. If several
 * resources want the same set, the one that has it keeps it; else it goes to the first
 * of: those who asked by RPC, routers, routes, ports; then to who wants fewer records,
 * then by the records themselves (external-dns' "PerResource"). A CNAME cannot stand
 * beside other sets, and loses to them unless its resource has the name by now. What
 * cannot be takes nobody's place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rrset.h"
#include "core/view.h"

/* Of one name. */
struct wish {
	struct wish *next;
	struct rrset want;
	bool has_ttl;			/* else any will do */
	bool is_shared;			/* with other owners who say so, too */
	bool has_lost;
	bool is_hopeless;		/* whoever resolves them knows why */
	const char *resource;
};

/* The COUNT endpoints of a name, which are sorted: those that belong together as one. */
struct wish *wishes_merge(struct wish *endpoints, size_t count, struct arena *arena);
/* What no zone can have, in words; NULL: it can. */
const char *wish_fault(const struct wish *wish, const struct view *view);
/* Of those that are not hopeless at most one of a type has not lost, a CNAME alone. */
void wishes_resolve(struct wish *wishes, const struct node *node);
/* The one of TYPE that won, else one that is hopeless, or NULL. */
const struct wish *wish_of(const struct wish *wishes, uint16_t type);
