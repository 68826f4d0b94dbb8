/*
 * migrate -- brings the schema of the database up to this program's. The
 * files schema/NNN_name.sql are part of the program (migrate_files[], made
 * by the Makefile), numbered from 1 without a gap, and only go forward.
 *
 * DDL knows no transaction, so a version is noted in schema_migrations as
 * STARTED before its first statement and as DONE behind its last. The note
 * is also the claim: two runs cannot both insert it, on a cluster either,
 * where GET_LOCK holds on one node only. A version found STARTED was cut
 * off in its midst, and needs a person; the error says what to do.
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
 * Applies what is missing, in order; tells of each version whether it was applied just
 * now. ERR_CONFLICT: a version was cut off, or its file differs from the one that was
 * applied. ERR_BUSY: another run holds the lock for longer than a minute.
 */
enum err migrate_run(struct db *db,
                     void (*progress)(void *self, int version, const char *name,
                                      bool applied),
                     void *self, struct why *why);

/*
 * The version the database HAS (0: none) and the one this program WANTs. A worker waits,
 * not ready, while have < want, and says: run `zonefleet db migrate`. More is fine: a
 * newer program was here first.
 */
enum err migrate_version(struct db *db, int *have, int *want, struct why *why);
