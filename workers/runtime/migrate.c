#include "runtime/migrate.h"

#include <inttypes.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "runtime/db_private.h"
#include "runtime/tx.h"

enum {
	LOCK_WAIT_S = 60,
	STATEMENT_TIMEOUT_S = 6 * 3600,	/* for an index over a large table */
	NAME_MAX_LEN = 64,
	CHECKSUM_LEN = 2 * SHA256_DIGEST_LENGTH,
};

#define LOCK_NAME "zonefleet_migrate"

static const char table_sql[] =
    "CREATE TABLE IF NOT EXISTS schema_migrations (\n"
    "  version     INT UNSIGNED NOT NULL,\n"
    "  name        VARCHAR(64) NOT NULL,\n"
    "  checksum    CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
    "  state       ENUM('STARTED', 'DONE') NOT NULL,\n"
    "  started_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),\n"
    "  applied_at  DATETIME(3) NULL,\n"
    "  PRIMARY KEY (version)\n"
    ") ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin";

struct migration {
	int version;
	char name[NAME_MAX_LEN + 1];		/* "spine" */
	char checksum[CHECKSUM_LEN + 1];	/* of the whole file */
	const struct migrate_file *file;
};

static void migrate_checksum(const char *text, char hex[CHECKSUM_LEN + 1])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text, strlen(text), digest);
	hex_encode(digest, sizeof digest, hex);
}

/* The file at INDEX must have version INDEX + 1. */
static struct migration migrate_load(int index)
{
	struct migration migration = { .file = &migrate_files[index] };

	bug_if(sscanf(migration.file->file, "%d_%64[a-z0-9_]", &migration.version,
	              migration.name) != 2);
	bug_if(migration.version != index + 1);
	migrate_checksum(migration.file->sql, migration.checksum);
	return migration;
}

static int migrate_last_version(void)
{
	int count = 0;

	while (migrate_files[count].file)
		count++;
	return count;
}

/* ---- rows of versions ---- */

enum note { MIGRATE_NONE, MIGRATE_STARTED, MIGRATE_DONE };

static enum err migrate_read_state(struct db *db, const struct migration *migration,
                                   enum note *note, bool *is_same, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);
	struct tx_rows rows;

	*note = MIGRATE_NONE;
	*is_same = true;
	if (tx_select_row(&tx, NULL, &rows, "SELECT state = 'DONE', checksum = ? "
	                  "FROM schema_migrations WHERE version = ?",
	                  TX_BIND(tx_text(migration->checksum),
	                          tx_int(migration->version)))) {
		*note = row_int(&rows) ? MIGRATE_DONE : MIGRATE_STARTED;
		*is_same = row_int(&rows);
		tx_select_end(&rows);
	}
	return tx_commit(&tx);
}

struct migrate_change {
	struct db *db;
	const struct migration *migration;
};

/* On a cluster the second of two inserts on two nodes gets ERR_RACE, then ERR_EXISTS. */
static enum err migrate_try_start(void *self, struct why *why)
{
	struct migrate_change *migrate_change = self;
	const struct migration *migration = migrate_change->migration;
	struct tx tx = tx_autocommit(migrate_change->db, why);

	tx_exec(&tx, "INSERT INTO schema_migrations (version, name, checksum, state) "
	        "VALUES (?, ?, ?, 'STARTED')",
	        TX_BIND(tx_int(migration->version), tx_text(migration->name),
	                tx_text(migration->checksum)));
	return tx_commit(&tx);
}

static enum err migrate_try_finish(void *self, struct why *why)
{
	struct migrate_change *migrate_change = self;
	struct tx tx = tx_autocommit(migrate_change->db, why);

	tx_exec(&tx, "UPDATE schema_migrations SET state = 'DONE', "
	        "applied_at = CURRENT_TIMESTAMP(3) WHERE version = ?",
	        TX_BIND(tx_int(migrate_change->migration->version)));
	return tx_commit(&tx);
}

/* ---- running ---- */

static enum err migrate_fail_interrupted(const struct migration *migration,
                                         struct why *why)
{
	int version = migration->version;

	return fail(why, ERR_CONFLICT, "an earlier migration did not finish schema/%s. "
	            "If no other migration is running, compare the tables with the file. "
	            "Then run the missing statements and UPDATE schema_migrations SET "
	            "state = 'DONE' WHERE version = %d, or undo the finished statements "
	            "and DELETE FROM schema_migrations WHERE version = %d. Then run "
	            "'zonefleet db migrate' again",
	            migration->file->file, version, version);
}

static enum err migrate_apply(struct db *db, const struct migration *migration,
                              struct why *why)
{
	struct migrate_change migrate_change = { db, migration };
	struct why reason;
	enum err err = tx_retry(migrate_try_start, &migrate_change, why);

	if (err == ERR_EXISTS)		/* another node of the cluster has inserted it */
		return migrate_fail_interrupted(migration, why);
	if (err)
		return err;
	log_info("schema change begins: version=%d name=%s", migration->version,
	         migration->name);
	err = db_script(db, migration->file->sql, &reason);
	if (!err)
		err = tx_retry(migrate_try_finish, &migrate_change, &reason);
	if (err)
		return fail(why, err, "schema/%s: %s", migration->file->file,
		            reason.text);
	return OK;
}

static enum err migrate_step(struct db *db, const struct migration *migration,
                             bool *applied, struct why *why)
{
	enum note note;
	bool is_same;
	enum err err = migrate_read_state(db, migration, &note, &is_same, why);

	*applied = false;
	if (err)
		return err;
	if (!is_same)
		return fail(why, ERR_CONFLICT, "schema/%s differs from the file that an "
		            "earlier migration applied: restore its old content, and put "
		            "new changes into a new schema file", migration->file->file);
	if (note == MIGRATE_STARTED)
		return migrate_fail_interrupted(migration, why);
	if (note == MIGRATE_DONE)
		return OK;
	*applied = true;
	return migrate_apply(db, migration, why);
}

static enum err migrate_lock(struct db *db, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);
	struct tx_rows rows;

	if (tx_select_row(&tx, NULL, &rows, "SELECT GET_LOCK('" LOCK_NAME "', ?)",
	                  TX_BIND(tx_int(LOCK_WAIT_S)))) {
		if (row_int(&rows) != 1)
			tx_fail(&tx, ERR_BUSY,
			        "another migration is still running after %d s: try "
			        "again later",
			        LOCK_WAIT_S);
		tx_select_end(&rows);
	}
	return tx_commit(&tx);
}

/*
 * The lock ends with the connection, and the connection ends with the run. If the
 * connection is lost during a run, the rows of schema_migrations still prevent a second
 * run.
 */
enum err migrate_run(struct db *db,
                     void (*progress)(void *self, int version, const char *name,
                                      bool applied),
                     void *self, struct why *why)
{
	enum err err;

	db_set_timeout(db, STATEMENT_TIMEOUT_S);
	err = migrate_lock(db, why);
	if (!err)
		err = db_script(db, table_sql, why);
	for (int i = 0; !err && migrate_files[i].file; i++) {
		struct migration migration = migrate_load(i);
		bool applied;

		err = migrate_step(db, &migration, &applied, why);
		if (!err)
			progress(self, migration.version, migration.name, applied);
	}
	db_set_timeout(db, 0);
	return err;
}

/* ---- the version ---- */

static bool migrate_is_initialized(struct tx *tx)
{
	struct tx_rows rows;
	bool found = tx_select_row(tx, NULL, &rows,
	                           "SELECT 1 FROM information_schema.tables "
	                           "WHERE table_schema = DATABASE() "
	                           "AND table_name = 'schema_migrations'",
	                           TX_NONE);

	tx_select_end(&rows);
	return found;
}

enum err migrate_version(struct db *db, int *have, int *want, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);
	struct tx_rows rows;
	int version = 0;
	enum err err;

	if (migrate_is_initialized(&tx) &&
	    tx_select_row(&tx, NULL, &rows, "SELECT MAX(version) FROM schema_migrations "
	                  "WHERE state = 'DONE'", TX_NONE)) {
		version = row_int(&rows);
		tx_select_end(&rows);
	}
	err = tx_commit(&tx);
	if (err)
		return err;
	*have = version;
	*want = migrate_last_version();
	return OK;
}
