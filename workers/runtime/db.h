/*
 * db -- a connection to MySQL or MariaDB; the only module that knows the
 * client library. It connects when it is first used and again when it was
 * lost, to the first healthy host of the list; prepared statements only, kept
 * by the connection; read and write deadlines on; never RECONNECT (a lost
 * transaction must be seen as lost). One thread uses one struct db.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/option.h"

struct db;

struct db_config {
	char *host;		/* "127.0.0.1:3306,db2,/socket": tried in order */
	char *user, *password, *name;
	char *tls_ca;		/* given: TLS, the server verified, or no connection */
	bool tls;		/* the same by the system's authorities */
	int timeout_s;		/* of one statement on the wire */
	/*
	 * For connections with long transactions; the settings file has no such options.
	 * HOLD_S limits how long the connection waits for a lock. The server also ends a
	 * transaction that stands still for HOLD_S. 0: a share of the timeout.
	 * READ_COMMITTED: the connection locks rows without the gaps between them, and
	 * each statement has its own snapshot. A server whose
	 * binary log has statements (binlog_format) is unreachable then, and the reason says
	 * what to set.
	 */
	int hold_s;
	bool read_committed;
};
extern const struct option db_options[];	/* offsets into struct db_config */

/* Rules that no row of the options can tell: is host a list of hosts? For --check. */
enum err db_check(const struct db_config *config, struct why *why);
/*
 * Does not connect. Borrows config; a wrong host list is fatal. SIGPIPE must be ignored.
 */
struct db *db_new(const struct db_config *config);
void db_free(struct db **db);
/*
 * Connects if need be. ERR_UNREACHABLE says that no host answered; for 200 ms to 5 s
 * after that db fails so at once, without trying. Not within a transaction.
 */
enum err db_ping(struct db *db, struct why *why);
bool db_is_up(const struct db *db);
/*
 * What a server refused in the last 15 s, in words, if it took no write since: it is
 * read-only, or the account may not. NULL: nothing. For the thread that uses it.
 */
const char *db_refusal(const struct db *db);
/*
 * Statements with `;` between them that take no values, for migrations only. Stops at a
 * failure.
 */
enum err db_script(struct db *db, const char *sql, struct why *why);
