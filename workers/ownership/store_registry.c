#include <stdio.h>

#include "store.h"

static const char *const states[] = {
	[REGISTRY_NEW] = "NEW", [REGISTRY_OK] = "OK", [REGISTRY_HELD] = "HELD",
	[REGISTRY_PARKED] = "PARKED", [REGISTRY_FAILED] = "FAILED",
};

const char *registry_state_name(enum registry_state state)
{
	return states[state];
}

bool registry_state_failed(enum registry_state state)
{
	return state == REGISTRY_FAILED || state == REGISTRY_PARKED;
}

static void registry_copy_id(const char *text, char id[ID_LEN + 1])
{
	snprintf(id, ID_LEN + 1, "%s", text ? text : "");
}

static bool registry_find(struct tx *tx, const char *storage_id, const char *zone,
                          char id[ID_LEN + 1])
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT id FROM registries WHERE storage_id = ? AND zone = ?",
	    TX_BIND(tx_text(storage_id), tx_text(zone))))
		return false;
	registry_copy_id(row_text(&rows), id);
	tx_select_end(&rows);
	return !tx->err;
}

/* Looks first: an INSERT would lock the row, which another process may have locked. */
void store_registry_enter(struct tx *tx, const char *storage_id, const char *zone,
                          char id[ID_LEN + 1])
{
	char fresh[ID_LEN + 1];

	if (registry_find(tx, storage_id, zone, id))
		return;
	id_new(fresh);
	tx_exec(tx,
	    "INSERT INTO registries (id, storage_id, zone, due_at) "
	    "VALUES (?, ?, ?, NOW(3)) ON DUPLICATE KEY UPDATE id = id",
	    TX_BIND(tx_text(fresh), tx_text(storage_id), tx_text(zone)));
	registry_find(tx, storage_id, zone, id);
}

void store_registries_due(struct tx *tx, void (*each)(void *self, const char *id),
                          void *self)
{
	struct tx_rows rows;

	tx_select(tx, NULL, &rows, "SELECT id FROM registries WHERE due_at <= NOW(3)",
	          TX_NONE);
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

bool store_registry_read(struct tx *tx, struct arena *arena, const char *id,
                         struct registry_row *row)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT id, rev, failures, due_at <= NOW(3), held_digest, approved, "
	    "mismatches FROM registries WHERE id = ?",
	    TX_BIND(tx_text(id))))
		return false;
	registry_copy_id(row_text(&rows), row->id);
	row->rev = (uint64_t)row_int(&rows);
	row->failures = row_u32(&rows);
	row->is_due = row_int(&rows);
	row->held_digest = row_text(&rows);
	row->approved = row_text(&rows);
	row->mismatches = row_text(&rows);
	tx_select_end(&rows);
	return true;
}

bool store_registry_status(struct tx *tx, struct arena *arena, const char *id,
                           struct registry_status *status)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT state, reason, " TX_RFC3339("planned_at") ", "
	    "approved_by, rev, planned_rev, rounds FROM registries WHERE id = ?",
	    TX_BIND(tx_text(id))))
		return false;
	status->state = row_text(&rows);
	status->reason = row_text(&rows);
	status->planned_at = row_text(&rows);
	status->approved_by = row_text(&rows);
	status->rev = (uint64_t)row_int(&rows);
	status->planned_rev = (uint64_t)row_int(&rows);
	status->rounds = (uint64_t)row_int(&rows);
	tx_select_end(&rows);
	return true;
}

const char *store_plan(struct tx *tx, struct arena *arena, const char *id)
{
	struct tx_rows rows;
	const char *plan;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT plan FROM registry_plans WHERE registry_id = ?",
	    TX_BIND(tx_text(id))))
		return NULL;
	plan = row_text(&rows);
	tx_select_end(&rows);
	return plan;
}

#define CHANGED "rev = rev + 1, " \
                "due_at = LEAST(due_at, GREATEST(not_before, NOW(3))) "

void store_registry_changed(struct tx *tx, const char *id)
{
	tx_exec(tx, "UPDATE registries SET " CHANGED "WHERE id = ?",
	        TX_BIND(tx_text(id)));
}

void store_registry_urgent(struct tx *tx, const char *id)
{
	tx_exec(tx,
	    "UPDATE registries SET rev = rev + 1, due_at = LEAST(due_at, NOW(3)) "
	    "WHERE id = ?", TX_BIND(tx_text(id)));
}

void store_zone_changed(struct tx *tx, const char *zone, const char *id)
{
	tx_exec(tx, "UPDATE registries SET " CHANGED "WHERE zone = ? AND id <> ?",
	        TX_BIND(tx_text(zone), tx_text(id)));
}

static void store_round_plan(struct tx *tx, const struct round_row *round)
{
	tx_exec(tx,
	    "UPDATE registries SET planned_rev = ?, serial = ?, planned_at = NOW(3), "
	    "mismatches = ? WHERE id = ?",
	    TX_BIND(tx_int((int64_t)round->rev), tx_u32(round->serial),
	            tx_text(round->mismatches), tx_text(round->id)));
	tx_exec(tx,
	    "INSERT INTO registry_plans (registry_id, plan) VALUES (?, ?) "
	    "ON DUPLICATE KEY UPDATE plan = VALUES(plan)",
	    TX_BIND(tx_text(round->id), tx_text(round->plan)));
	if (round->held_digest)
		tx_exec(tx,
		    "UPDATE registries SET held_digest = ?, "
		    "approved_by = IF(approved = ?, approved_by, ''), "
		    "approved = IF(approved = ?, approved, '') WHERE id = ?",
		    TX_BIND(tx_text(round->held_digest), tx_text(round->held_digest),
		            tx_text(round->held_digest), tx_text(round->id)));
}

void store_round(struct tx *tx, const struct round_row *round)
{
	bool failed = round->is_fruitless || registry_state_failed(round->state);

	if (round->is_planned)
		store_round_plan(tx, round);
	tx_exec(tx,
	    "UPDATE registries SET state = ?, reason = LEFT(?, 512), "
	    "rounds = rounds + 1, "
	    "failures = IF(?, failures + 1, 0), "
	    "not_before = NOW(3) + INTERVAL ? MICROSECOND, "
	    "due_at = NOW(3) + INTERVAL IF(rev > planned_rev, ?, ?) MICROSECOND "
	    "WHERE id = ?",
	    TX_BIND(tx_text(states[round->state]), tx_text(round->reason),
	            tx_int(failed), tx_int(1000 * round->rest_ms),
	            tx_int(1000 * round->rest_ms), tx_int(1000 * round->next_ms),
	            tx_text(round->id)));
}

bool store_plan_approve(struct tx *tx, const char *id, const char *digest,
                        const char *who)
{
	return tx_exec(tx,
	    "UPDATE registries SET approved = ?, approved_by = LEFT(?, 255), "
	    "rev = rev + 1, "
	    "due_at = LEAST(due_at, NOW(3)) "
	    "WHERE id = ? AND held_digest = ? AND held_digest <> ''",
	    TX_BIND(tx_text(digest), tx_text(who), tx_text(id), tx_text(digest))) > 0;
}
