/*
 * feed -- applies the messages of Neutron (neutron_apply.h). It reads two kinds of
 * messages, each from its own queue: Neutron's notifications, and the objects that
 * Neutron's servers push to agents. Only pushes contain the ports that Neutron itself
 * creates, for routers and DHCP. Messages can come in any order, twice, or not at all. A
 * comparison finds lost changes.
 */
#pragma once

#include "ports.h"

struct feed;

void feed_metrics(void);		/* before the fork */
/* NULL without ports.feed. */
struct feed *feed_open(struct ports *ports);
void feed_pause(struct feed *feed);	/* reads no more messages; FEED may be NULL */
void feed_close(struct feed **feed);
