/*
 * db_mysql -- struct db, between the files that speak to the client library.
 * Only workers/runtime/db*.c include this.
 */
#pragma once

#include <mysql.h>

#include "runtime/db_private.h"

struct db {
	const struct db_config *config;
	struct db_hosts hosts;
	struct db_host *host;		/* of the connection */
	MYSQL *mysql;			/* NULL: not connected */
	uint64_t packet_max;		/* octets the server takes in one statement */
	struct db_statement *statements;	/* by text, longest unused first */
	struct db_statement *reading;	/* its rows are on the wire */
	uint64_t last_id;		/* of the statement before: tx_last_id() */
	bool in_transaction;
	bool doubted;			/* see DB_DOUBTED */
	int timeout_s;
	int failures;			/* rounds of connecting, since one succeeded */
	int64_t closed_until_ms;	/* until then db fails at once, for CLOSED_WHY */
	struct why closed_why;
};

/*
 * The failure that libmariadb reported, settled: words, code, and the connection's end.
 */
enum err db_failed(struct db *db, unsigned number, const char *text, struct why *why);
/*
 * Of a connection that closes: db_close_statements() after mysql_close(), which detaches
 * them.
 */
void db_close_statements(struct db *db);
