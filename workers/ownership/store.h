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
/* True: STATE is FAILED or PARKED. */
bool registry_state_failed(enum registry_state state);

struct registry_row {
	char id[ID_LEN + 1];
	/* Revision of the endpoints. Each change of the endpoints raises this number. */
	uint64_t rev;
	unsigned failures;		/* number of consecutive failed rounds */
	bool is_due;
	/* digest of the held changes; "": no held changes */
	const char *held_digest;
	/* digest of the desired sets that have other owners, in the last plan */
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
/* Returns the plan as JSON. NULL: there is no plan yet. */
const char *store_plan(struct tx *tx, struct arena *arena, const char *id);
/*
 * Raises the revision of the endpoints. The next round is due as soon as `interval`
 * allows a round, even if a round is running now. Call it when the endpoints have
 * changed.
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
	const char *id;			/* id of the registry */
	enum registry_state state;
	const char *reason;
	/* the round counts as failed, because the server applied none of its updates */
	bool is_fruitless;
	bool is_planned;		/* false: the following members are not used */
	uint64_t rev;			/* revision of the endpoints in the plan */
	uint32_t serial;
	const char *plan;		/* the plan as JSON */
	/* digest of the held changes; NULL: keep the old digest and its approval */
	const char *held_digest;
	const char *mismatches;
	int64_t next_ms;		/* time until the next round is due */
	/*
	 * time until a round is due if the endpoints have changed since the plan or
	 * change before the next round
	 */
	int64_t rest_ms;
};
/* Writes the result of a round, and the time when the next round is due. */
void store_round(struct tx *tx, const struct round_row *round);
/*
 * Approves the held changes with the digest DIGEST. False: the held changes have a
 * different digest.
 */
bool store_plan_approve(struct tx *tx, const char *id, const char *digest,
                        const char *who);

/* ---- endpoints ---- */

struct endpoint {
	struct endpoint *next;		/* the next endpoint of the round */
	struct name name;
	const char *name_text;
	struct rrset rrset;
	const char *set_id;
	bool has_ttl, is_shared;
	/* an open transfer made this endpoint, and no producer has sent this endpoint */
	bool is_copy;
	/* resource of the endpoint, only in rows from the database */
	const char *resource;
};

struct source {
	const char *resource;
	bool is_complete;
	size_t endpoints;
	/* revision of the list; 0: the resource sends no revisions */
	uint64_t rev;
};

/*
 * Reads and locks the row of RESOURCE. False: the resource has no row. A resource
 * without a row has never sent a list, or store_sweep_sources() has deleted its row.
 */
bool store_source_read(struct tx *tx, const char *id, const char *resource,
                       struct source *source);
void store_source_write(struct tx *tx, const char *id, const struct source *source);
/*
 * Calls EACH with the endpoints of a registry. If RESOURCE is not NULL, calls EACH only
 * with the endpoints of RESOURCE.
 */
void store_endpoints(struct tx *tx, struct arena *arena, const char *id,
                     const char *resource,
                     void (*each)(void *self, const struct endpoint *endpoint),
                     void *self);
void store_endpoints_put(struct tx *tx, const char *id, const char *resource,
                         const struct endpoint *endpoints, size_t count);
void store_endpoints_delete(struct tx *tx, const char *id, const char *resource,
                            const struct endpoint *endpoints, size_t count);
/*
 * Counts the endpoints of all resources. A resource without endpoints counts as one
 * endpoint.
 */
size_t store_endpoints_total(struct tx *tx, const char *id);
void store_sources(struct tx *tx, struct arena *arena, const char *id,
                   void (*each)(void *self, const struct source *source), void *self);

/* ---- owned sets ---- */

struct owned_row {
	struct owned_row *next;		/* the next row of the round */
	struct name name;
	/*
	 * the set at the last reading of the zone; no records: no reading has shown the
	 * set yet
	 */
	struct rrset rrset;
	/* the set that the last update writes; no records: no update is open */
	struct rrset intended;
	const char *resource;
	/* storage_id of the owner. Only store_owned_by_others() sets this member. */
	const char *storage_id;
	/*
	 * no reading has shown the set yet, and another registry also has a row for the
	 * set
	 */
	bool is_contested;
};

void store_owned(struct tx *tx, struct arena *arena, const char *id,
                 void (*each)(void *self, const struct owned_row *row), void *self);
/* Reads the sets that other registries own in the zone. */
void store_owned_by_others(struct tx *tx, struct arena *arena, const char *id,
                           const char *zone,
                           void (*each)(void *self, const struct owned_row *row),
                           void *self);
/* Inserts the rows that are missing, and writes only `intended` of ROWS. */
void store_owned_intend(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* Writes the records of ROWS and clears `intended`. */
void store_owned_put(struct tx *tx, const char *id, const struct owned_row *rows,
                     size_t count);
/*
 * Clears `intended`, because the server refused the sets. If a row contains no set after
 * this change, the function deletes the row.
 */
void store_owned_refused(struct tx *tx, const char *id, const struct owned_row *rows,
                         size_t count);
void store_owned_delete(struct tx *tx, const char *id, const struct owned_row *rows,
                        size_t count);
/* True: a row of an owned set belongs to RESOURCE. */
bool store_owned_has(struct tx *tx, const char *id, const char *resource);
/*
 * store_owned_count() stores the number of rows of owned sets. store_owned_is_lost()
 * returns true if the number of rows is now smaller than the stored number.
 */
void store_owned_count(struct tx *tx, const char *id);
bool store_owned_is_lost(struct tx *tx, const char *id);
/*
 * Inserts the missing rows of the sets that OWNER owns according to the last reading.
 * Returns the number of inserted rows.
 */
size_t store_owned_restore(struct tx *tx, const char *id, const char *owner);

/* ---- repeated calls ---- */

/*
 * Returns the stored answer to this message, or NULL. If a different call has used the
 * message id, TX fails with ERR_CONFLICT (runtime/rpc_digest.h).
 */
const char *store_answer(struct tx *tx, const struct request *req);
void store_answer_put(struct tx *tx, const struct request *req, const char *answer);

/* ---- old rows ---- */

/* Deletes at most 10000 answers that are older than an hour. */
void store_sweep_answers(struct tx *tx);
/*
 * Deletes the rows of at most 10000 resources. Such a resource owns no sets, and its
 * last list was complete and empty and arrived more than a day ago.
 */
void store_sweep_sources(struct tx *tx);
