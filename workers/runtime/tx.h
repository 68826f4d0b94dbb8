/*
 * tx -- a transaction that remembers the first failure. After this failure, later calls
 * for the transaction do nothing. So a caller writes all statements one after the other,
 * and checks the result once, at tx_commit():
 *
 *	struct tx tx = tx_begin(db, &why);
 *	tx_exec(&tx, "UPDATE domains SET serial = ? WHERE id = ?",
 *	        TX_BIND(tx_u32(serial), tx_text(id)));
 *	return tx_commit(&tx);
 *
 * Pass a struct tx by pointer. Do not copy the struct: a copy would not notice a failure
 * of the original. tx.c detects such a copy.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct db;

/*
 * The most important errors of a transaction follow (db_error.c has all errors).
 * ERR_RACE: a deadlock, a lock wait that timed out, a lost connection, or a COMMIT with
 * an unknown outcome. The caller runs the transaction again from its first statement
 * (the rpc server, tx_retry() and tx_retry_on_loop() do this). ERR_LOCKED: another
 * transaction has locked a row, and this connection does not wait for locks (db.h). The
 * caller runs the transaction again with a timer (the rpc server and
 * runtime/redo_timer.h do this). ERR_EXISTS: a duplicate key. ERR_INTERNAL: a violated
 * CHECK.
 */
struct tx {
	struct db *db;
	struct why *why;
	enum err err;
	bool open;
	uint64_t number;		/* number of this transaction on its connection */
	/* end of the time limit (tx_set_deadline()); 0: no limit */
	int64_t deadline_ms;
};

struct tx_value {
	enum { TX_END, TX_NULL, TX_TEXT, TX_BYTES, TX_INT } type;
	const void *data;
	size_t len;
	int64_t number;
};

/*
 * TX_BIND(tx_text(id), tx_u32(serial)): the values for the placeholders (?) of a
 * statement
 */
#define TX_BIND(...) ((const struct tx_value[]){ __VA_ARGS__, { .type = TX_END } })
#define TX_NONE ((const struct tx_value[]){ { .type = TX_END } })

struct tx_value tx_text(const char *text);		/* NULL binds NULL */
struct tx_value tx_bytes(const void *data, size_t len);
struct tx_value tx_int(int64_t number);
struct tx_value tx_u32(uint32_t number);
struct tx_value tx_null(void);

/*
 * Sets the end of the time limit (clock_boot_ms(); 0: no limit) for each tx_begin() and
 * tx_autocommit() of this thread from now on. If a transaction of tx_begin() is not
 * committed by DEADLINE_MS, tx_commit() fails with ERR_EXPIRED and commits nothing. The
 * last check is just before the COMMIT. With tx_autocommit(), each tx_exec() after
 * DEADLINE_MS fails. The rpc server passes the end of the caller's time limit.
 */
void tx_set_deadline(int64_t deadline_ms);

struct tx tx_begin(struct db *db, struct why *why);
/* Begins a read-only transaction, which reads one consistent state. */
struct tx tx_begin_snapshot(struct db *db, struct why *why);
/*
 * Returns a struct tx for statements without a transaction. Each statement commits by
 * itself. tx_commit() returns the first failure.
 */
struct tx tx_autocommit(struct db *db, struct why *why);
/*
 * Returns the transaction FROM. Use tx_move() in a function that begins a transaction
 * and returns the transaction to its caller. After tx_move(), do not use FROM.
 */
struct tx tx_move(struct tx *from);
/* Commits, or rolls back after a failure. Returns the first failure. */
enum err tx_commit(struct tx *tx);
void tx_rollback(struct tx *tx);
/*
 * Makes the transaction fail because of an error that the caller has found. After
 * tx_fail(), later statements do nothing, and tx_commit() rolls back. Returns the first
 * error of the transaction.
 */
enum err tx_fail(struct tx *tx, enum err err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * A statement may begin with TX_SHORT_LIMIT if tx_has_short_limit() is true (MariaDB
 * only). Such a statement fails with ERR_BUSY if it takes longer than 0.25 s. So the
 * statement waits for a locked row only for a short time.
 */
#define TX_SHORT_LIMIT "SET STATEMENT max_statement_time = 0.25 FOR "
/*
 * A statement that begins with TX_NO_LOCK_WAIT does not wait for locks. If a row is
 * locked, the statement fails with ERR_RACE, or with ERR_LOCKED on a connection without
 * lock waits (db.h).
 */
#define TX_NO_LOCK_WAIT "SET STATEMENT innodb_lock_wait_timeout = 0 FOR "
/*
 * A statement with SKIP LOCKED must begin with TX_SKIPS_LOCKED on a connection without
 * lock waits (db.h). If this prefix is missing, MariaDB refuses the COMMIT after a
 * statement that skipped a row (error 1180). A server without max_statement_time gets the
 * statement without the prefix.
 */
#define TX_SKIPS_LOCKED "SET STATEMENT innodb_lock_wait_timeout = 1 FOR "
bool tx_has_short_limit(const struct tx *tx);

/*
 * A statement that begins with TX_BLIND also changes rows that other transactions have
 * changed since this transaction's snapshot. A statement that does not begin with
 * TX_BLIND fails with ERR_RACE if it changes such a row (innodb_snapshot_isolation,
 * error 1020). Use TX_BLIND for counters that many transactions raise: "UPDATE ... SET n
 * = n + 1". Use TX_BLIND only if both of these conditions are true:
 *
 *   the changes depend only on the bound values, the current rows and the clock, not on
 *   data that the transaction has read before;
 *
 *   the transaction makes no decision that is wrong if another transaction has changed
 *   these rows: after this statement, no later statement detects such a change.
 *
 * A server without the setting innodb_snapshot_isolation does not report this error, and
 * gets the statement without TX_BLIND.
 */
#define TX_BLIND "SET STATEMENT innodb_snapshot_isolation = 0 FOR "
/*
 * TX_BLIND together with TX_SHORT_LIMIT or TX_NO_LOCK_WAIT: after two SET STATEMENT, only
 * the second one has an effect. A statement may begin with these prefixes if
 * tx_has_short_limit() and tx_isolates_snapshots() are true.
 */
#define TX_BLIND_SHORT_LIMIT \
	"SET STATEMENT innodb_snapshot_isolation = 0, max_statement_time = 0.25 FOR "
#define TX_BLIND_NO_LOCK_WAIT \
	"SET STATEMENT innodb_snapshot_isolation = 0, innodb_lock_wait_timeout = 0 FOR "
bool tx_isolates_snapshots(const struct tx *tx);

/*
 * Runs a statement. Returns the number of rows that the statement matched, which can be
 * higher than the number of changed rows. 0: a failure, or the statement matched no row.
 */
int64_t tx_exec(struct tx *tx, const char *sql, const struct tx_value *bind);
/*
 * An SQL expression that converts a DATETIME column in UTC to the text form of RFC 3339
 * with milliseconds: "2026-11-21T12:00:00.123Z". NULL stays NULL. All times in answers
 * have this form.
 */
#define TX_RFC3339(column) \
	"CONCAT(LEFT(DATE_FORMAT(" column ", '%Y-%m-%dT%H:%i:%s.%f'), 23), 'Z')"

/*
 * Returns the value of X if the statement of the last tx_exec() contained
 * LAST_INSERT_ID(X). 0: the statement did not contain LAST_INSERT_ID(X), or failed.
 */
uint64_t tx_last_id(const struct tx *tx);

/*
 * Runs statements of the form HEAD tuple[, tuple ...] TAIL. Each statement has at most
 * 256 rows. A statement with several rows has at most 1 MiB of values. VALUES has ROWS x
 * COLUMNS values, row by row. TUPLE is the group of placeholders for one row, for
 * example "(?,?,?)". Returns the number of rows that all statements matched. 0: a
 * failure, or no row matched.
 */
int64_t tx_exec_rows(struct tx *tx, const char *head, const char *tuple, const char *tail,
                     const struct tx_value *values, size_t columns, size_t rows);

/*
 * Rows of a SELECT. Read the columns in their order, each once:
 *
 *	struct tx_rows rows;
 *	tx_select(&tx, arena, &rows, "SELECT id, serial FROM domains WHERE ...", ...);
 *	while (tx_next(&rows)) {
 *		const char *id = row_text(&rows);
 *		uint32_t serial = row_u32(&rows);
 *	}
 *
 * The rows stay on the server until the program reads them. So before the next
 * statement, read all rows or call tx_select_end(). The strings and bytes are in ARENA.
 * If ARENA is NULL, the strings and bytes are valid until the next tx_next().
 */
struct tx_rows {
	struct tx *tx;
	struct arena *arena;
	void *statement;
	unsigned column;
};
void tx_select(struct tx *tx, struct arena *arena, struct tx_rows *rows, const char *sql,
               const struct tx_value *bind);
bool tx_next(struct tx_rows *rows);
void tx_select_end(struct tx_rows *rows);
/* Runs a SELECT and reads its first row. False: no row, or a failure. */
bool tx_select_row(struct tx *tx, struct arena *arena, struct tx_rows *rows,
                   const char *sql, const struct tx_value *bind);
/*
 * Run a SELECT and return the first column of the first row. 0 or NULL: no row, or a
 * failure.
 */
int64_t tx_select_number(struct tx *tx, const char *sql, const struct tx_value *bind);
const char *tx_select_text(struct tx *tx, struct arena *arena, const char *sql,
                           const struct tx_value *bind);

const char *row_text(struct tx_rows *rows);	/* returns NULL for SQL's NULL */
const uint8_t *row_bytes(struct tx_rows *rows, size_t *len);
int64_t row_int(struct tx_rows *rows);		/* returns 0 for SQL's NULL */
uint32_t row_u32(struct tx_rows *rows);
/* True: the next column is NULL. row_is_null() does not read the column. */
bool row_is_null(struct tx_rows *rows);

/*
 * Runs FN until its result is neither ERR_RACE nor ERR_LOCKED, at most 8 times, with
 * pauses of 5 to 200 ms. Do not use tx_retry() on the thread of a loop, because it
 * blocks.
 */
enum err tx_retry(enum err (*fn)(void *self, struct why *why), void *self,
                  struct why *why);
/*
 * For the thread of a loop: runs FN until its result is not ERR_RACE, at most 3 times,
 * without pauses. The last run begins within 50 ms. After any failure, the caller tries
 * again with a timer (redo_timer.h for ERR_LOCKED).
 */
enum err tx_retry_on_loop(enum err (*fn)(void *self, struct why *why), void *self,
                          struct why *why);
/*
 * Returns the pause after a failed attempt, for tx_retry() and the rpc server. ATTEMPT
 * is 0 for the first attempt.
 */
int tx_retry_pause_ms(int attempt);
