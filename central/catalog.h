/*
 * catalog -- keeps the catalog zones of the pools (core/catalog.h) up to date.
 *
 * A call that creates or deletes a domain does not change the catalog zone: all such
 * calls would wait for its row. The rows of the domains show what is due. Soon after a
 * commit, and periodically, each central reads it and writes many domains by one
 * transaction under one serial. Several processes may do so at the same time, because row
 * locks decide. A crash loses nothing.
 *
 * After a large update it waits longer for the next one, up to 5 seconds: servers should
 * not transfer the catalog zone for each of thousands of domains.
 */
#pragma once

#include "central.h"

void catalog_start(struct central *central);
void catalog_stop(struct central *central);
/* After the creation or deletion of a domain in a pool with a catalog zone. */
void catalog_schedule(struct central *central);
void catalog_fire(void *central);	/* the timer's: finds updates that a crash left */
/* True: no update is scheduled or running. */
bool catalog_idle(const struct central *central);
