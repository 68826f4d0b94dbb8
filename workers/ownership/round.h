/*
 * round -- one pass over a registry: it reads the zone, plans the changes, and sends the
 * allowed ones, message by message (the loop of seed 001).
 *
 * A record and its mark are in one update. Its prerequisites say what the round read. So
 * a round may end anywhere, or sleep while another one works: nothing is half done, and
 * the next round does the rest. The round writes the intended sets to the database
 * before it asks the server (ACCEPTED), and the sets that a later reading shows
 * (PROGRAMMED).
 */
#pragma once

#include <stdbool.h>

struct ownership;
struct registry;

void round_metrics(void);		/* before the fork */
/* If the registry is due and no other process has its lock. */
void round_begin(struct ownership *ownership, struct registry *registry);
/* Ends before the next message; the next round does the rest. */
void round_stop(struct registry *registry);
/* Ends at once. */
void round_abort(struct registry *registry);
