#include "store.h"

#include <string.h>

#include "base/log.h"
#include "model/presentation.h"
#include "model/rr.h"

#define IMPORT_COLUMNS \
	"i.id, i.tenant, i.domain_name, i.state, i.wish, i.parts, i.records, i.result, " \
	"i.reason, i.error, i.worker, i.attempts, " \
	TX_RFC3339("i.created_at") ", " \
	TX_RFC3339("i.updated_at")

static const char *const state_names[] = {
	[IMPORT_OPEN] = "OPEN", [IMPORT_COMMITTING] = "COMMITTING",
	[IMPORT_DONE] = "DONE", [IMPORT_ERROR] = "ERROR",
};

static void import_read_state(struct tx_rows *rows, struct import *import)
{
	const char *text = row_text(rows);

	for (size_t i = 0; text && i < sizeof state_names / sizeof state_names[0]; i++) {
		if (strcmp(text, state_names[i]))
			continue;
		import->state = (enum import_state)i;
		import->state_name = state_names[i];
		return;
	}
	store_fail_value(rows, "imports.state", text,
	                 "OPEN, COMMITTING, DONE or ERROR");
}

static bool import_select(struct tx *tx, const char *sql, const char *id,
                          const struct access *access, struct arena *arena,
                          struct import *import)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql,
	                   TX_BIND(tx_text(id), tx_text(access->tenant),
	                           tx_int(access->all))))
		return false;
	*import = (struct import){ 0 };
	store_read_id(&rows, "imports.id", import->id);
	import->tenant = row_text(&rows);
	import->domain_name = row_text(&rows);
	import_read_state(&rows, import);
	import->spec = row_text(&rows);
	import->parts = row_u32(&rows);
	import->records = row_u32(&rows);
	import->result = row_text(&rows);
	import->reason = row_text(&rows);
	import->error = row_text(&rows);
	import->worker = row_text(&rows);
	import->attempts = row_u32(&rows);
	import->created_at = row_text(&rows);
	import->updated_at = row_text(&rows);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_import_get(struct tx *tx, const char *id, const struct access *access,
                      struct arena *arena, struct import *import)
{
	return import_select(tx,
	                     "SELECT " IMPORT_COLUMNS " FROM imports i WHERE i.id = ? "
	                     "AND (i.tenant = ? OR ?)", id, access, arena, import);
}

bool store_import_lock(struct tx *tx, const char *id, const struct access *access,
                       struct arena *arena, struct import *import)
{
	return import_select(tx,
	                     "SELECT " IMPORT_COLUMNS " FROM imports i WHERE i.id = ? "
	                     "AND (i.tenant = ? OR ?) FOR UPDATE", id, access, arena,
	                     import);
}

#define IS_BUSY \
	"another call is using the import %s, or central is committing this import: " \
	"try again later"

/* Waits for the calls that add other parts. */
static bool import_lock_in_a_moment(struct tx *tx, const char *id,
                                    const struct access *access,
                                    struct arena *arena, struct import *import)
{
	bool locked = import_select(tx,
	                            TX_SHORT_LIMIT "SELECT " IMPORT_COLUMNS
	                            " FROM imports i WHERE i.id = ? "
	                            "AND (i.tenant = ? OR ?) FOR UPDATE",
	                            id, access, arena, import);

	if (tx->err == ERR_BUSY)
		tx->err = fail(tx->why, ERR_LOCKED, IS_BUSY, id);
	return locked;
}

static bool import_lock_now(struct tx *tx, const char *id, const struct access *access,
                            struct arena *arena, struct import *import)
{
	bool locked = import_select(tx,
	                            "SELECT " IMPORT_COLUMNS " FROM imports i "
	                            "WHERE i.id = ? AND (i.tenant = ? OR ?) "
	                            "FOR UPDATE SKIP LOCKED", id, access, arena, import);

	if (!locked && store_import_get(tx, id, access, arena, import))
		tx_fail(tx, ERR_LOCKED, IS_BUSY, id);
	return locked;
}

bool store_import_lock_now(struct tx *tx, const char *id, const struct access *access,
                           bool may_wait, struct arena *arena, struct import *import)
{
	return may_wait && tx_has_short_limit(tx)
	       ? import_lock_in_a_moment(tx, id, access, arena, import)
	       : import_lock_now(tx, id, access, arena, import);
}

void store_import_insert(struct tx *tx, const struct import *import)
{
	tx_exec(tx, "INSERT INTO imports (id, tenant, domain_name, wish, created_at, "
	            "updated_at) VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))",
	        TX_BIND(tx_text(import->id), tx_text(import->tenant),
	                tx_text(import->domain_name), tx_text(import->spec)));
}

void store_import_counts(struct tx *tx, const char *tenant, int64_t *count,
                         int64_t *records)
{
	struct tx_rows rows;

	*count = *records = 0;
	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT COUNT(*), SUM(records) FROM imports "
	                   "WHERE state IN ('OPEN', 'COMMITTING') AND tenant = ?",
	                   TX_BIND(tx_text(tenant))))
		return;
	*count = row_int(&rows);
	*records = row_int(&rows);
	tx_select_end(&rows);
}

static void import_insert_staged(struct tx *tx, const char *id, uint32_t part,
                                 const struct staged *records, size_t count,
                                 struct arena *arena)
{
	enum { COLUMNS = 9 };
	struct tx_value *values = arena_alloc(arena,
	                                      (count * COLUMNS + 1) * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		const struct change *record = records[i].record;
		struct tx_value *row = values + i * COLUMNS;

		row[0] = tx_text(id);
		row[1] = tx_u32(part);
		row[2] = tx_int((int64_t)i);
		row[3] = tx_text(records[i].id);
		row[4] = tx_text(record->owner);
		row[5] = tx_int(record->type);
		row[6] = tx_u32(record->ttl);
		row[7] = tx_text(record->records->data);
		row[8] = tx_bytes(record->records->rdata, record->records->len);
	}
	tx_exec_rows(tx,
	             "INSERT INTO import_records (import_id, part, position, id, name, "
	             "type, ttl, data, rdata) VALUES ", "(?,?,?,?,?,?,?,?,?)", "", values,
	             COLUMNS, count);
}

void store_import_stage(struct tx *tx, const char *id, uint32_t part,
                        const struct staged *records, size_t count, struct arena *arena)
{
	int64_t before = tx_exec(tx,
	                         "DELETE FROM import_records WHERE import_id = ? AND "
	                         "part = ?", TX_BIND(tx_text(id), tx_u32(part)));

	import_insert_staged(tx, id, part, records, count, arena);
	tx_exec(tx, "UPDATE imports SET parts = parts + ?, records = records + ?, "
	            "updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_int((count > 0) - (before > 0)),
	                tx_int((int64_t)count - before), tx_text(id)));
}

/* Seconds between attempts: 4, 4, 8, 16, ... 120. */
#define PAUSE "IF(attempts < 2, 4, LEAST(120, 4 << LEAST(attempts - 1, 5)))"

/* SKIP LOCKED: a running commit has locked the row. */
bool store_import_claim(struct tx *tx, const char *worker, char id[ID_LEN + 1])
{
	struct tx_rows rows;
	const char *text;

	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT id FROM imports WHERE state = 'COMMITTING' AND "
	                   "(id = ? OR ? = '' AND updated_at < UTC_TIMESTAMP(3) - "
	                   "INTERVAL " PAUSE " SECOND) ORDER BY updated_at LIMIT 1 "
	                   "FOR UPDATE SKIP LOCKED", TX_BIND(tx_text(id), tx_text(id))))
		return false;
	text = row_text(&rows);
	if (!text || !id_parse(text, id))
		return false;
	tx_select_end(&rows);
	tx_exec(tx, "UPDATE imports SET worker = ?, attempts = attempts + 1, "
	            "updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_text(worker), tx_text(id)));
	return !tx->err;
}

/* ---- the session of a commit ---- */

/* A new process is not active before the next heartbeat of the master. */
enum { SILENT_S = 7 };

/*
 * The session holds a user lock while it commits an import, because the lock names the
 * session: IS_USED_LOCK() is its connection id at this server. In a Galera cluster other
 * nodes do not know the lock, but there the session has no row locked either.
 */
#define SESSION_LOCK "CONCAT('zonefleet_import_', ?)"

void store_import_take_session(struct tx *tx, const char *id, int wait_s)
{
	tx_select_number(tx, "SELECT GET_LOCK(" SESSION_LOCK ", ?)",
	                 TX_BIND(tx_text(id), tx_int(wait_s)));
}

void store_import_leave_session(struct tx *tx)
{
	tx_select_number(tx, "SELECT RELEASE_ALL_LOCKS()", TX_NONE);
}

bool store_import_dead_session(struct tx *tx, char id[ID_LEN + 1], int64_t *connection)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT i.id, IS_USED_LOCK(CONCAT('zonefleet_import_', i.id)) "
	                   "AS connection FROM imports i WHERE i.state = 'COMMITTING' "
	                   "AND i.worker <> '' AND NOT EXISTS (SELECT 1 FROM "
	                   "worker_nodes w WHERE w.plugin_name = i.worker AND "
	                   "(w.status = 'active' OR "
	                   "w.plugin_time > NOW(6) - INTERVAL ? SECOND)) "
	                   "HAVING connection <> CONNECTION_ID() LIMIT 1",
	                   TX_BIND(tx_int(SILENT_S))))
		return false;
	store_read_id(&rows, "imports.id", id);
	*connection = row_int(&rows);
	tx_select_end(&rows);
	return !tx->err;
}

void store_import_end_session(struct tx *tx, int64_t connection)
{
	tx_exec(tx, "KILL CONNECTION ?", TX_BIND(tx_int(connection)));
}

void store_import_set_state(struct tx *tx, const char *id, enum import_state state,
                            const char *result)
{
	tx_exec(tx, "UPDATE imports SET state = ?, result = ?, reason = '', error = '', "
	            "updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_text(state_names[state]), tx_text(result), tx_text(id)));
}

void store_import_set_error(struct tx *tx, const char *id, enum err err,
                            const char *reason)
{
	tx_exec(tx, "UPDATE imports SET state = 'ERROR', result = NULL, reason = ?, "
	            "error = ?, updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_text(reason), tx_text(err_class(err)), tx_text(id)));
}

uint32_t store_import_part_numbers(struct tx *tx, const char *id)
{
	return (uint32_t)tx_select_number(tx, "SELECT MAX(part) + 1 FROM import_records "
	                                  "WHERE import_id = ?", TX_BIND(tx_text(id)));
}

void store_import_set_version(struct tx *tx, const char *id, int64_t version)
{
	tx_exec(tx, "UPDATE imports SET wish = JSON_SET(wish, '$.version', ?) "
	            "WHERE id = ?", TX_BIND(tx_int(version), tx_text(id)));
}

int store_import_soa(struct tx *tx, const char *id, struct arena *arena,
                     struct rdata *soa, uint32_t *ttl)
{
	struct tx_rows rows;
	size_t len;
	int count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT rdata, ttl FROM import_records WHERE import_id = ? "
	          "AND type = 6 GROUP BY rdata_hash LIMIT 2", TX_BIND(tx_text(id)));
	for (; tx_next(&rows); count++) {
		soa->rdata = row_bytes(&rows, &len);
		soa->len = (uint16_t)len;
		*ttl = row_u32(&rows);
	}
	return count;
}

bool store_import_place(struct tx *tx, const char *id, const char *name, uint16_t type,
                        uint32_t *part, uint32_t *position)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT part, position FROM import_records FORCE INDEX "
	                   "(import_record_set) WHERE import_id = ? AND name = ? AND "
	                   "(type = ? OR ? = 0) ORDER BY part DESC, position DESC "
	                   "LIMIT 1",
	                   TX_BIND(tx_text(id), tx_text(name), tx_int(type),
	                           tx_int(type))))
		return false;
	*part = row_u32(&rows);
	*position = row_u32(&rows);
	tx_select_end(&rows);
	return !tx->err;
}

size_t store_import_ns(struct tx *tx, const char *id, const char *name,
                       struct arena *arena, const char **hosts, size_t max)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT DISTINCT data FROM import_records WHERE import_id = ? "
	          "AND name = ? AND type = 2 LIMIT ?",
	          TX_BIND(tx_text(id), tx_text(name), tx_int((int64_t)max)));
	while (tx_next(&rows))
		hosts[count++] = row_text(&rows);
	return count;
}

/* ---- the commit ---- */

/*
 * The statements fix their plans: just after an insertion of many rows, the statistics of
 * the optimizer are old, and it would read the zone once for each record.
 */

int64_t store_import_delete(struct tx *tx, const struct import_step *step)
{
	return tx_exec(tx, "UPDATE records r FORCE INDEX (record_open) "
	            "STRAIGHT_JOIN recordsets s FORCE INDEX (PRIMARY) ON s.id = "
	            "r.recordset_id LEFT JOIN import_records i FORCE INDEX "
	            "(import_record_set) ON i.import_id = ? AND i.name = s.name "
	            "AND i.type = s.type AND i.rdata_hash = r.rdata_hash "
	            "SET r.task = 'DELETE', r.status = 'PENDING', r.serial_number = ?, "
	            "r.updated_at = UTC_TIMESTAMP(3) "
	            "WHERE r.domain_id = ? AND r.live = 1 AND i.id IS NULL AND (NOT ? "
	            "OR EXISTS (SELECT 1 FROM import_records n WHERE n.import_id = ? "
	            "AND n.name = s.name AND n.type = s.type))",
	        TX_BIND(tx_text(step->import_id), tx_u32(step->serial),
	                tx_text(step->zone->is.id),
	                tx_int(step->only_named), tx_text(step->import_id)));
}

/*
 * A set with several TTLs gets the one of its last record, as in BIND (the client has
 * given consecutive records of a set the same TTL).
 */
#define LAST_TTL \
	"CAST(SUBSTRING(MAX(CONCAT(LPAD(part, 10, '0'), LPAD(position, 10, '0'), " \
	"ttl)), 21) AS UNSIGNED)"
#define STAGED_SETS \
	"(SELECT name, type, " LAST_TTL " AS ttl, MIN(id) AS id " \
	"FROM import_records FORCE INDEX (import_record_set) WHERE import_id = ? AND " \
	"type <> 6 GROUP BY name, type)"

/*
 * The task ADD is unchanged, as in status_changed(). The TTL of an RRSIG (46) is in its
 * data: rr_served_ttl().
 */
int64_t store_import_touch(struct tx *tx, const struct import_step *step)
{
	return tx_exec(tx, "UPDATE " STAGED_SETS " i "
	            "STRAIGHT_JOIN recordsets s FORCE INDEX (recordset_name) "
	            "ON s.domain_id = ? AND s.name = i.name AND s.type = i.type "
	            "STRAIGHT_JOIN records r FORCE INDEX (record_data) "
	            "ON r.recordset_id = s.id AND r.live = 1 "
	            "SET r.task = IF(r.task = 'ADD', 'ADD', 'UPDATE'), r.status = "
	            "'PENDING', r.serial_number = ?, r.updated_at = UTC_TIMESTAMP(3) "
	            "WHERE COALESCE(s.ttl, ?) <> i.ttl AND i.type <> 46",
	        TX_BIND(tx_text(step->import_id), tx_text(step->zone->is.id),
	                tx_u32(step->serial), tx_u32(step->zone->is.ttl)));
}

/*
 * A record set without records has no description and no tenant of its own, until this
 * import adds records.
 */
static void import_clear_emptied(struct tx *tx, const struct import_step *step)
{
	tx_exec(tx, "UPDATE " STAGED_SETS " i "
	            "STRAIGHT_JOIN recordsets s FORCE INDEX (recordset_name) "
	            "ON s.domain_id = ? AND s.name = i.name AND s.type = i.type "
	            "SET s.description = '', s.tenant = '' WHERE (s.description <> '' "
	            "OR s.tenant <> '') AND NOT EXISTS (SELECT 1 FROM records r "
	            "WHERE r.recordset_id = s.id "
	            "AND (r.live = 1 OR r.task = 'DELETE' AND r.serial_number = ?))",
	        TX_BIND(tx_text(step->import_id), tx_text(step->zone->is.id),
	                tx_u32(step->serial)));
}

/* An insertion without an equal key locks only its own rows. */
void store_import_recordsets(struct tx *tx, const struct import_step *step)
{
	tx_exec(tx, "UPDATE " STAGED_SETS " i "
	            "STRAIGHT_JOIN recordsets s FORCE INDEX (recordset_name) "
	            "ON s.domain_id = ? AND s.name = i.name AND s.type = i.type "
	            "SET s.ttl = i.ttl, s.updated_at = UTC_TIMESTAMP(3) "
	            "WHERE NOT s.ttl <=> i.ttl",
	        TX_BIND(tx_text(step->import_id), tx_text(step->zone->is.id)));
	import_clear_emptied(tx, step);
	tx_exec(tx, "INSERT INTO recordsets (id, domain_id, name, type, ttl, "
	            "created_at, updated_at) SELECT i.id, ?, i.name, i.type, i.ttl, "
	            "UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM " STAGED_SETS " i "
	            "LEFT JOIN recordsets s FORCE INDEX (recordset_name) "
	            "ON s.domain_id = ? AND s.name = i.name AND s.type = i.type "
	            "WHERE s.id IS NULL",
	        TX_BIND(tx_text(step->zone->is.id), tx_text(step->import_id),
	                tx_text(step->zone->is.id)));
}

/*
 * True: the same record comes earlier in the import. The index finds the first one at
 * once.
 */
#define EARLIER \
	"(SELECT 1 FROM import_records e FORCE INDEX (import_record_set) " \
	"WHERE e.import_id = i.import_id AND e.name = i.name AND e.type = i.type " \
	"AND e.rdata_hash = i.rdata_hash AND (e.part < i.part OR " \
	"e.part = i.part AND e.position < i.position) LIMIT 1)"

/* Skips records that exist or that the import repeats. */
void store_import_records(struct tx *tx, const struct import_step *step)
{
	tx_exec(tx, "INSERT INTO records (id, recordset_id, domain_id, data, rdata, "
	            "serial_number, task, status, updated_at) "
	            "SELECT i.id, s.id, s.domain_id, i.data, i.rdata, ?, 'ADD', "
	            "'PENDING', UTC_TIMESTAMP(3) FROM import_records i FORCE INDEX "
	            "(PRIMARY) STRAIGHT_JOIN recordsets s FORCE INDEX (recordset_name) "
	            "ON s.domain_id = ? AND s.name = i.name AND s.type = i.type "
	            "LEFT JOIN records r FORCE INDEX (record_data) ON "
	            "r.recordset_id = s.id AND r.rdata_hash = i.rdata_hash AND "
	            "r.live = 1 WHERE i.import_id = ? AND i.type <> 6 "
	            "AND r.id IS NULL AND " EARLIER " IS NULL",
	        TX_BIND(tx_u32(step->serial), tx_text(step->zone->is.id),
	                tx_text(step->import_id)));
}

void store_import_date_recordsets(struct tx *tx, const struct import_step *step)
{
	tx_exec(tx, "UPDATE (SELECT DISTINCT recordset_id FROM records "
	            "FORCE INDEX (record_open) WHERE domain_id = ? "
	            "AND status = 'PENDING' AND serial_number = ?) r "
	            "STRAIGHT_JOIN recordsets s FORCE INDEX (PRIMARY) "
	            "ON s.id = r.recordset_id SET s.updated_at = UTC_TIMESTAMP(3)",
	        TX_BIND(tx_text(step->zone->is.id), tx_u32(step->serial)));
}

int64_t store_import_count(struct tx *tx, const struct import_step *step)
{
	return tx_select_number(tx,
		"SELECT COUNT(*) FROM records WHERE domain_id = ? "
		"AND status = 'PENDING' AND serial_number = ? AND live = 1",
		TX_BIND(tx_text(step->zone->is.id), tx_u32(step->serial)));
}

void store_import_totals(struct tx *tx, struct zone *zone)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	                   "SELECT COUNT(*), COUNT(DISTINCT recordset_id) "
	                   "FROM records WHERE domain_id = ? AND live = 1",
	                   TX_BIND(tx_text(zone->is.id))))
		return;
	zone->records = row_u32(&rows);
	zone->recordsets = row_u32(&rows);
	tx_select_end(&rows);
}

static void import_append_rr(struct tx_rows *rows, const struct zone *zone,
                             struct buf *rrs)
{
	const char *owner = row_text(rows);
	struct rr rr = { .type = (uint16_t)row_int(rows), .ttl = zone->is.ttl };
	struct name name;
	size_t len;

	if (row_is_null(rows))
		row_u32(rows);
	else
		rr.ttl = row_u32(rows);
	rr.rdata = row_bytes(rows, &len);
	rr.rdata_len = (uint16_t)len;
	rr.ttl = rr_served_ttl(rr.type, rr.rdata, len, rr.ttl);
	if (!owner || name_parse(owner, "name", &name, rows->tx->why)) {
		store_fail_value(rows, "recordsets.name", owner, "a domain name");
		return;
	}
	rr.name = name.wire;
	rr_append(rrs, &rr);
}

bool store_import_affected(struct tx *tx, const struct import_step *step, bool live,
                           int64_t max, struct arena *arena, struct buf *rrs)
{
	enum { SMALLEST_RR = 12 };	/* limits the rows to read */
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          "SELECT s.name, s.type, s.ttl, r.rdata FROM records r "
	          "JOIN recordsets s ON s.id = r.recordset_id WHERE r.domain_id = ? "
	          "AND r.status = 'PENDING' AND r.serial_number = ? AND (NOT ? OR "
	          "r.live = 1) LIMIT ?",
	          TX_BIND(tx_text(step->zone->is.id), tx_u32(step->serial), tx_int(live),
	                  tx_int(max / SMALLEST_RR + 1)));
	while ((int64_t)rrs->len <= max && tx_next(&rows))
		import_append_rr(&rows, step->zone, rrs);
	tx_select_end(&rows);
	return (int64_t)rrs->len <= max;
}

/* ---- warnings ---- */

size_t store_import_host_names(struct tx *tx, const struct zone *zone,
                               struct arena *arena, const char **names, size_t max)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT DISTINCT name FROM recordsets WHERE domain_id = ? AND type IN "
	          "(2, 15, 33) ORDER BY name LIMIT ?",
	          TX_BIND(tx_text(zone->is.id), tx_int((int64_t)max)));
	while (tx_next(&rows))
		names[count++] = row_text(&rows);
	return count;
}

/* A null MX, the SRV target '.', a priority 0, or a TXT record that begins with "v=". */
#define IS_DOUBTFUL \
	"CASE s.type WHEN 15 THEN SUBSTRING(r.rdata, 3) = X'00' " \
	"WHEN 33 THEN SUBSTRING(r.rdata, 7) = X'00' " \
	"WHEN 16 THEN SUBSTRING(r.rdata, 2, 2) IN (X'763D', X'563D') " \
	"ELSE LEFT(r.rdata, 2) = X'0000' END"

size_t store_import_doubtful_names(struct tx *tx, const struct zone *zone, int64_t sets,
                                   struct arena *arena, const char **names, size_t max)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT s.name FROM (SELECT id, name, type FROM recordsets FORCE INDEX "
	          "(recordset_name) WHERE domain_id = ? ORDER BY name, type LIMIT ?) s "
	          "WHERE s.type IN (15, 16, 33, 64, 65) AND (SELECT COUNT(*) > 1 AND "
	          "SUM(" IS_DOUBTFUL ") > (s.type = 16) FROM records r WHERE "
	          "r.recordset_id = s.id AND r.live = 1) = 1 LIMIT ?",
	          TX_BIND(tx_text(zone->is.id), tx_int(sets), tx_int((int64_t)max)));
	while (tx_next(&rows))
		names[count++] = row_text(&rows);
	return count;
}

/* The place of the last record of a set, from the value that LAST_TTL cuts. */
#define LAST_PLACE(from) \
	"CAST(SUBSTRING(MAX(CONCAT(LPAD(part, 10, '0'), LPAD(position, 10, '0'), " \
	"ttl)), " from ", 10) AS UNSIGNED)"

static json_t *import_warn_ttls(struct tx_rows *rows)
{
	const char *name = row_text(rows);
	char type[16];

	rrtype_format((uint16_t)row_int(rows), type);
	uint32_t low = row_u32(rows), high = row_u32(rows), last = row_u32(rows);
	uint32_t part = row_u32(rows), position = row_u32(rows);

	return json_sprintf("part %u, records[%u]: '%.100s %s' has several TTLs, from %u "
	                    "to %u: the record set gets %u, the TTL of its last record",
	                    part, position, name, type, low, high, last);
}

/*
 * Leaves out the SOA record, and RRSIG records: each of them has the TTL of the set that
 * it covers (rr_served_ttl()).
 */
void store_import_ttl_names(struct tx *tx, const char *id, struct arena *arena,
                            size_t max, json_t *warnings)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT name, type, MIN(ttl), MAX(ttl), " LAST_TTL ", "
	          LAST_PLACE("1") ", " LAST_PLACE("11") " FROM import_records "
	          "FORCE INDEX (import_record_set) WHERE import_id = ? "
	          "AND type NOT IN (6, 46) GROUP BY name, type "
	          "HAVING MIN(ttl) <> MAX(ttl) LIMIT ?",
	          TX_BIND(tx_text(id), tx_int((int64_t)max + 1)));
	while (tx_next(&rows))
		json_array_append_new(warnings, count++ < max
			? import_warn_ttls(&rows)
			: json_string("further record sets have several TTLs"));
}
