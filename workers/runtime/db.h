/*
 * db -- a connection to MySQL or MariaDB. Only the files db* use the client library.
 *
 * At its first use, a struct db connects to the first host of the list that accepts the
 * connection. After the connection is lost, the struct db connects again. A struct db
 * runs statements with bound values as prepared statements, and keeps the last 256
 * prepared statements for later calls. Each read and write of the connection has a time
 * limit. The files db* never set the option RECONNECT of the library, because RECONNECT
 * would hide the loss of a transaction. Only one thread may use a struct db.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/option.h"

struct db;

struct db_config {
	char *host;		/* list of hosts: "127.0.0.1:3306,db2,/socket" */
	char *user, *password, *name;
	/*
	 * file with CA certificates. If tls_ca is set, the connection uses TLS, and db
	 * verifies the server with these certificates
	 */
	char *tls_ca;
	/*
	 * true: the connection uses TLS, and db verifies the server. If tls_ca is not
	 * set, db uses the CA certificates of the system
	 */
	bool tls;
	int timeout_s;		/* time limit of one statement */
	/*
	 * For connections with long transactions; the settings file has no such options.
	 * HOLD_S is the time limit of a wait for a locked row. On MariaDB, HOLD_S is
	 * also the time after which the server ends an idle transaction. If HOLD_S is 0,
	 * the first limit is half of timeout_s, and the second limit is 30 % of
	 * timeout_s. READ_COMMITTED: the connection locks rows without the gaps between
	 * the rows, and each statement has its own snapshot. With READ_COMMITTED, a
	 * server with a binary log and binlog_format = STATEMENT counts as unreachable,
	 * and the error says which setting to change.
	 */
	int hold_s;
	bool read_committed;
};
extern const struct option db_options[];	/* with offsets into struct db_config */

/* Checks the list of hosts, for --check. */
enum err db_check(const struct db_config *config, struct why *why);
/*
 * Returns a new struct db, which has no connection yet. Borrows CONFIG. An invalid list
 * of hosts is fatal. The program must ignore SIGPIPE.
 */
struct db *db_new(const struct db_config *config);
void db_free(struct db **db);
/*
 * Call db_set_no_lock_wait() before the first use of DB, if the thread of a loop uses
 * DB. After this call, a statement does not wait for a row that another transaction has
 * locked. The statement fails with ERR_LOCKED (on MySQL, after 1 s). A statement with
 * SKIP LOCKED must begin with TX_SKIPS_LOCKED.
 */
void db_set_no_lock_wait(struct db *db);
/*
 * Returns the number of statements that have ended in ERR_LOCKED since the last call of
 * db_take_locked().
 */
int64_t db_take_locked(struct db *db);
/*
 * Tests the connection, and connects if necessary. ERR_UNREACHABLE: no host accepted the
 * connection. In this case, all calls in the next 200 ms to 5 s fail immediately,
 * without an attempt to connect. Do not call db_ping() within a transaction.
 */
enum err db_ping(struct db *db, struct why *why);
bool db_is_up(const struct db *db);
/*
 * Returns the reason why a server refused a statement, for example because the server is
 * read-only. NULL: no server has refused a statement in the last 15 s, or a write has
 * succeeded since the refusal. Only the thread that uses DB may call db_refusal().
 */
const char *db_refusal(const struct db *db);
/*
 * Runs statements separated by `;`, without bound values. For migrations only. Stops at
 * the first failure.
 */
enum err db_script(struct db *db, const char *sql, struct why *why);
