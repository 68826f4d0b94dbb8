#include <errmsg.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <string.h>

#include "runtime/db_private.h"

/* MySQL's numbers; the headers are MariaDB's. */
enum {
	MYSQL_QUERY_TIMEOUT = 3024,	/* max_execution_time */
	MYSQL_CHECK_VIOLATED = 3819,
	MYSQL_CLIENT_IDLE = 4031,
};

#define ALREADY        "the row already exists"
#define IN_USE         "the row is still in use"
#define PARENT_GONE    "the parent row no longer exists"
#define FORBIDDEN      "a rule of the table forbids the value"
#define TOO_LONG       "the value is too long"
#define OUT_OF_RANGE   "the value is out of range"
#define UNFIT          "the value is not valid"

/*
 * The meaning of each error. WORDS replace a text that contains a value. The name after
 * MARKER in that text (a key, a column) is kept. Without WORDS the server's text is used.
 */
static const struct row {
	unsigned number;
	enum err err;
	enum db_connection connection;
	const char *words, *marker;
} table[] = {
	/*
	 * Another transaction won, or the server aborted this one: the whole transaction
	 * runs again.
	 */
	{ ER_LOCK_DEADLOCK,              ERR_RACE,        DB_STAYS },
	{ ER_CHECKREAD,                  ERR_RACE,        DB_STAYS },
	{ ER_ERROR_DURING_COMMIT,        ERR_RACE,        DB_STAYS },
	{ ER_QUERY_INTERRUPTED,          ERR_RACE,        DB_STAYS },
	{ ER_STATEMENT_TIMEOUT,          ERR_BUSY,        DB_STAYS },
	{ MYSQL_QUERY_TIMEOUT,           ERR_BUSY,        DB_STAYS },

	/* The same. Or a Galera node got no answer from its cluster (wsrep_sync_wait). */
	{ ER_LOCK_WAIT_TIMEOUT,          ERR_RACE,        DB_UNCERTAIN },

	/* The connection is lost, with all uncommitted changes. */
	{ CR_CONNECTION_ERROR,           ERR_RACE,        DB_LOST },
	{ CR_CONN_HOST_ERROR,            ERR_RACE,        DB_LOST },
	{ CR_SERVER_GONE_ERROR,          ERR_RACE,        DB_LOST },
	{ CR_SERVER_LOST,                ERR_RACE,        DB_LOST },
	{ CR_SERVER_LOST_EXTENDED,       ERR_RACE,        DB_LOST },
	{ CR_SSL_CONNECTION_ERROR,       ERR_RACE,        DB_LOST },	/* 2013, by TLS */
	{ CR_MALFORMED_PACKET,           ERR_RACE,        DB_LOST },
	{ CR_ERR_NET_READ,               ERR_RACE,        DB_LOST },
	{ CR_ERR_NET_WRITE,              ERR_RACE,        DB_LOST },
	{ CR_NEW_STMT_METADATA,          ERR_RACE,        DB_LOST },
	{ ER_SERVER_SHUTDOWN,            ERR_RACE,        DB_LOST },
	{ ER_CONNECTION_KILLED,          ERR_RACE,        DB_LOST },
	{ MYSQL_CLIENT_IDLE,             ERR_RACE,        DB_LOST },
	{ ER_UNKNOWN_STMT_HANDLER,       ERR_RACE,        DB_LOST },

	/* This host is read-only, not in the cluster, or full. */
	{ ER_UNKNOWN_COM_ERROR,          ERR_UNREACHABLE, DB_REFUSED },
	{ ER_OPTION_PREVENTS_STATEMENT,  ERR_UNREACHABLE, DB_REFUSED },
	{ ER_READ_ONLY_MODE,             ERR_UNREACHABLE, DB_REFUSED },
	{ ER_CON_COUNT_ERROR,            ERR_UNREACHABLE, DB_REFUSED },

	/*
	 * The account has lost its rights or its database. A connection keeps the rights
	 * that it had at its start, so new rights count only for a new connection.
	 */
	{ ER_DBACCESS_DENIED_ERROR,      ERR_UNREACHABLE, DB_REFUSED },
	{ ER_ACCESS_DENIED_ERROR,        ERR_UNREACHABLE, DB_REFUSED },
	{ ER_TABLEACCESS_DENIED_ERROR,   ERR_UNREACHABLE, DB_REFUSED },
	{ ER_COLUMNACCESS_DENIED_ERROR,  ERR_UNREACHABLE, DB_REFUSED },
	{ ER_NO_DB_ERROR,                ERR_UNREACHABLE, DB_REFUSED },
	{ ER_BAD_DB_ERROR,               ERR_UNREACHABLE, DB_REFUSED },

	/* Temporary limits, or limits that an operator can raise. */
	{ ER_DISK_FULL,                  ERR_BUSY,        DB_STAYS },
	{ ER_RECORD_FILE_FULL,           ERR_BUSY,        DB_STAYS },
	{ ER_MAX_PREPARED_STMT_COUNT_REACHED, ERR_BUSY,   DB_STAYS },
	{ ER_NET_PACKET_TOO_LARGE,       ERR_TOO_LARGE,   DB_LOST },
	{ CR_NET_PACKET_TOO_LARGE,       ERR_TOO_LARGE,   DB_LOST },

	/* Conflicts with the rows. */
	{ ER_DUP_ENTRY,             ERR_EXISTS,   DB_STAYS, ALREADY,      "for key " },
	{ ER_ROW_IS_REFERENCED_2,   ERR_CONFLICT, DB_STAYS, IN_USE,       "CONSTRAINT " },
	{ ER_NO_REFERENCED_ROW_2,   ERR_CONFLICT, DB_STAYS, PARENT_GONE,  "CONSTRAINT " },
	{ ER_CONSTRAINT_FAILED,     ERR_INTERNAL, DB_STAYS, FORBIDDEN,    "CONSTRAINT " },
	{ MYSQL_CHECK_VIOLATED,     ERR_INTERNAL, DB_STAYS, FORBIDDEN,    "constraint " },
	{ ER_DATA_TOO_LONG,         ERR_INVALID,  DB_STAYS, TOO_LONG,     "for column " },
	{ ER_WARN_DATA_OUT_OF_RANGE, ERR_INVALID, DB_STAYS, OUT_OF_RANGE, "for column " },
	{ ER_TRUNCATED_WRONG_VALUE_FOR_FIELD,
	                            ERR_INVALID,  DB_STAYS, UNFIT,        "for column " },
	{ WARN_DATA_TRUNCATED,      ERR_INVALID,  DB_STAYS, UNFIT,        "for column " },
	{ ER_TRUNCATED_WRONG_VALUE, ERR_INVALID,  DB_STAYS, UNFIT,        "for column " },
	{ ER_DATA_OUT_OF_RANGE,     ERR_INTERNAL, DB_STAYS, OUT_OF_RANGE, NULL },
};

static const struct row *db_error_find(unsigned number)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (table[i].number == number)
			return &table[i];
	return NULL;
}

/*
 * Copies the name after the last marker, without quotes. A bound value comes before it in
 * the server's text, and may contain the marker.
 */
static void db_error_name(const char *text, const char *marker, char *name, size_t size)
{
	const char *at = NULL, *next = marker ? strstr(text, marker) : NULL;
	size_t len = 0;

	for (; next; next = strstr(next + 1, marker))
		at = next + strlen(marker);
	if (at && *at == '\'')
		at++;
	for (; at && *at && !strchr("' ", *at) && len + 1 < size; at++)
		if (*at != '`')
			name[len++] = *at;
	name[len] = 0;
}

static void db_error_explain(const struct row *row, unsigned number, const char *text,
                             struct why *why)
{
	char name[128] = "";

	if (!row || !row->words) {
		fail(why, OK, "database: %s (%u)", text, number);
		return;
	}
	db_error_name(text, row->marker, name, sizeof name);
	fail(why, OK, "database: %s%s%s (%u)", row->words, name[0] ? ": " : "", name,
	     number);
}

/*
 * True: the error comes from the client library, so the state of the connection is
 * unknown.
 */
static bool db_error_is_of_client(unsigned number)
{
	return number == 0 || number / 1000 == CR_MIN_ERROR / 1000 ||
	       number / 1000 == CER_MIN_ERROR / 1000;
}

struct db_error db_error(unsigned number, const char *text, struct why *why)
{
	const struct row *row = db_error_find(number);

	db_error_explain(row, number, text, why);
	if (row)
		return (struct db_error){ row->err, row->connection };
	return (struct db_error){ ERR_INTERNAL,
		                  db_error_is_of_client(number) ? DB_LOST : DB_STAYS };
}
