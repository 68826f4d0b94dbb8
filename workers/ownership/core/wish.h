/*
 * wish -- what our owner wants at a name: of all endpoints for it those that win.
 *
 * Endpoints of one resource and type make one set, whatever their set ids. If several
 * resources want the same set, the one that has it keeps it; else it goes to the first
 * of: those who asked by RPC, routers, routes, ports; then to who wants fewer records,
 * then by the records themselves (external-dns' "PerResource"). A CNAME cannot stand
 * beside other sets, and loses to them unless its resource has the name by now; one of
 * two targets is none.
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
	const char *resource;
};

/*
 * One endpoint more for a name. Endpoints that belong together become one wish. What is
 * in ENDPOINT is borrowed.
 */
void wish_add(struct wish **wishes, const struct wish *endpoint, struct arena *arena);

/* All are in: at most one of a type has not lost, and a CNAME is alone. */
void wishes_resolve(struct wish *wishes, const struct view *view,
                    const struct node *node);
/* The one of TYPE that won, or NULL. */
const struct wish *wish_of(const struct wish *wishes, uint16_t type);
