/*
 * migrate -- brings the schema of the database up to this program's version. The files
 * schema/NNN_name.sql are part of the program (migrate_files[], made by the Makefile).
 * They are numbered from 1 without a gap. There is no way back to an older version.
 *
 * DDL has no transactions. So each version has a row in schema_migrations, with the
 * state STARTED before its first statement and DONE after its last statement. The row is
 * also the lock: only one of two runs can insert it, even on a cluster, where GET_LOCK
 * works on one node only. If a version is in state STARTED, its migration was
 * interrupted. An operator must decide; the error says how.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct db;

struct migrate_file {
	const char *file;	/* "001_spine.sql"; NULL ends the list */
	const char *sql;
};
extern const struct migrate_file migrate_files[];

/*
 * Applies missing versions in order. Calls PROGRESS for each version, with APPLIED if
 * this run applied it. ERR_CONFLICT: a version was interrupted, or its file differs from
 * the applied file. ERR_BUSY: another run holds the lock for longer than a minute.
 */
enum err migrate_run(struct db *db,
                     void (*progress)(void *self, int version, const char *name,
                                      bool applied),
                     void *self, struct why *why);

/*
 * *have: the version of the database (0: no schema). *want: the version of this program.
 * While have < want a worker is not ready and asks for `zonefleet db migrate`. A worker
 * accepts a higher version, which comes from a newer program.
 */
enum err migrate_version(struct db *db, int *have, int *want, struct why *why);
