/*
 * feed -- receives messages from Neutron and applies them (neutron_apply.h).
 * zonefleet-ports reads two kinds of messages, each from its own queue: Neutron's
 * notifications, and the objects that Neutron's servers push to agents. Only the pushed
 * objects include the ports that Neutron creates for routers and DHCP. Messages can be
 * lost, arrive twice, or arrive in any order. A comparison finds lost changes
 * (compare.h).
 */
#pragma once

#include "ports.h"

struct feed;

/* Registers the metrics. Call it before the fork. */
void feed_metrics(void);
/* Starts to receive messages. Returns NULL if ports.feed is not set. */
struct feed *feed_open(struct ports *ports);
/* Stops reading messages. FEED may be NULL. */
void feed_pause(struct feed *feed);
void feed_close(struct feed **feed);
