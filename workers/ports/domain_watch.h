/*
 * domain_watch -- finds domains with records of ports that a tenant or operator deleted.
 * It asks central for each domain once per `retry_period`. If central has no such domain,
 * or another one of that name, all records of the domain are published again (publish.h).
 * If zonefleet-ports may not create the domain, its ports show the reason. The row of the
 * domain has the id that the last change or the last check saw.
 *
 * Each process takes the next few domains. Two processes may check the same domain.
 */
#pragma once

#include "ports.h"

struct domain_watch;

struct domain_watch *domain_watch_new(struct ports *ports);
void domain_watch_free(struct domain_watch **watch);
void domain_watch_fire(struct domain_watch *watch);	/* every few seconds */
