/*
 * import -- a whole zone that becomes one change. Its parts were checked and
 * staged as they came (service_import.c); the commit runs on a lane of its
 * own, with its own database connection, because a million rows take long:
 * one transaction of set-based statements, so memory does not grow with the
 * zone. The domain is locked meanwhile; everything else goes on.
 *
 * A commit holds the import's row. One whose process died, or that waits in a
 * lane, is COMMITTING and its row is free: every 5 s (import_fire) a process
 * whose lane is idle takes such a one up, so that a death costs some ten
 * seconds. Two of them wait for each other at the row. The row says which
 * worker has it and how often it was begun; with that the pauses grow.
 */
#pragma once

#include "central.h"
#include "store.h"

/* How an import treats what is there: by default it creates or replaces the domain. */
enum import_mode { IMPORT_DEFAULT, IMPORT_CREATE, IMPORT_REPLACE, IMPORT_UPSERT };
bool import_mode_parse(const char *text, enum import_mode *mode);

/* Open the lane and its connection; in start(). */
void import_start(struct central *central);
void import_stop(struct central *central);
void import_fire(void *self);		/* struct central: takes up what was left */
/* ERR_BUSY: too many commits wait; it will be taken up from one that is idle. */
enum err import_submit(struct central *central, const char *id, struct why *why);
