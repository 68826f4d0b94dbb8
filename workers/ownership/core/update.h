/*
 * update -- what is planned for one name, as one dynamic update (RFC 2136): a record and
 * its mark come and go together, or not at all.
 *
 * A zone may have changed since it was read, so each update says what it was made from.
 * What is changed or goes must be as we read it, to the record, and so must all that
 * stands where its mark is; what comes must not be there. A server drops a CNAME that
 * meets other records, and other records that meet a CNAME, without a word (3.4.2.2):
 * so none of a type that we know may be there, either. If somebody was faster, nothing
 * is done at all.
 *
 * But nothing can be said of a TTL (2.4): it is compared by nobody. If somebody gives a
 * set that we change another one meanwhile, or the TXT records where our mark comes, it
 * may have the one that we read or want. Records are as planned all the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan.h"

enum update_kind {
	/* prerequisites (2.4) */
	UPDATE_SET_IS,			/* one of the records that make up a set */
	UPDATE_NO_SET,			/* there are no records of NAME and TYPE */
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
	uint32_t ttl;			/* of UPDATE_ADD */
	struct rdata rdata;		/* of UPDATE_SET_IS, _DELETE and _ADD */
};

struct update_rrs {
	struct update_rr *rrs;
	size_t count, size;
};

struct update {
	struct update_rrs prerequisites, changes;
};

/* Is it neither held nor dry, and something to do? */
bool update_applies(const struct plan_item *item);
/*
 * The COUNT items of one name, of which those that are held, or for which nothing is to
 * do, are left out. MARK_TTL is that of marks. *update is in the view's memory; without
 * changes there is nothing to send.
 */
void update_make(struct view *view, const struct plan_item *items, size_t count,
                 uint32_t mark_ttl, struct update *update);
