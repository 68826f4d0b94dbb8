/*
 * db_statement -- prepared statements. They are kept by their text, run with values, and
 * read row by row.
 *
 * Columns with numbers are bound. All other columns are bound without a buffer, which
 * gives their length. Their bytes are then fetched once, to their final place.
 */
#include <errmsg.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "runtime/db_mysql.h"
#include "runtime/tx.h"

enum { STATEMENTS_MAX = 256 };

/* ---- the cache ---- */

/* After a failed read of a row only the connection has the error. */
static enum err statement_failed(struct db *db, MYSQL_STMT *stmt, struct why *why)
{
	if (mysql_stmt_errno(stmt))
		return db_failed(db, mysql_stmt_errno(stmt), mysql_stmt_error(stmt), why);
	return db_failed(db, mysql_errno(db->mysql), mysql_error(db->mysql), why);
}

static struct db_statement *statement_new(MYSQL_STMT *stmt, const char *sql, size_t len)
{
	struct db_statement *statement = xcalloc(1, sizeof *statement + len + 1);

	memcpy(statement->sql, sql, len);
	statement->stmt = stmt;
	statement->param_count = mysql_stmt_param_count(stmt);
	statement->column_count = mysql_stmt_field_count(stmt);
	statement->params = xcalloc(statement->param_count, sizeof *statement->params);
	statement->columns = xcalloc(statement->column_count, sizeof *statement->columns);
	statement->cells = xcalloc(statement->column_count, sizeof *statement->cells);
	return statement;
}

static enum err statement_prepare(struct db *db, const char *sql, size_t len,
                                  struct db_statement **statement, struct why *why)
{
	MYSQL_STMT *stmt = mysql_stmt_init(db->mysql);
	enum err err;

	if (!stmt)
		fatal("out of memory: cannot make a statement");
	if (mysql_stmt_prepare(stmt, sql, len)) {
		err = statement_failed(db, stmt, why);
		mysql_stmt_close(stmt);
		return err;
	}
	*statement = statement_new(stmt, sql, len);
	if (HASH_COUNT(db->statements) >= STATEMENTS_MAX)
		db_statement_close(db, db->statements);
	return OK;
}

/*
 * The hash keeps the order of insertion, so its first statement is the longest unused
 * one.
 */
static enum err statement_find(struct db *db, const char *sql,
                               struct db_statement **statement, struct why *why)
{
	size_t len = strlen(sql);
	enum err err = OK;

	HASH_FIND(hh, db->statements, sql, len, *statement);
	if (*statement)
		HASH_DEL(db->statements, *statement);
	else
		err = statement_prepare(db, sql, len, statement, why);
	if (!err)
		HASH_ADD_KEYPTR(hh, db->statements, (*statement)->sql, len, *statement);
	return err;
}

/* ---- running ---- */

static const enum enum_field_types param_types[] = {
	[TX_NULL]  = MYSQL_TYPE_NULL,
	[TX_TEXT]  = MYSQL_TYPE_STRING,
	[TX_BYTES] = MYSQL_TYPE_BLOB,
	[TX_INT]   = MYSQL_TYPE_LONGLONG,
};

static void statement_bind_param(MYSQL_BIND *param, const struct tx_value *value)
{
	bug_if(value->type == TX_END);
	*param = (MYSQL_BIND){ .buffer_type = param_types[value->type] };
	if (value->type == TX_INT) {
		param->buffer = (void *)&value->number;
	} else {
		param->buffer = (void *)value->data;
		param->buffer_length = value->len;
		param->length = &param->buffer_length;
	}
}

enum { PACKET_HEAD = 64, VALUE_HEAD = 12 };	/* the largest overhead */

static enum err statement_check_size(const struct db *db, const struct tx_value *values,
                                     size_t count, struct why *why)
{
	uint64_t octets = PACKET_HEAD;

	for (size_t i = 0; i < count; i++)
		octets += VALUE_HEAD + values[i].len;
	if (octets <= db->packet_max)
		return OK;
	return fail(why, ERR_TOO_LARGE, "database: the statement has %llu bytes, more "
	            "than the server's max_allowed_packet (%llu)",
	            (unsigned long long)octets, (unsigned long long)db->packet_max);
}

static enum err statement_run(struct db *db, const char *sql,
                              const struct tx_value *values, size_t count,
                              struct db_statement **statement, struct why *why)
{
	enum err err;
	MYSQL_STMT *stmt;

	bug_if(db->reading);
	if (!db->mysql)		/* lost while the previous rows were read */
		return fail(why, ERR_RACE, "the connection to the database was lost");
	err = statement_check_size(db, values, count, why);
	if (err)
		return err;
	err = statement_find(db, sql, statement, why);
	if (!err)
		err = db_check_transaction(db, why);
	if (err)
		return err;
	bug_if(count != (*statement)->param_count);
	for (size_t i = 0; i < count; i++)
		statement_bind_param(&(*statement)->params[i], &values[i]);
	stmt = (*statement)->stmt;
	if (count && mysql_stmt_bind_param(stmt, (*statement)->params))
		return statement_failed(db, stmt, why);
	return mysql_stmt_execute(stmt) ? statement_failed(db, stmt, why) : OK;
}

enum err db_execute(struct db *db, const char *sql, const struct tx_value *values,
                    size_t count, int64_t *matched, struct why *why)
{
	struct db_statement *statement;
	enum err err = statement_run(db, sql, values, count, &statement, why);

	if (err)
		return err;
	bug_if(statement->column_count);
	db->refused_until_ms = 0;
	*matched = mysql_stmt_affected_rows(statement->stmt);
	db->last_id = mysql_stmt_insert_id(statement->stmt);
	return OK;
}

uint64_t db_last_id(const struct db *db)
{
	return db->last_id;
}

/* ---- reading ---- */

static bool statement_is_number(const MYSQL_FIELD *field)
{
	switch (field->type) {
	case MYSQL_TYPE_TINY:
	case MYSQL_TYPE_SHORT:
	case MYSQL_TYPE_INT24:
	case MYSQL_TYPE_LONG:
	case MYSQL_TYPE_LONGLONG:
	case MYSQL_TYPE_YEAR:
		return true;
	default:
		return false;
	}
}

/*
 * The library does not give the length of the text of a float. The schema has no floats.
 */
static void statement_bind_column(MYSQL_BIND *column, struct cell *cell,
                                  const MYSQL_FIELD *field)
{
	bug_if(field->type == MYSQL_TYPE_FLOAT || field->type == MYSQL_TYPE_DOUBLE);
	column->length = &cell->len;
	column->is_null = &cell->is_null;
	column->buffer_type = MYSQL_TYPE_STRING;
	if (!statement_is_number(field))
		return;
	column->buffer_type = MYSQL_TYPE_LONGLONG;
	column->buffer = &cell->number;
	column->buffer_length = sizeof cell->number;
	column->is_unsigned = field->flags & UNSIGNED_FLAG ? 1 : 0;
}

static enum err statement_bind_columns(struct db *db, struct db_statement *statement,
                                       struct why *why)
{
	MYSQL_RES *meta;

	if (statement->is_bound)
		return OK;
	meta = mysql_stmt_result_metadata(statement->stmt);
	if (!meta)
		return statement_failed(db, statement->stmt, why);
	for (unsigned i = 0; i < statement->column_count; i++)
		statement_bind_column(&statement->columns[i], &statement->cells[i],
		                      mysql_fetch_field_direct(meta, i));
	mysql_free_result(meta);
	if (mysql_stmt_bind_result(statement->stmt, statement->columns))
		return statement_failed(db, statement->stmt, why);
	statement->is_bound = true;
	return OK;
}

enum err db_select(struct db *db, const char *sql, const struct tx_value *values,
                   size_t count, struct db_statement **statement, struct why *why)
{
	struct db_statement *found;
	enum err err = statement_run(db, sql, values, count, &found, why);

	if (err)
		return err;
	bug_if(!found->column_count);
	db->reading = found;
	err = statement_bind_columns(db, found, why);
	if (err) {
		db_select_end(db);
		return err;
	}
	*statement = found;
	return OK;
}

/*
 * The packet that ends the rows has the server status, which libmariadb 3.3 ignores: EOF,
 * warnings (2 octets), status (2 octets).
 */
static void statement_read_status(struct db *db)
{
	const uint8_t *packet = db->mysql->net.read_pos;

	if (packet[0] == 0xfe)
		db->mysql->server_status = packet[3] | (unsigned)packet[4] << 8;
}

/* MYSQL_DATA_TRUNCATED is normal, because the buffers are empty. */
enum err db_fetch(struct db *db, bool *found, struct why *why)
{
	struct db_statement *statement = db->reading;
	enum err err = OK;

	bug_if(!statement);
	if (statement->row)
		arena_reset(statement->row);
	switch (mysql_stmt_fetch(statement->stmt)) {
	case 0:
	case MYSQL_DATA_TRUNCATED:
		*found = true;
		return OK;
	case MYSQL_NO_DATA:
		statement_read_status(db);
		err = db_check_transaction(db, why);
		break;
	default:
		err = statement_failed(db, statement->stmt, why);
	}
	db_select_end(db);
	*found = false;
	return err;
}

/*
 * Here the library itself reads the status at the end. After an error libmariadb 3.3
 * would wait for rows in the next run of this statement, so the statement is closed.
 */
enum err db_select_all(struct db *db, struct why *why)
{
	struct db_statement *statement = db->reading;
	enum err err;

	if (!mysql_stmt_store_result(statement->stmt)) {
		err = db_check_transaction(db, why);
		if (err)
			db_select_end(db);
		return err;
	}
	err = statement_failed(db, statement->stmt, why);
	if (db->reading) {		/* the connection still exists */
		db->reading = NULL;
		db_statement_close(db, statement);
	}
	return err;
}

void db_select_end(struct db *db)
{
	struct db_statement *statement = db->reading;
	struct why why;

	if (!statement)
		return;
	db->reading = NULL;
	if (mysql_stmt_free_result(statement->stmt))
		statement_failed(db, statement->stmt, &why);
}

bool db_column_is_null(const struct db_statement *statement, unsigned column)
{
	bug_if(column >= statement->column_count);
	return statement->cells[column].is_null;
}

static enum err statement_refuse_int(struct db_statement *statement, unsigned column,
                                     struct why *why)
{
	size_t len;
	const char *text = db_column_bytes(statement, column, NULL, &len);

	return fail(why, ERR_INTERNAL,
	            "database: column %u must contain an integer, not '%s': %s",
	            column + 1, err_quote(text, (char[33]){ 0 }, 33), statement->sql);
}

/* A sum, a decimal or digits in a text: the library converts it, or reports an error. */
static enum err statement_convert_int(struct db_statement *statement, unsigned column,
                                      int64_t *number, struct why *why)
{
	long long converted = 0;
	my_bool error = 0;
	MYSQL_BIND bind = { .buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &converted,
		            .buffer_length = sizeof converted, .error = &error };

	if (mysql_stmt_fetch_column(statement->stmt, &bind, column, 0) || error)
		return statement_refuse_int(statement, column, why);
	*number = converted;
	return OK;
}

enum err db_column_int(struct db_statement *statement, unsigned column, int64_t *number,
                       struct why *why)
{
	const struct cell *cell = &statement->cells[column];
	const MYSQL_BIND *bind = &statement->columns[column];

	bug_if(column >= statement->column_count);
	if (cell->is_null)
		*number = 0;
	else if (bind->buffer_type != MYSQL_TYPE_LONGLONG)
		return statement_convert_int(statement, column, number, why);
	else if (bind->is_unsigned && cell->number < 0)
		return fail(why, ERR_INTERNAL, "database: column %u must contain an "
		            "integer below 2^63, not %llu: %s", column + 1,
		            (unsigned long long)cell->number, statement->sql);
	else
		*number = cell->number;
	return OK;
}

static struct arena *statement_row_arena(struct db_statement *statement)
{
	if (!statement->row)
		statement->row = arena_new();
	return statement->row;
}

static const void *statement_number_text(const struct db_statement *statement,
                                         unsigned column, struct arena *arena,
                                         size_t *len)
{
	long long number = statement->cells[column].number;
	bool is_unsigned = statement->columns[column].is_unsigned;
	char *text = is_unsigned ? arena_printf(arena, "%llu", (unsigned long long)number)
	                         : arena_printf(arena, "%lld", number);

	*len = strlen(text);
	return text;
}

const void *db_column_bytes(struct db_statement *statement, unsigned column,
                            struct arena *arena, size_t *len)
{
	const struct cell *cell = &statement->cells[column];
	MYSQL_BIND bind = { .buffer_type = MYSQL_TYPE_STRING };

	bug_if(column >= statement->column_count);
	*len = 0;
	if (cell->is_null)
		return NULL;
	if (!arena)
		arena = statement_row_arena(statement);
	if (statement->columns[column].buffer_type == MYSQL_TYPE_LONGLONG)
		return statement_number_text(statement, column, arena, len);
	bind.buffer = arena_alloc(arena, cell->len + 1);
	bind.buffer_length = cell->len;
	if (cell->len)
		bug_if(mysql_stmt_fetch_column(statement->stmt, &bind, column, 0));
	*len = cell->len;
	return bind.buffer;
}
