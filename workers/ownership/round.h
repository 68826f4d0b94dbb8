/*
 * round -- one pass over a registry: it reads the zone, plans the changes, and sends the
 * allowed changes, message by message (the loop of seed 001).
 *
 * A record and its mark are in one update. The prerequisites of the update describe the
 * zone as the round read it. So a round may end at any point, or sleep while another
 * round works. Each change is complete or not begun. The next round makes the remaining
 * changes. Before the round sends updates, it writes the intended sets to the database
 * (ACCEPTED). It also writes which sets a later reading shows (PROGRAMMED).
 */
#pragma once

#include <stdbool.h>

struct ownership;
struct registry;

void round_metrics(void);		/* before the fork */
/* Starts a round if the registry is due and no other process has its lock. */
void round_begin(struct ownership *ownership, struct registry *registry);
/* Ends the round before the next message. The next round makes the remaining changes. */
void round_stop(struct registry *registry);
/* Ends the round at once. */
void round_abort(struct registry *registry);
