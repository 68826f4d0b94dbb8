/*
 * update_private -- declarations that only the files of the update use. update.c makes
 * the update of the record sets of a name. update_marks.c adds the update of their
 * ownership marks. update_rr.c collects the records of the message for both files.
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
	/* nodes for which the message already has a prerequisite about TXT records */
	const struct node **required;
	size_t required_count, required_size;
};

void update_put(const struct update_draft *draft, struct update_rrs *to,
                struct update_rr rr);
void update_require(struct update_draft *draft, enum update_kind kind,
                    const struct name *name, uint16_t type);
void update_require_records(struct update_draft *draft, const struct name *name,
                            uint16_t type, const struct rrset *set);
/*
 * Adds a prerequisite: the TXT records of NAME must be unchanged since the reading. If
 * NAME had neither TXT records nor a CNAME, also adds the prerequisite that NAME has no
 * CNAME.
 */
void update_require_txt(struct update_draft *draft, const struct name *name);
void update_remove(struct update_draft *draft, enum update_kind kind,
                   const struct name *name, uint16_t type, struct rdata rdata);
void update_add(struct update_draft *draft, const struct name *name, uint16_t type,
                uint32_t ttl, struct rdata rdata);
void update_make_marks(struct update_draft *draft);
