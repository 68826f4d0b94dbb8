#include "store_adjust.h"

#include <stdio.h>

#include "store_rows.h"

void store_settings_at(struct tx *tx, int64_t age_ms, char text[SETTINGS_AT_LEN + 1])
{
	struct tx_rows rows;

	*text = '\0';
	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT CAST(NOW(3) - INTERVAL ? MICROSECOND AS CHAR)",
	    TX_BIND(tx_int(age_ms * 1000))))
		return;
	snprintf(text, SETTINGS_AT_LEN + 1, "%s", row_text(&rows));
	tx_select_end(&rows);
}

size_t store_unadjusted(struct tx *tx, struct arena *arena, const struct scope *scope,
                        const char *server_id, const char *digest,
                        struct domain_ref *domains, size_t max)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	    "SELECT STRAIGHT_JOIN " DOMAIN_COLUMNS " "
	    "FROM pool_manager_status s FORCE INDEX (status_settings) "
	    "JOIN domains d ON d.id = s.domain_id JOIN pools p ON p.id = d.pool_id "
	    "WHERE s.server_id = ? AND s.action = 'CREATE' AND s.settings_digest <> ? "
	    "AND s.status = 'SUCCESS' AND " IS_MINE " "
	    "AND d.live = 1 AND d.task <> 'DELETE' LIMIT ?",
	    TX_BIND(tx_text(server_id), tx_text(digest), SCOPE(scope),
	            tx_int((int64_t)max)));
	while (count < max && tx_next(&rows))
		store_read_domain(&rows, scope->pool, &domains[count++]);
	tx_select_end(&rows);
	return count;
}

void store_adjusted(struct tx *tx, const char *domain_id, const char *server_id,
                    const char *digest)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET settings_digest = ? "
	    "WHERE domain_id = ? AND server_id = ? AND action = 'CREATE'",
	    TX_BIND(tx_text(digest), tx_text(domain_id), tx_text(server_id)));
}

/* A row without a digest is due anyway, or its server has no settings to check. */
#define CHECK_AGAIN "UPDATE pool_manager_status s FORCE INDEX (status_of) " \
                    "SET s.settings_digest = CONCAT('?', s.settings_digest) " \
                    "WHERE s.action = 'CREATE' AND s.settings_digest <> '' " \
                    "AND s.settings_digest NOT LIKE '?%' AND s.domain_id "

void store_adjust_again(struct tx *tx, struct arena *arena, const char *const *ids,
                        size_t count)
{
	if (count)
		store_exec_ids(tx, arena, CHECK_AGAIN "IN (", ")", ids, count);
}

void store_adjust_one_again(struct tx *tx, const char *domain_id)
{
	tx_exec(tx, NO_WAIT(tx, CHECK_AGAIN "= ?"), TX_BIND(tx_text(domain_id)));
}
