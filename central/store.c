#include "store.h"

#include "runtime/db.h"

/*
 * After TX_SHORT_LIMIT, ERR_BUSY means that the row is still locked; otherwise it is the
 * timeout of the statement. ERR_RACE is also a lock timeout (1205), unless the connection
 * was lost. A lane repeats its transaction itself.
 */
void store_check_wait(struct tx *tx, enum store_wait wait, const char *what)
{
	bool was_moment = tx->err == ERR_BUSY && wait == STORE_WAIT_SHORT &&
	                  tx_has_short_limit(tx);
	bool was_race = tx->err == ERR_RACE && wait != STORE_WAIT_LONG &&
	                db_is_up(tx->db);

	if (was_moment || was_race)
		tx->err = fail(tx->why, ERR_LOCKED,
		               "another transaction is changing %.200s: try again later",
		               what);
}

void store_fail_value(struct tx_rows *rows, const char *column, const char *text,
                      const char *want)
{
	char quoted[81];

	tx_fail(rows->tx, ERR_INTERNAL, "the column %s must contain %s, not '%s': "
	        "correct this row in the database", column, want,
	        err_quote(text ? text : "NULL", quoted, sizeof(quoted)));
}

void store_read_id(struct tx_rows *rows, const char *column, char id[ID_LEN + 1])
{
	const char *text = row_text(rows);

	if (!text || !id_parse(text, id))
		store_fail_value(rows, column, text, "an id of 32 hexadecimal digits");
}

const char *store_read_attributes(struct tx_rows *rows, const char *column)
{
	const char *text = row_text(rows);
	json_t *json = text ? attributes_encode(text) : NULL;

	if (!json) {
		store_fail_value(rows, column, text, "a JSON object of strings");
		return "";
	}
	json_decref(json);
	return text;
}

void store_read_state(struct tx_rows *rows, const char *table, struct state *state)
{
	const char *task, *status;

	state->serial = row_u32(rows);
	task = row_text(rows);
	status = row_text(rows);
	if (!task || !status || !task_parse(task, &state->task) ||
	    !status_parse(status, &state->status))
		tx_fail(rows->tx, ERR_INTERNAL, "a row of the table %s must have a task "
		        "and a status from docs/glossary.md, not '%.16s' and '%.16s': "
		        "correct this row in the database", table,
		        task ? task : "NULL", status ? status : "NULL");
}

/* The digest is NULL if an older version of central wrote the row. */
bool store_request_get(struct tx *tx, struct arena *arena, struct kept_answer *kept)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	                   "SELECT result, tell, domain_id, COALESCE(digest <> ?, 0) "
	                   "FROM requests WHERE unique_id = ?",
	                   TX_BIND(tx_bytes(kept->digest, sizeof kept->digest),
	                           tx_text(kept->id))))
		return false;
	kept->result = row_text(&rows);
	kept->cast_method = row_text(&rows);
	kept->domain_id = row_text(&rows);
	kept->is_other = row_int(&rows);
	tx_select_end(&rows);
	return true;
}

void store_requests_insert(struct tx *tx, const struct kept_answer *kept, size_t count)
{
	enum { COLUMNS = 5, ROWS = 64 };
	struct tx_value values[COLUMNS * ROWS];

	for (size_t at = 0; at < count; at += ROWS) {
		size_t rows = count - at < ROWS ? count - at : ROWS;
		struct tx_value *value = values;

		for (size_t i = at; i < at + rows; i++) {
			*value++ = tx_text(kept[i].id);
			*value++ = tx_text(kept[i].result);
			*value++ = tx_text(kept[i].cast_method);
			*value++ = tx_text(kept[i].domain_id);
			*value++ = tx_bytes(kept[i].digest, sizeof kept[i].digest);
		}
		tx_exec_rows(tx, "INSERT INTO requests (unique_id, result, tell, "
		             "domain_id, digest, created_at) VALUES ",
		             "(?, ?, ?, ?, ?, UTC_TIMESTAMP(3))", "", values, COLUMNS,
		             rows);
	}
}
