#include <stdio.h>

#include "store_private.h"

enum { ZONES_DUE_MAX = 1000 };		/* of one read */

/* A blind write: it does not read the old rows. */
static void zones_raise(struct tx *tx, const struct zone_key *zones, size_t count)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (2 * count + 1) * sizeof(*values));
	size_t rows = 0;

	for (size_t i = 0; i < count; i++) {
		if (zones[i].is_claimed)
			continue;
		values[2 * rows] = tx_text(zones[i].zone);
		values[2 * rows + 1] = tx_text(zones[i].project_id);
		rows++;
	}
	if (rows)
		tx_exec_rows(tx,
		    TX_BLIND "INSERT INTO port_zones (zone, project_id, due_at, rev) "
		    "VALUES ",
		    "(?,?,NOW(3),1)",
		    " ON DUPLICATE KEY UPDATE rev = rev + 1, due_at = NOW(3)", values, 2,
		    rows);
	arena_free(&arena);
}

void store_zones_changed(struct tx *tx, const struct zone_key *zones, size_t count)
{
	zones_raise(tx, zones, count);
	store_zones_claim(tx, zones, count);
}

void store_zones_due(struct tx *tx, struct arena *arena,
                     void (*each)(void *self, const struct zone_key *zone), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT zone, project_id FROM port_zones WHERE due_at <= NOW(3) "
	          "ORDER BY due_at LIMIT ?", TX_BIND(tx_int(ZONES_DUE_MAX)));
	while (tx_next(&rows)) {
		struct zone_key zone = { .zone = row_text(&rows) };

		zone.project_id = row_text(&rows);
		each(self, &zone);
	}
}

bool store_zone_read(struct tx *tx, const struct zone_key *zone, struct zone_row *row)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT rev, failures, due_at IS NOT NULL AND due_at <= NOW(3), "
	    "COALESCE(made_id, ''), COALESCE(domain_id, ''), is_suspect FROM port_zones "
	    "WHERE zone = ? AND project_id = ?",
	    TX_BIND(tx_text(zone->zone), tx_text(zone->project_id))))
		return false;
	row->rev = (uint64_t)row_int(&rows);
	row->failures = row_u32(&rows);
	row->is_due = row_int(&rows);
	snprintf(row->made_id, sizeof(row->made_id), "%s", row_text(&rows));
	snprintf(row->domain_id, sizeof(row->domain_id), "%s", row_text(&rows));
	row->is_suspect = row_int(&rows);
	tx_select_end(&rows);
	return true;
}

bool store_zone_is_used(struct tx *tx, const struct zone_key *zone)
{
	return tx_select_number(tx, "SELECT 1 FROM port_records WHERE zone = ? LIMIT 1",
	                    TX_BIND(tx_text(zone->zone)));
}

void store_zones_watched(struct tx *tx, struct arena *arena, const struct share *share,
                         int period_ms, int limit,
                         void (*each)(void *self, const struct watched_zone *zone),
                         void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT z.zone, MAX(COALESCE(z.domain_id, '')) FROM port_zones z "
	          "WHERE z.checked_at < NOW(3) - INTERVAL ? * 1000 MICROSECOND "
	          "AND CRC32(z.zone) % ? = ? AND EXISTS "
	          "(SELECT 1 FROM port_records r WHERE r.zone = z.zone AND "
	          "r.state = 'HAVE') GROUP BY z.zone HAVING MAX(z.due_at) IS NULL "
	          "ORDER BY MIN(z.checked_at) LIMIT ?",
	          TX_BIND(tx_int(period_ms), tx_int((int64_t)share->total),
	                  tx_int((int64_t)share->factor), tx_int(limit)));
	while (tx_next(&rows)) {
		struct watched_zone zone = { .zone = row_text(&rows) };

		zone.domain_id = row_text(&rows);
		each(self, &zone);
	}
}

void store_zone_known(struct tx *tx, const char *zone, const char *domain_id)
{
	tx_exec(tx,
	    "UPDATE port_zones SET domain_id = NULLIF(?, ''), checked_at = NOW(3) "
	    "WHERE zone = ?", TX_BIND(tx_text(domain_id), tx_text(zone)));
}

void store_zone_put_last(struct tx *tx, const char *zone)
{
	tx_exec(tx, "UPDATE port_zones SET checked_at = NOW(3) WHERE zone = ?",
	        TX_BIND(tx_text(zone)));
}

int64_t store_zone_suspect(struct tx *tx, const char *zone, uint64_t version)
{
	return tx_exec(tx,
	    "UPDATE port_zones z SET is_suspect = TRUE, rev = rev + 1, due_at = NOW(3) "
	    "WHERE zone = ? AND COALESCE(seen_version, 0) <> ? AND EXISTS "
	    "(SELECT 1 FROM port_records r WHERE r.zone = z.zone "
	    "AND r.project_id = z.project_id AND r.state = 'HAVE')",
	    TX_BIND(tx_text(zone), tx_int((int64_t)version)));
}

void store_zone_seen(struct tx *tx, const char *zone, uint64_t version)
{
	tx_exec(tx,
	    "UPDATE port_zones SET seen_version = ? WHERE zone = ? AND seen_version = ?",
	    TX_BIND(tx_int((int64_t)version), tx_text(zone),
	            tx_int((int64_t)version - 1)));
}

void store_zone_checked(struct tx *tx, const struct zone_key *zone, uint64_t version)
{
	tx_exec(tx,
	    "UPDATE port_zones SET seen_version = NULLIF(?, 0), is_suspect = FALSE "
	    "WHERE zone = ? AND project_id = ?",
	    TX_BIND(tx_int((int64_t)version), tx_text(zone->zone),
	            tx_text(zone->project_id)));
}

void store_zone_made(struct tx *tx, const struct zone_key *zone, const char *id)
{
	tx_exec(tx,
	    "UPDATE port_zones SET made_id = NULLIF(?, '') "
	    "WHERE zone = ? AND project_id = ?",
	    TX_BIND(tx_text(id), tx_text(zone->zone), tx_text(zone->project_id)));
}

void store_zones_sweep(struct tx *tx)
{
	tx_exec(tx,
	    "DELETE FROM port_zones WHERE due_at IS NULL AND made_id IS NULL "
	    "AND checked_at < NOW(3) - INTERVAL 1 DAY AND NOT EXISTS "
	    "(SELECT 1 FROM port_records r WHERE r.zone = port_zones.zone "
	    "AND r.project_id = port_zones.project_id) LIMIT ?",
	    TX_BIND(tx_int(ZONES_DUE_MAX)));
}

void store_zones_unused_due(struct tx *tx)
{
	tx_exec(tx,
	    "UPDATE port_zones z SET due_at = NOW(3) WHERE due_at IS NULL "
	    "AND made_id IS NOT NULL AND project_id = '' AND zone LIKE '%.arpa.' "
	    "AND NOT EXISTS (SELECT 1 FROM port_records r WHERE r.zone = z.zone)",
	    TX_NONE);
}

void store_zone_settled(struct tx *tx, const struct zone_key *zone, uint64_t rev)
{
	tx_exec(tx,
	    "UPDATE port_zones SET due_at = IF(rev = ?, NULL, NOW(3)), failures = 0, "
	    "reason = '' WHERE zone = ? AND project_id = ?",
	    TX_BIND(tx_int((int64_t)rev), tx_text(zone->zone),
	            tx_text(zone->project_id)));
}

void store_zone_failed(struct tx *tx, const struct zone_key *zone, const char *reason,
                       int64_t next_ms)
{
	tx_exec(tx,
	    "UPDATE port_zones SET due_at = NOW(3) + INTERVAL ? MICROSECOND, "
	    "failures = failures + 1, reason = LEFT(?, 512) "
	    "WHERE zone = ? AND project_id = ?",
	    TX_BIND(tx_int(1000 * next_ms), tx_text(reason), tx_text(zone->zone),
	            tx_text(zone->project_id)));
}
