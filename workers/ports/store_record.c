#include <string.h>

#include "store.h"

static const char *const states[] = {
	[RECORD_ADD] = "ADD", [RECORD_HAVE] = "HAVE", [RECORD_DROP] = "DROP",
	[RECORD_REFUSED] = "REFUSED",
};

#define COLUMNS "SELECT r.port_id, r.project_id, r.zone, r.name, r.data, r.type, " \
                "r.state, r.seq"

static void record_row_read(struct tx_rows *rows, struct record_row *row)
{
	const char *state;

	*row = (struct record_row){ .port_id = row_text(rows) };
	row->project_id = row_text(rows);
	row->zone = row_text(rows);
	row->name = row_text(rows);
	row->data = row_text(rows);
	row->type = (uint16_t)row_int(rows);
	state = row_text(rows);
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(states[i], state))
			row->state = i;
	row->seq = (uint64_t)row_int(rows);
}

void store_records(struct tx *tx, struct arena *arena, const char *network_id,
                   const char *port_id,
                   void (*each)(void *self, const struct record_row *row), void *self)
{
	struct tx_rows rows;

	if (port_id)
		tx_select(tx, arena, &rows,
		          COLUMNS " FROM port_records r WHERE r.port_id = ?",
		          TX_BIND(tx_text(port_id)));
	else
		tx_select(tx, arena, &rows,
		          COLUMNS " FROM ports p JOIN port_records r ON r.port_id = p.id "
		          "WHERE p.network_id = ?", TX_BIND(tx_text(network_id)));
	while (tx_next(&rows)) {
		struct record_row row;

		record_row_read(&rows, &row);
		each(self, &row);
	}
}

/* ---- progress of records ---- */

#define OF_THEM "FROM ports p JOIN port_records r ON r.port_id = p.id "
#define PUBLISHED \
	"SELECT r.zone, COUNT(IF(r.state IN ('ADD', 'DROP'), 1, NULL)), " \
	"COUNT(IF(r.state = 'REFUSED', 1, NULL)), " \
	"COALESCE(MIN(IF(r.state = 'REFUSED', r.reason, NULL)), " \
	"MIN(IF(z.reason <> '', z.reason, NULL)), ''), " \
	"COALESCE(MIN(IF(r.state = 'REFUSED', r.port_id, NULL)), MIN(r.port_id)) " \
	OF_THEM "LEFT JOIN port_zones z ON z.zone = r.zone " \
	"AND z.project_id = r.project_id WHERE r.state IN ('ADD', 'DROP', 'REFUSED') AND "
#define BY_ZONE " GROUP BY r.zone ORDER BY r.zone LIMIT ?"

void store_published(struct tx *tx, struct arena *arena, const char *network_id,
                     const char *port_id, int limit,
                     void (*each)(void *self, const struct published_row *row),
                     void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows, port_id ? PUBLISHED "p.id = ?" BY_ZONE
	                                    : PUBLISHED "p.network_id = ?" BY_ZONE,
	          TX_BIND(tx_text(port_id ? port_id : network_id), tx_int(limit)));
	while (tx_next(&rows)) {
		struct published_row row = { .zone = row_text(&rows) };

		row.open = row_int(&rows);
		row.refused = row_int(&rows);
		row.reason = row_text(&rows);
		row.port_id = row_text(&rows);
		each(self, &row);
	}
}

#define ZONES "SELECT DISTINCT r.zone " OF_THEM

void store_published_zones(struct tx *tx, struct arena *arena, const char *network_id,
                           const char *port_id, int limit,
                           void (*each)(void *self, const char *zone), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          port_id ? ZONES "WHERE p.id = ? ORDER BY r.zone LIMIT ?"
	                  : ZONES "WHERE p.network_id = ? ORDER BY r.zone LIMIT ?",
	          TX_BIND(tx_text(port_id ? port_id : network_id), tx_int(limit)));
	while (tx_next(&rows))
		each(self, row_text(&rows));
}

/* ---- wanted records ---- */

enum { KEYS = 7 };			/* columns of a written row */

static void record_row_bind(struct tx_value *at, const struct record_row *row)
{
	at[0] = tx_text(row->port_id);
	at[1] = tx_text(row->zone);
	at[2] = tx_text(row->name);
	at[3] = tx_int(row->type);
	at[4] = tx_text(row->data);
	at[5] = tx_text(row->project_id);
}

#define INSERT "INSERT INTO port_records (port_id, zone, name, type, data, project_id, "

void store_records_put(struct tx *tx, const struct record_row *rows, size_t count)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (KEYS * count + 1) *
	                                             sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		record_row_bind(&values[KEYS * i], &rows[i]);
		values[KEYS * i + 6] = tx_text(states[rows[i].state]);
	}
	if (count)
		tx_exec_rows(tx, INSERT "state) VALUES ", "(?,?,?,?,?,?,?)",
		             " ON DUPLICATE KEY UPDATE state = VALUES(state), "
		             "seq = seq + 1", values, KEYS, count);
	arena_free(&arena);
}

/* ---- results of publishing ---- */

/* Another port, perhaps of another tenant, wants the same record, so it stays. */
#define IS_SHARED "EXISTS (SELECT 1 FROM port_records o WHERE o.zone = r.zone " \
                  "AND o.name = r.name AND o.type = r.type AND o.data = r.data " \
                  "AND (o.port_id <> r.port_id) AND o.state IN ('ADD', 'HAVE'))"

/* Uses the order of the index, so that rows after LIMIT cost nothing. */
void store_zone_open(struct tx *tx, struct arena *arena, const struct zone_key *zone,
                     int state, size_t limit,
                     void (*each)(void *self, const struct record_row *row), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    COLUMNS ", r.state = 'DROP' AND " IS_SHARED " FROM port_records r "
	    "WHERE r.zone = ? AND r.project_id = ? AND r.state = ? "
	    "ORDER BY r.name, r.type, r.data LIMIT ?",
	    TX_BIND(tx_text(zone->zone), tx_text(zone->project_id),
	            tx_text(states[state]), tx_int((int64_t)limit)));
	while (tx_next(&rows)) {
		struct record_row row;

		record_row_read(&rows, &row);
		row.is_shared = row_int(&rows);
		each(self, &row);
	}
}

void store_zone_published(struct tx *tx, struct arena *arena, const struct zone_key *zone,
                          const struct record_row *after, size_t limit,
                          void (*each)(void *self, const struct record_row *row),
                          void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    COLUMNS " FROM port_records r WHERE r.zone = ? AND r.project_id = ? "
	    "AND r.state = 'HAVE' AND r.name >= ? AND (r.name > ? OR r.type > ? "
	    "OR (r.type = ? AND r.data > ?)) ORDER BY r.name, r.type, r.data LIMIT ?",
	    TX_BIND(tx_text(zone->zone), tx_text(zone->project_id), tx_text(after->name),
	            tx_text(after->name), tx_int(after->type), tx_int(after->type),
	            tx_text(after->data), tx_int((int64_t)limit)));
	while (tx_next(&rows)) {
		struct record_row row;

		record_row_read(&rows, &row);
		each(self, &row);
	}
}

/*
 * Idempotent: a retry after a lost answer to COMMIT changes nothing. A row in HAVE is
 * unchanged, and a deleted row does not come back.
 */
#define DONE " ON DUPLICATE KEY UPDATE state = IF(seq <> VALUES(seq), state, " \
             "CASE state WHEN 'ADD' THEN 'HAVE' WHEN 'DROP' THEN 'GONE' " \
             "ELSE state END)"

void store_zone_done(struct tx *tx, const struct zone_key *zone,
                     const struct record_row *rows, size_t count)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (KEYS * count + 1) *
	                                             sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		record_row_bind(&values[KEYS * i], &rows[i]);
		values[KEYS * i + 6] = tx_int((int64_t)rows[i].seq);
	}
	if (count)
		tx_exec_rows(tx, INSERT "seq, state) VALUES ",
		             "(?,?,?,?,?,?,?,'GONE')", DONE, values, KEYS, count);
	tx_exec(tx, "DELETE FROM port_records WHERE zone = ? AND state = 'GONE'",
	        TX_BIND(tx_text(zone->zone)));
	arena_free(&arena);
}

void store_zone_refused(struct tx *tx, const struct record_row *row, const char *reason)
{
	tx_exec(tx,
	    "UPDATE port_records SET state = 'REFUSED', reason = LEFT(?, 255) "
	    "WHERE port_id = ? AND zone = ? AND name = ? AND type = ? AND data = ? "
	    "AND seq = ?",
	    TX_BIND(tx_text(reason), tx_text(row->port_id), tx_text(row->zone),
	            tx_text(row->name), tx_int(row->type), tx_text(row->data),
	            tx_int((int64_t)row->seq)));
}

void store_records_retry_refused(struct tx *tx)
{
	tx_exec(tx,
	    "UPDATE port_zones z JOIN (SELECT DISTINCT zone, project_id "
	    "FROM port_records WHERE state = 'REFUSED') r "
	    "ON r.zone = z.zone AND r.project_id = z.project_id "
	    "SET z.rev = z.rev + 1, z.due_at = NOW(3)", TX_NONE);
	tx_exec(tx, "UPDATE port_records SET state = 'ADD', seq = seq + 1 "
	        "WHERE state = 'REFUSED'", TX_NONE);
}

/* ---- records of lost domains ---- */

void store_zone_lost(struct tx *tx, const struct zone_key *zone)
{
	tx_exec(tx,
	    "UPDATE port_records SET state = 'ADD', seq = seq + 1 "
	    "WHERE zone = ? AND project_id = ? AND state = 'HAVE'",
	    TX_BIND(tx_text(zone->zone), tx_text(zone->project_id)));
	tx_exec(tx,
	    "DELETE FROM port_records WHERE zone = ? AND project_id = ? "
	    "AND state = 'DROP'",
	    TX_BIND(tx_text(zone->zone), tx_text(zone->project_id)));
}

void store_zone_lost_all(struct tx *tx, const struct zone_key *zone)
{
	tx_exec(tx,
	    "UPDATE port_zones z JOIN (SELECT DISTINCT zone, project_id "
	    "FROM port_records WHERE zone = ? AND state = 'HAVE') r "
	    "ON r.zone = z.zone AND r.project_id = z.project_id "
	    "SET z.rev = z.rev + 1, z.due_at = NOW(3)", TX_BIND(tx_text(zone->zone)));
	tx_exec(tx,
	    "UPDATE port_records SET state = 'ADD', seq = seq + 1 "
	    "WHERE zone = ? AND state = 'HAVE'", TX_BIND(tx_text(zone->zone)));
}
