/*
 * import -- commits an import: writes a whole zone in one change. service_import.c has
 * checked and stored its parts. The commit runs on a lane (a thread) with its own
 * database connection, because a million rows take long. The commit is one transaction
 * of set-based statements, so central needs no more memory for a larger zone. While it
 * runs, the commit locks only this domain.
 *
 * A commit locks the row of the import. If the process crashes, or the lane is full, the
 * import stays COMMITTING without a lock. Every 5 s (import_fire()) a process with an
 * idle lane claims such an import. The row contains the worker and the number of
 * attempts. The pauses between attempts grow with this number. If a dead process has
 * left its session in a long statement, the claiming process ends that session first.
 */
#pragma once

#include "central.h"
#include "store.h"

/* IMPORT_DEFAULT creates the domain or replaces it. */
enum import_mode { IMPORT_DEFAULT, IMPORT_CREATE, IMPORT_REPLACE, IMPORT_UPSERT };
bool import_mode_parse(const char *text, enum import_mode *mode);

/* Opens the lane and its connection. */
void import_start(struct central *central);
void import_stop(struct central *central);
void import_fire(void *self);		/* SELF is struct central; claims an import */
/*
 * ERR_BUSY: too many commits are waiting. A process with an idle lane claims the import
 * later.
 */
enum err import_submit(struct central *central, const char *id, struct why *why);
