/*
 * store_witness -- what the rows know of a server besides a poll that finds no zone there:
 * the second witness of core/absence.h.
 */
#pragma once

#include "core/absence.h"
#include "model/domain.h"
#include "runtime/tx.h"
#include "servers.h"

struct deletion_state {
	enum confirmation confirmation;
	int attempts;		/* at the deletion there */
};

struct deletion {
	const char *domain_id;
	const struct server *server;
};
/*
 * One for each of the deletions (1 to TX_LIST_MAX), in their order; their rows stay locked.
 * Did the server's control channel delete the domain? Of a server that provisions itself:
 * was it seen, since the deletion, to answer for its catalog?
 */
void store_deletion_states(struct tx *tx, struct arena *arena,
                           const struct deletion *deletions, size_t count,
                           struct deletion_state *states);
/* Of a living domain: the last poll found no zone there. Its REASON, in the arena. */
bool store_is_zone_lost(struct tx *tx, struct arena *arena, const char *domain_id,
                        const char *server_id, const char **reason);
/* It has the zone all the same: it is in error, with that REASON, and polled again. */
void store_refute_absence(struct tx *tx, const char *domain_id, const char *server_id,
                          const char *reason);
