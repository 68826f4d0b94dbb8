/*
 * feed -- Neutron's notifications, from a queue of our own, to rows. Their order is not
 * that of what happened, some come twice, some never: of two that tell of one object the
 * one with the higher revision_number holds, and what is gone stays gone. What comes
 * before its network waits for it in its row; what was lost a comparison finds.
 *
 * Neutron has accepted what it tells of: a name that cannot be here, or that another port
 * of the network has, costs the port that name and not its generated ones.
 */
#pragma once

#include "ports.h"

struct feed;

void feed_metrics(void);		/* before the fork */
/* NULL: ports.feed names no exchange. */
struct feed *feed_open(struct ports *ports);
void feed_pause(struct feed *feed);	/* takes no more; FEED may be NULL */
void feed_close(struct feed **feed);
