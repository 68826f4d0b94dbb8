/*
 * store_absence -- reads the facts in the database that confirm or deny that a zone is
 * absent (enum confirmation in core/absence.h). The pool manager needs these facts when
 * a poll has not found the zone.
 */
#pragma once

#include "core/absence.h"
#include "model/domain.h"
#include "runtime/tx.h"
#include "servers.h"

struct deletion_state {
	bool exists;		/* the row of the deletion exists */
	enum confirmation confirmation;
	int attempts;		/* number of tries to delete the zone on the server */
};

struct deletion {
	const char *domain_id;
	const struct server *server;
};
/*
 * Writes the states of the deletions (1 to TX_LIST_MAX) to STATES, in the same order.
 * The rows of the deletions stay locked. The confirmation is CONFIRMATION_DRIVER if the
 * server deleted the zone over the control channel. A server of the backend `catalog`
 * has no such channel. For this server, the confirmation is CONFIRMATION_ANSWERS if the
 * server answered a poll of its catalog zone after the deletion. If the pool has no
 * other catalog zone, the server must have answered the last poll of the domain with a
 * serial.
 */
void store_deletion_states(struct tx *tx, struct arena *arena,
                           const struct deletion *deletions, size_t count,
                           struct deletion_state *states);
/* Reads the catalog zone of the pool. False: the pool has no catalog zone. */
bool store_catalog(struct tx *tx, struct arena *arena, const char *pool,
                   struct domain_ref *catalog);
/*
 * True: the last poll of a live domain found no zone on the server. REASON gets the
 * reason of this poll, in the arena.
 */
bool store_is_zone_lost(struct tx *tx, struct arena *arena, const char *domain_id,
                        const char *server_id, const char **reason);
/*
 * Call it if a poll found no zone, but the server has the zone. Sets the status of the
 * UPDATE row to ERROR, with REASON. The next poll is due after a pause.
 */
void store_refute_absence(struct tx *tx, const char *domain_id, const char *server_id,
                          const char *reason);
