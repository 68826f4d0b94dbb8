/*
 * db_mysql -- struct db, for the files that use the client library. Only
 * workers/runtime/db*.c include it.
 */
#pragma once

#include <mysql.h>
#include <uthash.h>

#include "runtime/db_private.h"

enum { HOST_FAILED_MS = 5000 };		/* time in which db tries a failed host last */

/* The client library writes one column of the current row here. */
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
	bool is_bound;			/* its columns are bound, since its first row */
	struct arena *row;		/* texts of the current row; made when needed */
	char sql[];
};

struct db {
	const struct db_config *config;
	struct db_hosts hosts;
	struct db_host *host;		/* of the connection */
	MYSQL *mysql;			/* NULL: not connected */
	uint64_t packet_max;		/* largest statement that the server accepts */
	bool limits_statements;		/* the server has max_statement_time */
	bool isolates_snapshots;	/* the server has innodb_snapshot_isolation */
	struct db_statement *statements;	/* by text, longest unused first */
	struct db_statement *reading;	/* its rows are on the wire */
	uint64_t last_id;		/* from the last statement, for tx_last_id() */
	bool in_transaction;
	uint64_t tx_count;
	struct {
		uint64_t number;
		const void *place;
	} tx;				/* the last used transaction */
	bool uncertain;			/* see DB_UNCERTAIN */
	int timeout_s;
	bool no_lock_wait;		/* see db_set_no_lock_wait() */
	int64_t locked;			/* see db_take_locked() */
	/* rounds in which no host could be reached, in a row */
	int failures;
	int64_t breaker_until_ms;	/* until then all calls fail, for breaker_why */
	struct why breaker_why;
	/* end of the time in which db reports `refusal` */
	int64_t refused_until_ms;
	struct why refusal;
};

/*
 * Handles a failure that libmariadb reported: sets the reason, returns the error, and
 * closes the connection if necessary.
 */
enum err db_failed(struct db *db, unsigned number, const char *text, struct why *why);
/*
 * ERR_RACE if the server has silently ended the transaction. A Galera node that aborts a
 * transaction because of another node's writes may answer the running SELECT without an
 * error (MariaDB 10.11): rows are missing, or a sub-select gives NULL. Later statements
 * would commit one by one. Only the status of each answer shows it, so check the status
 * before using a row. No round trip.
 */
enum err db_check_transaction(const struct db *db, struct why *why);
/* Closes the connection in good order, with a message to the server. */
void db_forget(struct db *db);
/* Closes the connection without a message, and logs the reason. */
void db_drop(struct db *db, const char *reason);
void db_statement_close(struct db *db, struct db_statement *statement);
