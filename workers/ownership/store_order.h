/*
 * store_order -- the rows of what somebody ordered to be done with marks.
 */
#pragma once

#include "core/plan.h"
#include "store.h"

struct order_row {
	const char *id;
	enum plan_order_kind kind;
	bool has_name, is_below;	/* of one name; and of those below it */
	struct name name;
	uint16_t type;			/* 0: any */
	const char *resource;		/* NULL: whatever */
	struct rrset expected;		/* of ADOPT */
	const char *to_id, *to;		/* of GIVE: a registry, and its storage_id */
	bool is_dry;
	const char *ordered_by;
};

enum { ORDERS_OPEN_MAX = 100, ORDERS_ROUND_MAX = 20 };	/* of a registry */

/*
 * The order of the call REQ, whose message id is the order's. The same message a second time
 * is no second order. ERR_CONFLICT: another call had the id. ERR_QUOTA: too many are open.
 */
void store_order_put(struct tx *tx, const char *registry_id,
                     const struct order_row *order, const struct request *req);
/* From the oldest on, of which a round takes ORDERS_ROUND_MAX. */
void store_orders_open(struct tx *tx, struct arena *arena, const char *registry_id,
                       void (*each)(void *self, const struct order_row *order),
                       void *self);
/* RESULT is JSON. Its items are no longer known. */
void store_order_done(struct tx *tx, const char *id, const char *result);
/* False: there is none of that id. *result: NULL until it is done. */
bool store_order_read(struct tx *tx, struct arena *arena, const char *registry_id,
                      const char *id, const char **state, const char **result);

/* ---- the sets that an open order was begun with ---- */

/* Texts as the column has them. */
#define ITEM_ACCEPTED "ACCEPTED"	/* it may have been done */
#define ITEM_APPLIED "APPLIED"		/* in this transaction it is known to be done, */
#define ITEM_REFUSED "REFUSED"		/* or not to be: none is left at its end */
#define ITEM_DONE "DONE"

struct order_set {
	struct name name;
	uint16_t type;
};

void store_order_items_put(struct tx *tx, const char *order_id,
                           const struct order_set *sets, size_t count,
                           const char *state);
/* Those of open orders of the registry. */
void store_order_items(struct tx *tx, struct arena *arena, const char *registry_id,
                       void (*each)(void *self, const char *order_id,
                                    const struct order_set *set, bool is_done),
                       void *self);
/* What was applied is done, and what was refused was never begun. */
void store_order_items_settle(struct tx *tx, const char *order_id);
/* Nothing was made of those that are accepted any more. */
void store_order_items_unmake(struct tx *tx, const char *order_id,
                              const char *registry_id);
/* The zone's records, as REGISTRY_ID keeps them, are OWNER's; "": nobody's. */
void store_order_items_own(struct tx *tx, const char *order_id, const char *registry_id,
                           const char *owner);
