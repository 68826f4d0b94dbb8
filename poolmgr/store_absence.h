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
	int attempts;		/* number of tries to delete it on the server */
};

struct deletion {
	const char *domain_id;
	const struct server *server;
};
/*
 * Writes one state for each of the deletions (1 to TX_LIST_MAX), in their order. The
 * rows stay locked. The control channel confirms a deletion if it deleted the domain. A
 * server of the backend catalog confirms a deletion if the server answered for its
 * catalog zone after the deletion. If the server has no catalog zone, it must have
 * answered for the domain at its last poll.
 */
void store_deletion_states(struct tx *tx, struct arena *arena,
                           const struct deletion *deletions, size_t count,
                           struct deletion_state *states);
/* Reads the catalog zone of the pool. False: the pool has no catalog zone. */
bool store_catalog(struct tx *tx, struct arena *arena, const char *pool,
                   struct domain_ref *catalog);
/* True: the last poll of a live domain found no zone. *reason is in the arena. */
bool store_is_zone_lost(struct tx *tx, struct arena *arena, const char *domain_id,
                        const char *server_id, const char **reason);
/*
 * Call it if the server has the zone. Sets the status of its row to ERROR, with REASON,
 * and makes the next poll due.
 */
void store_refute_absence(struct tx *tx, const char *domain_id, const char *server_id,
                          const char *reason);
