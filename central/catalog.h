/*
 * catalog -- keeps the catalog zones of the pools (core/catalog.h) up to date.
 *
 * A call that creates or deletes a domain does not change the catalog zone. Otherwise
 * all such calls would wait for the row of the catalog zone. Instead, the rows of the
 * domains show which updates are due. Soon after a commit, and periodically, each
 * central process reads these rows and writes many domains in one transaction under one
 * serial. Several processes may write at the same time, because each process locks the
 * rows of the domains that it handles. After a crash, these rows still show which
 * updates are due.
 *
 * After a large update, central waits up to 5 seconds before the next update. So
 * thousands of new domains cause only a few transfers of the catalog zone.
 */
#pragma once

#include "central.h"

void catalog_start(struct central *central);
void catalog_stop(struct central *central);
/* Call it after the creation or deletion of a domain in a pool with a catalog zone. */
void catalog_schedule(struct central *central);
/* the function of a timer: makes the updates that are still due after a crash */
void catalog_fire(void *central);
/* True: no update is scheduled or running. */
bool catalog_idle(const struct central *central);
