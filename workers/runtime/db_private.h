/*
 * db_private -- declarations that only the files of db, tx.c and migrate.c use. The types
 * of the client library are in db_mysql.h, not here.
 *
 * The functions that send a statement to the database server return the errors in the
 * table of db_error.c. If such a function finds that the connection is lost, the
 * function closes the connection. While the connection is closed, db_is_up() returns
 * false and no transaction is open.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/db.h"

struct db_statement;
struct tx_value;

/* ---- the connection, with the cost of each function ---- */

/*
 * Checks the connection, and connects if there is no connection. The check costs no round
 * trip, unless the connection is in the state DB_UNCERTAIN.
 */
enum err db_connect(struct db *db, struct why *why);
/*
 * Begins a transaction with the statement START: one round trip. If the connection is
 * lost within one second after the call, db_begin() connects again and repeats START,
 * but only once.
 */
enum err db_begin(struct db *db, const char *start, struct why *why);
/*
 * Commits the transaction: one round trip. After a failure, the transaction is no longer
 * open: db has rolled back the transaction, or the connection is lost.
 */
enum err db_commit(struct db *db, struct why *why);
/*
 * Rolls back the transaction: one round trip, or no round trip if no transaction is open.
 */
void db_rollback(struct db *db);
bool db_in_transaction(const struct db *db);
/*
 * db_next_tx() returns the number of a new struct tx. db_is_tx_at() detects a copy of a
 * struct tx by its address PLACE. False: the last call of db_is_tx_at() had the same
 * NUMBER, but a different PLACE.
 */
uint64_t db_next_tx(struct db *db);
bool db_is_tx_at(struct db *db, uint64_t number, const void *place);
/* True: the server had max_statement_time at the last connect. */
bool db_limits_statements(const struct db *db);
/* True: the server had innodb_snapshot_isolation at the last connect. */
bool db_isolates_snapshots(const struct db *db);
/*
 * Sets the time limit of one statement, for migrations. 0: the limit of the settings.
 * Closes the connection, because a new limit applies only to a new connection.
 */
void db_set_timeout(struct db *db, int timeout_s);

/* ---- statements: one round trip, or two for a new SQL text ---- */

enum err db_execute(struct db *db, const char *sql, const struct tx_value *values,
                    size_t count, int64_t *matched, struct why *why);
uint64_t db_last_id(const struct db *db);
/*
 * Starts a SELECT. Only one SELECT may be open. STATEMENT is valid until db_select_end().
 */
enum err db_select(struct db *db, const char *sql, const struct tx_value *values,
                   size_t count, struct db_statement **statement, struct why *why);
/*
 * Reads the next row. FOUND gets false, and the SELECT ends, if there are no more rows
 * or after an error.
 */
enum err db_fetch(struct db *db, bool *found, struct why *why);
/* Reads the remaining rows. Does nothing if no SELECT is open. */
void db_select_end(struct db *db);
/*
 * Reads all rows of the open SELECT into memory. So db_select_all() finds an error at
 * the end of the answer before the caller uses the first row. Call it only if the answer
 * has few rows.
 */
enum err db_select_all(struct db *db, struct why *why);

/* Columns of the current row are numbered from 0. */
bool db_column_is_null(const struct db_statement *statement, unsigned column);
enum err db_column_int(struct db_statement *statement, unsigned column, int64_t *number,
                       struct why *why);
/*
 * Returns the octets of a column, with a NUL after them. LEN gets the number of octets
 * without this NUL. Returns NULL for SQL's NULL. If ARENA is NULL, the octets are valid
 * until the next db_fetch().
 */
const void *db_column_bytes(struct db_statement *statement, unsigned column,
                            struct arena *arena, size_t *len);

/* ---- errors of the server and of the client library ---- */

enum db_connection {
	DB_STAYS,		/* db can continue to use the connection */
	DB_LOST,		/* the connection is lost, or db cannot use it */
	/*
	 * this host refuses the connection or the statement; possibly another host
	 * accepts it
	 */
	DB_REFUSED,
	/*
	 * the host possibly refuses all further statements, so db tests the connection
	 * before the next use
	 */
	DB_UNCERTAIN,
};

struct db_error {
	enum err err;
	enum db_connection connection;
};

/*
 * Returns the meaning of the error NUMBER of the server or of the client library. WHY
 * gets the reason, without bound values.
 */
struct db_error db_error(unsigned number, const char *text, struct why *why);

/* ---- hosts ---- */

struct db_host {
	char *text;			/* text of the host in the list, for the log */
	char *name;			/* name of the host, or path of a socket */
	/* port of the host; 0: `name` is the path of a socket */
	unsigned port;
	int64_t failed_until_ms;	/* before this time, db tries other hosts first */
	/* true: db has tried the host in this round of attempts */
	bool tried;
};

enum { DB_HOSTS_MAX = 16 };

struct db_hosts {
	struct db_host item[DB_HOSTS_MAX];
	size_t count;
};

enum err db_hosts_parse(const char *list, struct db_hosts *hosts, struct why *why);
void db_hosts_clear(struct db_hosts *hosts);
