#include <errmsg.h>
#include <errno.h>
#include <mysqld_error.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/db_mysql.h"
#include "runtime/sql_script.h"

enum {
	CONNECT_TIMEOUT_S = 5,
	PROMPT_MS = 1000,		/* a loss after this time may be a timeout */
};
static const size_t packet_bytes_max = 64 << 20;	/* a row with two MEDIUMBLOBs */

/* The pause after a round without an answer: 200 ms to 5 s with jitter. */
static const struct backoff reconnect = { .first_ms = 270, .max_ms = 4000 };

#define AT(member) offsetof(struct db_config, member)
const struct option db_options[] = {
	{ "host", OPTION_TEXT, AT(host), "127.0.0.1", .min = 1, .max = 1024,
	  .help = "database servers: NAME:PORT or /SOCKET, separated by commas. The "
	  "program tries the servers in this order" },
	{ "user", OPTION_TEXT, AT(user), "zonefleet", .min = 1, .max = 128,
	  .help = "account of the program on the database server" },
	{ "password", OPTION_SECRET, AT(password), NULL,
	  .help = "password of the account" },
	{ "name", OPTION_TEXT, AT(name), "zonefleet", .min = 1, .max = 64,
	  .help = "name of the database" },
	{ "tls", OPTION_BOOL, AT(tls), "false",
	  .help = "encrypt the connection to the database server, and verify the server "
	  "with the CA certificates of the system" },
	{ "tls_ca", OPTION_TEXT, AT(tls_ca), NULL, .min = 1, .max = 4096,
	  .help = "file with CA certificates (PEM). If tls_ca is set, the program "
	  "encrypts the connection to the database server and verifies the server with "
	  "these certificates", .file = OPTION_FILE },
	{ "timeout", OPTION_SECONDS, AT(timeout_s), "10", .min = 1, .max = 3600,
	  .help = "time limit of one SQL statement. If a statement takes longer, the "
	  "program closes the connection to the database server" },
	{ 0 }
};

/* ---- open and close ---- */

static void db_library_init(void)
{
	if (mysql_library_init(0, NULL, NULL))
		fatal("cannot start the database library");
}

enum err db_check(const struct db_config *config, struct why *why)
{
	struct db_hosts hosts;
	enum err err = db_hosts_parse(config->host, &hosts, why);

	if (!err)
		db_hosts_clear(&hosts);
	return err;
}

struct db *db_new(const struct db_config *config)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct db *db = xcalloc(1, sizeof *db);
	struct why why;

	bug_if(config->timeout_s <= 0);
	pthread_once(&once, db_library_init);
	db->config = config;
	db->timeout_s = config->timeout_s;
	if (db_hosts_parse(config->host, &db->hosts, &why))
		fatal("%s", why.text);
	return db;
}

/* Closes the connection in good order, with a message to the server. */
static void db_close_connection(struct db *db)
{
	db_select_end(db);
	if (db->mysql)
		db_forget(db);
}

void db_free(struct db **db)
{
	if (!*db)
		return;
	db_close_connection(*db);
	db_hosts_clear(&(*db)->hosts);
	free(*db);
	*db = NULL;
}

bool db_is_up(const struct db *db)
{
	return db->mysql;
}

const char *db_refusal(const struct db *db)
{
	return clock_ms() < db->refused_until_ms ? db->refusal.text : NULL;
}

void db_set_timeout(struct db *db, int timeout_s)
{
	bug_if(db->in_transaction);
	db_close_connection(db);
	db->timeout_s = timeout_s ? timeout_s : db->config->timeout_s;
}

void db_set_no_lock_wait(struct db *db)
{
	bug_if(db->mysql);
	db->no_lock_wait = true;
}

int64_t db_take_locked(struct db *db)
{
	int64_t locked = db->locked;

	db->locked = 0;
	return locked;
}

/* ---- failures ---- */

static enum err db_query_failed(struct db *db, struct why *why)
{
	return db_failed(db, mysql_errno(db->mysql), mysql_error(db->mysql), why);
}

/* Runs a text without values. Discards rows. */
static enum err db_query(struct db *db, const char *sql, size_t len, struct why *why)
{
	if (mysql_real_query(db->mysql, sql, len))
		return db_query_failed(db, why);
	mysql_free_result(mysql_use_result(db->mysql));
	return mysql_errno(db->mysql) ? db_query_failed(db, why) : OK;
}

/* A Galera node outside of its cluster accepts clients, but refuses this (1047). */
static enum err db_test_host(struct db *db, struct why *why)
{
	static const char sql[] = "DO 1";

	db->uncertain = false;
	return db_query(db, sql, sizeof sql - 1, why);
}

/* ---- the session ---- */

/*
 * Strict mode, so that the server does not silently cut or wrap values. Times are UTC.
 * REPEATABLE READ: a transaction reads one state. With innodb_snapshot_isolation a write
 * to a row that changed since is an error (1020, a race). READ COMMITTED would allow lost
 * updates on a Galera cluster. A transaction that locks its row first takes its snapshot
 * after the lock. So transactions that wait for the lock read the newest state and
 * succeed.
 */
static const char *const session[] = {
	"SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,"
	"NO_ENGINE_SUBSTITUTION,NO_UNSIGNED_SUBTRACTION', time_zone = '+00:00', "
	"autocommit = 1",
	"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
};
static const char read_committed[] =
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";

#define LOCK_WAIT       "innodb_lock_wait_timeout"
#define STATEMENT_LIMIT "max_statement_time"
#define ISOLATION       "innodb_snapshot_isolation"

/*
 * Settings that only some servers have. A limit is a share of the client's timeout, so
 * that the server gives up first and the connection survives. The idle limit is for a
 * client that hangs in a transaction, or whose host died. With it the client keeps its
 * row locks for less time than other clients with the same timeout wait for them (from 4
 * s on). Without it the client would keep them until the server notices the dead
 * connection.
 */
static const struct {
	const char *name;
	int value;		/* 0: PERCENT of the timeout, with UNIT per second */
	int percent, unit;
	bool is_hold;		/* hold_s, if set */
} settings[] = {
	{ LOCK_WAIT,                   0, 50, 1, true },
	{ "idle_transaction_timeout",  0, 30, 1, true },	/* MariaDB */
	{ "net_write_timeout",         0,  0, 1, true },	/* rows left unread */
	{ ISOLATION,                   1           },	/* MariaDB, 10.6.18 and 10.11.8 */
	{ STATEMENT_LIMIT,             0, 80, 1    },	/* MariaDB: any statement */
	{ "max_execution_time",        0, 80, 1000 },	/* MySQL: SELECT */
	{ "wsrep_sync_wait",           1           },	/* Galera: no stale reads */
};

/* Returns at least 1, because 0 would mean no limit. 0: keep the server's value. */
static int session_setting(const struct db *db, size_t i)
{
	int64_t limit = db->timeout_s;

	if (settings[i].is_hold && db->config->hold_s)
		return db->config->hold_s;
	if (settings[i].value || !settings[i].percent)
		return settings[i].value;
	limit = limit * settings[i].unit * settings[i].percent / 100;
	return limit > 0 ? limit : 1;
}

static enum err session_set(struct db *db, const char *name, int value, struct why *why)
{
	struct buf sql = { 0 };
	enum err err = OK;
	bool refused;

	buf_printf(&sql, "SET SESSION %s = %d", name, value);
	refused = mysql_real_query(db->mysql, buf_string(&sql), sql.len) != 0;
	if (strcmp(name, STATEMENT_LIMIT) == 0)
		db->limits_statements = !refused;
	if (strcmp(name, ISOLATION) == 0)
		db->isolates_snapshots = !refused;
	if (refused && mysql_errno(db->mysql) != ER_UNKNOWN_SYSTEM_VARIABLE)
		err = db_query_failed(db, why);
	buf_clear(&sql);
	return err;
}

static enum err db_query_number(struct db *db, const char *sql, uint64_t *number,
                                struct why *why)
{
	MYSQL_RES *result = NULL;
	MYSQL_ROW row = NULL;

	if (!mysql_real_query(db->mysql, sql, strlen(sql)))
		result = mysql_store_result(db->mysql);
	if (!result)
		return db_query_failed(db, why);
	row = mysql_fetch_row(result);
	*number = row && row[0] ? strtoull(row[0], NULL, 10) : 0;
	mysql_free_result(result);
	return OK;
}

/* A server with binlog_format STATEMENT refuses writes of such a session (1665). */
static enum err session_set_read_committed(struct db *db, struct why *why)
{
	uint64_t refuses = 0;
	enum err err = db_query(db, read_committed, sizeof read_committed - 1, why);

	if (!err)
		err = db_query_number(
		    db, "SELECT @@log_bin AND @@binlog_format = 'STATEMENT'", &refuses,
		    why);
	if (err || !refuses)
		return err;
	return fail(why, ERR_UNREACHABLE,
	            "binlog_format of the database server must be ROW or MIXED, not "
	            "STATEMENT: with STATEMENT, the server refuses the writes of imports "
	            "and the removal of old rows");
}

/*
 * A server closes the connection while it receives a statement that is too large, and
 * then the reason may be lost. So packet_max is read first.
 */
static enum err session_start(struct db *db, struct why *why)
{
	enum err err =
	    db_query_number(db, "SELECT @@max_allowed_packet", &db->packet_max, why);

	for (size_t i = 0; !err && i < sizeof session / sizeof session[0]; i++)
		err = db_query(db, session[i], strlen(session[i]), why);
	if (!err && db->config->read_committed)
		err = session_set_read_committed(db, why);
	for (size_t i = 0; !err && i < sizeof settings / sizeof settings[0]; i++) {
		int value = session_setting(db, i);

		if (value)
			err = session_set(db, settings[i].name, value, why);
	}
	if (!err && db->no_lock_wait)
		/* MySQL has no shorter wait */
		err = session_set(db, LOCK_WAIT, db->limits_statements ? 0 : 1, why);
	return err ? err : db_test_host(db, why);
}

bool db_limits_statements(const struct db *db)
{
	return db->limits_statements;
}

bool db_isolates_snapshots(const struct db *db)
{
	return db->isolates_snapshots;
}

/* ---- connecting ---- */

static bool db_wants_tls(const struct db_config *config)
{
	return config->tls || config->tls_ca;
}

/* SSL_ENFORCE and a CA alone do not enforce TLS. VERIFY_SERVER_CERT does. */
static void db_set_tls(MYSQL *mysql, const struct db_config *config)
{
	my_bool on = 1;

	mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
	mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &on);
	mysql_optionsv(mysql, MYSQL_OPT_TLS_VERSION, "TLSv1.2,TLSv1.3");
	if (config->tls_ca)
		mysql_optionsv(mysql, MYSQL_OPT_SSL_CA, config->tls_ca);
}

static void db_set_options(MYSQL *mysql, const struct db *db, const struct db_host *host)
{
	unsigned timeout_s = db->timeout_s, local_infile = 0;
	unsigned connect_s = timeout_s < CONNECT_TIMEOUT_S ? timeout_s :
	                                                     CONNECT_TIMEOUT_S;
	unsigned protocol = host->port ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
	my_bool off = 0;

	mysql_optionsv(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
	mysql_optionsv(mysql, MYSQL_OPT_READ_TIMEOUT, &timeout_s);
	mysql_optionsv(mysql, MYSQL_OPT_WRITE_TIMEOUT, &timeout_s);
	mysql_optionsv(mysql, MYSQL_OPT_RECONNECT, &off);
	mysql_optionsv(mysql, MYSQL_OPT_LOCAL_INFILE, &local_infile);
	mysql_optionsv(mysql, MYSQL_OPT_PROTOCOL, &protocol);
	mysql_optionsv(mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet_bytes_max);
	mysql_optionsv(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	if (db_wants_tls(db->config))
		db_set_tls(mysql, db->config);
}

static MYSQL *db_real_connect(MYSQL *mysql, const struct db_config *config,
                              const struct db_host *host)
{
	return mysql_real_connect(mysql, host->port ? host->name : NULL, config->user,
	                          config->password, config->name, host->port,
	                          host->port ? NULL : host->name, CLIENT_FOUND_ROWS);
}

static enum err db_open_host(struct db *db, struct db_host *host, struct why *why)
{
	MYSQL *mysql = mysql_init(NULL);

	if (!mysql)
		fatal("out of memory: cannot make a database connection");
	db_set_options(mysql, db, host);
	errno = 0;
	if (!db_real_connect(mysql, db->config, host)) {
		descriptors_lack("the database");
		fail(why, OK, "%s (%u)", mysql_error(mysql), mysql_errno(mysql));
		mysql_close(mysql);
		return ERR_UNREACHABLE;
	}
	if (db_wants_tls(db->config) && !mysql_get_ssl_cipher(mysql)) {
		mysql_close(mysql);
		return fail(why, ERR_UNREACHABLE,
		            "the settings require TLS, but the connection to the "
		            "database is not encrypted");
	}
	db->mysql = mysql;
	db->host = host;
	return OK;
}

static enum err db_try_host(struct db *db, struct db_host *host, struct why *why)
{
	enum err err = db_open_host(db, host, why);

	host->tried = true;
	if (!err)
		err = session_start(db, why);
	if (!err) {
		log_info("database connected: host=%s", host->text);
		return OK;
	}
	db_close_connection(db);
	host->failed_until_ms = clock_ms() + HOST_FAILED_MS;
	log_warn("database unreachable: host=%s reason=\"%s\"", host->text, why->text);
	return err;
}

/* Tries the hosts that were not tried in this round. */
static bool db_try_hosts(struct db *db, bool with_failed, struct why *why)
{
	for (size_t i = 0; i < db->hosts.count; i++) {
		struct db_host *host = &db->hosts.item[i];

		if (host->tried || (!with_failed && clock_ms() < host->failed_until_ms))
			continue;
		if (!db_try_host(db, host, why))
			return true;
	}
	return false;
}

static void db_set_untried(struct db *db)
{
	for (size_t i = 0; i < db->hosts.count; i++)
		db->hosts.item[i].tried = false;
}

/*
 * If no host answered, all calls fail immediately for a while, so that requests do not
 * wait. After a round that hung, this time is as long as the round. Otherwise requests
 * would only wait.
 */
static void db_open_breaker(struct db *db, int64_t round_ms, const struct why *reason)
{
	int64_t pause_ms = backoff_ms(&reconnect, db->failures++, random_u32());

	if (round_ms > reconnect.max_ms)
		round_ms = reconnect.max_ms;
	if (pause_ms < round_ms)
		pause_ms = round_ms;
	db->breaker_until_ms = clock_ms() + pause_ms;
	fail(&db->breaker_why, OK, "cannot connect to the database: %s", reason->text);
}

static enum err db_reconnect(struct db *db, struct why *why)
{
	int64_t started_ms = clock_ms();
	struct why reason;

	if (started_ms < db->breaker_until_ms)
		return fail(why, ERR_UNREACHABLE, "%s", db->breaker_why.text);
	db_set_untried(db);
	if (db_try_hosts(db, false, &reason) || db_try_hosts(db, true, &reason)) {
		db->failures = 0;
		return OK;
	}
	db_open_breaker(db, clock_ms() - started_ms, &reason);
	return fail(why, ERR_UNREACHABLE, "%s", db->breaker_why.text);
}

/* Between statements a server sends only the end of the connection. */
static bool db_is_hung_up(const struct db *db)
{
	struct pollfd pollfd = { .fd = mysql_get_socket(db->mysql), .events = POLLIN };

	return !db->reading && poll(&pollfd, 1, 0) > 0;
}

enum err db_connect(struct db *db, struct why *why)
{
	struct why refusal;

	if (db->mysql && db_is_hung_up(db))
		db_drop(db, "the database server closed the idle connection");
	if (db->mysql && db->uncertain)
		db_test_host(db, &refusal);
	return db->mysql ? OK : db_reconnect(db, why);
}

/* After a timeout the statement is not sent a second time. */
static bool db_was_lost_promptly(const struct db *db, int64_t started_ms)
{
	return !db->mysql && clock_ms() - started_ms < PROMPT_MS;
}

static enum err db_query_connected(struct db *db, const char *sql, struct why *why)
{
	int64_t started_ms = clock_ms();
	enum err err = db_connect(db, why);

	if (err)
		return err;
	err = db_query(db, sql, strlen(sql), why);
	if (!err || !db_was_lost_promptly(db, started_ms))
		return err;
	err = db_connect(db, why);
	return err ? err : db_query(db, sql, strlen(sql), why);
}

enum err db_ping(struct db *db, struct why *why)
{
	bug_if(db->in_transaction || db->reading);
	return db_query_connected(db, "DO 1", why);
}

/* ---- transactions ---- */

enum err db_begin(struct db *db, const char *start, struct why *why)
{
	enum err err;

	bug_if(db->in_transaction || db->reading);
	err = db_query_connected(db, start, why);
	db->in_transaction = !err;
	return err;
}

bool db_in_transaction(const struct db *db)
{
	return db->in_transaction;
}

uint64_t db_next_tx(struct db *db)
{
	return ++db->tx_count;
}

bool db_is_tx_at(struct db *db, uint64_t number, const void *place)
{
	if (db->tx.number == number)
		return db->tx.place == place;
	db->tx.number = number;
	db->tx.place = place;
	return true;
}

enum err db_commit(struct db *db, struct why *why)
{
	static const char sql[] = "COMMIT";
	enum err err = db_check_transaction(db, why);

	if (!err)
		err = db_query(db, sql, strlen(sql), why);
	if (err)
		db_rollback(db);
	db->in_transaction = false;
	return err;
}

/* A transaction that cannot be rolled back ends when its connection is closed. */
void db_rollback(struct db *db)
{
	static const char sql[] = "ROLLBACK";
	struct why why;

	db_select_end(db);
	if (!db->in_transaction)
		return;
	if (db_query(db, sql, strlen(sql), &why) && db->mysql)
		db_drop(db, why.text);
	db->in_transaction = false;
}

/* ---- scripts ---- */

enum err db_script(struct db *db, const char *sql, struct why *why)
{
	struct script script = sql_script_start(sql);
	enum err err;

	bug_if(db->in_transaction || db->reading);
	err = db_connect(db, why);
	while (!err && sql_script_next(&script)) {
		struct why reason;

		err = db_query(db, script.statement, script.len, &reason);
		if (err)
			fail(why, err, "line %d: %s", script.line, reason.text);
	}
	return err;
}
