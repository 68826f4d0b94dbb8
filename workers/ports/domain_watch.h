/*
 * domain_watch -- finds deleted domains that contained records of ports, and domains that
 * have possibly lost such records. zonefleet-ports asks central about each domain once
 * per `ports.check_period`. If central does not have the domain, or has a new domain with
 * the same name, zonefleet-ports sends all records of the domain again (publish.h). If
 * zonefleet-ports is not allowed to create the domain, the answers about the ports
 * contain the reason. The row of the domain contains the id that central returned at the
 * last change or check.
 *
 * Each change of a domain raises the version of the domain by one. The row of the domain
 * contains the version at which the domain had all records of the row. If central has a
 * different version during the check, another program has changed the domain. In this
 * case, zonefleet-ports adds the records again, in portions. This addition changes
 * nothing if no record is missing.
 *
 * Each process checks the domains of its share, and reads at most 64 of these domains at
 * a time.
 */
#pragma once

#include "ports.h"

struct domain_watch;

struct domain_watch *domain_watch_new(struct ports *ports);
void domain_watch_free(struct domain_watch **watch);
/*
 * Starts the next checks, unless a check is running. A timer calls it every two seconds.
 */
void domain_watch_fire(struct domain_watch *watch);
