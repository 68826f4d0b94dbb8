/*
 * feed -- applies what Neutron sends (neutron_apply.h). It reads two kinds of messages
 * from queues of its own: Neutron's notifications, and the objects that Neutron's servers
 * push to agents. Only pushes have the ports that Neutron itself creates, for routers and
 * DHCP. Messages can come in any order, twice or never. A comparison finds what was lost.
 */
#pragma once

#include "ports.h"

struct feed;

void feed_metrics(void);		/* before the fork */
/* NULL without ports.feed. */
struct feed *feed_open(struct ports *ports);
void feed_pause(struct feed *feed);	/* reads no more messages; FEED may be NULL */
void feed_close(struct feed **feed);
