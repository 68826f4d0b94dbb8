/*
 * publish -- sends the open records of ports to central. The process with the lock of a
 * domain makes one change to the domain for all open records, with one serial. If central
 * refuses a change, zonefleet-ports sends the two halves of the change one after the
 * other. So one bad record does not block other records. zonefleet-ports repeats a call
 * that got no answer. A repeated call is safe: central changes nothing if the record
 * already exists or is already deleted.
 *
 * zonefleet-ports creates the reverse domain of a record, and other domains if
 * ports.create_domains is set. If ports.delete_reverse is set, zonefleet-ports deletes a
 * reverse domain that it has created and in which no port has a record. If the domain
 * contains other records, central does not delete it. In this case, the domain stays, and
 * zonefleet-ports does not try to delete it again. Records for a domain that central is
 * deleting wait until zonefleet-ports can create the domain again.
 */
#pragma once

#include "ports.h"
#include "store.h"

void publish_metrics(void);		/* call it before the fork */

/* Makes ports->publisher. */
struct reconciler *publish_new(struct ports *ports);
/* Publishes these domains now. Call it after the commit of their changes. */
void publish_now(struct ports *ports, const struct zone_key *zones, size_t count);
/* Runs each second: starts the work on domains that are due. */
void publish_fire(struct ports *ports);
