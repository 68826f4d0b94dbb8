/*
 * feed -- what Neutron tells by itself, from queues of our own, to rows (telling.h): its
 * notifications, and the objects that its servers push to agents, which are also those
 * that nobody asked its API for (ports of routers and of DHCP). Their order is not that
 * of what happened, some come twice, some never: what was lost a comparison finds.
 */
#pragma once

#include "ports.h"

struct feed;

void feed_metrics(void);		/* before the fork */
/* NULL: ports.feed names no exchange. */
struct feed *feed_open(struct ports *ports);
void feed_pause(struct feed *feed);	/* takes no more; FEED may be NULL */
void feed_close(struct feed **feed);
