/*
 * update -- makes one dynamic update (RFC 2136) from the plan for one name. The update
 * changes records and their ownership marks together, or it changes nothing.
 *
 * It is possible that the zone has changed since the reading. So prerequisites describe
 * the zone as the round read the zone. A record set that the update changes or deletes
 * must still contain exactly the records that the round read. The TXT records at the
 * names of its ownership marks must also be unchanged since the reading. A new record
 * set must not exist yet. For a new CNAME, the name must have no record set of a known
 * type. A server silently drops a new CNAME that conflicts with a record set (RFC 2136
 * 3.4.2.2). If another program has changed these parts of the zone since the reading,
 * the server applies no part of the update.
 *
 * Prerequisites cannot check a TTL (RFC 2136 2.4). If another program changes the TTL
 * after the reading, the update overwrites the new TTL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan.h"

enum update_kind {
	/* prerequisites (RFC 2136 2.4) */
	/*
	 * the set must contain exactly the records that the message lists with this kind
	 */
	UPDATE_SET_IS,
	UPDATE_NO_SET,			/* NAME must have no records of TYPE */
	UPDATE_NO_NAME,			/* NAME must have no records */
	/* changes (RFC 2136 2.5) */
	UPDATE_DELETE_SET,
	UPDATE_DELETE,			/* deletes one record */
	UPDATE_ADD,
};

struct update_rr {
	enum update_kind kind;
	struct name name;
	uint16_t type;			/* 0 for UPDATE_NO_NAME */
	uint32_t ttl;			/* only for UPDATE_ADD */
	struct rdata rdata;		/* only for UPDATE_SET_IS, _DELETE and _ADD */
};

struct update_rrs {
	struct update_rr *rrs;
	size_t count, size;
};

struct update {
	struct update_rrs prerequisites, changes;
};

/* True: the item has a step, is not held, and does not belong to a dry run. */
bool update_applies(const struct plan_item *item);
/*
 * Makes the update of the COUNT items of one name. Ignores held items. MARK_TTL: the TTL
 * of marks. *update is in the view's memory. If *update contains no changes, do not send
 * the update.
 */
void update_make(struct view *view, const struct plan_item *items, size_t count,
                 uint32_t mark_ttl, struct update *update);
