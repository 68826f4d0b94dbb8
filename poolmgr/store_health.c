#include "store_health.h"

void store_read_health(struct tx_rows *rows, struct health health[CHANNELS])
{
	for (enum channel channel = 0; channel < CHANNELS; channel++) {
		health[channel].failures = (int)row_int(rows);
		health[channel].is_due = row_int(rows) != 0;
	}
}

bool store_health(struct tx *tx, const char *pool, const char *server_id,
                  struct health health[CHANNELS])
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT " HEALTH_COLUMNS " FROM pool_servers p "
	    "WHERE p.pool_name = ? AND p.id = ?",
	    TX_BIND(tx_text(pool), tx_text(server_id))))
		return false;
	store_read_health(&rows, health);
	tx_select_end(&rows);
	return true;
}

/* MOVE(failures, next_try_at, last_error) */
#define MOVE(failures, next, error) \
	"UPDATE pool_servers SET " failures " = ?, " \
	next " = IF(? = 0, NULL, NOW(3) + INTERVAL ? * 1000 MICROSECOND), " \
	error " = COALESCE(LEFT(?, 512), " error ") " \
	"WHERE pool_name = ? AND id = ? AND " failures " = ? " \
	"AND (? OR COALESCE(" next " <= NOW(3), 1))"

bool store_health_move(struct tx *tx, const char *pool, const char *server_id,
                       enum channel channel, const struct health *health,
                       const struct health_move *move, const char *reason)
{
	static const char *const moves[CHANNELS] = {
		[CHANNEL_CONTROL] = MOVE("control_failures", "control_next_try_at",
		                         "control_error"),
		[CHANNEL_DNS]     = MOVE("failures", "next_try_at", "last_error"),
	};
	bool answered = move->failures < health->failures;

	return tx_exec(tx, moves[channel],
	               TX_BIND(tx_int(move->failures), tx_int(move->next_ms),
	                       tx_int(move->next_ms), tx_text(reason), tx_text(pool),
	                       tx_text(server_id), tx_int(health->failures),
	                       tx_int(answered))) == 1;
}
