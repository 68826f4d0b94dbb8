/*
 * store_order -- the rows of what somebody ordered to be done with marks.
 */
#pragma once

#include "core/plan.h"
#include "store.h"

struct order_row {
	const char *id;
	enum plan_deed deed;
	bool has_name, is_below;	/* of one name; and of those below it */
	struct name name;
	uint16_t type;			/* 0: any */
	const char *resource;		/* NULL: whatever */
	struct rrset expected;		/* of ADOPT */
	const char *to_id, *to;		/* of GIVE: a registry, and its storage_id */
	bool is_dry;
	const char *ordered_by;
};

/* Of a registry: that may be open, and that a round looks at, the oldest first. */
enum { ORDERS_OPEN_MAX = 100, ORDERS_AT_ONCE = 20 };

size_t store_orders_count(struct tx *tx, const char *registry_id);	/* of the open ones */
void store_sweep_orders(struct tx *tx);		/* done more than a day ago */
/* A second time with the same id is no second order. */
void store_order_put(struct tx *tx, const char *registry_id,
                     const struct order_row *order);
void store_orders_open(struct tx *tx, struct arena *arena, const char *registry_id,
                       void (*each)(void *self, const struct order_row *order),
                       void *self);
/* RESULT is JSON. */
void store_order_done(struct tx *tx, const char *id, const char *result);
/* False: there is none of that id. *result: NULL until it is done. */
bool store_order_read(struct tx *tx, struct arena *arena, const char *registry_id,
                      const char *id, const char **state, const char **result);

/* ---- what goes to another registry ---- */

/* Who wants the set of NAME and TYPE in one, wants it in the other, too. */
void store_endpoints_copy(struct tx *tx, const char *id, const char *to_id,
                          const struct name *name, uint16_t type);
/* Of the resources of a registry at least as many endpoints are known as there are. */
void store_sources_counted(struct tx *tx, const char *id);
/* But for what somebody changed since it was copied. */
void store_endpoints_forget(struct tx *tx, const char *id, const char *to_id,
                            const struct name *name, uint16_t type);
void store_made_move(struct tx *tx, const char *id, const char *to_id,
                     const struct name *name, uint16_t type);
