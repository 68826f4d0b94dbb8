#include "store.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "runtime/tx_list.h"

/* a >= b and a > b by RFC 1982, where both may be columns */
#define COVERS(a, b) "((CAST(" a " AS SIGNED) - CAST(" b " AS SIGNED)) & 4294967295) " \
                     "BETWEEN 0 AND 2147483647"
#define NEWER(a, b)  "((CAST(" a " AS SIGNED) - CAST(" b " AS SIGNED)) & 4294967295) " \
                     "BETWEEN 1 AND 2147483647"

/* 5 s after the first attempt, doubled by each, to 10 minutes, with a tenth of noise */
#define PAUSE "ROUND(LEAST(5 * POW(2, LEAST(GREATEST(attempts, 1) - 1, 10)), 600) * " \
              "(0.95 + RAND() / 10))"
#define NEXT_ATTEMPT "NOW(3) + INTERVAL " PAUSE " SECOND"

#define DOMAIN_COLUMNS "d.id, d.name, d.tenant, d.serial, d.task, d.status, " \
                       "d.kind = 'CATALOG'"
/* of those a server has: server_has() */
#define IS_FOR_IT "(d.kind = 'PRIMARY' OR ?)"
/* of a scope: share_has() */
#define IS_MINE "p.name = ? AND CRC32(d.id) % ? = ?"
#define SCOPE(scope) tx_text((scope)->pool), tx_int((scope)->share.total), \
                     tx_int((scope)->share.factor)

static void read_domain(struct tx_rows *rows, const char *pool, struct domain_ref *domain)
{
	snprintf(domain->id, sizeof(domain->id), "%s", row_text(rows));
	domain->name = row_text(rows);
	domain->tenant = row_text(rows);
	domain->state.serial = row_u32(rows);
	bug_if(!task_parse(row_text(rows), &domain->state.task));
	bug_if(!status_parse(row_text(rows), &domain->state.status));
	domain->is_catalog = row_int(rows) != 0;
	domain->pool = pool;
}

void store_owe(struct tx *tx, const char *domain_id, enum action action,
               const struct server *const *servers, size_t count, int lease_s)
{
	enum { COLUMNS = 5 };
	struct tx_value values[64 * COLUMNS];
	char ids[64][ID_LEN + 1];

	for (size_t at = 0; at < count; at += 64) {
		size_t rows = count - at < 64 ? count - at : 64;

		for (size_t i = 0; i < rows; i++) {
			struct tx_value *value = values + i * COLUMNS;

			id_new(ids[i]);
			value[0] = tx_text(ids[i]);
			value[1] = tx_text(servers[at + i]->settings->id);
			value[2] = tx_text(domain_id);
			value[3] = tx_text(action_name(action));
			value[4] = tx_int(lease_s);
		}
		tx_exec_rows(tx,
		    "INSERT INTO pool_manager_status "
		    "(id, server_id, domain_id, action, next_attempt_at) VALUES ",
		    "(?, ?, ?, ?, NOW(3) + INTERVAL ? SECOND)",
		    " ON DUPLICATE KEY UPDATE next_attempt_at = "
		    "IF(status <=> 'SUCCESS', next_attempt_at, VALUES(next_attempt_at)), "
		    "updated_at = NOW(3)", values, COLUMNS, rows);
	}
}

void store_settle(struct tx *tx, const struct outcome *outcome)
{
	/*
	 * From left to right: what is planned after a success outlives its repetition,
	 * and what is due by now a success that may be older than the reason for it.
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

/* Each row of a creation calls for it once: SUCCESS says that it is accounted for. */
void store_delete_again(struct tx *tx, const char *domain_id, const char *server_id,
                        int after_s)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status s JOIN pool_manager_status c "
	    "ON c.domain_id = s.domain_id AND c.server_id = s.server_id "
	    "AND c.action = 'CREATE' "
	    "SET s.next_attempt_at = NOW(3) + INTERVAL ? SECOND, c.status = 'SUCCESS' "
	    "WHERE s.domain_id = ? AND s.server_id = ? AND s.action = 'DELETE' "
	    "AND NOT (c.status <=> 'SUCCESS')",
	    TX_BIND(tx_int(after_s), tx_text(domain_id), tx_text(server_id)));
}

/*
 * A report is as old as the serial it speaks of: what was seen, or what was
 * asked for in vain. `fresh` says that no newer one was written before. The
 * assignments run from left to right: what fresh reads comes last, and
 * serial_number behind failed_serial, since a row at 7 that failed at 9 is
 * behind at 9 until a report about 9 or newer comes.
 * A failure never puts off what is planned: polls of others (a new change, the
 * sync) would do so again and again. Attempts are counted where they begin.
 */
#define EVIDENCE "COALESCE(VALUES(failed_serial), VALUES(serial_number))"
#define FRESH "((serial_number IS NULL OR " COVERS(EVIDENCE, "serial_number") ") AND " \
              "(failed_serial IS NULL OR " COVERS(EVIDENCE, "failed_serial") "))"

static void report_values(const struct server_report *report, const char *id,
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

void store_reports(struct tx *tx, const struct server_report *reports, size_t count)
{
	enum { COLUMNS = 9, CHUNK = 64 };
	struct tx_value values[CHUNK * COLUMNS];
	char ids[CHUNK][ID_LEN + 1];

	for (size_t at = 0; at < count; at += CHUNK) {
		size_t rows = count - at < CHUNK ? count - at : CHUNK;

		for (size_t i = 0; i < rows; i++) {
			id_new(ids[i]);
			report_values(&reports[at + i], ids[i], values + i * COLUMNS);
		}
		tx_exec_rows(tx,
		    "INSERT INTO pool_manager_status (id, server_id, domain_id, action, "
		    "status, serial_number, failed_serial, reason, attempts, "
		    "next_attempt_at) VALUES ",
		    "(?, ?, ?, 'UPDATE', ?, ?, ?, LEFT(?, 512), ?, "
		    "NOW(3) + INTERVAL ? SECOND)",
		    " ON DUPLICATE KEY UPDATE "
		    "status = IF(" FRESH ", VALUES(status), status), "
		    "reason = IF(" FRESH ", VALUES(reason), reason), "
		    "attempts = IF(" FRESH ", IF(VALUES(status) = 'SUCCESS', 0, "
		    "GREATEST(attempts, 1)), attempts), "
		    "next_attempt_at = IF(" FRESH ", "
		    "IF(VALUES(status) = 'SUCCESS', NULL, LEAST("
		    "COALESCE(next_attempt_at, " NEXT_ATTEMPT "), " NEXT_ATTEMPT ")), "
		    "next_attempt_at), "
		    "updated_at = NOW(3), "
		    "failed_serial = "
		    "IF(" FRESH ", VALUES(failed_serial), failed_serial), "
		    "serial_number = IF(VALUES(serial_number) IS NOT NULL AND "
		    "(serial_number IS NULL OR "
		    NEWER("VALUES(serial_number)", "serial_number")
		    "), VALUES(serial_number), serial_number)",
		    values, COLUMNS, rows);
	}
}

static enum seen seen_parse(const char *status)
{
	if (!status)
		return SEEN_NOTHING;
	if (strcmp(status, "SUCCESS") == 0)
		return SEEN_SUCCESS;
	return strcmp(status, "NO_DOMAIN") == 0 ? SEEN_NO_DOMAIN : SEEN_ERROR;
}

static const struct server *const *find_place(const struct standing *standing,
                                              const char *id)
{
	for (size_t i = 0; i < standing->count; i++)
		if (strcmp(standing->servers[i]->settings->id, id) == 0)
			return &standing->servers[i];
	return NULL;
}

/* Columns from server_id on, to the server's place in STANDING, if it has one. */
static void read_sighting(struct tx_rows *rows, struct standing *standing)
{
	const char *id = row_text(rows);
	const struct server *const *place = id ? find_place(standing, id) : NULL;
	struct sighting sighting = { .status = seen_parse(row_text(rows)) };
	sighting.has_serial = !row_is_null(rows);
	sighting.serial = row_u32(rows);
	sighting.has_failed = !row_is_null(rows);
	sighting.failed_serial = row_u32(rows);
	const char *reason = row_text(rows);

	if (!place)
		return;
	standing->sightings[place - standing->servers] = sighting;
	standing->reasons[place - standing->servers] = reason;
}

/* Nothing is known yet of any server that the domain is for. */
static void begin_standing(struct standing *standing, const struct domain_ref *domain,
                           const struct servers *servers, struct arena *arena)
{
	size_t size = servers->count;

	standing->domain = *domain;
	standing->servers = arena_alloc(arena, size * sizeof(*standing->servers));
	standing->sightings = arena_alloc(arena, size * sizeof(*standing->sightings));
	standing->reasons = arena_alloc(arena, size * sizeof(*standing->reasons));
	memset(standing->sightings, 0, size * sizeof(*standing->sightings));
	for (size_t i = 0; i < size; i++) {
		if (!server_has(&servers->item[i], domain))
			continue;
		standing->reasons[standing->count] = "";
		standing->servers[standing->count++] = &servers->item[i];
	}
}

static void read_standings(struct tx *tx, struct arena *arena, const char *const *ids,
                           size_t count, enum action action,
                           const struct servers *servers, struct standing *standings)
{
	struct tx_value values[TX_LIST_MAX + 2] = { tx_text(action_name(action)) };
	struct tx_rows rows;
	size_t places;
	const char *sql = tx_list(arena,
	    "SELECT p.name, " DOMAIN_COLUMNS ", s.server_id, s.status, s.serial_number, "
	    "s.failed_serial, s.reason FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s ON s.domain_id = d.id AND s.action = ? "
	    "WHERE d.id IN (", ")", count, &places);

	tx_list_fill(values + 1, ids, count, places);
	values[1 + places].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows)) {
		const char *pool = row_text(&rows);
		struct domain_ref domain;
		size_t at = 0;

		read_domain(&rows, pool, &domain);
		while (at < count && strcmp(ids[at], domain.id) != 0)
			at++;
		bug_if(at == count);
		if (!*standings[at].domain.id)
			begin_standing(&standings[at], &domain, servers, arena);
		read_sighting(&rows, &standings[at]);
	}
}

struct standing *store_standings(struct tx *tx, struct arena *arena,
                                 const char *const *ids, size_t count, enum action action,
                                 const struct servers *servers)
{
	struct standing *standings = arena_alloc(arena, count * sizeof(*standings));

	memset(standings, 0, count * sizeof(*standings));
	read_standings(tx, arena, ids, count, action, servers, standings);
	return standings;
}

bool store_is_owed(struct tx *tx, const struct domain_ref *domain, enum action action)
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

/* Rows of DOMAIN_COLUMNS, an action and a row's id, as a list in their order. */
static struct due *read_due(struct tx *tx, struct arena *arena, const char *pool,
                            const char *sql, const struct tx_value *bind)
{
	struct due *first = NULL, **last = &first;
	struct tx_rows rows;

	tx_select(tx, arena, &rows, sql, bind);
	while (tx_next(&rows)) {
		struct due *due = arena_alloc(arena, sizeof(*due));

		read_domain(&rows, pool, &due->domain);
		bug_if(!action_parse(row_text(&rows), &due->action));
		due->row_id = row_text(&rows);
		*last = due;
		last = &due->next;
	}
	return first;
}

enum { SERVERS_MAX = 1024 };

void store_servers(struct tx *tx, struct arena *arena, const char *pool,
                   struct seen_servers *servers)
{
	struct tx_rows rows;

	servers->item = arena_alloc(arena, SERVERS_MAX * sizeof(*servers->item));
	servers->count = 0;
	tx_select(tx, arena, &rows,
	    "SELECT p.id, p.state = 'ACTIVE', EXISTS "
	    "(SELECT 1 FROM pool_manager_status s WHERE s.server_id = p.id "
	    "AND s.next_attempt_at <= NOW(3)) FROM pool_servers p WHERE p.pool_name = ?",
	    TX_BIND(tx_text(pool)));
	while (servers->count < SERVERS_MAX && tx_next(&rows)) {
		struct seen_server *server = &servers->item[servers->count++];

		server->id = row_text(&rows);
		server->in_service = row_int(&rows) != 0;
		server->has_due = row_int(&rows) != 0;
	}
	tx_select_end(&rows);
}

void store_hurry(struct tx *tx, const char *domain_id)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET next_attempt_at = NOW(3) "
	    "WHERE domain_id = ? AND (status IN ('ERROR', 'NO_DOMAIN') "
	    "OR next_attempt_at IS NOT NULL)", TX_BIND(tx_text(domain_id)));
}

/* What is done through a server's control channel; the rest is NOTIFY and polls. */
#define BY_CONTROL "(s.action <> 'UPDATE' OR s.status <=> 'NO_DOMAIN')"

/*
 * Of the list, what nobody else claimed meanwhile is left: it is open again, so that its
 * success clears what was planned (store_settle).
 */
static void claim(struct tx *tx, struct due **due, int ahead_s, int lease_s)
{
	while (*due) {
		if (tx_exec(tx,
		    "UPDATE pool_manager_status SET attempts = attempts + 1, "
		    "status = "
		    "IF(action <> 'UPDATE' AND status = 'SUCCESS', NULL, status), "
		    "next_attempt_at = NOW(3) + INTERVAL GREATEST(?, " PAUSE ") SECOND "
		    "WHERE id = ? AND next_attempt_at <= NOW(3) + INTERVAL ? SECOND",
		    TX_BIND(tx_int(lease_s), tx_text((*due)->row_id),
		            tx_int(ahead_s))) == 1)
			due = &(*due)->next;
		else
			*due = (*due)->next;
	}
}

struct due *store_due(struct tx *tx, struct arena *arena, const struct scope *scope,
                      const struct due_of *of, int lease_s)
{
	/* A server that lost the zone has to create it again before it can be updated. */
	struct due *first = read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", "
	    "IF(s.status = 'NO_DOMAIN', 'CREATE', s.action), s.id "
	    "FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
	    "JOIN pools p ON p.id = d.pool_id "
	    "WHERE s.server_id = ? AND " IS_MINE " "
	    "AND s.next_attempt_at <= NOW(3) + INTERVAL ? SECOND "
	    "AND (s.action = 'DELETE') = (d.task = 'DELETE' OR d.status = 'DELETED') "
	    "AND " BY_CONTROL " = ? ORDER BY s.next_attempt_at LIMIT ?",
	    TX_BIND(tx_text(of->server_id), SCOPE(scope), tx_int(of->ahead_s),
	            tx_int(of->control), tx_int((int64_t)of->limit)));

	claim(tx, &first, of->ahead_s, lease_s);
	return first;
}

void store_drop_plans(struct tx *tx, const char *domain_id)
{
	tx_exec(tx, "UPDATE pool_manager_status SET next_attempt_at = NULL "
	        "WHERE domain_id = ? AND action <> 'DELETE'",
	        TX_BIND(tx_text(domain_id)));
}

void store_release(struct tx *tx, const char *pool, const char *server_id, bool control)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status s JOIN domains d ON d.id = s.domain_id "
	    "JOIN pools p ON p.id = d.pool_id "
	    "SET s.next_attempt_at = NOW(3), s.attempts = 0 "
	    "WHERE s.server_id = ? AND p.name = ? AND s.status IN ('ERROR', 'NO_DOMAIN') "
	    "AND s.next_attempt_at > NOW(3) AND " BY_CONTROL " = ?",
	    TX_BIND(tx_text(server_id), tx_text(pool), tx_int(control)));
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
	read_domain(&rows, pool, domain);
	tx_select_end(&rows);
	return true;
}

void store_reconsider(struct tx *tx, const struct domain_ref *domain, enum action ended,
                      const char *server_id, int after_s)
{
	char id[ID_LEN + 1];

	id_new(id);
	if (ended == ACTION_CREATE)	/* its rows may be forgotten by now */
		tx_exec(tx,
		    "INSERT INTO pool_manager_status "
		    "(id, server_id, domain_id, action, next_attempt_at) "
		    "SELECT ?, ?, d.id, 'DELETE', NOW(3) + INTERVAL ? SECOND "
		    "FROM domains d WHERE d.id = ? "
		    "AND (d.task = 'DELETE' OR d.status = 'DELETED') "
		    "ON DUPLICATE KEY UPDATE next_attempt_at = VALUES(next_attempt_at)",
		    TX_BIND(tx_text(id), tx_text(server_id), tx_int(after_s),
		            tx_text(domain->id)));
	else
		tx_exec(tx,
		    "UPDATE pool_manager_status s JOIN domains d ON d.id = s.domain_id "
		    "SET s.next_attempt_at = NOW(3) + INTERVAL ? SECOND, s.status = NULL "
		    "WHERE d.name = ? AND d.live = 1 AND d.task <> 'DELETE' "
		    "AND d.id <> ? AND s.action = 'CREATE' AND s.server_id = ?",
		    TX_BIND(tx_int(after_s), tx_text(domain->name), tx_text(domain->id),
		            tx_text(server_id)));
}

void store_foreign(struct tx *tx, const struct domain_ref *domain, const char *server_id,
                   uint32_t serial)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET status = 'ERROR', failed_serial = ?, "
	    "reason = "
	    "CONCAT('serves serial ', serial_number, ', which is none of ours'), "
	    "serial_number = NULL, attempts = attempts + 1, "
	    "next_attempt_at = " NEXT_ATTEMPT ", updated_at = NOW(3) "
	    "WHERE domain_id = ? AND server_id = ? AND action = 'UPDATE' "
	    "AND serial_number = ?",
	    TX_BIND(tx_u32(domain->state.serial), tx_text(domain->id), tx_text(server_id),
	            tx_u32(serial)));
}

struct due *store_undeleted(struct tx *tx, struct arena *arena, const struct scope *scope,
                            const struct server *server, size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'DELETE', s.id FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'DELETE' "
	    "WHERE " IS_MINE " AND " IS_FOR_IT " AND d.task = 'DELETE' "
	    "AND d.status IN ('PENDING', 'ERROR') "
	    "AND s.id IS NULL AND d.changed_at < NOW(3) - INTERVAL ? SECOND LIMIT ?",
	    TX_BIND(tx_text(server->settings->id), SCOPE(scope),
	            tx_int(server->driver->by_catalog), tx_int(stale_s),
	            tx_int((int64_t)limit)));
}

struct due *store_missing(struct tx *tx, struct arena *arena, const struct scope *scope,
                          const struct server *server, size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'CREATE', s.id FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'CREATE' "
	    "WHERE " IS_MINE " AND " IS_FOR_IT " AND d.live = 1 "
	    "AND d.task <> 'DELETE' AND s.id IS NULL AND d.created_at < NOW(3) - "
	    "INTERVAL ? SECOND ORDER BY d.created_at LIMIT ?",
	    TX_BIND(tx_text(server->settings->id), SCOPE(scope),
	            tx_int(server->driver->by_catalog), tx_int(stale_s),
	            tx_int((int64_t)limit)));
}

/* A row in error has a time of its own (store_due). */
struct due *store_behind(struct tx *tx, struct arena *arena, const struct scope *scope,
                         const struct server *server, size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'UPDATE', s.id FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'UPDATE' "
	    "WHERE " IS_MINE " AND " IS_FOR_IT " AND d.live = 1 AND d.task <> 'DELETE' "
	    "AND d.changed_at < NOW(3) - INTERVAL ? SECOND "
	    "AND (s.id IS NULL OR (s.next_attempt_at IS NULL AND "
	    "(s.serial_number IS NULL OR " NEWER("d.serial", "s.serial_number") "))) "
	    "ORDER BY d.changed_at LIMIT ?",
	    TX_BIND(tx_text(server->settings->id), SCOPE(scope),
	            tx_int(server->driver->by_catalog), tx_int(stale_s),
	            tx_int((int64_t)limit)));
}

struct due *store_unsettled(struct tx *tx, struct arena *arena, const struct scope *scope,
                            size_t limit, int stale_s)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", IF(d.task = 'DELETE', 'DELETE', 'UPDATE'), NULL "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "WHERE " IS_MINE " AND d.status IN ('PENDING', 'ERROR') "
	    "AND d.changed_at < NOW(3) - INTERVAL ? SECOND "
	    "ORDER BY d.status = 'ERROR', IF(d.status = 'ERROR', RAND(), 0), "
	    "d.changed_at LIMIT ?",
	    TX_BIND(SCOPE(scope), tx_int(stale_s), tx_int((int64_t)limit)));
}

struct due *store_page(struct tx *tx, struct arena *arena, const struct scope *scope,
                       const char *cursor, size_t limit)
{
	return read_due(tx, arena, scope->pool,
	    "SELECT " DOMAIN_COLUMNS ", 'UPDATE', NULL FROM domains d "
	    "JOIN pools p ON p.id = d.pool_id "
	    "WHERE " IS_MINE " AND d.live = 1 AND d.task <> 'DELETE' AND d.id > ? "
	    "ORDER BY d.id LIMIT ?",
	    TX_BIND(SCOPE(scope), tx_text(cursor), tx_int((int64_t)limit)));
}

static int64_t read_count(struct tx *tx, const char *sql, const struct tx_value *bind)
{
	struct tx_rows rows;
	int64_t count = 0;

	if (tx_select_row(tx, NULL, &rows, sql, bind)) {
		count = row_int(&rows);
		tx_select_end(&rows);
	}
	return count;
}

int64_t store_count(struct tx *tx, const struct scope *scope)
{
	return read_count(tx,
	    "SELECT COUNT(*) FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "WHERE " IS_MINE " AND d.live = 1 AND d.task <> 'DELETE'",
	    TX_BIND(SCOPE(scope)));
}

void store_census(struct tx *tx, const char *pool, struct census *census)
{
	struct tx_rows rows;

	*census = (struct census){ .oldest_pending_s = 0 };
	tx_select(tx, NULL, &rows,
	    "SELECT d.status, COUNT(*), "
	    "GREATEST(0, TIMESTAMPDIFF(SECOND, MIN(d.changed_at), NOW(3))) "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "WHERE p.name = ? GROUP BY d.status", TX_BIND(tx_text(pool)));
	while (tx_next(&rows)) {
		enum status status;
		bool known = status_parse(row_text(&rows), &status);
		int64_t count = row_int(&rows), oldest_s = row_int(&rows);

		bug_if(!known);
		census->count[status] = count;
		if (status == STATUS_PENDING)
			census->oldest_pending_s = oldest_s;
	}
}

int64_t store_count_behind(struct tx *tx, const struct scope *scope,
                           const struct server *server)
{
	return read_count(tx,
	    "SELECT COUNT(*) FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "LEFT JOIN pool_manager_status s "
	    "ON s.domain_id = d.id AND s.server_id = ? AND s.action = 'UPDATE' "
	    "WHERE " IS_MINE " AND " IS_FOR_IT " AND d.live = 1 "
	    "AND d.task <> 'DELETE' AND (s.id IS NULL OR s.status <> 'SUCCESS' "
	    "OR s.serial_number IS NULL OR " NEWER("d.serial", "s.serial_number") ")",
	    TX_BIND(tx_text(server->settings->id), SCOPE(scope),
	            tx_int(server->driver->by_catalog)));
}

static void register_one(struct tx *tx, const char *pool, const struct server *server)
{
	tx_exec(tx,
	    "INSERT INTO pool_servers (pool_name, id, backend, host, port, tsig_key) "
	    "VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE "
	    "backend = VALUES(backend), host = VALUES(host), port = VALUES(port), "
	    "tsig_key = VALUES(tsig_key), "
	    "updated_at = NOW(3)",
	    TX_BIND(tx_text(pool), tx_text(server->settings->id),
	            tx_text(server->driver->name), tx_text(server->address),
	            tx_int(server->settings->port), tx_text(server->settings->tsig_key)));
}

void store_register(struct tx *tx, const char *pool, const struct servers *servers)
{
	for (size_t i = 0; i < servers->count; i++)
		register_one(tx, pool, &servers->item[i]);
}

/* Deleted domains of which no server owes anything; at most 500, in the arena. */
static const char **settled_domains(struct tx *tx, struct arena *arena, const char *pool,
                                    size_t *count)
{
	const char **ids = arena_alloc(arena, 500 * sizeof(*ids));
	struct tx_rows rows;

	*count = 0;
	tx_select(tx, arena, &rows,
	    "SELECT s.domain_id FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "JOIN pool_manager_status s ON s.domain_id = d.id "
	    "WHERE p.name = ? AND d.status = 'DELETED' GROUP BY s.domain_id "
	    "HAVING SUM(s.action = 'DELETE' AND "
	    "(NOT (s.status <=> 'SUCCESS') OR s.next_attempt_at IS NOT NULL)) = 0 "
	    "LIMIT 500", TX_BIND(tx_text(pool)));
	while (tx_next(&rows))
		ids[(*count)++] = row_text(&rows);
	return ids;
}

void store_forget_settled(struct tx *tx, const char *pool)
{
	struct arena *arena = arena_new();
	size_t count;
	const char **ids = settled_domains(tx, arena, pool, &count);

	for (size_t i = 0; i < count; i++)
		tx_exec(tx, "DELETE FROM pool_manager_status WHERE domain_id = ?",
		        TX_BIND(tx_text(ids[i])));
	arena_free(&arena);
}

/* Ids, the one column, in the arena. */
static size_t read_ids(struct tx *tx, struct arena *arena, const char *sql,
                       const struct tx_value *bind, const char **ids)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows, sql, bind);
	while (count < SERVERS_MAX && tx_next(&rows))
		ids[count++] = row_text(&rows);
	tx_select_end(&rows);
	return count;
}

enum { FORGET_ROWS = 1000 };		/* at a time */

/* False: there is more, for the next round. */
static bool forget_server(struct tx *tx, const char *pool, const char *id)
{
	return tx_exec(tx,
	    "DELETE FROM pool_manager_status WHERE server_id = ? AND domain_id IN "
	    "(SELECT id FROM (SELECT DISTINCT d.id FROM pool_manager_status s "
	    "JOIN domains d ON d.id = s.domain_id JOIN pools p ON p.id = d.pool_id "
	    "WHERE s.server_id = ? AND p.name = ? LIMIT ?) some)",
	    TX_BIND(tx_text(id), tx_text(id), tx_text(pool), tx_int(FORGET_ROWS))) == 0;
}

void store_forget_removed(struct tx *tx, const char *pool, int unheard_s)
{
	struct arena *arena = arena_new();
	const char *ids[SERVERS_MAX];
	size_t count = read_ids(tx, arena,
	    "SELECT id FROM pool_servers WHERE pool_name = ? "
	    "AND updated_at < NOW(3) - INTERVAL ? SECOND",
	    TX_BIND(tx_text(pool), tx_int(unheard_s)), ids);

	for (size_t i = 0; i < count && !tx->err; i++) {
		if (!forget_server(tx, pool, ids[i]))
			continue;
		log_info("server removed: pool=%s server=%s", pool, ids[i]);
		tx_exec(tx, "DELETE FROM pool_servers WHERE pool_name = ? AND id = ?",
		        TX_BIND(tx_text(pool), tx_text(ids[i])));
	}
	arena_free(&arena);
}

void store_forget_out(struct tx *tx, const char *pool)
{
	struct arena *arena = arena_new();
	const char *ids[SERVERS_MAX];
	size_t count = read_ids(tx, arena,
	    "SELECT id FROM pool_servers WHERE pool_name = ? AND state = 'REMOVED'",
	    TX_BIND(tx_text(pool)), ids);

	for (size_t i = 0; i < count; i++)
		forget_server(tx, pool, ids[i]);
	arena_free(&arena);
}

/* Sorted by the database, which compares as strcmp() does. */
static bool is_among(const char *name, const char *const *sorted, size_t count)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, sorted[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

size_t store_strangers(struct tx *tx, struct arena *arena, const char *server_id,
                       const char *const *names, size_t count, const char **strangers,
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
		if (!is_among(names[i], known, known_count))
			strangers[found++] = names[i];
	return found;
}

bool store_was_domain(struct tx *tx, const char *name)
{
	return read_count(tx, "SELECT COUNT(*) FROM domains WHERE name = ? "
	                  "AND status = 'DELETED'", TX_BIND(tx_text(name))) > 0;
}
