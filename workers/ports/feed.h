/*
 * feed -- what Neutron tells by itself, from queues of our own, to rows (telling.h): its
 * notifications, and the objects that its servers push to agents, which are also those
 * that nobody asked its API for (ports of routers and of DHCP). Their order is not that
 * of what happened, some come twice, some never: what was lost a comparison finds.
 */
#pragma once

#include "ports.h"

struct feed;

enum { OBJECTS_MAX = 8, FEED_VERSION_MAX = 63 };	/* of ports.feed_objects */

void feed_metrics(void);		/* before the fork */
/* Kinds of objects and their versions, "Port-1.7 Subnet-1.1". ERR_INVALID. */
enum err feed_check(const char *objects, struct why *why);
/* The version of TYPE, "Port" (ovo_name()): that of OBJECTS, or of Neutron 21. */
void feed_version(const char *objects, const char *type,
                  char version[FEED_VERSION_MAX + 1]);
/* NULL: ports.feed names no exchange. */
struct feed *feed_open(struct ports *ports);
void feed_pause(struct feed *feed);	/* takes no more; FEED may be NULL */
void feed_close(struct feed **feed);
