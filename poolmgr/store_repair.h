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

/* A drift on a server. (A zone that is missing needs no state: see store_recreated().) */
struct fault {
	enum repair_kind kind;
	const char *object, *server_id, *pool, *name;
	uint32_t serial;
	const char *detail;		/* a text for the operator */
	bool is_hidden;			/* CONTENT: the server refuses comparisons */
	int transfers;			/* CONTENT: as in struct server_report */
};

/*
 * Reads and locks the stored state. *repair_age_ms: the age of the last repair within
 * the last hour.
 */
struct drift store_drift(struct tx *tx, const struct fault *fault,
                         int64_t *repair_age_ms);
/* Stores an observation of the fault: new or confirmed, according to ACTION. */
void store_drift_seen(struct tx *tx, const struct fault *fault, enum drift_action action);

/*
 * Ends a repair: adds a row to the log, and deletes the drift unless the outcome is
 * PARKED.
 */
struct ending {
	const char *outcome;		/* DONE, FAILED, PARKED */
	bool is_renewed;		/* the repair also set the zone up again */
	const char *detail, *worker;
	uint64_t fence;
};
void store_repaired(struct tx *tx, const struct fault *fault,
                    const struct ending *ending);
/*
 * The server had lost the zone, and the pool manager created it again: adds a row of the
 * kind MISSING to the log. Call it before store_adjusted(): the first creation of a zone
 * adds no row, because the CREATE row has no digest then.
 */
void store_recreated(struct tx *tx, const struct domain_ref *domain,
                     const char *server_id, const struct ending *ending);
/*
 * Call the first function if two repairs of a difference had no effect (DRIFT_DIFFERS).
 * It adds a row to the log, and parks the difference. The second function prevents
 * store_repairs_forget() from deleting the row of a settled difference.
 */
void store_drift_settle(struct tx *tx, const struct fault *fault,
                        const struct ending *ending);
void store_drift_renew(struct tx *tx, const struct fault *fault);
/* True: STORED, the text of a parked drift, says that DETAIL is settled. */
bool store_is_settled(const char *stored, const char *detail);
/* True: the drift is confirmed, and not repaired yet. */
bool store_drift_is_confirmed(struct tx *tx, const struct fault *fault);
/*
 * The first function deletes the drift, unless it is PARKED. Call the second function if
 * a repair failed. Then the next round confirms the drift again.
 */
void store_drift_forget(struct tx *tx, const struct fault *fault);
void store_drift_reset(struct tx *tx, const struct fault *fault);
/*
 * Call it when the server no longer has the drift. Deletes the drift, also if it is
 * PARKED.
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
 * Deletes the PARKED drift of the object. If a server still has the drift, the next
 * rounds find the drift again.
 */
void store_drift_unpark(struct tx *tx, const char *object);
/* True: the pool has an orphan zone that is not parked. */
bool store_has_orphan_drift(struct tx *tx, const char *pool);
/*
 * Finds, among 1 to TX_LIST_MAX domains, the domains that have content drift on a server
 * or had a repair of content within the last hour. The result may contain an id twice.
 */
struct drifting {
	const char **ids;
	size_t count;
};
void store_drifting(struct tx *tx, struct arena *arena, const char *const *ids,
                    size_t count, struct drifting *drifting);
/*
 * Deletes drift that no round has found for AGE_S, and rows of the log older than 30
 * days.
 */
void store_repairs_forget(struct tx *tx, const char *pool, int age_s);
