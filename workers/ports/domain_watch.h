/*
 * domain_watch -- finds deleted domains that had records of ports; a tenant or an
 * operator has deleted them. It asks central for each domain once per `retry_period`. If
 * central lacks the domain, or has a new domain with the same name, publish.h sends all
 * records of the domain again. If zonefleet-ports may not create the domain, its ports
 * show the reason. The row of the domain has the id that the last change or the last
 * check saw.
 *
 * Each process checks the next few domains. Two processes may check the same domain.
 */
#pragma once

#include "ports.h"

struct domain_watch;

struct domain_watch *domain_watch_new(struct ports *ports);
void domain_watch_free(struct domain_watch **watch);
/* every few seconds, by a timer */
void domain_watch_fire(struct domain_watch *watch);
