/*
 * update_private -- shared by update.c, which makes the update of a name's sets,
 * update_marks.c, which makes the update of their marks, and update_rr.c, which collects
 * the records of the message for both.
 */
#pragma once

#include "core/update.h"

/* The update of a name under construction. */
struct update_draft {
	struct view *view;
	const struct plan_item *items;
	size_t count;
	uint32_t mark_ttl;
	struct update_rrs prerequisites, removals, additions;
	const struct node **required;	/* nodes whose TXT records have a prerequisite */
	size_t required_count, required_size;
};

void update_put(const struct update_draft *draft, struct update_rrs *to,
                struct update_rr rr);
void update_require(struct update_draft *draft, enum update_kind kind,
                    const struct name *name, uint16_t type);
void update_require_records(struct update_draft *draft, const struct name *name,
                            uint16_t type, const struct rrset *set);
/*
 * Requires that all TXT records of NAME are as read. If NAME has no TXT record, it must
 * have no CNAME.
 */
void update_require_txt(struct update_draft *draft, const struct name *name);
void update_remove(struct update_draft *draft, enum update_kind kind,
                   const struct name *name, uint16_t type, struct rdata rdata);
void update_add(struct update_draft *draft, const struct name *name, uint16_t type,
                uint32_t ttl, struct rdata rdata);
void update_make_marks(struct update_draft *draft);
