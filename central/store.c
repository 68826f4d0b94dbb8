#include "store.h"

#include "runtime/db.h"

/*
 * Behind TX_SHORT_LIMIT, ERR_BUSY is the end of the moment; elsewhere it is the limit of any
 * statement. A race is such a wait, too (1205), unless the connection was lost. A lane runs
 * its transaction again by itself.
 */
void store_waited(struct tx *tx, enum store_wait wait, const char *what)
{
	bool was_moment = tx->err == ERR_BUSY && wait == STORE_WAIT_A_MOMENT &&
	                  tx_has_short_limit(tx);
	bool was_race = tx->err == ERR_RACE && wait != STORE_WAIT_LONG &&
	                db_is_up(tx->db);

	if (was_moment || was_race)
		tx->err = fail(tx->why, ERR_LOCKED, "%.200s is being changed: try again",
		               what);
}

/* The digest of a row is NULL if a program of an older version wrote it. */
bool store_request_get(struct tx *tx, struct arena *arena, struct kept *kept)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	                   "SELECT result, tell, domain_id, COALESCE(digest <> ?, 0) "
	                   "FROM requests WHERE unique_id = ?",
	                   TX_BIND(tx_bytes(kept->digest, sizeof kept->digest),
	                           tx_text(kept->unique_id))))
		return false;
	kept->result = row_text(&rows);
	kept->tell = row_text(&rows);
	kept->domain_id = row_text(&rows);
	kept->is_other = row_int(&rows);
	tx_select_end(&rows);
	return true;
}

void store_requests_insert(struct tx *tx, const struct kept *kept, size_t count)
{
	enum { COLUMNS = 5, ROWS = 64 };
	struct tx_value values[COLUMNS * ROWS];

	for (size_t at = 0; at < count; at += ROWS) {
		size_t rows = count - at < ROWS ? count - at : ROWS;
		struct tx_value *value = values;

		for (size_t i = at; i < at + rows; i++) {
			*value++ = tx_text(kept[i].unique_id);
			*value++ = tx_text(kept[i].result);
			*value++ = tx_text(kept[i].tell);
			*value++ = tx_text(kept[i].domain_id);
			*value++ = tx_bytes(kept[i].digest, sizeof kept[i].digest);
		}
		tx_exec_rows(tx, "INSERT INTO requests (unique_id, result, tell, "
		             "domain_id, digest, created_at) VALUES ",
		             "(?, ?, ?, ?, ?, UTC_TIMESTAMP(3))", "", values, COLUMNS,
		             rows);
	}
}
