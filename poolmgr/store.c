#include "store.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "runtime/db.h"
#include "runtime/tx_list.h"
#include "store_due.h"
#include "store_rows.h"

enum { SETTLED_AGE_S = 2 };

#define NEXT_ATTEMPT "NOW(3) + INTERVAL " PAUSE " SECOND"

static void store_order_values(const struct order *order, int lease_s, const char *id,
                               struct tx_value *value)
{
	value[0] = tx_text(id);
	value[1] = tx_text(order->server_id);
	value[2] = tx_text(order->domain_id);
	value[3] = tx_text(action_name(order->action));
	value[4] = tx_int(lease_s);
}

#define INSERT_ORDER "INSERT INTO pool_manager_status " \
                     "(id, server_id, domain_id, action, next_attempt_at) VALUES "

void store_write_orders(struct tx *tx, const struct order *orders, size_t count,
                        int lease_s, bool waits)
{
	enum { COLUMNS = 5, CHUNK = 64 };
	struct tx_value values[CHUNK * COLUMNS];
	char ids[CHUNK][ID_LEN + 1];

	for (size_t at = 0; at < count; at += CHUNK) {
		size_t rows = count - at < CHUNK ? count - at : CHUNK;

		for (size_t i = 0; i < rows; i++) {
			id_new(ids[i]);
			store_order_values(&orders[at + i], lease_s, ids[i],
			                   values + i * COLUMNS);
		}
		tx_exec_rows(tx, waits ? INSERT_ORDER : NO_WAIT(tx, INSERT_ORDER),
		    "(?, ?, ?, ?, NOW(3) + INTERVAL ? SECOND)",
		    " ON DUPLICATE KEY UPDATE next_attempt_at = "
		    "IF(status <=> 'SUCCESS', next_attempt_at, VALUES(next_attempt_at)), "
		    "updated_at = NOW(3)", values, COLUMNS, rows);
	}
}

void store_settle(struct tx *tx, const struct outcome *outcome)
{
	/*
	 * The assignments run from left to right. If a success is written again, the next
	 * attempt that was planned after the first success stays. A row that is due stays
	 * due, because its cause may be newer than the success.
	 */
	tx_exec(tx,
	    "UPDATE pool_manager_status SET reason = LEFT(?, 512), "
	    "next_attempt_at = CASE ? "
	    "WHEN 'SUCCESS' THEN IF(status <=> 'SUCCESS' OR next_attempt_at <= NOW(3), "
	    "next_attempt_at, NULL) "
	    "WHEN 'ERROR' THEN " NEXT_ATTEMPT
	    " ELSE NOW(3) + INTERVAL ? SECOND END, status = ?, "
	    "attempts = IF(? = 'SUCCESS', 0, GREATEST(attempts, 1)), updated_at = NOW(3) "
	    "WHERE domain_id = ? AND server_id = ? AND action = ?",
	    TX_BIND(tx_text(outcome->reason),
	            tx_text(outcome->status ? outcome->status : "OPEN"),
	            tx_int(outcome->confirm_s), tx_text(outcome->status),
	            tx_text(outcome->status ? outcome->status : "OPEN"),
	            tx_text(outcome->domain_id), tx_text(outcome->server_id),
	            tx_text(action_name(outcome->action))));
}

void store_postpone(struct tx *tx, const char *domain_id, const char *server_id,
                    enum action action, int after_s)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET next_attempt_at = NOW(3) + INTERVAL ? SECOND "
	    "WHERE domain_id = ? AND server_id = ? AND action = ? "
	    "AND next_attempt_at IS NOT NULL",
	    TX_BIND(tx_int(after_s), tx_text(domain_id), tx_text(server_id),
	            tx_text(action_name(action))));
}

/* This happens once for each creation: SUCCESS in its row says that it has happened. */
void store_delete_again(struct tx *tx, struct arena *arena,
                        const struct outcome *outcomes, size_t count, int after_s)
{
	struct row_key keys[LIST_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (outcomes[i].status && !strcmp(outcomes[i].status, "SUCCESS"))
			keys[n++] = (struct row_key){ outcomes[i].domain_id,
			                              outcomes[i].server_id };
	store_exec_rows(tx, arena, NO_WAIT(tx,
	    "UPDATE pool_manager_status s FORCE INDEX (status_of) "
	    "JOIN pool_manager_status c FORCE INDEX (status_of) "
	    "ON c.domain_id = s.domain_id AND c.server_id = s.server_id "
	    "AND c.action = 'CREATE' "
	    "SET s.next_attempt_at = NOW(3) + INTERVAL ? SECOND, c.status = 'SUCCESS' "
	    "WHERE s.action = 'DELETE' AND NOT (c.status <=> 'SUCCESS') AND ("),
	    TX_BIND(tx_int(after_s)), keys, n);
}

/* As store_settle(), for many rows that exist and are locked. */
void store_settle_deletions(struct tx *tx, const struct outcome *outcomes, size_t count)
{
	enum { COLUMNS = 6 };
	struct tx_value values[LIST_MAX * COLUMNS];
	char ids[LIST_MAX][ID_LEN + 1];

	for (size_t i = 0; i < count; i++) {
		struct tx_value *value = values + i * COLUMNS;

		id_new(ids[i]);
		value[0] = tx_text(ids[i]);
		value[1] = tx_text(outcomes[i].server_id);
		value[2] = tx_text(outcomes[i].domain_id);
		value[3] = tx_text(outcomes[i].status);
		value[4] = tx_text(outcomes[i].reason);
		value[5] = tx_int(outcomes[i].confirm_s);
	}
	tx_exec_rows(tx,
	    "INSERT INTO pool_manager_status "
	    "(id, server_id, domain_id, action, status, reason, next_attempt_at) VALUES ",
	    "(?, ?, ?, 'DELETE', ?, LEFT(?, 512), NOW(3) + INTERVAL ? SECOND)",
	    " ON DUPLICATE KEY UPDATE reason = VALUES(reason), "
	    "next_attempt_at = CASE VALUES(status) "
	    "WHEN 'SUCCESS' THEN IF(status <=> 'SUCCESS' OR next_attempt_at <= NOW(3), "
	    "next_attempt_at, NULL) WHEN 'ERROR' THEN " NEXT_ATTEMPT
	    " ELSE VALUES(next_attempt_at) END, status = VALUES(status), "
	    "attempts = IF(VALUES(status) <=> 'SUCCESS', 0, GREATEST(attempts, 1)), "
	    "updated_at = NOW(3)", values, COLUMNS, count);
}

/* ---- rows that other transactions have locked ---- */

void store_check_locked(struct tx *tx)
{
	if (tx->err == ERR_RACE && db_is_up(tx->db))
		tx->err = fail(tx->why, ERR_LOCKED,
		               "another transaction is changing a row of "
		               "pool_manager_status: try again later");
}

/* At most three actions for each key, so all ids are in few statements. */
static size_t store_lock_free(struct tx *tx, struct arena *arena, const char **ids,
                              size_t count, const char **free_ids)
{
	struct tx_value values[TX_LIST_MAX + 1];
	size_t found = 0;

	for (size_t at = 0; at < count; at += TX_LIST_MAX) {
		size_t n = count - at < TX_LIST_MAX ? count - at : TX_LIST_MAX, places;
		const char *sql = tx_list(arena,
		    "SELECT id FROM pool_manager_status FORCE INDEX (PRIMARY) "
		    "WHERE id IN (", ") ORDER BY id FOR UPDATE SKIP LOCKED", n, &places);

		tx_list_fill(values, ids + at, n, places);
		values[places].type = TX_END;
		found += store_read_ids(tx, arena, sql, values, free_ids + found, n);
	}
	return found;
}

void store_find_locked(struct tx *tx, struct arena *arena,
                       const struct server_report *reports, size_t count, bool *locked)
{
	enum { ROWS_MAX = LIST_MAX * ACTION_COUNT };
	struct row_key keys[LIST_MAX];
	const char *ids[ROWS_MAX], *free_ids[ROWS_MAX];
	struct row_key rows_of[ROWS_MAX];
	size_t n = 0, free_count;
	struct tx_rows rows;

	for (size_t i = 0; i < count; i++) {
		locked[i] = false;
		keys[i] = (struct row_key){ reports[i].domain.id,
		                            reports[i].name_server };
	}
	store_select_rows(tx, arena, &rows,
	    "SELECT s.id, s.domain_id, s.server_id FROM pool_manager_status s WHERE (",
	    ") ORDER BY s.id", keys, count);
	while (n < ROWS_MAX && tx_next(&rows)) {
		ids[n] = row_text(&rows);
		rows_of[n].domain_id = row_text(&rows);
		rows_of[n++].server_id = row_text(&rows);
	}
	tx_select_end(&rows);
	free_count = store_lock_free(tx, arena, ids, n, free_ids);
	for (size_t row = 0; row < n && !tx->err; row++)
		for (size_t i = 0; i < count; i++)
			locked[i] |= row_key_is(&keys[i], rows_of[row].domain_id,
			                        rows_of[row].server_id) &&
			             !store_is_among(ids[row], free_ids, free_count);
}

/*
 * A report is as old as its serial: the serial that was seen, or that the server did not
 * reach. FRESH: the row has no newer report. The assignments run from left to right, so
 * the columns that FRESH reads come last. serial_number comes after failed_serial,
 * because a row at 7 that failed at 9 stays failed until a report about 9 or newer. A
 * failure never postpones a planned attempt: other polls (a new change, the sync) would
 * postpone it again and again. Attempts are counted when they begin. If a server has lost
 * a zone, the row is due immediately.
 *
 * An older serial is written if the row failed before and a new attempt has begun since.
 * The server was restored from an older copy. The first report may be of a poll that
 * ended before the row's success and that arrives late.
 */
#define EVIDENCE "COALESCE(VALUES(failed_serial), VALUES(serial_number))"
#define FRESH "((serial_number IS NULL OR " COVERS(EVIDENCE, "serial_number") ") AND " \
              "(failed_serial IS NULL OR " COVERS(EVIDENCE, "failed_serial") "))"

#define LOST_IT "VALUES(status) = 'NO_DOMAIN' AND status = 'SUCCESS'"

static void store_report_values(const struct server_report *report, const char *id,
                                struct tx_value *value)
{
	bool success = report->report == REPORT_SUCCESS;

	value[0] = tx_text(id);
	value[1] = tx_text(report->name_server);
	value[2] = tx_text(report->domain.id);
	value[3] = tx_text(report_name(report->report));
	value[4] = report->has_serial ? tx_u32(report->serial) : tx_null();
	value[5] = success ? tx_null() : tx_u32(report->domain.state.serial);
	value[6] = tx_text(report->reason);
	value[7] = tx_int(success ? 0 : 1);
	value[8] = success ? tx_null() : tx_int(5);
}

#define INSERT_REPORT "INSERT INTO pool_manager_status (id, server_id, domain_id, " \
                      "action, status, serial_number, failed_serial, reason, " \
                      "attempts, next_attempt_at) VALUES "

void store_reports(struct tx *tx, const struct server_report *reports, size_t count,
                   bool waits)
{
	enum { COLUMNS = 9, CHUNK = 256 };	/* a message: one statement */
	struct tx_value values[CHUNK * COLUMNS];
	char ids[CHUNK][ID_LEN + 1];

	for (size_t at = 0; at < count; at += CHUNK) {
		size_t rows = count - at < CHUNK ? count - at : CHUNK;

		for (size_t i = 0; i < rows; i++) {
			id_new(ids[i]);
			store_report_values(&reports[at + i], ids[i],
			                    values + i * COLUMNS);
		}
		tx_exec_rows(tx, waits ? INSERT_REPORT : NO_WAIT(tx, INSERT_REPORT),
		    "(?, ?, ?, 'UPDATE', ?, ?, ?, LEFT(?, 512), ?, "
		    "NOW(3) + INTERVAL ? SECOND)",
		    " ON DUPLICATE KEY UPDATE "
		    "attempts = IF(" FRESH ", IF(VALUES(status) = 'SUCCESS', 0, "
		    "GREATEST(attempts, 1)), attempts), "
		    "next_attempt_at = IF(" FRESH ", "
		    "CASE WHEN VALUES(status) = 'SUCCESS' THEN NULL "
		    "WHEN " LOST_IT " THEN NOW(3) ELSE LEAST("
		    "COALESCE(next_attempt_at, " NEXT_ATTEMPT "), " NEXT_ATTEMPT ") END, "
		    "next_attempt_at), "
		    "status = IF(" FRESH ", VALUES(status), status), "
		    "reason = IF(" FRESH ", IF(serial_number IS NULL, VALUES(reason), "
		    "SUBSTRING_INDEX(VALUES(reason), '" UNSEEN_WORDS "', 1)), reason), "
		    "updated_at = NOW(3), "
		    "failed_serial = "
		    "IF(" FRESH ", VALUES(failed_serial), failed_serial), "
		    "serial_number = IF(VALUES(serial_number) IS NOT NULL AND "
		    "(serial_number IS NULL OR "
		    NEWER("VALUES(serial_number)", "serial_number")
		    " OR (attempts > 1 AND " FRESH ")), VALUES(serial_number), "
		    "serial_number)",
		    values, COLUMNS, rows);
	}
}

static enum observed observed_parse(const char *status)
{
	if (!status)
		return OBSERVED_NOTHING;
	if (strcmp(status, "SUCCESS") == 0)
		return OBSERVED_SUCCESS;
	return strcmp(status, "NO_DOMAIN") == 0 ? OBSERVED_NO_DOMAIN : OBSERVED_ERROR;
}

/* The index of the server in VIEW; the number of servers if it is not there. */
static size_t store_view_place(const struct domain_view *view, const char *id)
{
	size_t place = 0;

	while (place < view->count && strcmp(view->server_ids[place], id))
		place++;
	return place;
}

/* Reads the columns from server_id on. Ignores a server that is not in VIEW. */
static void store_read_observation(struct tx_rows *rows, struct domain_view *view)
{
	const char *id = row_text(rows);
	size_t place = id ? store_view_place(view, id) : view->count;
	struct observation observation = { .status = observed_parse(row_text(rows)) };
	observation.has_serial = !row_is_null(rows);
	observation.serial = row_u32(rows);
	observation.has_failed = !row_is_null(rows);
	observation.failed_serial = row_u32(rows);
	const char *reason = row_text(rows);
	bool differs = row_int(rows) != 0;

	if (place == view->count)
		return;
	view->observations[place] = observation;
	view->reasons[place] = reason;
	view->differs[place] = differs;
	view->differing_count += differs;
}

/* A view without observations, of the servers that the domain is for. */
static void store_begin_view(struct domain_view *view, const struct domain_ref *domain,
                             const struct servers *servers, struct arena *arena)
{
	size_t size = servers->count;

	view->domain = *domain;
	view->servers = arena_alloc(arena, size * sizeof(*view->servers));
	view->server_ids = arena_alloc(arena, size * sizeof(*view->server_ids));
	view->observations = arena_alloc(arena, size * sizeof(*view->observations));
	view->reasons = arena_alloc(arena, size * sizeof(*view->reasons));
	view->unknown = arena_alloc(arena, size * sizeof(*view->unknown));
	view->differs = arena_alloc(arena, size * sizeof(*view->differs));
	for (size_t i = 0; i < size; i++) {
		if (!server_has(&servers->item[i], domain))
			continue;
		view->reasons[view->count] = "";
		view->server_ids[view->count] = servers->item[i].settings->id;
		view->servers[view->count++] = &servers->item[i];
	}
}

static void store_read_views(struct tx *tx, struct arena *arena, const char *const *ids,
                             size_t count, enum action action,
                             const struct servers *servers, struct domain_view *views)
{
	struct tx_value values[TX_LIST_MAX + 2] = { tx_text(action_name(action)) };
	struct tx_rows rows;
	size_t places;
	const char *sql = tx_list(arena,
	    "SELECT p.name, " DOMAIN_BUT_VERSION ", "
	    "s.server_id, s.status, s.serial_number, "
	    "s.failed_serial, s.reason, s.differs_since IS NOT NULL "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s ON s.domain_id = d.id AND s.action = ? "
	    "WHERE d.id IN (", ")", count, &places);

	tx_list_fill(values + 1, ids, count, places);
	values[1 + places].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows)) {
		const char *pool = row_text(&rows);
		struct domain_ref domain;
		size_t at = 0;

		store_read_domain(&rows, pool, &domain);
		while (at < count && strcmp(ids[at], domain.id) != 0)
			at++;
		bug_if(at == count);
		if (!*views[at].domain.id)
			store_begin_view(&views[at], &domain, servers, arena);
		store_read_observation(&rows, &views[at]);
	}
}

struct domain_view *store_domain_views(struct tx *tx, struct arena *arena,
                                       const char *const *ids, size_t count,
                                       enum action action, const struct servers *servers)
{
	struct domain_view *views = arena_alloc(arena, count * sizeof(*views));

	store_read_views(tx, arena, ids, count, action, servers, views);
	return views;
}

bool store_is_needed(struct tx *tx, const struct domain_ref *domain, enum action action)
{
	struct tx_rows rows;
	bool going, found = tx_select_row(tx, NULL, &rows,
	    "SELECT task = 'DELETE' OR status = 'DELETED' FROM domains WHERE id = ?",
	    TX_BIND(tx_text(domain->id)));

	if (!found)
		return false;
	going = row_int(&rows) != 0;
	tx_select_end(&rows);
	if (action == ACTION_CREATE)
		return !going;
	return going && !store_name_is_taken(tx, domain->name, domain->id);
}

bool store_name_is_taken(struct tx *tx, const char *name, const char *domain_id)
{
	struct tx_rows rows;
	bool taken = tx_select_row(tx, NULL, &rows,
	    "SELECT 1 FROM domains "
	    "WHERE name = ? AND live = 1 AND task <> 'DELETE' AND id <> ?",
	    TX_BIND(tx_text(name), tx_text(domain_id)));

	if (taken)
		tx_select_end(&rows);
	return taken;
}

bool store_domain(struct tx *tx, struct arena *arena, const char *domain_id,
                  struct domain_ref *domain)
{
	struct tx_rows rows;
	bool found = tx_select_row(tx, arena, &rows,
	    "SELECT p.name, " DOMAIN_COLUMNS " FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id WHERE d.id = ?",
	    TX_BIND(tx_text(domain_id)));

	if (!found)
		return false;
	const char *pool = row_text(&rows);
	store_read_domain(&rows, pool, domain);
	tx_select_end(&rows);
	return true;
}

/*
 * A separate statement reads the domain. If the writing statement read it, InnoDB would
 * lock the row of the domain and wait for central. If central commits a change later,
 * that change sends its own message.
 */
static bool store_is_being_deleted(struct tx *tx, const char *domain_id)
{
	return store_read_count(tx, "SELECT COUNT(*) FROM domains WHERE id = ? "
	                        "AND (task = 'DELETE' OR status = 'DELETED')",
	                        TX_BIND(tx_text(domain_id))) > 0;
}

/* The row of the deletion may be missing. */
static void store_redelete(struct tx *tx, const char *domain_id, const char *server_id,
                           int after_s)
{
	char id[ID_LEN + 1];

	id_new(id);
	tx_exec(tx,
	    "INSERT INTO pool_manager_status "
	    "(id, server_id, domain_id, action, next_attempt_at) "
	    "VALUES (?, ?, ?, 'DELETE', NOW(3) + INTERVAL ? SECOND) "
	    "ON DUPLICATE KEY UPDATE next_attempt_at = VALUES(next_attempt_at), "
	    "status = IF(status = 'NO_DOMAIN', NULL, status)",
	    TX_BIND(tx_text(id), tx_text(server_id), tx_text(domain_id),
	            tx_int(after_s)));
}

static void store_recreate(struct tx *tx, const struct domain_ref *deleted,
                           const char *server_id, int after_s)
{
	struct tx_rows rows;
	char id[ID_LEN + 1];

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT id FROM domains "
	    "WHERE name = ? AND live = 1 AND task <> 'DELETE' AND id <> ?",
	    TX_BIND(tx_text(deleted->name), tx_text(deleted->id))))
		return;
	snprintf(id, sizeof(id), "%s", row_text(&rows));
	tx_select_end(&rows);
	tx_exec(tx,
	    "UPDATE pool_manager_status "
	    "SET next_attempt_at = NOW(3) + INTERVAL ? SECOND, status = NULL "
	    "WHERE domain_id = ? AND action = 'CREATE' AND server_id = ?",
	    TX_BIND(tx_int(after_s), tx_text(id), tx_text(server_id)));
}

void store_reconsider(struct tx *tx, const struct domain_ref *domain, enum action ended,
                      const char *server_id, int after_s)
{
	if (ended != ACTION_CREATE)
		store_recreate(tx, domain, server_id, after_s);
	else if (store_is_being_deleted(tx, domain->id))
		store_redelete(tx, domain->id, server_id, after_s);
}

/* A row that has changed meanwhile stays as it is. */
#define SERVES_IT "(serial_number <=> VALUES(serial_number))"
#define INSERT_UNKNOWN "INSERT INTO pool_manager_status (id, server_id, domain_id, " \
                       "action, serial_number, failed_serial) VALUES "

void store_unknown_serials(struct tx *tx, const struct unknown_row *unknown, size_t count,
                           bool waits)
{
	enum { COLUMNS = 5, CHUNK = 256 };
	struct tx_value values[CHUNK * COLUMNS];
	char ids[CHUNK][ID_LEN + 1];

	for (size_t at = 0; at < count; at += CHUNK) {
		size_t rows = count - at < CHUNK ? count - at : CHUNK;

		for (size_t i = 0; i < rows; i++) {
			struct tx_value *value = values + i * COLUMNS;

			id_new(ids[i]);
			value[0] = tx_text(ids[i]);
			value[1] = tx_text(unknown[at + i].server_id);
			value[2] = tx_text(unknown[at + i].domain->id);
			value[3] = tx_u32(unknown[at + i].serial);
			value[4] = tx_u32(unknown[at + i].domain->state.serial);
		}
		tx_exec_rows(tx, waits ? INSERT_UNKNOWN : NO_WAIT(tx, INSERT_UNKNOWN),
		    "(?, ?, ?, 'UPDATE', ?, ?)",
		    " ON DUPLICATE KEY UPDATE "
		    "status = IF(" SERVES_IT ", 'ERROR', status), "
		    "reason = IF(" SERVES_IT ", CONCAT('serves serial ', serial_number, "
		    "', which zonefleet did not issue'), reason), "
		    "attempts = attempts + " SERVES_IT ", "
		    "next_attempt_at = IF(" SERVES_IT ", " NEXT_ATTEMPT
		    ", next_attempt_at), "
		    "updated_at = IF(" SERVES_IT ", NOW(3), updated_at), "
		    "failed_serial = IF(" SERVES_IT ", VALUES(failed_serial), "
		    "failed_serial), "
		    "serial_number = IF(" SERVES_IT ", NULL, serial_number)",
		    values, COLUMNS, rows);
	}
}

/* Deletes rows older than AGE_S. */
static void store_forget_rows(struct tx *tx, struct arena *arena, const char *const *ids,
                              size_t count, int age_s)
{
	struct tx_value values[TX_LIST_MAX + 2];
	size_t places;
	const char *sql = tx_list(arena,
	    "DELETE s FROM pool_manager_status s FORCE INDEX (status_of) "
	    "WHERE s.domain_id IN (",
	    ") AND s.updated_at <= NOW(3) - INTERVAL ? SECOND", count, &places);

	tx_list_fill(values, ids, count, places);
	values[places] = tx_int(age_s);
	values[places + 1].type = TX_END;
	tx_exec(tx, sql, values);
}

void store_forget_settled(struct tx *tx, const char *pool)
{
	struct arena *arena = arena_new();
	const char *ids[TX_LIST_MAX];
	size_t count = store_read_ids(tx, arena,
	    "SELECT s.domain_id FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "JOIN pool_manager_status s ON s.domain_id = d.id "
	    "WHERE p.name = ? AND d.status = 'DELETED' GROUP BY s.domain_id "
	    "HAVING SUM(s.action = 'DELETE' AND "
	    "(NOT (s.status <=> 'SUCCESS') OR s.next_attempt_at IS NOT NULL)) = 0 "
	    "LIMIT ?", TX_BIND(tx_text(pool), tx_int(TX_LIST_MAX)), ids, TX_LIST_MAX);

	if (count)
		store_forget_rows(tx, arena, ids, count, SETTLED_AGE_S);
	arena_free(&arena);
}

void store_forget_gone(struct tx *tx, const struct slice *slice, int age_s)
{
	struct arena *arena = arena_new();
	const char *ids[TX_LIST_MAX];
	/* uses two indexes and reads no rows, because it goes through a whole slice */
	size_t count = store_read_ids(tx, arena,
	    "SELECT DISTINCT s.domain_id FROM pool_manager_status s "
	    "LEFT JOIN domains d ON d.id = s.domain_id "
	    "WHERE s.domain_id > ? AND s.domain_id <= ? AND d.id IS NULL LIMIT ?",
	    TX_BIND(SLICE(slice), tx_int(TX_LIST_MAX)), ids, TX_LIST_MAX);

	if (count)
		store_forget_rows(tx, arena, ids, count, age_s);
	arena_free(&arena);
}

size_t store_orphans(struct tx *tx, struct arena *arena, const char *server_id,
                     const char *const *names, size_t count, const char **orphans,
                     size_t room)
{
	struct tx_value values[TX_LIST_MAX + 2] = { tx_text(server_id) };
	const char **known = arena_alloc(arena, 2 * TX_LIST_MAX * sizeof(*known));
	size_t places, known_count = 0, found = 0;
	struct tx_rows rows;
	const char *sql = tx_list(arena,
	    "SELECT DISTINCT d.name FROM domains d LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.action = 'DELETE' AND s.server_id = ? "
	    "WHERE (d.live = 1 OR (s.id IS NOT NULL AND (NOT (s.status <=> 'SUCCESS') "
	    "OR s.next_attempt_at IS NOT NULL))) AND d.name IN (", ") ORDER BY d.name",
	    count, &places);

	tx_list_fill(values + 1, names, count, places);
	values[1 + places].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (known_count < 2 * TX_LIST_MAX && tx_next(&rows))
		known[known_count++] = row_text(&rows);
	tx_select_end(&rows);
	for (size_t i = 0; i < count && found < room && !tx->err; i++)
		if (!store_is_among(names[i], known, known_count))
			orphans[found++] = names[i];
	return found;
}

bool store_was_domain(struct tx *tx, const char *name)
{
	return store_read_count(tx, "SELECT COUNT(*) FROM domains WHERE name = ? "
	                  "AND status = 'DELETED'", TX_BIND(tx_text(name))) > 0;
}
