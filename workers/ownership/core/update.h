/*
 * update -- the plan for one name as one dynamic update (RFC 2136). It adds or removes a
 * record together with its mark, or changes nothing.
 *
 * The zone may have changed since the reading, so prerequisites describe the zone as the
 * round has read it. A set to be changed or deleted must have exactly the records of the
 * reading. So must all TXT records at the places of its marks. A new set must not exist
 * yet. A server silently drops a CNAME beside other records, and other records beside a
 * CNAME (3.4.2.2). So no set of any known type may exist there. If another program was
 * faster, the server applies nothing.
 *
 * Prerequisites cannot cover a TTL (2.4). If another program changes the TTL meanwhile,
 * the set gets the TTL that we read or want. Its records are as planned.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan.h"

enum update_kind {
	/* prerequisites (2.4) */
	UPDATE_SET_IS,			/* one of the records that form a set */
	UPDATE_NO_SET,			/* NAME has no records of TYPE */
	UPDATE_NO_NAME,			/* NAME is not in use */
	/* changes (2.5) */
	UPDATE_DELETE_SET,
	UPDATE_DELETE,			/* one record */
	UPDATE_ADD,
};

struct update_rr {
	enum update_kind kind;
	struct name name;
	uint16_t type;			/* UPDATE_NO_NAME: 0 */
	uint32_t ttl;			/* for UPDATE_ADD */
	struct rdata rdata;		/* for UPDATE_SET_IS, _DELETE and _ADD */
};

struct update_rrs {
	struct update_rr *rrs;
	size_t count, size;
};

struct update {
	struct update_rrs prerequisites, changes;
};

/* True: the item has a step, and is neither held nor a dry run. */
bool update_applies(const struct plan_item *item);
/*
 * Makes the update of the COUNT items of one name, without held items. MARK_TTL: TTL of
 * marks. *update is in the view's memory; if it has no changes, do not send it.
 */
void update_make(struct view *view, const struct plan_item *items, size_t count,
                 uint32_t mark_ttl, struct update *update);
