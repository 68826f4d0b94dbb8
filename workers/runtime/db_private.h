/*
 * db_private -- what tx.c and migrate.c know of a connection, and what the
 * parts of db share that needs no type of the client library (db_mysql.h has
 * those). Nobody else includes this.
 *
 * All that talks to the server returns how it failed by the table in
 * db_error.c. A lost connection is closed here, at once: then db_is_up() is
 * false and no transaction is open any more.
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

/* ---- connection; each line says what it costs ---- */

/* Connected, as far as can be seen for nothing: no round trip while it is not doubted. */
enum err db_connect(struct db *db, struct why *why);
/* One round trip. An idle connection that was lost is replaced once, silently. */
enum err db_begin(struct db *db, const char *start, struct why *why);
/* One round trip. On failure the transaction is gone: rolled back or cut off. */
enum err db_commit(struct db *db, struct why *why);
/* One round trip, or none if the connection is gone already. */
void db_rollback(struct db *db);
bool db_in_transaction(const struct db *db);
/* Each struct tx has a number, and one place at which it is used. */
uint64_t db_next_tx(struct db *db);
bool db_is_tx_at(struct db *db, uint64_t number, const void *place);
/* Does the server have max_statement_time? As its last connection said. */
bool db_limits_statements(const struct db *db);
/* Does it have innodb_snapshot_isolation? As its last connection said. */
bool db_isolates_snapshots(const struct db *db);
/* For migrations: another deadline, 0 for the configured one; closes the connection. */
void db_set_timeout(struct db *db, int timeout_s);

/* ---- statements: one round trip, two when the text was not prepared yet ---- */

enum err db_execute(struct db *db, const char *sql, const struct tx_value *values,
                    size_t count, int64_t *matched, struct why *why);
uint64_t db_last_id(const struct db *db);
/* One SELECT at a time; *statement is valid until db_select_end(). */
enum err db_select(struct db *db, const char *sql, const struct tx_value *values,
                   size_t count, struct db_statement **statement, struct why *why);
/* The next row; ends the SELECT if there is none. */
enum err db_fetch(struct db *db, bool *found, struct why *why);
/* Reads what is left; does nothing if none is open. */
void db_select_end(struct db *db);
/* Reads all rows now, for few: how the answer ends is known before the first is believed. */
enum err db_select_all(struct db *db, struct why *why);
bool db_is_reading(const struct db *db);

/* Columns of the row in hand, from 0. */
bool db_column_is_null(const struct db_statement *statement, unsigned column);
enum err db_column_int(struct db_statement *statement, unsigned column, int64_t *number,
                       struct why *why);
/* NUL-terminated behind *len; NULL for NULL. Arena NULL: until the next db_fetch(). */
const void *db_column_bytes(struct db_statement *statement, unsigned column,
                            struct arena *arena, size_t *len);

/* ---- errors of the server and of the client library ---- */

enum db_connection {
	DB_STAYS,		/* the connection can be used */
	DB_LOST,		/* it is gone or out of step */
	DB_REFUSED,		/* this host does not serve us now; another may */
	DB_DOUBTED,		/* it may be so: ask before it is used again */
};

struct db_error {
	enum err err;
	enum db_connection connection;
};

/* What NUMBER means; its words go to WHY, and never a value that was bound. */
struct db_error db_error(unsigned number, const char *text, struct why *why);

/* ---- hosts ---- */

struct db_host {
	char *text;			/* as configured, for the log */
	char *name;			/* host, or path of a socket */
	unsigned port;			/* 0: a socket */
	int64_t blamed_until_ms;	/* it failed lately: the others come first */
	bool tried;			/* in this round */
};

enum { DB_HOSTS_MAX = 16 };

struct db_hosts {
	struct db_host item[DB_HOSTS_MAX];
	size_t count;
};

enum err db_hosts_parse(const char *list, struct db_hosts *hosts, struct why *why);
void db_hosts_clear(struct db_hosts *hosts);
