/*
 * db_mysql -- struct db, between the files that speak to the client library.
 * Only workers/runtime/db*.c include this.
 */
#pragma once

#include <mysql.h>
#include <uthash.h>

#include "runtime/db_private.h"

enum { BLAME_MS = 5000 };		/* a host that failed comes last for so long */

/* Where the client library leaves what it knows of one column of the row in hand. */
struct cell {
	unsigned long len;
	my_bool is_null;
	long long number;
};

struct db_statement {
	UT_hash_handle hh;
	MYSQL_STMT *stmt;
	MYSQL_BIND *params, *columns;
	struct cell *cells;
	unsigned param_count, column_count;
	bool is_bound;			/* its columns, at the first row it gives */
	struct arena *row;		/* texts of this row; made when needed */
	char sql[];
};

struct db {
	const struct db_config *config;
	struct db_hosts hosts;
	struct db_host *host;		/* of the connection */
	MYSQL *mysql;			/* NULL: not connected */
	uint64_t packet_max;		/* octets the server takes in one statement */
	bool limits_statements;		/* it has max_statement_time: MariaDB */
	bool isolates_snapshots;	/* it has innodb_snapshot_isolation */
	struct db_statement *statements;	/* by text, longest unused first */
	struct db_statement *reading;	/* its rows are on the wire */
	uint64_t last_id;		/* of the statement before: tx_last_id() */
	bool in_transaction;
	uint64_t tx_count;
	struct {
		uint64_t number;
		const void *place;
	} tx;				/* the last that was used */
	bool doubted;			/* see DB_DOUBTED */
	int timeout_s;
	int failures;			/* rounds of connecting, since one succeeded */
	int64_t closed_until_ms;	/* until then db fails at once, for CLOSED_WHY */
	struct why closed_why;
	int64_t refused_until_ms;	/* a statement was, lately, and no write was taken since */
	struct why refusal;
};

/*
 * The failure that libmariadb reported, settled: words, code, and the connection's end.
 */
enum err db_failed(struct db *db, unsigned number, const char *text, struct why *why);
/*
 * ERR_RACE if the server has ended the transaction and told nobody. A Galera node that
 * aborts one for the sake of another's writes may answer the SELECT that is running as if
 * nothing were (MariaDB 10.11), without its rows, or with NULL for what a sub-select should
 * find, and what follows would be committed statement by statement: only the status of each
 * answer tells. So no row is believed before. Costs nothing.
 */
enum err db_check_transaction(const struct db *db, struct why *why);
/* Closes the connection in good order: the server is told. */
void db_forget(struct db *db);
/* Cuts the connection off, and tells why. */
void db_drop(struct db *db, const char *reason);
void db_statement_close(struct db *db, struct db_statement *statement);
