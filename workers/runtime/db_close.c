/*
 * db_close -- closes a connection and its prepared statements, and handles failures that
 * end it.
 */
#include <mysqld_error.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "runtime/db_mysql.h"

enum { REFUSED_MS = 15 * 1000 };	/* for db_refusal() */

void db_statement_close(struct db *db, struct db_statement *statement)
{
	HASH_DEL(db->statements, statement);
	mysql_stmt_close(statement->stmt);
	arena_free(&statement->row);
	free(statement->params);
	free(statement->columns);
	free(statement->cells);
	free(statement);
}

/* Call it after mysql_close(), which detaches the statements. */
static void db_close_statements(struct db *db)
{
	struct db_statement *statement, *next;

	db->reading = NULL;
	HASH_ITER(hh, db->statements, statement, next)
		db_statement_close(db, statement);
}

void db_forget(struct db *db)
{
	mysql_close(db->mysql);
	db_close_statements(db);
	db->mysql = NULL;
	db->host = NULL;
	db->in_transaction = false;
	db->uncertain = false;
}

/* Without shutdown() mysql_close() would wait for a silent server. */
void db_drop(struct db *db, const char *reason)
{
	log_warn("connection to the database lost: host=%s reason=\"%s\"",
	         db->host->text, reason);
	db->host->failed_until_ms = clock_ms() + HOST_FAILED_MS;
	shutdown(mysql_get_socket(db->mysql), SHUT_RDWR);
	db_forget(db);
}

static enum err db_found_locked(struct db *db, struct why *why)
{
	db->locked++;
	return fail(why, ERR_LOCKED,
	            "another transaction is changing the same rows: try again later");
}

/* With several hosts a refusal is a race: the next run uses another host. */
enum err db_failed(struct db *db, unsigned number, const char *text, struct why *why)
{
	struct db_error error = db_error(number, text, why);

	if (error.connection == DB_UNCERTAIN)
		db->uncertain = true;
	if (number == ER_LOCK_WAIT_TIMEOUT && db->no_lock_wait)
		return db_found_locked(db, why);
	if (error.connection == DB_STAYS || error.connection == DB_UNCERTAIN)
		return error.err;
	if (error.connection == DB_REFUSED) {
		db->refused_until_ms = clock_ms() + REFUSED_MS;
		db->refusal = *why;
	}
	db_drop(db, why->text);
	if (error.connection == DB_REFUSED && db->hosts.count > 1)
		return ERR_RACE;
	return error.err;
}

enum err db_check_transaction(const struct db *db, struct why *why)
{
	if (!db->in_transaction || db->mysql->server_status & SERVER_STATUS_IN_TRANS)
		return OK;
	return fail(why, ERR_RACE, "the database server rolled back the transaction");
}
