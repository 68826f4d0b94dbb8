#include <string.h>

#include "store.h"

void store_parent_lock(struct tx *tx, const char *parent)
{
	tx_exec(tx,
	    "INSERT INTO host_parents (parent) VALUES (?) "
	    "ON DUPLICATE KEY UPDATE touched = touched + 1", TX_BIND(tx_text(parent)));
}

/* Different connections mostly use different gates, so they rarely wait here. */
void store_gate_pass(struct tx *tx)
{
	tx_exec(tx, "UPDATE host_gates SET touched = touched + 1 "
	            "WHERE gate = CONNECTION_ID() % 8", TX_NONE);
}

void store_gates_lock(struct tx *tx)
{
	tx_exec(tx, "UPDATE host_gates SET touched = touched + 1", TX_NONE);
}

bool store_claim_read(struct tx *tx, struct arena *arena, const char *host,
                      struct claim_row *claim)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT route_id, project_id FROM host_claims WHERE host = ? FOR UPDATE",
	    TX_BIND(tx_text(host))))
		return false;
	claim->route_id = row_text(&rows);
	claim->project_id = row_text(&rows);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_claim_exists_below(struct tx *tx, const char *parent, const char *project_id)
{
	return tx_select_number(tx,
	    "SELECT 1 FROM host_claims WHERE parent = ? AND project_id <> ? LIMIT 1 "
	    "LOCK IN SHARE MODE", TX_BIND(tx_text(parent), tx_text(project_id)));
}

/* Locks the row in any case; then reads which route has it. */
bool store_claim_take(struct tx *tx, const char *host, const struct route_row *route)
{
	struct arena *arena = arena_new();
	struct claim_row claim;
	bool is_ours;

	tx_exec(tx,
	    "INSERT INTO host_claims (host, parent, route_id, project_id, claimed_at) "
	    "VALUES (?, ?, ?, ?, NOW(3)) ON DUPLICATE KEY UPDATE route_id = route_id",
	    TX_BIND(tx_text(host), tx_text(host_parent(host)), tx_text(route->id),
	            tx_text(route->project_id)));
	is_ours = store_claim_read(tx, arena, host, &claim) &&
	          !strcmp(claim.route_id, route->id);
	arena_free(&arena);
	return is_ours;
}

void store_claim_release(struct tx *tx, const char *host, const char *route_id)
{
	tx_exec(tx, "DELETE FROM host_claims WHERE host = ? AND route_id = ?",
	        TX_BIND(tx_text(host), tx_text(route_id)));
}

const char *store_claim_find_below(struct tx *tx, struct arena *arena, const char *domain)
{
	return tx_select_text(tx, arena,
	    "SELECT host FROM host_claims WHERE host = ? OR host LIKE CONCAT('%.', ?) "
	    "LIMIT 1", TX_BIND(tx_text(domain), tx_text(domain)));
}
