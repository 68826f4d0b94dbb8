/*
 * domain_watch -- domains that somebody deleted, though ports have records there. Central is asked
 * for each domain from time to time (`retry_period`): if it is not there, or another one of
 * its name is, all that should be in it is open again, and publish.h does the rest. Where
 * nobody may make the domain again, its ports say so. Which domain it was is known from
 * whoever published there last, or from the first look.
 *
 * Whoever comes by first looks after a few; what two look at at once is found twice.
 */
#pragma once

#include "ports.h"

struct watch;

struct watch *watch_new(struct ports *ports);
void watch_free(struct watch **watch);
void watch_fire(struct watch *watch);	/* each few seconds */
