/*
 * round -- reads the zone of a registry, plans the changes, and sends the allowed
 * changes.
 *
 * One dynamic update contains both a record and its ownership mark. The prerequisites of
 * the update describe the zone as the round read it. So the server applies each change
 * completely or not at all. A round can end at any point. A process can also stall
 * during a round. In this case, another process can run a round of the same registry.
 * The next round makes the remaining changes. Before the round sends updates, it writes
 * to the database which record sets the updates will write (`intended` in store.h).
 * After a later reading, a round writes to the database which of these record sets the
 * zone contains.
 */
#pragma once

#include <stdbool.h>

struct ownership;
struct registry;

/* Registers the metrics. Call it before the fork. */
void round_metrics(void);
/*
 * Starts a round if the registry is due and no other process holds the lock of the
 * registry.
 */
void round_begin(struct ownership *ownership, struct registry *registry);
/*
 * If the round has not begun to send updates, ends the round immediately. Otherwise ends
 * the round before the next message. The next round makes the remaining changes.
 */
void round_stop(struct registry *registry);
/* Ends the round immediately. Does not write its result. */
void round_abort(struct registry *registry);
