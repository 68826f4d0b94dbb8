/*
 * import -- commits an import: writes a whole zone in one change. service_import.c has
 * checked and stored the parts of the zone. The commit runs on a lane (a thread) with its
 * own database connection, because writing a million rows takes a long time. The commit
 * is one transaction of set-based statements, so the memory that central needs does not
 * depend on the size of the zone. The commit locks no other domain.
 *
 * A commit locks the row of the import. An import is in the state COMMITTING without a
 * lock after a crash of the process, after a temporary error, or if too many commits are
 * waiting for the lane. Every 5 s (import_fire()), each central process with an idle lane
 * looks for such an import and commits it. The row of the import contains the name of the
 * process and the number of attempts. The pauses between attempts grow with this number,
 * from 4 s to 120 s. If the database server is still running a statement of a dead
 * process, the new process ends the database session of the dead process before the
 * commit.
 */
#pragma once

#include "central.h"
#include "store.h"

/* IMPORT_DEFAULT: creates the domain, or replaces the records of an existing domain. */
enum import_mode { IMPORT_DEFAULT, IMPORT_CREATE, IMPORT_REPLACE, IMPORT_UPSERT };
bool import_mode_parse(const char *text, enum import_mode *mode);

/* Opens the import lane and its database connection. */
void import_start(struct central *central);
void import_stop(struct central *central);
/*
 * The function of a timer. If the import lane is idle, looks for an import to commit.
 * SELF: struct central.
 */
void import_fire(void *self);
/*
 * Schedules the commit of the import ID on the import lane. ERR_BUSY: too many commits
 * are waiting. In this case, a process with an idle lane claims the import later.
 */
enum err import_submit(struct central *central, const char *id, struct why *why);
