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

/*
 * ---- the sets of an order: what is done to them is one statement for all ----
 *
 * Between begin and end, of one transaction; ROWS have a name and a type.
 */

void store_order_sets_begin(struct tx *tx, const char *order_id,
                            const struct made_row *rows, size_t count);
void store_order_sets_end(struct tx *tx, const char *order_id);

/* Who wants them in the registry of ID, wants them in that of the order's, too. */
void store_endpoints_copy(struct tx *tx, const char *id, const struct order_row *order);
/* But for what somebody changed since it was copied. */
void store_endpoints_forget(struct tx *tx, const char *id, const struct order_row *order);
/* Rows that are marks go to the order's registry. */
void store_made_move(struct tx *tx, const char *id, const struct order_row *order);
/* They are not ours any more. */
void store_made_part_with(struct tx *tx, const char *id, const struct order_row *order);
void store_records_give(struct tx *tx, const char *id, const struct order_row *order);
