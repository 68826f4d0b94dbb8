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
	unsigned failures;		/* failed rounds in a row */
	bool is_due;
	const char *held_digest;	/* of the held changes; "": no held changes */
	/* digest of the mismatches in the last notification */
	const char *mismatches;
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
/* The status for get_plan and find_registries. */
struct registry_status {
	const char *state, *reason, *planned_at, *approved_by;
	uint64_t rev, planned_rev, rounds;
};
bool store_registry_status(struct tx *tx, struct arena *arena, const char *id,
                           struct registry_status *status);
/* JSON; NULL: there is no plan yet. */
const char *store_plan(struct tx *tx, struct arena *arena, const char *id);
/*
 * The endpoints have changed: the next round is due as soon as `interval` allows it, even
 * if a round is running now.
 */
void store_registry_changed(struct tx *tx, const char *id);
/* As store_registry_changed(), but due at once, because a caller waits. */
void store_registry_urgent(struct tx *tx, const char *id);
/* As store_registry_changed(), for all registries of ZONE except the registry ID. */
void store_zone_changed(struct tx *tx, const char *zone, const char *id);

/* The result of a round. */
struct round_row {
	const char *id;			/* of the registry */
	enum registry_state state;
	const char *reason;
	bool is_fruitless;		/* the server applied no update: a failure */
	bool is_planned;		/* false: the following members do not count */
	uint64_t rev;			/* revision of the endpoints in the plan */
	uint32_t serial;
	const char *plan;		/* JSON */
	const char *held_digest;	/* NULL: keep the old digest and its approval */
	const char *mismatches;
	int64_t next_ms;		/* time until the next round is due */
	int64_t rest_ms;		/* the same after a change of the endpoints */
};
/*
 * Writes the result. If the endpoints have changed since the plan, the next round is due
 * after rest_ms.
 */
void store_round(struct tx *tx, const struct round_row *round);
/* Approves the held changes. False: the held changes have another digest now. */
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
	bool is_copy;			/* an open transfer made it, not a producer */
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
/* Calls EACH with the endpoints of a registry, or of one RESOURCE in it. */
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
	struct rrset rrset;		/* as last read; without records: not read yet */
	struct rrset intended;		/* as sent; without records: nothing sent */
	const char *resource;
	const char *storage_id;		/* the owner's; set by store_owned_by_others() */
	/* not read yet, and another registry has a row for it */
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
/* The first function stores the number of rows; the second finds fewer rows now. */
void store_owned_count(struct tx *tx, const char *id);
bool store_owned_is_lost(struct tx *tx, const char *id);
/* Makes missing rows for OWNER's sets in the last reading. Returns their number. */
size_t store_owned_restore(struct tx *tx, const char *id, const char *owner);

/* ---- repeated calls ---- */

/*
 * The stored answer to this message, or NULL. ERR_CONFLICT in the transaction: another
 * call had the same message id (runtime/rpc_digest.h).
 */
const char *store_answer(struct tx *tx, const struct request *req);
void store_answer_put(struct tx *tx, const struct request *req, const char *answer);

/* ---- old rows ---- */

/* Deletes answers older than an hour. */
void store_sweep_answers(struct tx *tx);
/* Deletes resources that own no sets and have had no endpoints for a day. */
void store_sweep_sources(struct tx *tx);
