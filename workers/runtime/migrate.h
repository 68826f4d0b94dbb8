/*
 * migrate -- updates the schema of the database to this program's version. The program
 * contains the files schema/NNN_name.sql (the Makefile generates migrate_files[]). The
 * files are numbered from 1 without a gap. The program cannot change the schema back to
 * an older version.
 *
 * DDL statements cannot be part of a transaction. So each version has a row in
 * schema_migrations. The state of this row is STARTED before the first statement and
 * DONE after the last statement. The row is also the lock, because only one of two
 * parallel runs can insert the row. migrate_run() also calls GET_LOCK(), so that a
 * second run on the same server waits. GET_LOCK() alone is not enough: on a cluster, the
 * lock of GET_LOCK() exists only on one node. If a migration is interrupted, its version
 * stays in state STARTED, and the program refuses the next migration. The error message
 * tells the operator what to do.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct db;

struct migrate_file {
	const char *file;	/* file name: "001_spine.sql". NULL ends the list */
	const char *sql;
};
extern const struct migrate_file migrate_files[];

/*
 * Applies the missing versions of the schema in order. Calls PROGRESS for each version
 * of the schema. APPLIED is true if this run has applied the version, and false if the
 * database already had the version. ERR_CONFLICT: an earlier migration was interrupted,
 * or a file differs from the file that was applied. ERR_BUSY: another run on the same
 * server has not finished within a minute.
 */
enum err migrate_run(struct db *db,
                     void (*progress)(void *self, int version, const char *name,
                                      bool applied),
                     void *self, struct why *why);

/*
 * HAVE gets the version of the schema in the database (0: no schema). WANT gets the
 * version that this program needs. While the database has a lower version, a worker is
 * not ready and asks the operator to run `zonefleet db migrate`. A worker accepts a
 * higher version.
 */
enum err migrate_version(struct db *db, int *have, int *want, struct why *why);
