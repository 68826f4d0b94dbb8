#include "store_repair.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "runtime/tx_list.h"
#include "store_rows.h"

enum {
	DETAIL_MAX = 512,		/* of the column */
	PARKED_MAX = 100,
};

static const char *const kind_names[] = { "CONTENT", "STRAY", "OPTIONS" };
static const char *const action_names[] = { "TRANSFER", "DELETE", "ADJUST" };

static const struct {
	const char *name;
	int state;
} states[] = {
	{ "SEEN",      DRIFT_SEEN      },
	{ "CONFIRMED", DRIFT_CONFIRMED },
	{ "PARKED",    DRIFT_PARKED    },
};

static int store_drift_state(const char *name)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(states[i].name, name))
			return states[i].state;
	return DRIFT_NONE;
}

#define FAULT_KEY(fault) tx_text((fault)->object), tx_text((fault)->server_id), \
                         tx_text(kind_names[(fault)->kind])

/* Counts only since the drift was parked, or since an administrator asked. */
static void store_repairs_this_hour(struct tx *tx, const struct fault *fault,
                                    struct drift *known, struct repair_tries *tries)
{
	struct tx_rows rows;

	*tries = (struct repair_tries){ 0 };
	if (tx_select_row(tx, NULL, &rows,
	    "SELECT COUNT(*), CAST(COALESCE(SUM(outcome = 'DONE'), 0) AS SIGNED), "
	    "CAST(COALESCE(SUM(outcome = 'DONE' AND serial = ? AND detail <> '' "
	    "AND detail = LEFT(?, 512)), 0) AS SIGNED), "
	    "TIMESTAMPDIFF(MICROSECOND, MAX(done_at), NOW(3)) DIV 1000 "
	    "FROM repair_log WHERE object_uuid = ? AND server_id = ? "
	    "AND kind = ? AND outcome <> 'PARKED' "
	    "AND done_at > NOW(3) - INTERVAL 1 HOUR AND done_at > COALESCE("
	    "(SELECT MAX(s.asked_at) FROM pool_manager_status s WHERE s.domain_id = ? "
	    "AND s.server_id = ? AND s.action = 'UPDATE'), 0) AND done_at > COALESCE("
	    "(SELECT MAX(p.done_at) FROM repair_log p WHERE p.object_uuid = ? "
	    "AND p.server_id = ? AND p.kind = ? AND p.outcome = 'PARKED'), 0)",
	    TX_BIND(tx_u32(fault->serial), tx_text(fault->detail), FAULT_KEY(fault),
	            tx_text(fault->object), tx_text(fault->server_id),
	            FAULT_KEY(fault)))) {
		tries->count = (int)row_int(&rows);
		known->repairs_this_hour = (int)row_int(&rows);
		/* the text of an orphan zone or of a refusal is always the same */
		known->same = (int)row_int(&rows);
		if (fault->kind != REPAIR_CONTENT || fault->is_hidden)
			known->same = 0;
		/* a server can accept the order, and then fail to transfer the zone */
		if (known->same > fault->transfers)
			known->same = fault->transfers;
		tries->age_ms = row_int(&rows);
		tx_select_end(&rows);
	}
}

#define SETTLED_TEXT DRIFT_DIFFERS_WORDS "; "

/* Ends a settled state if the server now differs in another way: it is a new drift. */
static void store_read_settled(struct drift *known, const struct fault *fault,
                               const char *detail)
{
	if (known->state != DRIFT_PARKED ||
	    strncmp(detail, SETTLED_TEXT, strlen(SETTLED_TEXT)))
		return;
	known->state = fault->is_hidden || store_is_settled(detail, fault->detail)
	                   ? DRIFT_SETTLED : DRIFT_NONE;
}

bool store_is_settled(const char *stored, const char *detail)
{
	char text[DETAIL_MAX + 1];

	snprintf(text, sizeof(text), SETTLED_TEXT "%s", detail);
	return !strcmp(stored, text);
}

struct drift store_drift(struct tx *tx, const struct fault *fault,
                         struct repair_tries *tries)
{
	struct drift known = { .state = DRIFT_NONE };
	struct tx_rows rows;

	store_repairs_this_hour(tx, fault, &known, tries);
	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT state, detail, "
	    "TIMESTAMPDIFF(MICROSECOND, updated_at, NOW(3)) DIV 1000 FROM repairs "
	    "WHERE object_uuid = ? AND server_id = ? AND kind = ? FOR UPDATE",
	    TX_BIND(FAULT_KEY(fault))))
		return known;
	known.state = store_drift_state(row_text(&rows));
	store_read_settled(&known, fault, row_text(&rows));
	known.age_ms = row_int(&rows);
	tx_select_end(&rows);
	return known;
}

static void store_drift_begin(struct tx *tx, const struct fault *fault)
{
	tx_exec(tx,
	    "INSERT INTO repairs (object_uuid, server_id, kind, state, pool_name, name, "
	    "serial, detail, pass1_at, updated_at) "
	    "VALUES (?, ?, ?, 'SEEN', ?, ?, ?, LEFT(?, 512), NOW(3), NOW(3)) "
	    "ON DUPLICATE KEY UPDATE state = 'SEEN', name = VALUES(name), "
	    "serial = VALUES(serial), detail = VALUES(detail), "
	    "pass1_at = NOW(3), pass2_at = NULL, updated_at = NOW(3)",
	    TX_BIND(FAULT_KEY(fault), tx_text(fault->pool), tx_text(fault->name),
	            tx_u32(fault->serial), tx_text(fault->detail)));
}

static void store_drift_confirm(struct tx *tx, const struct fault *fault,
                                const char *state)
{
	tx_exec(tx,
	    "UPDATE repairs SET state = ?, serial = ?, "
	    "detail = IF(?, detail, LEFT(?, 512)), pass2_at = NOW(3), "
	    "updated_at = NOW(3) WHERE object_uuid = ? AND server_id = ? AND kind = ?",
	    TX_BIND(tx_text(state), tx_u32(fault->serial), tx_int(fault->is_hidden),
	            tx_text(fault->detail),
	            FAULT_KEY(fault)));
}

static void store_log_repair(struct tx *tx, const struct fault *fault,
                             const struct ending *ending)
{
	char id[ID_LEN + 1];

	id_new(id);
	tx_exec(tx,
	    "INSERT INTO repair_log (id, object_uuid, server_id, kind, pool_name, name, "
	    "serial, action, outcome, detail, pass1_at, pass2_at, done_at, worker, "
	    "fence) "
	    "SELECT ?, object_uuid, server_id, kind, pool_name, name, serial, ?, ?, "
	    "LEFT(CONCAT_WS('; ', NULLIF(?, ''), detail), 512), pass1_at, "
	    "COALESCE(pass2_at, NOW(3)), NOW(3), ?, ? FROM repairs "
	    "WHERE object_uuid = ? AND server_id = ? AND kind = ?",
	    TX_BIND(tx_text(id),
	            tx_text(ending->is_renewed ? "RENEW" : action_names[fault->kind]),
	            tx_text(ending->outcome), tx_text(ending->detail),
	            tx_text(ending->worker), tx_int((int64_t)ending->fence),
	            FAULT_KEY(fault)));
}

void store_drift_seen(struct tx *tx, const struct fault *fault, enum drift_action action)
{
	if (action == DRIFT_RECORD)
		store_drift_begin(tx, fault);
	else if (action == DRIFT_REPAIR)
		store_drift_confirm(tx, fault, "CONFIRMED");
}

void store_repaired(struct tx *tx, const struct fault *fault, const struct ending *ending)
{
	store_log_repair(tx, fault, ending);
	if (!strcmp(ending->outcome, "PARKED")) {
		store_drift_confirm(tx, fault, "PARKED");
		return;
	}
	store_drift_solved(tx, fault);
}

void store_recreated(struct tx *tx, const struct domain_ref *domain,
                     const char *server_id, const struct ending *ending)
{
	char id[ID_LEN + 1];

	id_new(id);
	tx_exec(tx,
	    "INSERT INTO repair_log (id, object_uuid, server_id, kind, pool_name, name, "
	    "serial, action, outcome, detail, pass1_at, pass2_at, done_at, worker, "
	    "fence) SELECT ?, domain_id, server_id, 'MISSING', ?, ?, ?, 'CREATE', ?, "
	    "LEFT(?, 512), NOW(3), NOW(3), NOW(3), ?, ? FROM pool_manager_status "
	    "WHERE domain_id = ? AND server_id = ? AND action = 'CREATE' "
	    "AND settings_digest <> ''",
	    TX_BIND(tx_text(id), tx_text(domain->pool), tx_text(domain->name),
	            tx_u32(domain->state.serial), tx_text(ending->outcome),
	            tx_text(ending->detail), tx_text(ending->worker),
	            tx_int((int64_t)ending->fence), tx_text(domain->id),
	            tx_text(server_id)));
}

void store_drift_settle(struct tx *tx, const struct fault *fault,
                        const struct ending *ending)
{
	store_log_repair(tx, fault, ending);
	tx_exec(tx,
	    "UPDATE repairs SET state = 'PARKED', serial = ?, "
	    "detail = LEFT(CONCAT(?, ?), 512), pass2_at = NOW(3), updated_at = NOW(3) "
	    "WHERE object_uuid = ? AND server_id = ? AND kind = ?",
	    TX_BIND(tx_u32(fault->serial), tx_text(SETTLED_TEXT), tx_text(fault->detail),
	            FAULT_KEY(fault)));
}

void store_drift_renew(struct tx *tx, const struct fault *fault)
{
	tx_exec(tx, "UPDATE repairs SET updated_at = NOW(3) "
	        "WHERE object_uuid = ? AND server_id = ? AND kind = ?",
	        TX_BIND(FAULT_KEY(fault)));
}

bool store_drift_is_confirmed(struct tx *tx, const struct fault *fault)
{
	struct tx_rows rows;
	bool found = tx_select_row(tx, NULL, &rows,
	    "SELECT 1 FROM repairs WHERE object_uuid = ? AND server_id = ? AND kind = ? "
	    "AND state = 'CONFIRMED'", TX_BIND(FAULT_KEY(fault)));

	tx_select_end(&rows);
	return found;
}

void store_drift_forget(struct tx *tx, const struct fault *fault)
{
	tx_exec(tx, "DELETE FROM repairs WHERE object_uuid = ? AND server_id = ? "
	        "AND kind = ? AND state <> 'PARKED'", TX_BIND(FAULT_KEY(fault)));
}

void store_drift_solved(struct tx *tx, const struct fault *fault)
{
	tx_exec(tx, "DELETE FROM repairs WHERE object_uuid = ? AND server_id = ? "
	        "AND kind = ?", TX_BIND(FAULT_KEY(fault)));
}

void store_drift_unpark(struct tx *tx, const char *object)
{
	tx_exec(tx, NO_WAIT(tx, "DELETE FROM repairs WHERE object_uuid = ? "
	                    "AND state = 'PARKED'"), TX_BIND(tx_text(object)));
}

void store_drift_reset(struct tx *tx, const struct fault *fault)
{
	tx_exec(tx, "UPDATE repairs SET state = 'SEEN', updated_at = pass1_at "
	        "WHERE object_uuid = ? AND server_id = ? AND kind = ? "
	        "AND state = 'CONFIRMED'", TX_BIND(FAULT_KEY(fault)));
}

static bool store_is_listed(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void store_forget_parked_orphans(struct tx *tx, struct arena *arena,
                                 const char *server_id, const char *const *names,
                                 size_t count)
{
	const char *gone[PARKED_MAX];
	size_t gone_count = 0;
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT object_uuid, name FROM repairs WHERE state = 'PARKED' "
	    "AND kind = 'STRAY' AND server_id = ? ORDER BY updated_at LIMIT ?",
	    TX_BIND(tx_text(server_id), tx_int(PARKED_MAX)));
	while (tx_next(&rows)) {
		const char *object = row_text(&rows);

		if (!store_is_listed(row_text(&rows), names, count))
			gone[gone_count++] = object;
	}
	for (size_t i = 0; i < gone_count && !tx->err; i++)
		store_drift_solved(tx, &(struct fault){ .kind = REPAIR_ORPHAN,
		                                        .object = gone[i],
		                                        .server_id = server_id });
}

bool store_has_orphan_drift(struct tx *tx, const char *pool)
{
	struct tx_rows rows;
	bool found = tx_select_row(tx, NULL, &rows,
	    "SELECT 1 FROM repairs WHERE pool_name = ? AND kind = 'STRAY' "
	    "AND state <> 'PARKED' LIMIT 1", TX_BIND(tx_text(pool)));

	tx_select_end(&rows);
	return found;
}

static void store_add_drifting(struct tx *tx, struct arena *arena, const char *sql,
                               const struct tx_value *ids, size_t room,
                               struct drifting *drifting)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows, sql, ids);
	while (drifting->count < room && tx_next(&rows))
		drifting->ids[drifting->count++] = row_text(&rows);
	tx_select_end(&rows);
}

void store_drifting(struct tx *tx, struct arena *arena, const char *const *ids,
                    size_t count, struct drifting *drifting)
{
	struct tx_value values[TX_LIST_MAX + 1];
	size_t places;
	const char *suspected = tx_list(arena,
	    "SELECT DISTINCT object_uuid FROM repairs WHERE kind = 'CONTENT' "
	    "AND state <> 'PARKED' AND object_uuid IN (", ")", count, &places);
	const char *repaired = tx_list(arena,
	    "SELECT DISTINCT object_uuid FROM repair_log WHERE kind = 'CONTENT' "
	    "AND outcome <> 'PARKED' AND done_at > NOW(3) - INTERVAL 1 HOUR "
	    "AND object_uuid IN (", ")", count, &places);

	drifting->ids = arena_alloc(arena, 2 * count * sizeof(*drifting->ids));
	drifting->count = 0;
	tx_list_fill(values, ids, count, places);
	values[places].type = TX_END;
	store_add_drifting(tx, arena, suspected, values, count, drifting);
	store_add_drifting(tx, arena, repaired, values, 2 * count, drifting);
}

void store_repairs_forget(struct tx *tx, const char *pool, int age_s)
{
	tx_exec(tx,
	    "DELETE FROM repairs WHERE pool_name = ? AND state <> 'PARKED' "
	    "AND updated_at < NOW(3) - INTERVAL ? SECOND LIMIT 1000",
	    TX_BIND(tx_text(pool), tx_int(age_s)));
	tx_exec(tx,
	    "DELETE FROM repairs WHERE pool_name = ? AND state = 'PARKED' "
	    "AND updated_at < NOW(3) - INTERVAL 1 DAY LIMIT 1000",
	    TX_BIND(tx_text(pool)));
	tx_exec(tx,
	    "DELETE FROM repairs WHERE pool_name = ? AND kind <> 'STRAY' AND NOT EXISTS "
	    "(SELECT 1 FROM domains d WHERE d.id = repairs.object_uuid AND d.live = 1) "
	    "LIMIT 1000", TX_BIND(tx_text(pool)));
	tx_exec(tx,
	    "DELETE FROM repairs WHERE pool_name = ? AND kind = 'STRAY' AND EXISTS "
	    "(SELECT 1 FROM domains d WHERE d.name = repairs.name AND d.live = 1) "
	    "LIMIT 1000", TX_BIND(tx_text(pool)));
	tx_exec(tx, "DELETE FROM repair_log WHERE pool_name = ? "
	        "AND done_at < NOW(3) - INTERVAL 30 DAY LIMIT 1000",
	        TX_BIND(tx_text(pool)));
}
