#include "store_server.h"

#include "runtime/tx.h"

/* The values of new sessions; a session keeps those of its start. */
enum err store_server_limits(struct db *db, struct server_limits *limits,
                             struct why *why)
{
	struct tx tx = tx_autocommit(db, why);

	limits->packet_bytes =
		tx_select_number(&tx, "SELECT @@GLOBAL.max_allowed_packet", TX_NONE);
	limits->flush_at_commit = tx_select_number(&tx,
		"SELECT @@GLOBAL.innodb_flush_log_at_trx_commit", TX_NONE);
	return tx_commit(&tx);
}
