/*
 * store_repair -- the statements of repairs and repair_log: what servers were seen to
 * have otherwise than they should, and what was done about it.
 */
#pragma once

#include "consistency/drift.h"
#include "model/domain.h"
#include "runtime/tx.h"

enum repair_kind { REPAIR_CONTENT, REPAIR_ORPHAN };

/* What a repair is about. */
struct fault {
	enum repair_kind kind;
	const char *object, *server_id, *pool, *name;
	uint32_t serial;
	const char *detail;		/* in words */
	bool is_hidden;			/* CONTENT: the server refuses to be compared */
};

/*
 * What is known of it, locked until the end of the transaction; and the age of the last of
 * its repairs this hour.
 */
struct drift store_drift(struct tx *tx, const struct fault *fault,
                         int64_t *repair_age_ms);
/* Seen for the first time, or confirmed, as ADVICE says. */
void store_drift_seen(struct tx *tx, const struct fault *fault, enum drift_action action);

/* How a repair ended: a row of the log; no suspicion any more, unless it is PARKED. */
struct ending {
	const char *outcome;		/* DONE, FAILED, PARKED */
	bool is_renewed;		/* the zone was set up again, too */
	const char *detail, *worker;
	uint64_t fence;
};
void store_repaired(struct tx *tx, const struct fault *fault,
                    const struct ending *ending);
/* Is it confirmed, and nothing done about it yet? */
bool store_drift_is_confirmed(struct tx *tx, const struct fault *fault);
/* It is not so any more; or it could not be acted on: the next sight confirms it. */
void store_drift_forget(struct tx *tx, const struct fault *fault);
void store_drift_reset(struct tx *tx, const struct fault *fault);
/* What was parked of the object begins anew. */
void store_drift_unpark(struct tx *tx, const char *object);
/* Is a stray suspected in the pool? */
bool store_has_orphan_drift(struct tx *tx, const char *pool);
/*
 * Of the domains, 1 to TX_LIST_MAX, those whose content is suspected on some server, or
 * was put right within the hour; one may be there twice.
 */
struct drifting {
	const char **ids;
	size_t count;
};
void store_drifting(struct tx *tx, struct arena *arena, const char *const *ids,
                    size_t count, struct drifting *drifting);
/* Suspicions that nothing confirmed in AGE_S; rows of the log older than 30 days. */
void store_repairs_forget(struct tx *tx, const char *pool, int age_s);
