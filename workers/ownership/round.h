/*
 * round -- one time through a registry: its zone is read, what is wanted is planned, and
 * what may be done is done, message by message (the loop of seed 001).
 *
 * A record and its mark travel in one update that says what it was owned from, so a round
 * that ends anywhere, or sleeps and goes on when another has begun, leaves nothing half
 * done, and the next one does what is missing. What was owned is written down before the
 * server is asked (ACCEPTED), and again when a later reading shows it (PROGRAMMED).
 */
#pragma once

#include <stdbool.h>

struct ownership;
struct registry;

void round_metrics(void);		/* before the fork */
/* If it is due, and nobody else has it. */
void round_begin(struct ownership *ownership, struct registry *registry);
/* Ends at the next message: what is left is for the next round. */
void round_stop(struct registry *registry);
/* Here and now, whatever is under way. */
void round_abort(struct registry *registry);
