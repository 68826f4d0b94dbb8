/*
 * store_absence -- the facts in the database that confirm or deny a poll that finds no
 * zone: the second confirmation of core/absence.h.
 */
#pragma once

#include "core/absence.h"
#include "model/domain.h"
#include "runtime/tx.h"
#include "servers.h"

struct deletion_state {
	enum confirmation confirmation;
	int attempts;		/* of the deletion on the server */
};

struct deletion {
	const char *domain_id;
	const struct server *server;
};
/*
 * One state for each of the deletions (1 to TX_LIST_MAX), in their order; the rows stay
 * locked. Confirmed: the control channel of the server deleted the domain, or a server of
 * the backend catalog answered for its catalog zone after the deletion.
 */
void store_deletion_states(struct tx *tx, struct arena *arena,
                           const struct deletion *deletions, size_t count,
                           struct deletion_state *states);
/* Did the last poll of a live domain find no zone? Its REASON, in the arena. */
bool store_is_zone_lost(struct tx *tx, struct arena *arena, const char *domain_id,
                        const char *server_id, const char **reason);
/* The server has the zone: its row is in error with REASON, and polled again. */
void store_refute_absence(struct tx *tx, const char *domain_id, const char *server_id,
                          const char *reason);
