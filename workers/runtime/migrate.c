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
	STATEMENT_TIMEOUT_S = 6 * 3600,	/* an index over a large table takes its time */
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

static void checksum(const char *text, char hex[CHECKSUM_LEN + 1])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)text, strlen(text), digest);
	hex_encode(digest, sizeof digest, hex);
}

/* The file at INDEX is of version INDEX + 1, or the build is wrong. */
static struct migration migration_of(int index)
{
	struct migration migration = { .file = &migrate_files[index] };

	bug_if(sscanf(migration.file->file, "%d_%64[a-z0-9_]", &migration.version,
	              migration.name) != 2);
	bug_if(migration.version != index + 1);
	checksum(migration.file->sql, migration.checksum);
	return migration;
}

static int last_version(void)
{
	int count = 0;

	while (migrate_files[count].file)
		count++;
	return count;
}

/* ---- notes ---- */

enum note { NOTE_NONE, NOTE_STARTED, NOTE_DONE };

static enum err note_read(struct db *db, const struct migration *migration,
                          enum note *note, bool *is_same, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);
	struct tx_rows rows;

	*note = NOTE_NONE;
	*is_same = true;
	if (tx_select_row(&tx, NULL, &rows, "SELECT state = 'DONE', checksum = ? "
	                  "FROM schema_migrations WHERE version = ?",
	                  TX_BIND(tx_text(migration->checksum),
	                          tx_int(migration->version)))) {
		*note = row_int(&rows) ? NOTE_DONE : NOTE_STARTED;
		*is_same = row_int(&rows);
		tx_select_end(&rows);
	}
	return tx_commit(&tx);
}

struct noting {
	struct db *db;
	const struct migration *migration;
};

/* Who is second, by way of another node of a cluster, loses a race, and finds it then. */
static enum err try_note_started(void *self, struct why *why)
{
	struct noting *noting = self;
	const struct migration *migration = noting->migration;
	struct tx tx = tx_autocommit(noting->db, why);

	tx_exec(&tx, "INSERT INTO schema_migrations (version, name, checksum, state) "
	        "VALUES (?, ?, ?, 'STARTED')",
	        TX_BIND(tx_int(migration->version), tx_text(migration->name),
	                tx_text(migration->checksum)));
	return tx_commit(&tx);
}

static enum err try_note_done(void *self, struct why *why)
{
	struct noting *noting = self;
	struct tx tx = tx_autocommit(noting->db, why);

	tx_exec(&tx, "UPDATE schema_migrations SET state = 'DONE', "
	        "applied_at = CURRENT_TIMESTAMP(3) WHERE version = ?",
	        TX_BIND(tx_int(noting->migration->version)));
	return tx_commit(&tx);
}

/* ---- running ---- */

static enum err cut_off(const struct migration *migration, struct why *why)
{
	int version = migration->version;

	return fail(why, ERR_CONFLICT, "schema/%s was begun and not finished. If no "
	            "other run is at it: compare the tables with the file; run what is "
	            "missing and UPDATE schema_migrations SET state = 'DONE' WHERE "
	            "version = %d, or undo what is there and DELETE FROM "
	            "schema_migrations WHERE version = %d; then migrate again",
	            migration->file->file, version, version);
}

static enum err apply(struct db *db, const struct migration *migration, struct why *why)
{
	struct noting noting = { db, migration };
	struct why reason;
	enum err err = tx_retry(try_note_started, &noting, why);

	if (err == ERR_EXISTS)		/* on another node of the cluster, just now */
		return cut_off(migration, why);
	if (err)
		return err;
	log_info("schema changes: version=%d name=%s", migration->version,
	         migration->name);
	err = db_script(db, migration->file->sql, &reason);
	if (!err)
		err = tx_retry(try_note_done, &noting, &reason);
	if (err)
		return fail(why, err, "schema/%s: %s", migration->file->file,
		            reason.text);
	return OK;
}

static enum err step(struct db *db, const struct migration *migration, bool *applied,
                     struct why *why)
{
	enum note note;
	bool is_same;
	enum err err = note_read(db, migration, &note, &is_same, why);

	*applied = false;
	if (err)
		return err;
	if (!is_same)
		return fail(why, ERR_CONFLICT,
		            "schema/%s is not the file that was applied: a version "
		            "never changes, a new one follows",
		            migration->file->file);
	if (note == NOTE_STARTED)
		return cut_off(migration, why);
	if (note == NOTE_DONE)
		return OK;
	*applied = true;
	return apply(db, migration, why);
}

static enum err take_lock(struct db *db, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);
	struct tx_rows rows;

	if (tx_select_row(&tx, NULL, &rows, "SELECT GET_LOCK('" LOCK_NAME "', ?)",
	                  TX_BIND(tx_int(LOCK_WAIT_S)))) {
		if (row_int(&rows) != 1)
			tx_fail(&tx, ERR_BUSY,
			        "another migration has been running for %d s",
			        LOCK_WAIT_S);
		tx_select_end(&rows);
	}
	return tx_commit(&tx);
}

/*
 * The connection ends with the run, and the lock with the connection: also when that was
 * cut. Should it be cut and made anew in the midst, the notes still keep a second run
 * out.
 */
enum err migrate_run(struct db *db,
                     void (*progress)(void *self, int version, const char *name,
                                      bool applied),
                     void *self, struct why *why)
{
	enum err err;

	db_set_timeout(db, STATEMENT_TIMEOUT_S);
	err = take_lock(db, why);
	if (!err)
		err = db_script(db, table_sql, why);
	for (int i = 0; !err && migrate_files[i].file; i++) {
		struct migration migration = migration_of(i);
		bool applied;

		err = step(db, &migration, &applied, why);
		if (!err)
			progress(self, migration.version, migration.name, applied);
	}
	db_set_timeout(db, 0);
	return err;
}

/* ---- asking ---- */

static bool is_initialized(struct tx *tx)
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

	if (is_initialized(&tx) &&
	    tx_select_row(&tx, NULL, &rows, "SELECT MAX(version) FROM schema_migrations "
	                  "WHERE state = 'DONE'", TX_NONE)) {
		version = row_int(&rows);
		tx_select_end(&rows);
	}
	err = tx_commit(&tx);
	if (err)
		return err;
	*have = version;
	*want = last_version();
	return OK;
}
