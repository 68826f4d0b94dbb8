/*
 * publish -- brings the open records of ports to central: one change of a domain for all
 * of them, with one serial, by the process that has the lock of the domain. If central
 * refuses a change, its halves are tried, so that one bad record does not hold back the
 * others. A call without an answer is repeated: to add a record that exists, or to delete
 * one that does not, changes nothing.
 *
 * publish creates reverse domains when they are needed, and others if
 * ports.create_domains is set. If an operator has deleted a domain, publish writes all
 * its records again as soon as one of them changes. With ports.delete_reverse it deletes a
 * reverse domain that it has created and that has no records of ports any more: by the
 * id of the domain, so that another domain of that name stays, and only if central finds
 * it empty. Otherwise the domain belongs to the tenant of the other records from then
 * on. Records for a domain that is being deleted wait until it can be created again.
 */
#pragma once

#include "ports.h"
#include "store.h"

void publish_metrics(void);		/* before the fork */

/* ports->publisher */
struct reconciler *publish_new(struct ports *ports);
/* These domains have changed, and the change is committed. */
void publish_now(struct ports *ports, const struct zone_key *zones, size_t count);
/* Each second: starts the domains that are due. */
void publish_fire(struct ports *ports);
