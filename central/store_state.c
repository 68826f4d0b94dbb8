/*
 * store_state -- the states of domains and records, for all reports of a message
 * together. core/status.c decides the next states; the statement for records is made
 * from its results.
 */
#include "store.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "core/status.h"

enum { PORTION = 5000 };	/* rows; takes a fraction of a second */

/* ---- domains ---- */

static void state_read_domain(struct tx_rows *rows, struct domain_state *domain)
{
	const char *id = row_text(rows), *task, *status;

	domain->name = row_text(rows);
	domain->tenant = row_text(rows);
	domain->is.serial = row_u32(rows);
	task = row_text(rows);
	status = row_text(rows);
	domain->changed_us = row_int(rows);
	if (!id_parse(id, domain->id) || !task_parse(task, &domain->is.task) ||
	    !status_parse(status, &domain->is.status))
		tx_fail(rows->tx, ERR_INTERNAL, "the table domains has an invalid row: "
		        "id '%.32s', task '%.16s', status '%.16s'. Correct this row in "
		        "the database: the id has 32 hexadecimal digits; "
		        "docs/glossary.md lists the tasks and statuses", id, task,
		        status);
}

size_t store_domain_lock_states(struct tx *tx, const char *const *ids, size_t count,
                                struct arena *arena, struct domain_state *found)
{
	struct tx_value values[TX_LIST_MAX + 1];
	struct tx_rows rows;
	size_t places, n = 0;
	const char *sql = tx_list(arena,
		"SELECT id, name, tenant, serial, task, status, "
		"TIMESTAMPDIFF(MICROSECOND, changed_at, UTC_TIMESTAMP(3)) "
		"FROM domains FORCE INDEX (PRIMARY) WHERE id IN (",
		") AND live = 1 ORDER BY id FOR UPDATE SKIP LOCKED", count, &places);

	tx_list_fill(values, ids, count, places);
	values[places].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows))
		state_read_domain(&rows, &found[n++]);
	return n;
}

bool store_domain_is_live(struct tx *tx, const char *id)
{
	struct tx_rows rows;
	bool lives = tx_select_row(tx, NULL, &rows,
	                           "SELECT 1 FROM domains WHERE id = ? AND live = 1",
	                           TX_BIND(tx_text(id)));

	tx_select_end(&rows);
	return lives;
}

void store_domain_set_states(struct tx *tx, struct arena *arena, const char *const *ids,
                             size_t count, const struct state *state, const char *reason)
{
	enum { BEFORE = 4 };
	struct tx_value values[BEFORE + TX_LIST_MAX + 1] = {
		tx_text(task_name(state->task)), tx_text(status_name(state->status)),
		tx_text(reason), tx_int(state->status == STATUS_DELETED),
	};
	size_t places;
	const char *sql = tx_list(arena,
		/* an ACTIVE domain that gets a task: changed_at is now */
		"UPDATE domains FORCE INDEX (PRIMARY) SET "
		"changed_at = IF(task = 'NONE', UTC_TIMESTAMP(3), changed_at), "
		"task = ?, status = ?, reason = ?, "
		/* a report changes nothing, but a tombstone gets its age */
		"updated_at = IF(?, UTC_TIMESTAMP(3), updated_at) WHERE id IN (", ")",
		count, &places);

	tx_list_fill(values + BEFORE, ids, count, places);
	values[BEFORE + places].type = TX_END;
	tx_exec(tx, sql, values);
}

/* ---- records ---- */

/* The moves of records at a report: from PENDING, perhaps also from ERROR. */
struct moves {
	char tasks[40];			/* "ADD,UPDATE", for FIND_IN_SET */
	const char *to[TASK_NONE];	/* the new status for each task; NULL: no move */
	bool from_error;		/* also from ERROR */
	bool to_none;			/* the task becomes NONE */
};

static bool state_moves(enum task task, enum status status, enum report report,
                        struct state *to)
{
	const struct state from = { task, status, 0 };

	*to = status_next(SUBJECT_RECORD, from, report, 0);
	return to->task != from.task || to->status != from.status;
}

static void moves_init(enum report report, struct moves *moves)
{
	*moves = (struct moves){ .tasks = "" };
	for (enum task task = 0; task < TASK_NONE; task++) {
		struct state to, other;
		size_t len = strlen(moves->tasks);
		bool from_error = state_moves(task, STATUS_ERROR, report, &other);

		if (!state_moves(task, STATUS_PENDING, report, &to))
			continue;
		snprintf(moves->tasks + len, sizeof(moves->tasks) - len, "%s%s",
		         len ? "," : "", task_name(task));
		moves->to[task] = status_name(to.status);
		/* one statement works for all tasks: they agree on these two */
		bug_if(len && (moves->to_none != (to.task == TASK_NONE) ||
		               moves->from_error != from_error));
		moves->to_none = to.task == TASK_NONE;
		moves->from_error = from_error;
	}
}

#define OF_DOMAIN \
	"(domain_id = ? AND ((CAST(? AS SIGNED) - CAST(serial_number AS SIGNED)) " \
	"& 4294967295) BETWEEN 0 AND 2147483647)"

bool store_record_apply_report(struct tx *tx, struct arena *arena, enum report report,
                               const struct reported_serial *serials, size_t count)
{
	enum { BEFORE = 6 };
	struct tx_value values[BEFORE + 2 * TX_LIST_MAX + 2], *value = values + BEFORE;
	struct moves moves;
	size_t places;
	const char *sql = tx_list_of(arena,
		"UPDATE records FORCE INDEX (record_open) SET status = "
		"CASE task WHEN 'ADD' THEN ? WHEN 'UPDATE' "
		"THEN ? ELSE ? END, task = IF(?, 'NONE', task), "
		"updated_at = UTC_TIMESTAMP(3) WHERE status IN ('PENDING', ?) "
		"AND FIND_IN_SET(task, ?) AND (", OF_DOMAIN, " OR ", ") LIMIT ?", count,
		&places);

	moves_init(report, &moves);
	if (!*moves.tasks)
		return false;
	values[0] = tx_text(moves.to[TASK_ADD]);
	values[1] = tx_text(moves.to[TASK_UPDATE]);
	values[2] = tx_text(moves.to[TASK_DELETE]);
	values[3] = tx_int(moves.to_none);
	values[4] = tx_text(moves.from_error ? "ERROR" : "PENDING");
	values[5] = tx_text(moves.tasks);
	for (size_t i = 0; i < places; i++) {
		const struct reported_serial *of = &serials[i < count ? i : count - 1];

		*value++ = tx_text(of->domain_id);
		*value++ = tx_u32(of->serial);
	}
	*value++ = tx_int(PORTION);
	value->type = TX_END;
	return tx_exec(tx, sql, values) == PORTION;
}
