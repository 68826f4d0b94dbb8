#include "store.h"

#include "runtime/rpc_digest.h"

enum { SWEPT_MAX = 10000 };		/* rows in one statement */

/* The digest of a row is NULL if an older version wrote it. */
const char *store_answer(struct tx *tx, const struct request *req)
{
	uint8_t digest[RPC_DIGEST_LEN];
	char id[ID_LEN + 1];
	struct tx_rows rows;
	const char *answer;
	bool is_other;

	rpc_digest(req, digest);
	rpc_stored_id(req, id);
	if (!tx_select_row(tx, req->arena, &rows,
	    "SELECT result, COALESCE(digest <> ?, 0) FROM ownership_requests "
	    "WHERE unique_id = ?",
	    TX_BIND(tx_bytes(digest, sizeof(digest)), tx_text(id))))
		return NULL;
	answer = row_text(&rows);
	is_other = row_int(&rows);
	tx_select_end(&rows);
	if (!is_other)
		return answer;
	rpc_digest_conflict(tx, req);
	return NULL;
}

void store_answer_put(struct tx *tx, const struct request *req, const char *answer)
{
	uint8_t digest[RPC_DIGEST_LEN];
	char id[ID_LEN + 1];

	rpc_digest(req, digest);
	rpc_stored_id(req, id);
	tx_exec(tx, "INSERT INTO ownership_requests "
	        "(unique_id, result, digest, answered_at) VALUES (?, ?, ?, NOW(3))",
	        TX_BIND(tx_text(id), tx_text(answer),
	                tx_bytes(digest, sizeof(digest))));
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
