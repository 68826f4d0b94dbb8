#include "store_follow.h"

#include "base/id.h"
#include "base/log.h"
#include "store_rows.h"

static void store_read_tries(struct tx *tx, const char *domain_id, const char *server_id,
                             struct follow_case *of)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT COUNT(*), CAST(COALESCE(SUM(outcome = 'DONE'), 0) AS SIGNED), "
	    "CAST(COALESCE(SUM(outcome = 'DONE' AND action = 'RAISE'), 0) AS SIGNED), "
	    "TIMESTAMPDIFF(MICROSECOND, MAX(done_at), NOW(3)) DIV 1000, "
	    "MAX(IF(outcome = 'FAILED', done_at, NULL)) = MAX(done_at), "
	    "COALESCE((SELECT MAX(s.asked_at) FROM pool_manager_status s "
	    "WHERE s.domain_id = ? AND s.server_id = ? AND s.action = 'UPDATE') "
	    "> MAX(done_at), 0) FROM repair_log WHERE object_uuid = ? "
	    "AND server_id = ? AND kind = 'SERIAL' "
	    "AND done_at > NOW(3) - INTERVAL 1 HOUR",
	    TX_BIND(tx_text(domain_id), tx_text(server_id), tx_text(domain_id),
	            tx_text(server_id))))
		return;
	of->tries = (int)row_int(&rows);
	of->done = (int)row_int(&rows);
	of->raises = (int)row_int(&rows);
	of->age_ms = row_int(&rows);
	of->has_failed = row_int(&rows) != 0;
	of->asked = row_int(&rows) != 0;
	tx_select_end(&rows);
}

bool store_follow_case(struct tx *tx, struct arena *arena, const char *domain_id,
                       const char *server_id, struct domain_ref *domain,
                       struct follow_case *of)
{
	struct tx_rows rows;
	bool found = tx_select_row(tx, arena, &rows,
	    "SELECT p.name, " DOMAIN_COLUMNS ", s.status = 'ERROR', s.attempts "
	    "FROM domains d JOIN pools p ON p.id = d.pool_id "
	    "JOIN pool_manager_status s ON s.domain_id = d.id AND s.server_id = ? "
	    "AND s.action = 'UPDATE' WHERE d.id = ? AND d.live = 1",
	    TX_BIND(tx_text(server_id), tx_text(domain_id)));

	if (!found)
		return false;
	const char *pool = row_text(&rows);
	store_read_domain(&rows, pool, domain);
	of->domain = domain->state;
	of->in_error = row_int(&rows) != 0;
	of->failures = (int)row_int(&rows);
	tx_select_end(&rows);
	store_read_tries(tx, domain_id, server_id, of);
	return true;
}

void store_followed(struct tx *tx, const struct followed *followed)
{
	char id[ID_LEN + 1];

	bug_if(followed->action == FOLLOW_WAIT);
	id_new(id);
	tx_exec(tx,
	    "INSERT INTO repair_log (id, object_uuid, server_id, kind, pool_name, name, "
	    "serial, action, outcome, detail, pass1_at, pass2_at, done_at, worker, "
	    "fence) VALUES (?, ?, ?, 'SERIAL', ?, ?, ?, ?, ?, LEFT(?, 512), NOW(3), "
	    "NOW(3), NOW(3), ?, ?)",
	    TX_BIND(tx_text(id), tx_text(followed->domain->id),
	            tx_text(followed->server_id), tx_text(followed->domain->pool),
	            tx_text(followed->domain->name), tx_u32(followed->serves),
	            tx_text(follow_name(followed->action)), tx_text(followed->outcome),
	            tx_text(followed->detail), tx_text(followed->worker),
	            tx_int((int64_t)followed->fence)));
}
