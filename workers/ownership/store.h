/*
 * store -- the rows of ownership: endpoints, owned sets and the states of registries.
 * Only this program writes them.
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
	uint64_t rev;			/* grows with each change of the endpoints */
	unsigned failures;		/* rounds in a row that failed */
	bool is_due;
	const char *held_digest;	/* of the held changes; "": none */
	const char *mismatches;		/* digest of the last notified ones */
	const char *approved;		/* digest of the approved changes */
};

/* Returns the id of the row; a new row is due at once. */
void store_registry_enter(struct tx *tx, const char *storage_id, const char *zone,
                          char id[ID_LEN + 1]);
/* Calls EACH with the id of each due registry. */
void store_registries_due(struct tx *tx, void (*each)(void *self, const char *id),
                          void *self);
bool store_registry_read(struct tx *tx, struct arena *arena, const char *id,
                         struct registry_row *row);
/* For get_plan and find_registries. */
struct registry_status {
	const char *state, *reason, *planned_at, *approved_by;
	uint64_t rev, planned_rev, rounds;
};
bool store_registry_status(struct tx *tx, struct arena *arena, const char *id,
                           struct registry_status *status);
/* JSON; NULL: there was no plan yet. */
const char *store_plan(struct tx *tx, struct arena *arena, const char *id);
/*
 * The endpoints have changed: another round is due as soon as `interval` allows it, even
 * if a round is running now.
 */
void store_registry_changed(struct tx *tx, const char *id);
/* The same, but due at once, because a caller waits. */
void store_registry_urgent(struct tx *tx, const char *id);
/* The same of all registries of ZONE but the one of ID. */
void store_zone_changed(struct tx *tx, const char *zone, const char *id);

/* The result of a round. */
struct round_row {
	const char *id;			/* of the registry */
	enum registry_state state;
	const char *reason;
	bool is_fruitless;		/* no update was taken: a failure */
	bool is_planned;		/* else the members below do not count */
	uint64_t rev;			/* of the plan */
	uint32_t serial;
	const char *plan;		/* JSON */
	const char *held_digest;	/* NULL: keep it and its approval */
	const char *mismatches;
	int64_t next_ms;		/* the next round is due after this time */
	int64_t rest_ms;		/* and not earlier after a change */
};
/* If the endpoints have changed since the plan, the next round is due after rest_ms. */
void store_round(struct tx *tx, const struct round_row *round);
/* Approves the held changes. False: they have another digest now. */
bool store_plan_approve(struct tx *tx, const char *id, const char *digest,
                        const char *who);

/* ---- endpoints ---- */

struct endpoint {
	struct endpoint *next;		/* of a round */
	struct name name;
	const char *name_text;
	struct rrset rrset;
	const char *set_id;
	bool has_ttl, is_shared;
	bool is_copy;			/* made by an open transfer, not by a producer */
	const char *resource;		/* only of rows that were read */
};

struct source {
	const char *resource;
	bool is_complete;
	size_t endpoints;
	uint64_t rev;			/* of its list; 0: it does not count */
};

/* Locks the row. False: the resource has not called yet. */
bool store_source_read(struct tx *tx, const char *id, const char *resource,
                       struct source *source);
void store_source_write(struct tx *tx, const char *id, const struct source *source);
/* Calls EACH with the endpoints of a registry, or of one RESOURCE of it. */
void store_endpoints(struct tx *tx, struct arena *arena, const char *id,
                     const char *resource,
                     void (*each)(void *self, const struct endpoint *endpoint),
                     void *self);
void store_endpoints_put(struct tx *tx, const char *id, const char *resource,
                         const struct endpoint *endpoints, size_t count);
void store_endpoints_delete(struct tx *tx, const char *id, const char *resource,
                            const struct endpoint *endpoints, size_t count);
/* Of all resources; each counts as one at least. */
size_t store_endpoints_total(struct tx *tx, const char *id);
void store_sources(struct tx *tx, struct arena *arena, const char *id,
                   void (*each)(void *self, const struct source *source), void *self);

/* ---- owned sets ---- */

struct owned_row {
	struct owned_row *next;		/* of a round */
	struct name name;
	struct rrset rrset;		/* as last read; no records: not read yet */
	struct rrset intended;		/* as sent; no records: nothing is sent */
	const char *resource;
	const char *storage_id;		/* of the owner: store_owned_by_others() */
	bool is_contested;		/* not read yet, and another registry has a row */
};

void store_owned(struct tx *tx, struct arena *arena, const char *id,
                 void (*each)(void *self, const struct owned_row *row), void *self);
/* The sets that other registries own in the zone. */
void store_owned_by_others(struct tx *tx, struct arena *arena, const char *id,
                           const char *zone,
                           void (*each)(void *self, const struct owned_row *row),
                           void *self);
/* Sets `intended` only. */
void store_owned_intend(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* Sets the records; nothing is intended. */
void store_owned_put(struct tx *tx, const char *id, const struct owned_row *rows,
                     size_t count);
/* The server refused the sets: nothing is intended. */
void store_owned_refused(struct tx *tx, const char *id, const struct owned_row *rows,
                         size_t count);
void store_owned_delete(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* Has RESOURCE a row? */
bool store_owned_has(struct tx *tx, const char *id, const char *resource);
/* Stores the number of rows; are there fewer than stored? */
void store_owned_count(struct tx *tx, const char *id);
bool store_owned_is_lost(struct tx *tx, const char *id);
/* Makes rows of OWNER's sets in the last reading that have none. Returns how many. */
size_t store_owned_restore(struct tx *tx, const char *id, const char *owner);

/* ---- repeated calls ---- */

/*
 * The kept answer to this message, or NULL. ERR_CONFLICT in the transaction: another call
 * had its message id (runtime/rpc_digest.h).
 */
const char *store_answer(struct tx *tx, const struct request *req);
void store_answer_put(struct tx *tx, const struct request *req, const char *answer);

/* ---- old rows ---- */

/* Deletes answers that are older than an hour. */
void store_sweep_answers(struct tx *tx);
/* Deletes resources that had no endpoints for a day and own no sets. */
void store_sweep_sources(struct tx *tx);
