/*
 * catalog -- keeps the catalog zones of the pools (core/catalog.h) up to date.
 *
 * A call that creates or deletes a domain does not change the catalog zone. If these
 * calls changed the catalog zone, they would wait for each other, because each call would
 * lock the row of the catalog zone. Instead, the row of each domain shows whether a
 * catalog zone must add or remove the domain. The process that ran the call reads these
 * rows soon after the commit. In addition, each central process reads the rows every 5
 * seconds. A process adds many domains to the catalog zone, or removes many domains, in
 * one transaction under one serial. Several processes can write at the same time, because
 * each process locks the rows of the domains that it handles. After a crash, the rows of
 * the domains still show what the catalog zones must add or remove.
 *
 * After a large update, central waits up to 5 seconds before the next update. So
 * thousands of new domains cause only a few transfers of the catalog zone.
 */
#pragma once

#include "central.h"

void catalog_start(struct central *central);
void catalog_stop(struct central *central);
/*
 * Schedules an update of the catalog zones. Call this function after the commit of a call
 * that has changed which domains a catalog zone must list.
 */
void catalog_schedule(struct central *central);
/* Timer callback: makes the updates that are still due, for example after a crash. */
void catalog_fire(void *central);
/* True: no update is scheduled or running. */
bool catalog_idle(const struct central *central);
