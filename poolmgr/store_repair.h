/*
 * store_repair -- the SQL statements for the tables repairs and repair_log. The
 * statements read and write the drift that the pool manager has found on servers, and
 * the repairs.
 */
#pragma once

#include "consistency/drift.h"
#include "model/domain.h"
#include "runtime/tx.h"

enum repair_kind { REPAIR_CONTENT, REPAIR_ORPHAN, REPAIR_OPTIONS };

/*
 * A drift on a server. A missing zone is not a fault of this kind, because its repair
 * needs no stored state (store_recreated()).
 */
struct fault {
	enum repair_kind kind;
	const char *object, *server_id, *pool, *name;
	uint32_t serial;
	const char *detail;		/* a text for the operator */
	/* CONTENT: the server refuses comparisons, and `detail` is its answer */
	bool is_hidden;
	int transfers;			/* CONTENT: as in struct server_report */
};

/* The repairs of a drift within the last hour, also those that failed. */
struct repair_tries {
	int count;
	int64_t age_ms;			/* since the last one; 0: no repair */
};

/* Returns the stored state of the drift and its tries, and locks its row. */
struct drift store_drift(struct tx *tx, const struct fault *fault,
                         struct repair_tries *tries);
/*
 * Stores an observation of the drift. DRIFT_RECORD: a new drift. DRIFT_REPAIR: a
 * confirmed drift. Other values of ACTION have no effect.
 */
void store_drift_seen(struct tx *tx, const struct fault *fault, enum drift_action action);

/*
 * The end of a repair. store_repaired() adds a row to the log. If the outcome is PARKED,
 * it parks the drift; otherwise it deletes the drift.
 */
struct ending {
	const char *outcome;		/* DONE, FAILED or PARKED */
	bool is_renewed;		/* the repair also set the zone up again */
	const char *detail, *worker;
	uint64_t fence;
};
void store_repaired(struct tx *tx, const struct fault *fault,
                    const struct ending *ending);
/*
 * Adds a row of the kind MISSING to the log. Call it when the pool manager has created a
 * zone again that the server had lost. If the CREATE row has no digest, this is the first
 * creation of the zone, and the log gets no row. store_adjusted() sets the digest, so
 * call store_recreated() first.
 */
void store_recreated(struct tx *tx, const struct domain_ref *domain,
                     const char *server_id, const struct ending *ending);
/*
 * Call store_drift_settle() if two repairs of a difference had no effect (DRIFT_DIFFERS).
 * It adds a row to the log, and parks the difference as settled. Call store_drift_renew()
 * when a round finds the settled difference again. Then store_repairs_forget() does not
 * delete the row of this difference.
 */
void store_drift_settle(struct tx *tx, const struct fault *fault,
                        const struct ending *ending);
void store_drift_renew(struct tx *tx, const struct fault *fault);
/*
 * STORED: the text of a parked drift. True: according to STORED, the difference DETAIL
 * still existed after two transfers (DRIFT_SETTLED).
 */
bool store_is_settled(const char *stored, const char *detail);
/* True: the drift is confirmed, and not repaired yet. */
bool store_drift_is_confirmed(struct tx *tx, const struct fault *fault);
/*
 * store_drift_forget() deletes the drift, unless the drift is PARKED. Call
 * store_drift_reset() if a repair could not begin. Then the next round confirms the drift
 * again.
 */
void store_drift_forget(struct tx *tx, const struct fault *fault);
void store_drift_reset(struct tx *tx, const struct fault *fault);
/*
 * Call it when the server no longer has the drift. Deletes the drift, even if the drift
 * is PARKED.
 */
void store_drift_solved(struct tx *tx, const struct fault *fault);
/*
 * Deletes the drift of PARKED orphan zones that the server no longer has. NAMES: the
 * names of all zones on the server.
 */
void store_forget_parked_orphans(struct tx *tx, struct arena *arena,
                                 const char *server_id, const char *const *names,
                                 size_t count);
/*
 * Deletes the PARKED drift of the object on all servers. If a server still has the drift,
 * the next rounds find the drift again.
 */
void store_drift_unpark(struct tx *tx, const char *object);
/* True: the pool has an orphan zone that is not parked. */
bool store_has_orphan_drift(struct tx *tx, const char *pool);
/*
 * Finds, among 1 to TX_LIST_MAX domains, the domains that have content drift on a server
 * or had a repair of content within the last hour. PARKED drift does not count. The
 * result may contain an id twice.
 */
struct drifting {
	const char **ids;
	size_t count;
};
void store_drifting(struct tx *tx, struct arena *arena, const char *const *ids,
                    size_t count, struct drifting *drifting);
/*
 * Deletes these rows, at most 1000 of each kind: drift that no round has found for AGE_S
 * seconds; PARKED drift whose row has not changed for one day; drift of a domain that no
 * longer exists; orphan zones whose name now belongs to a domain; and rows of the log
 * older than 30 days.
 */
void store_repairs_forget(struct tx *tx, const char *pool, int age_s);
