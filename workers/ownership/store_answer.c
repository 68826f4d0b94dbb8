#include "store.h"

enum { SWEPT_MAX = 10000 };		/* rows at a time */

const char *store_answer(struct tx *tx, struct arena *arena, const char *unique_id)
{
	struct tx_rows rows;
	const char *answer;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT result FROM ownership_requests WHERE unique_id = ?",
	    TX_BIND(tx_text(unique_id))))
		return NULL;
	answer = row_text(&rows);
	tx_select_end(&rows);
	return answer;
}

void store_answer_put(struct tx *tx, const char *unique_id, const char *answer)
{
	tx_exec(tx, "INSERT INTO ownership_requests (unique_id, result, answered_at) "
	        "VALUES (?, ?, NOW(3))", TX_BIND(tx_text(unique_id), tx_text(answer)));
}

void store_sweep_answers(struct tx *tx)
{
	tx_exec(tx, "DELETE FROM ownership_requests "
	        "WHERE answered_at < NOW(3) - INTERVAL 1 HOUR LIMIT ?",
	        TX_BIND(tx_int(SWEPT_MAX)));
}

void store_sweep_sources(struct tx *tx)
{
	tx_exec(tx,
	    "DELETE FROM endpoint_sources WHERE is_complete AND endpoints = 0 "
	    "AND reported_at < NOW(3) - INTERVAL 1 DAY AND NOT EXISTS "
	    "(SELECT 1 FROM ownership o WHERE o.registry_id = "
	    "endpoint_sources.registry_id AND o.resource = endpoint_sources.resource) "
	    "LIMIT ?", TX_BIND(tx_int(SWEPT_MAX)));
}
