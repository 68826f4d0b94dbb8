/*
 * publish -- sends the open records of ports to central. The process with the lock of a
 * domain makes one change of the domain for all open records, with one serial. If
 * central refuses a change, publish tries its halves, so that one bad record does not
 * block other records. It repeats a call without an answer. This is safe: adding a
 * record that exists, or deleting a record that does not exist, changes nothing.
 *
 * publish creates a reverse domain for the first record in it, and other domains if
 * ports.create_domains is set. If an operator has deleted a domain, publish writes all
 * its records again as soon as one of them changes. With ports.delete_reverse it deletes
 * a reverse domain that it has created, when no port has a record there. It deletes by
 * the id of the domain, so a new domain with the same name stays, and only if central
 * finds the domain empty. If the domain is not empty, it belongs to the tenant of its
 * other records from then on. Records for a domain that is being deleted wait until
 * publish can create it again.
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
