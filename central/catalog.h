/*
 * catalog -- keeps the pools' catalog zones (core/catalog.h) as their domains are.
 *
 * Whoever creates or deletes a domain does not touch the catalog, whose row all of them
 * would wait for. What differs shows in the domains' own rows; soon after a commit, and
 * now and then, each central looks for it, and lists what has come and gone under one
 * serial, many domains a transaction. Several may do so at the same time, and each step
 * again: the domains' and the catalog's row locks decide, and a crash loses nothing.
 *
 * The more there was to do of late, the longer it waits for more, up to 5 seconds: a
 * server that reads the catalog for each of thousands of domains would do nothing else.
 */
#pragma once

#include "central.h"

void catalog_start(struct central *central);
void catalog_stop(struct central *central);
/* A domain has come to a pool that has a catalog, or goes from one. */
void catalog_schedule(struct central *central);
void catalog_fire(void *central);	/* the timer's: what nobody saw to */
/* Is there nothing that was promised by catalog_schedule()? */
bool catalog_idle(const struct central *central);
