#include "store_transfer.h"

/*
 * The items come first in each join, so that it reads only their rows. The database has
 * no statistics about a table that the previous statement has filled.
 */
#define ITEMS "ownership_order_items i STRAIGHT_JOIN "
#define SAME_SET(row) "ON " row ".name = i.name AND " row ".type = i.type "
#define SAME_ENDPOINT(a, b) "AND " a ".resource = " b ".resource " \
                            "AND " a ".name = " b ".name AND " a ".type = " b ".type " \
                            "AND " a ".set_id = " b ".set_id "
#define OF_ORDER "WHERE i.order_id = ? AND i.state = ? "

/* Binds: order, state, registry. */
#define ENDPOINTS ITEMS "endpoints e " SAME_SET("e") OF_ORDER "AND e.registry_id = ? "
#define COPIES ENDPOINTS "AND e.copied_by = i.order_id "

/* The time for a resource that has not called the new registry yet. */
#define NEVER "'1970-01-01 00:00:00'"

void store_transfer_lock(struct tx *tx, const struct transfer *transfer)
{
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	    "SELECT resource FROM endpoint_sources WHERE registry_id IN (?, ?) "
	    "ORDER BY registry_id, resource FOR UPDATE",
	    TX_BIND(tx_text(transfer->from), tx_text(transfer->to)));
	while (tx_next(&rows))
		;
}

/* ---- copies ---- */

/* Such a source is incomplete: the resource may want more than the copied endpoints. */
static void transfer_add_sources(struct tx *tx, const struct transfer *transfer,
                                 const char *state)
{
	tx_exec(tx,
	    "INSERT INTO endpoint_sources "
	    "(registry_id, resource, is_complete, endpoints, reported_at) "
	    "SELECT ?, e.resource, FALSE, COUNT(*), " NEVER " "
	    "FROM " ITEMS "endpoints e " SAME_SET("e")
	    "LEFT JOIN endpoints r ON r.registry_id = ? " SAME_ENDPOINT("r", "e")
	    OF_ORDER "AND e.registry_id = ? AND r.resource IS NULL "
	    "GROUP BY e.resource ON DUPLICATE KEY UPDATE "
	    "endpoints = endpoint_sources.endpoints + VALUES(endpoints)",
	    TX_BIND(tx_text(transfer->to), tx_text(transfer->to),
	            tx_text(transfer->order), tx_text(state), tx_text(transfer->from)));
}

/* An endpoint of a producer stays as it is. */
#define COPIED(column) column " = IF(endpoints.copied_by = VALUES(copied_by), " \
                       "VALUES(" column "), endpoints." column ")"

void store_transfer_copy(struct tx *tx, const struct transfer *transfer,
                         const char *state)
{
	transfer_add_sources(tx, transfer, state);
	tx_exec(tx,
	    "INSERT INTO endpoints (registry_id, resource, name, type, set_id, ttl, "
	    "is_shared, records, copied_by) SELECT ?, e.resource, e.name, e.type, "
	    "e.set_id, e.ttl, e.is_shared, e.records, i.order_id FROM " ENDPOINTS
	    "ON DUPLICATE KEY UPDATE " COPIED("ttl") ", " COPIED("is_shared") ", "
	    COPIED("records"),
	    TX_BIND(tx_text(transfer->to), tx_text(transfer->order), tx_text(state),
	            tx_text(transfer->from)));
}

/* ---- deleted endpoints ---- */

/*
 * Subtracts the number of rows OF each resource. Binds: the values of OF, and the
 * registry.
 */
#define LOWER(of) \
	"UPDATE endpoint_sources s JOIN (SELECT e.resource, COUNT(*) AS n FROM " of \
	"GROUP BY e.resource) gone ON gone.resource = s.resource " \
	"SET s.endpoints = s.endpoints - LEAST(s.endpoints, gone.n) " \
	"WHERE s.registry_id = ?"

static void transfer_forget_sources(struct tx *tx, const struct transfer *transfer)
{
	tx_exec(tx,
	    "DELETE FROM endpoint_sources WHERE registry_id = ? AND endpoints = 0 "
	    "AND NOT is_complete AND reported_at = " NEVER,
	    TX_BIND(tx_text(transfer->to)));
}

#define STALE ITEMS "endpoints e " SAME_SET("e") \
              "LEFT JOIN endpoints w ON w.registry_id = ? " SAME_ENDPOINT("w", "e") \
              OF_ORDER "AND e.registry_id = ? AND e.copied_by = i.order_id " \
              "AND w.resource IS NULL "

void store_transfer_drop_stale(struct tx *tx, const struct transfer *transfer,
                               const char *state)
{
	tx_exec(tx, LOWER(STALE),
	        TX_BIND(tx_text(transfer->from), tx_text(transfer->order), tx_text(state),
	                tx_text(transfer->to), tx_text(transfer->to)));
	tx_exec(tx, "DELETE e FROM " STALE,
	        TX_BIND(tx_text(transfer->from), tx_text(transfer->order), tx_text(state),
	                tx_text(transfer->to)));
	transfer_forget_sources(tx, transfer);
}

void store_transfer_undo(struct tx *tx, const struct transfer *transfer,
                         const char *state)
{
	tx_exec(tx, LOWER(COPIES),
	        TX_BIND(tx_text(transfer->order), tx_text(state), tx_text(transfer->to),
	                tx_text(transfer->to)));
	tx_exec(tx, "DELETE e FROM " COPIES,
	        TX_BIND(tx_text(transfer->order), tx_text(state), tx_text(transfer->to)));
	transfer_forget_sources(tx, transfer);
}

void store_transfer_forget(struct tx *tx, const struct transfer *transfer,
                           const char *state)
{
	tx_exec(tx, LOWER(ENDPOINTS),
	        TX_BIND(tx_text(transfer->order), tx_text(state), tx_text(transfer->from),
	                tx_text(transfer->from)));
	tx_exec(tx, "DELETE e FROM " ENDPOINTS,
	        TX_BIND(tx_text(transfer->order), tx_text(state),
	                tx_text(transfer->from)));
	tx_exec(tx,
	    "UPDATE " ITEMS "endpoints e " SAME_SET("e") "SET e.copied_by = NULL "
	    OF_ORDER "AND e.registry_id = ? AND e.copied_by = i.order_id",
	    TX_BIND(tx_text(transfer->order), tx_text(state), tx_text(transfer->to)));
}

/* ---- owned sets ---- */

void store_transfer_owned(struct tx *tx, const struct transfer *transfer,
                          const char *state, bool is_in_zone)
{
	tx_exec(tx,
	    "DELETE r FROM " ITEMS "ownership o " SAME_SET("o")
	    "JOIN ownership r ON r.name = o.name AND r.type = o.type "
	    OF_ORDER "AND o.registry_id = ? AND r.registry_id = ? "
	    "AND (? OR r.records IS NULL)",
	    TX_BIND(tx_text(transfer->order), tx_text(state), tx_text(transfer->from),
	            tx_text(transfer->to), tx_int(is_in_zone)));
	tx_exec(tx,	/* for rows with intended sets that the zone has shown */
	    "UPDATE " ITEMS "ownership o " SAME_SET("o")
	    "SET o.records = COALESCE(o.records, o.intended), o.registry_id = ?, "
	    "o.updated_at = NOW(3) " OF_ORDER "AND o.registry_id = ?",
	    TX_BIND(tx_text(transfer->to), tx_text(transfer->order), tx_text(state),
	            tx_text(transfer->from)));
}
