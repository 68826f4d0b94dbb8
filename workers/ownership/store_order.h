/* store_order -- reads and writes the rows of orders about ownership marks. */
#pragma once

#include "core/plan.h"
#include "store.h"

struct order_row {
	const char *id;
	enum plan_order_kind kind;
	/*
	 * has_name: the order is only for `name`. is_below: the order also includes the
	 * names below `name`.
	 */
	bool has_name, is_below;
	struct name name;
	uint16_t type;			/* type of the record sets; 0: any type */
	/* resource of the record sets; NULL: any resource */
	const char *resource;
	/* for ADOPT: the records that the set must have now */
	struct rrset expected;
	/* for TRANSFER: the id and the storage_id of the new registry */
	const char *to_id, *to;
	bool is_dry;
	const char *ordered_by;
};

/*
 * maximum number of open orders of a registry, and maximum number of orders in one round
 */
enum { ORDERS_OPEN_MAX = 100, ORDERS_ROUND_MAX = 20 };

/*
 * Inserts the order of the call REQ. The id of the order is the message id, so a repeated
 * message makes only one order. ERR_CONFLICT: a different call has used the message id.
 * ERR_QUOTA: the registry already has ORDERS_OPEN_MAX open orders.
 */
void store_order_put(struct tx *tx, const char *registry_id,
                     const struct order_row *order, const struct request *req);
/* Reads at most ORDERS_ROUND_MAX open orders of the registry, the oldest order first. */
void store_orders_open(struct tx *tx, struct arena *arena, const char *registry_id,
                       void (*each)(void *self, const struct order_row *order),
                       void *self);
/* Ends the order. Writes RESULT (JSON) and deletes the items of the order. */
void store_order_done(struct tx *tx, const char *id, const char *result);
/*
 * Reads the state and the result of an order. False: there is no such order. *result is
 * NULL until the order is done.
 */
bool store_order_read(struct tx *tx, struct arena *arena, const char *registry_id,
                      const char *id, const char **state, const char **result);

/* ---- the sets of open orders ---- */

/* The values of the column `state` of an item. An item is one record set of an order. */
#define ITEM_ACCEPTED "ACCEPTED"	/* the server has possibly applied the update */
/*
 * The server has applied the update. The transaction that writes this value replaces it
 * with ITEM_DONE.
 */
#define ITEM_APPLIED "APPLIED"
/*
 * The server has refused the update. The transaction that writes this value deletes the
 * item.
 */
#define ITEM_REFUSED "REFUSED"
#define ITEM_DONE "DONE"

struct order_set {
	struct name name;
	uint16_t type;
};

void store_order_items_put(struct tx *tx, const char *order_id,
                           const struct order_set *sets, size_t count,
                           const char *state);
/* Reads the items of the registry's open orders. */
void store_order_items(struct tx *tx, struct arena *arena, const char *registry_id,
                       void (*each)(void *self, const char *order_id,
                                    const struct order_set *set, bool is_done),
                       void *self);
/* Sets the state of applied items to DONE, and deletes refused items. */
void store_order_items_settle(struct tx *tx, const char *order_id);
/* Deletes the rows of owned sets that belong to accepted items. */
void store_order_items_unmake(struct tx *tx, const char *order_id,
                              const char *registry_id);
/* Writes OWNER to the stored records of accepted items. OWNER "": no owner. */
void store_order_items_own(struct tx *tx, const char *order_id, const char *registry_id,
                           const char *owner);
