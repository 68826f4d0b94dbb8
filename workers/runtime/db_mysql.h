/*
 * db_mysql -- struct db, for the files that use the client library. Only
 * workers/runtime/db*.c include this header.
 */
#pragma once

#include <mysql.h>
#include <uthash.h>

#include "runtime/db_private.h"

/* in this period after a failure of a host, db tries the other hosts before this host */
enum { HOST_FAILED_MS = 5000 };

/*
 * One column of the current row. The client library writes the length and, if the column
 * is a number, its value. db_column_bytes() fetches the bytes of other columns.
 */
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
	/* true: db has bound the columns of the statement (in the first SELECT) */
	bool is_bound;
	/* strings of the current row; NULL: no strings yet */
	struct arena *row;
	char sql[];
};

struct db {
	const struct db_config *config;
	struct db_hosts hosts;
	struct db_host *host;		/* host of the connection */
	MYSQL *mysql;			/* the connection; NULL: not connected */
	uint64_t packet_max;		/* maximum size of a statement in bytes */
	bool limits_statements;		/* true: the server has max_statement_time */
	/* true: the server has innodb_snapshot_isolation */
	bool isolates_snapshots;
	/*
	 * hash table of the prepared statements. Key: the SQL text. Order: the least
	 * recently used statement is first
	 */
	struct db_statement *statements;
	/* the statement whose rows the server is sending; NULL: no SELECT is open */
	struct db_statement *reading;
	/* the id that the last statement set with LAST_INSERT_ID(X), for tx_last_id() */
	uint64_t last_id;
	bool in_transaction;
	uint64_t tx_count;
	/* number and address of the struct tx that last used the connection */
	struct {
		uint64_t number;
		const void *place;
	} tx;
	/* true: the connection is in the state DB_UNCERTAIN */
	bool uncertain;
	int timeout_s;
	bool no_lock_wait;		/* true: db_set_no_lock_wait() was called */
	int64_t locked;			/* number of statements for db_take_locked() */
	/* number of consecutive rounds in which db could reach no host */
	int failures;
	/* before this time, all calls that need a new connection fail */
	int64_t breaker_until_ms;
	struct why breaker_why;
	/* end of the time in which db reports `refusal` */
	int64_t refused_until_ms;
	struct why refusal;
};

/*
 * Handles a failure that libmariadb reported. Sets the reason, returns the error, and
 * closes the connection if necessary.
 */
enum err db_failed(struct db *db, unsigned number, const char *text, struct why *why);
/*
 * ERR_RACE: the server has ended the transaction without an error. A Galera node can
 * abort a transaction because of another node's writes and still answer the running
 * SELECT without an error (MariaDB 10.11). In this case, rows are missing, or a
 * sub-select returns NULL, and each later statement would commit by itself. Only the
 * status in each answer shows the end of the transaction. So call this function before
 * you use a row. The call costs no round trip.
 */
enum err db_check_transaction(const struct db *db, struct why *why);
/* Tells the server that the connection ends, and closes the connection. */
void db_forget(struct db *db);
/* Closes the connection without a message to the server, and logs the reason. */
void db_drop(struct db *db, const char *reason);
void db_statement_close(struct db *db, struct db_statement *statement);
