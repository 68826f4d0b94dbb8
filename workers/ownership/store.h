/*
 * store -- reads and writes the rows of zonefleet-ownership: endpoints, owned record sets
 * and the states of registries. No other program writes these rows.
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
	unsigned failures;		/* consecutive failed rounds */
	bool is_due;
	const char *held_digest;	/* of the held changes; "": no held changes */
	/* digest of the mismatches in the last notification */
	const char *mismatches;
	const char *approved;		/* digest of the approved changes */
};

/* Writes the id of the row to ID. If there is no row, inserts a row that is due now. */
void store_registry_enter(struct tx *tx, const char *storage_id, const char *zone,
                          char id[ID_LEN + 1]);
/* Calls EACH with the id of each due registry. */
void store_registries_due(struct tx *tx, void (*each)(void *self, const char *id),
                          void *self);
bool store_registry_read(struct tx *tx, struct arena *arena, const char *id,
                         struct registry_row *row);
/* The status for get_plan and find_registries. */
struct registry_status {
	const char *state, *reason, *planned_at, *approved_by;
	uint64_t rev, planned_rev, rounds;
};
bool store_registry_status(struct tx *tx, struct arena *arena, const char *id,
                           struct registry_status *status);
/* The plan as JSON; NULL: there is no plan yet. */
const char *store_plan(struct tx *tx, struct arena *arena, const char *id);
/*
 * Call it when the endpoints have changed. The next round is due as soon as `interval`
 * allows it, even if a round is running now.
 */
void store_registry_changed(struct tx *tx, const char *id);
/*
 * Like store_registry_changed(), but the round is due immediately, because a caller is
 * waiting.
 */
void store_registry_urgent(struct tx *tx, const char *id);
/* Like store_registry_changed(), for all registries of ZONE except the registry ID. */
void store_zone_changed(struct tx *tx, const char *zone, const char *id);

/* The result of a round. */
struct round_row {
	const char *id;			/* of the registry */
	enum registry_state state;
	const char *reason;
	/* the round failed, because the server applied no update */
	bool is_fruitless;
	bool is_planned;		/* false: the following members are not used */
	uint64_t rev;			/* revision of the endpoints in the plan */
	uint32_t serial;
	const char *plan;		/* JSON */
	const char *held_digest;	/* NULL: keep the old digest and its approval */
	const char *mismatches;
	int64_t next_ms;		/* time until the next round is due */
	int64_t rest_ms;		/* the same if the endpoints have changed */
};
/*
 * Writes the result. If the endpoints have changed since the plan, the next round is due
 * after rest_ms.
 */
void store_round(struct tx *tx, const struct round_row *round);
/*
 * Approves the held changes. False: the digest of the held changes is no longer DIGEST.
 */
bool store_plan_approve(struct tx *tx, const char *id, const char *digest,
                        const char *who);

/* ---- endpoints ---- */

struct endpoint {
	struct endpoint *next;		/* the next one of a round */
	struct name name;
	const char *name_text;
	struct rrset rrset;
	const char *set_id;
	bool has_ttl, is_shared;
	/* a transfer that is still open made it, not a producer */
	bool is_copy;
	const char *resource;		/* only in rows from the database */
};

struct source {
	const char *resource;
	bool is_complete;
	size_t endpoints;
	/* revision of its list; 0: the resource sends no revisions */
	uint64_t rev;
};

/* Locks the row. False: the resource has never sent a list. */
bool store_source_read(struct tx *tx, const char *id, const char *resource,
                       struct source *source);
void store_source_write(struct tx *tx, const char *id, const struct source *source);
/* Calls EACH with the endpoints of a registry, or only of RESOURCE if it is not NULL. */
void store_endpoints(struct tx *tx, struct arena *arena, const char *id,
                     const char *resource,
                     void (*each)(void *self, const struct endpoint *endpoint),
                     void *self);
void store_endpoints_put(struct tx *tx, const char *id, const char *resource,
                         const struct endpoint *endpoints, size_t count);
void store_endpoints_delete(struct tx *tx, const char *id, const char *resource,
                            const struct endpoint *endpoints, size_t count);
/* Counts the endpoints of all resources; a resource without endpoints counts as one. */
size_t store_endpoints_total(struct tx *tx, const char *id);
void store_sources(struct tx *tx, struct arena *arena, const char *id,
                   void (*each)(void *self, const struct source *source), void *self);

/* ---- owned sets ---- */

struct owned_row {
	struct owned_row *next;		/* the next one of a round */
	struct name name;
	/* the set at the last reading; no records: not read yet */
	struct rrset rrset;
	/* the set in the last update; no records: no update is open */
	struct rrset intended;
	const char *resource;
	/* storage_id of the owner; only store_owned_by_others() sets it */
	const char *storage_id;
	/* not read yet, and another registry also has a row for the set */
	bool is_contested;
};

void store_owned(struct tx *tx, struct arena *arena, const char *id,
                 void (*each)(void *self, const struct owned_row *row), void *self);
/* The sets that other registries own in the zone. */
void store_owned_by_others(struct tx *tx, struct arena *arena, const char *id,
                           const char *zone,
                           void (*each)(void *self, const struct owned_row *row),
                           void *self);
/* Writes only `intended`. */
void store_owned_intend(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* Writes the records and clears `intended`. */
void store_owned_put(struct tx *tx, const char *id, const struct owned_row *rows,
                     size_t count);
/* Clears `intended`, because the server refused the sets. */
void store_owned_refused(struct tx *tx, const char *id, const struct owned_row *rows,
                         size_t count);
void store_owned_delete(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* True: RESOURCE has a row. */
bool store_owned_has(struct tx *tx, const char *id, const char *resource);
/*
 * The first function stores the number of rows. The second function returns true if there
 * are fewer rows now.
 */
void store_owned_count(struct tx *tx, const char *id);
bool store_owned_is_lost(struct tx *tx, const char *id);
/*
 * Inserts missing rows for the sets that OWNER has in the last reading. Returns their
 * number.
 */
size_t store_owned_restore(struct tx *tx, const char *id, const char *owner);

/* ---- repeated calls ---- */

/*
 * The stored answer to this message, or NULL. If a different call has used the message
 * id, the transaction fails with ERR_CONFLICT (runtime/rpc_digest.h).
 */
const char *store_answer(struct tx *tx, const struct request *req);
void store_answer_put(struct tx *tx, const struct request *req, const char *answer);

/* ---- old rows ---- */

/* Deletes answers older than an hour. */
void store_sweep_answers(struct tx *tx);
/* Deletes resources that own no sets and have had no endpoints for a day. */
void store_sweep_sources(struct tx *tx);
