#include "runtime/tx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/pause.h"
#include "runtime/db_private.h"

enum {
	RETRY_MAX = 8,
	LOOP_RETRY_MAX = 3,
	LOOP_RETRY_MS = 50,
	CHUNK_BYTES_MAX = 1 << 20,
	/* placeholders of one statement; a limit of the protocol */
	PARAMS_MAX = 65535,
	ROWS_MAX = 256,
};

/* 5 to 200 ms with jitter. */
static const struct backoff retry_backoff = { .first_ms = 7, .max_ms = 160 };

/* ---- values ---- */

struct tx_value tx_text(const char *text)
{
	if (!text)
		return tx_null();
	return (struct tx_value){ .type = TX_TEXT, .data = text, .len = strlen(text) };
}

struct tx_value tx_bytes(const void *data, size_t len)
{
	return (struct tx_value){ .type = TX_BYTES, .data = data, .len = len };
}

struct tx_value tx_int(int64_t number)
{
	return (struct tx_value){ .type = TX_INT, .number = number };
}

struct tx_value tx_u32(uint32_t number)
{
	return tx_int(number);
}

struct tx_value tx_null(void)
{
	return (struct tx_value){ .type = TX_NULL };
}

static size_t tx_count_values(const struct tx_value *values)
{
	size_t count = 0;

	while (values[count].type != TX_END)
		count++;
	return count;
}

/* ---- begin and end ---- */

static _Thread_local int64_t thread_deadline_ms;	/* 0: no deadline */

void tx_set_deadline(int64_t deadline_ms)
{
	thread_deadline_ms = deadline_ms;
}

static bool tx_is_late(struct tx *tx)
{
	if (!tx->deadline_ms || clock_boot_ms() < tx->deadline_ms)
		return false;
	tx->err = fail(tx->why, ERR_EXPIRED,
	               "the end of the caller's time limit has passed: nothing was "
	               "changed");
	return true;
}

static struct tx tx_begin_with(struct db *db, const char *start, struct why *why)
{
	struct tx tx = { .db = db, .why = why, .number = db_next_tx(db) };

	tx.err = db_begin(db, start, why);
	tx.open = !tx.err;
	return tx;
}

struct tx tx_begin(struct db *db, struct why *why)
{
	struct tx tx = tx_begin_with(db, "START TRANSACTION", why);

	tx.deadline_ms = thread_deadline_ms;
	return tx;
}

struct tx tx_begin_snapshot(struct db *db, struct why *why)
{
	return tx_begin_with(db, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
	                     why);
}

struct tx tx_autocommit(struct db *db, struct why *why)
{
	bug_if(db_in_transaction(db));
	return (struct tx){ .db = db, .why = why, .err = db_connect(db, why),
	                    .number = db_next_tx(db), .deadline_ms = thread_deadline_ms };
}

struct tx tx_move(struct tx *from)
{
	struct tx tx = *from;

	tx.number = db_next_tx(tx.db);
	*from = (struct tx){ .err = ERR_INTERNAL };
	return tx;
}

/* A copy would not know the failures of the original. */
static void tx_check_place(const struct tx *tx)
{
	bug_if(tx->db && !db_is_tx_at(tx->db, tx->number, tx));
}

/* If tx->db is NULL, the transaction has ended already. */
enum err tx_commit(struct tx *tx)
{
	if (!tx->db)
		return tx->err;
	tx_check_place(tx);
	db_select_end(tx->db);
	if (tx->open && !db_in_transaction(tx->db) && !tx->err)
		tx->err = fail(tx->why, ERR_RACE, "the connection to the database was "
		               "lost during the transaction");
	if (tx->err || (tx->open && tx_is_late(tx))) {
		tx_rollback(tx);
		return tx->err;
	}
	if (tx->open)
		tx->err = db_commit(tx->db, tx->why);
	tx->open = false;
	tx->db = NULL;
	return tx->err;
}

void tx_rollback(struct tx *tx)
{
	if (!tx->db)
		return;
	tx_check_place(tx);
	db_select_end(tx->db);
	if (tx->open)
		db_rollback(tx->db);
	tx->open = false;
	tx->db = NULL;
}

/* Keeps the first reason. The arguments may quote tx->why, so it uses a second buffer. */
enum err tx_fail(struct tx *tx, enum err err, const char *fmt, ...)
{
	struct why words;
	va_list args;

	tx_check_place(tx);
	if (tx->err)
		return tx->err;
	va_start(args, fmt);
	vsnprintf(words.text, sizeof words.text, fmt, args);
	va_end(args);
	*tx->why = words;
	return tx->err = err;
}

static bool tx_is_usable(const struct tx *tx)
{
	bug_if(!tx->db && !tx->err);
	tx_check_place(tx);
	return !tx->err;
}

/* ---- writing ---- */

static bool tx_skip_prefix(const char **sql, const char *prefix)
{
	const size_t len = strlen(prefix);
	bool has_prefix = !strncmp(*sql, prefix, len);

	if (has_prefix)
		*sql += len;
	return has_prefix;
}

/* A server without the settings gets the statement without TX_BLIND, TX_SKIPS_LOCKED. */
static const char *tx_known_sql(const struct tx *tx, const char *sql)
{
	const char *plain = sql;

	if (!db_isolates_snapshots(tx->db) && tx_skip_prefix(&plain, TX_BLIND))
		return plain;
	if (!db_limits_statements(tx->db) && tx_skip_prefix(&plain, TX_SKIPS_LOCKED))
		return plain;
	return sql;
}

static int64_t tx_execute(struct tx *tx, const char *sql, const struct tx_value *values,
                          size_t count)
{
	int64_t matched = 0;

	if (!tx_is_usable(tx) || (!tx->open && tx_is_late(tx)))
		return 0;
	tx->err = db_execute(tx->db, tx_known_sql(tx, sql), values, count, &matched,
	                     tx->why);
	return tx->err ? 0 : matched;
}

int64_t tx_exec(struct tx *tx, const char *sql, const struct tx_value *bind)
{
	return tx_execute(tx, sql, bind, tx_count_values(bind));
}

bool tx_has_short_limit(const struct tx *tx)
{
	return tx->db && db_limits_statements(tx->db);
}

bool tx_isolates_snapshots(const struct tx *tx)
{
	return tx->db && db_isolates_snapshots(tx->db);
}

uint64_t tx_last_id(const struct tx *tx)
{
	return tx->err ? 0 : db_last_id(tx->db);
}

static bool tx_chunk_fits(const struct tx_value *values, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		bytes += sizeof values[i].number + values[i].len;
		if (bytes > CHUNK_BYTES_MAX)
			return false;
	}
	return true;
}

/*
 * The number of rows in one statement. Few sizes mean few different statements to
 * prepare.
 */
static size_t tx_chunk_rows(const struct tx_value *values, size_t columns, size_t rows)
{
	static const size_t sizes[] = { ROWS_MAX, 64, 16, 8, 7, 6, 5, 4, 3, 2 };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		if (sizes[i] <= rows && tx_chunk_fits(values, sizes[i] * columns))
			return sizes[i];
	return 1;
}

/* HEAD tuple, ... TAIL for COUNT rows. */
static void tx_rows_sql(struct buf *sql, const char *head, const char *tuple,
                        const char *tail, size_t count)
{
	buf_reset(sql);
	buf_printf(sql, "%s %s", head, tuple);
	while (--count)
		buf_printf(sql, ", %s", tuple);
	buf_printf(sql, " %s", tail);
}

int64_t tx_exec_rows(struct tx *tx, const char *head, const char *tuple, const char *tail,
                     const struct tx_value *values, size_t columns, size_t rows)
{
	struct buf sql = { 0 };
	size_t built = 0;
	int64_t matched = 0;

	bug_if(columns == 0 || columns * ROWS_MAX > PARAMS_MAX);
	while (rows && tx_is_usable(tx)) {
		size_t count = tx_chunk_rows(values, columns, rows);

		if (count != built)
			tx_rows_sql(&sql, head, tuple, tail, built = count);
		matched += tx_execute(tx, buf_string(&sql), values, count * columns);
		values += count * columns;
		rows -= count;
	}
	buf_clear(&sql);
	return tx->err ? 0 : matched;
}

/* ---- reading ---- */

void tx_select(struct tx *tx, struct arena *arena, struct tx_rows *rows, const char *sql,
               const struct tx_value *bind)
{
	struct db_statement *statement = NULL;

	*rows = (struct tx_rows){ .tx = tx, .arena = arena };
	if (!tx_is_usable(tx))
		return;
	tx->err =
	    db_select(tx->db, tx_known_sql(tx, sql), bind, tx_count_values(bind),
	              &statement, tx->why);
	rows->statement = statement;
}

bool tx_next(struct tx_rows *rows)
{
	struct tx *tx = rows->tx;
	bool found = false;

	rows->column = 0;
	if (!rows->statement)
		return false;
	if (tx->err) {
		tx_select_end(rows);
		return false;
	}
	tx->err = db_fetch(tx->db, &found, tx->why);
	if (!found)
		rows->statement = NULL;
	return found;
}

void tx_select_end(struct tx_rows *rows)
{
	if (rows->statement)
		db_select_end(rows->tx->db);
	rows->statement = NULL;
}

bool tx_select_row(struct tx *tx, struct arena *arena, struct tx_rows *rows,
                   const char *sql, const struct tx_value *bind)
{
	tx_select(tx, arena, rows, sql, bind);
	if (rows->statement)
		tx->err = db_select_all(tx->db, tx->why);
	if (tx->err)
		rows->statement = NULL;
	return tx_next(rows);
}

int64_t tx_select_number(struct tx *tx, const char *sql, const struct tx_value *bind)
{
	struct tx_rows rows;
	int64_t number;

	if (!tx_select_row(tx, NULL, &rows, sql, bind))
		return 0;
	number = row_int(&rows);
	tx_select_end(&rows);
	return tx->err ? 0 : number;
}

const char *tx_select_text(struct tx *tx, struct arena *arena, const char *sql,
                           const struct tx_value *bind)
{
	struct tx_rows rows;
	const char *text;

	if (!tx_select_row(tx, arena, &rows, sql, bind))
		return NULL;
	text = row_text(&rows);
	tx_select_end(&rows);
	return tx->err ? NULL : text;
}

static const void *row_read(struct tx_rows *rows, size_t *len)
{
	*len = 0;
	bug_if(!rows->statement);
	return db_column_bytes(rows->statement, rows->column++, rows->arena, len);
}

const char *row_text(struct tx_rows *rows)
{
	size_t len;

	return row_read(rows, &len);
}

const uint8_t *row_bytes(struct tx_rows *rows, size_t *len)
{
	return row_read(rows, len);
}

int64_t row_int(struct tx_rows *rows)
{
	int64_t number = 0;
	struct why why;
	enum err err;

	bug_if(!rows->statement);
	err = db_column_int(rows->statement, rows->column++, &number, &why);
	if (err)
		tx_fail(rows->tx, err, "%s", why.text);
	return number;
}

uint32_t row_u32(struct tx_rows *rows)
{
	int64_t number = row_int(rows);

	if (number >= 0 && number <= UINT32_MAX)
		return number;
	tx_fail(rows->tx, ERR_INTERNAL, "database: column %u must contain an unsigned "
	        "32-bit number, not %lld",
	        rows->column, (long long)number);
	return 0;
}

bool row_is_null(struct tx_rows *rows)
{
	bug_if(!rows->statement);
	return db_column_is_null(rows->statement, rows->column);
}

/* ---- retries ---- */

int tx_retry_pause_ms(int attempt)
{
	return backoff_ms(&retry_backoff, attempt, random_u32());
}

enum err tx_retry(enum err (*fn)(void *self, struct why *why), void *self,
                  struct why *why)
{
	enum err err = fn(self, why);

	for (int attempt = 0; err_retry(err) == RETRY_NOW && attempt < RETRY_MAX - 1;
	     attempt++) {
		pause_ms(tx_retry_pause_ms(attempt));
		err = fn(self, why);
	}
	return err;
}

enum err tx_retry_on_loop(enum err (*fn)(void *self, struct why *why), void *self,
                          struct why *why)
{
	int64_t deadline_ms = clock_ms() + LOOP_RETRY_MS;
	enum err err = fn(self, why);

	for (int tries = 1; err == ERR_RACE && tries < LOOP_RETRY_MAX &&
	                    clock_ms() < deadline_ms; tries++)
		err = fn(self, why);
	return err;
}
