/*
 * publish -- sends the open records of ports to central. The process with the lock of a
 * domain makes one change to the domain for all open records, with one serial. If central
 * refuses a change, zonefleet-ports sends a change with half of the records. After that,
 * zonefleet-ports sends the remaining records. So one bad record does not block other
 * records. zonefleet-ports repeats a call that got no answer. A repeated call is safe:
 * central changes nothing if the record already exists or is already deleted.
 *
 * zonefleet-ports creates the reverse domain of a record, and other domains if
 * ports.create_domains is set. If ports.delete_reverse is set, zonefleet-ports deletes a
 * reverse domain that it has created and in which no port has a record. If the domain
 * contains other records, central does not delete the domain. In this case,
 * zonefleet-ports does not try to delete the domain again. If central is deleting the
 * domain of a record, the record waits until zonefleet-ports can create the domain again.
 */
#pragma once

#include "ports.h"
#include "store.h"

/* Registers the metrics. Call it before the fork. */
void publish_metrics(void);

/* Makes the reconciler of domains, for ports->publisher. */
struct reconciler *publish_new(struct ports *ports);
/* Starts to publish these domains now. Call it after the commit of their changes. */
void publish_now(struct ports *ports, const struct zone_key *zones, size_t count);
/*
 * Starts to publish at most 16 domains that are due. A timer calls this function each
 * second.
 */
void publish_fire(struct ports *ports);
