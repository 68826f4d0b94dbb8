/*
 * store -- the rows of ownership: what is wanted of whom, what was made, and how each
 * registry stands. They are written by nobody else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/id.h"
#include "core/rrset.h"
#include "model/name.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"

/* ---- registries ---- */

enum registry_state {
	REGISTRY_NEW, REGISTRY_OK, REGISTRY_HELD, REGISTRY_PARKED, REGISTRY_FAILED
};
const char *registry_state_name(enum registry_state state);	/* "HELD" */
bool registry_state_failed(enum registry_state state);	/* FAILED or PARKED */

struct registry_row {
	char id[ID_LEN + 1];
	uint64_t rev;			/* of what is wanted */
	unsigned failures;		/* rounds in a row that did not come to an end */
	bool is_due;
	const char *held_digest;	/* of the plan that is held; "": none is */
	const char *mismatches;		/* a digest of those that were told last */
	const char *approved;		/* the digest of what may be done */
};

/* Makes the row if there is none, due at once, and leaves its id. */
void store_registry_enter(struct tx *tx, const char *storage_id, const char *zone,
                          char id[ID_LEN + 1]);
/* Of those that are due all ids, each to EACH. */
void store_registries_due(struct tx *tx, void (*each)(void *self, const char *id),
                          void *self);
bool store_registry_read(struct tx *tx, struct arena *arena, const char *id,
                         struct registry_row *row);
/* How it stands, for people. */
struct registry_status {
	const char *state, *reason, *planned_at, *approved_by;
	uint64_t rev, planned_rev, rounds;
};
bool store_registry_status(struct tx *tx, struct arena *arena, const char *id,
                           struct registry_status *status);
/* JSON; NULL: it was never planned. */
const char *store_plan(struct tx *tx, struct arena *arena, const char *id);
/*
 * Something is wanted that was not: a round is due as soon as the primary may be asked,
 * which begins after this, whatever one is under way.
 */
void store_registry_changed(struct tx *tx, const char *id);
/* The same, and somebody waits for it: now. */
void store_registry_urgent(struct tx *tx, const char *id);
/* The same of all registries of ZONE but the one of ID. */
void store_zone_changed(struct tx *tx, const char *zone, const char *id);

/* What a round came to. */
struct round_row {
	const char *id;			/* of the registry */
	enum registry_state state;
	const char *reason;
	bool is_fruitless;		/* no update was taken: a failure */
	bool is_planned;		/* else the rest is as it was */
	uint64_t rev;			/* that was planned */
	uint32_t serial;
	const char *plan;		/* JSON */
	const char *held_digest;	/* NULL: it stays, and with it what was approved */
	const char *mismatches;
	int64_t next_ms;		/* due again after that */
	int64_t rest_ms;		/* and not before that, whatever is wanted */
};
/* If more was wanted meanwhile it is due at once. */
void store_round(struct tx *tx, const struct round_row *round);
/* The held plan of that digest may be done. False: it is another one by now. */
bool store_plan_approve(struct tx *tx, const char *id, const char *digest,
                        const char *who);

/* ---- what is wanted ---- */

struct endpoint {
	struct endpoint *next;		/* of a round */
	struct name name;
	const char *name_text;
	struct rrset rrset;
	const char *set_id;
	bool has_ttl, is_shared;
	bool is_copy;			/* an order's that is not over: none asked yet */
	const char *resource;		/* of those that are read */
};

struct source {
	const char *resource;
	bool is_complete;
	size_t endpoints;
	uint64_t rev;			/* of its list, if it counts them; else 0 */
};

/* False: nobody of that name has asked yet. */
bool store_source_read(struct tx *tx, const char *id, const char *resource,
                       struct source *source);
void store_source_write(struct tx *tx, const char *id, const struct source *source);
/* All endpoints of a registry, or of one RESOURCE, each to EACH. */
void store_endpoints(struct tx *tx, struct arena *arena, const char *id,
                     const char *resource,
                     void (*each)(void *self, const struct endpoint *endpoint),
                     void *self);
void store_endpoints_put(struct tx *tx, const char *id, const char *resource,
                         const struct endpoint *endpoints, size_t count);
void store_endpoints_delete(struct tx *tx, const char *id, const char *resource,
                            const struct endpoint *endpoints, size_t count);
/* Of all resources, of which each is one at least. */
size_t store_endpoints_total(struct tx *tx, const char *id);
void store_sources(struct tx *tx, struct arena *arena, const char *id,
                   void (*each)(void *self, const struct source *source), void *self);

/* ---- what was made ---- */

struct owned_row {
	struct owned_row *next;		/* of a round */
	struct name name;
	struct rrset rrset;		/* as it was last seen; no records: never yet */
	struct rrset intended;		/* of no records: nothing is under way */
	const char *resource;
	const char *storage_id;		/* whose: of store_owned_by_others() */
	bool is_contested;		/* another registry has one, too; never seen */
};

void store_owned(struct tx *tx, struct arena *arena, const char *id,
                 void (*each)(void *self, const struct owned_row *row), void *self);
/* What other registries made in the zone of this one. */
void store_owned_by_others(struct tx *tx, struct arena *arena, const char *id,
                           const char *zone,
                           void (*each)(void *self, const struct owned_row *row),
                           void *self);
/* It is intended; what was seen stays. */
void store_owned_intend(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* It was seen; nothing is intended. */
void store_owned_put(struct tx *tx, const char *id, const struct owned_row *rows,
                     size_t count);
/* The server refused it: it is not intended any more. */
void store_owned_refused(struct tx *tx, const char *id, const struct owned_row *rows,
                         size_t count);
void store_owned_delete(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* Did RESOURCE want anything that is in the zone, or was to be? */
bool store_owned_has(struct tx *tx, const char *id, const char *resource);
/* As many rows there are by now; are there fewer than that? */
void store_owned_count(struct tx *tx, const char *id);
bool store_owned_is_lost(struct tx *tx, const char *id);
/* What the zone had of OWNER's when it was read is intended, if it has no row. How many. */
size_t store_owned_restore(struct tx *tx, const char *id, const char *owner);

/* ---- calls that come again ---- */

/*
 * The answer that this call's message was given before; NULL: none was. ERR_CONFLICT in the
 * transaction: another call had its message id (runtime/rpc_digest.h).
 */
const char *store_answer(struct tx *tx, const struct request *req);
void store_answer_put(struct tx *tx, const struct request *req, const char *answer);

/* ---- what is over ---- */

/* Answers of more than an hour ago. */
void store_sweep_answers(struct tx *tx);
/* Resources that wanted nothing for a day, and have nothing in the zone. */
void store_sweep_sources(struct tx *tx);
