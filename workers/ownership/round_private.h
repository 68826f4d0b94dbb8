/*
 * round_private -- declarations that only the files of the round and storage.c use.
 * round.c takes the steps of the round. round_plan.c makes the plan from rows and
 * records. round_owned.c writes the rows of owned record sets. round_records.c stores the
 * records of the zone. round_skip.c decides whether the round can skip the reading.
 * round_orders.c handles orders. round_report.c writes log lines and sends notifications.
 * All of these files use round_state.c.
 */
#pragma once

#include <jansson.h>

#include "base/buf.h"
#include "consistency/holder.h"
#include "core/batch.h"
#include "core/update.h"
#include "ownership.h"
#include "round.h"
#include "store.h"

struct map;
struct order;
struct loop_timer;

enum { PLAN_DIGEST = 64 };		/* number of hexadecimal digits in a digest */

/* The update of one name. */
struct name_update {
	struct update update;
	/* index of the first item of this update in the plan, and number of its items */
	size_t first, count;
	/*
	 * The round has sent the update at least once, and the result is unknown. It is
	 * possible that the server has applied the update.
	 */
	bool is_unconfirmed;
};

/* A name and a type, as the key of a hash table. */
struct set_key {
	uint8_t octets[NAME_MAX_WIRE + 2];
	size_t len;
};

struct round {
	struct ownership *ownership;
	struct registry *registry;
	struct held *held;
	struct arena *arena;		/* memory for the rows from the database */
	/* memory for the rows that one run of a transaction writes */
	struct arena *scratch;
	struct registry_row row;
	struct view *view;
	struct owned_row *owned_rows;
	struct map *owned;		/* hash table of owned_rows. Key: name and type */
	struct endpoint *endpoints;
	/* hash table of the resources with a complete list. Key: the resource */
	struct map *complete;
	/*
	 * Open orders, the oldest order first. Only round_orders.c reads their members.
	 */
	struct order *orders;
	uint32_t serial;
	bool is_complete, is_planned, is_accepted, is_stopped;
	/* the database contains the records of this reading of the zone */
	bool is_kept;
	struct plan plan;
	/* digest of the held changes; "": no held changes */
	char digest[PLAN_DIGEST + 1];
	/* digest of the desired sets that have other owners */
	char mismatches[PLAN_DIGEST + 1];
	struct name_update *updates;
	size_t update_count;
	struct batch *batch;
	const struct update **sending;	/* the updates of the current message */
	/* number of times that the round has sent the current message */
	int tries;
	struct loop_timer *timer;
	struct redo_timer *redo;	/* runs the transactions of the round */
	size_t outcomes[OUTCOME_COUNT];
	/* reason of the last outcome that was not APPLIED */
	char reason[256];
	enum registry_state end_state;	/* state and reason at the end of the round */
	char *end_reason;
};

/* ---- round_state.c ---- */

struct set_key set_key_of(const struct name *name, uint16_t type);
/* Begins a transaction that the registry's lock guards. */
struct tx round_begin_tx(struct round *round, struct why *why);
struct owned_row round_row_of(const struct plan_item *item);
enum answer { ANSWER_TAKEN, ANSWER_REFUSED, ANSWER_UNKNOWN };
/*
 * Returns the server's answer to an update. ANSWER_REFUSED: the update cannot take
 * effect later.
 */
enum answer round_answer(const struct round *round, size_t update);

/* ---- round_plan.c and round_owned.c ---- */

/*
 * If the database has lost rows of the storage "table", writes these rows again from the
 * records of the last reading.
 */
enum err round_owned_restore(void *round, struct why *why);
/* Reads the rows and makes the plan. Call it after the zone is in the view. */
enum err round_plan(struct round *round, struct why *why);
/* Writes the desired sets, before the round sends the updates. */
enum err round_owned_accept(void *round, struct why *why);
/*
 * Writes to the rows which sets the provider has applied and which sets the provider has
 * refused.
 */
enum err round_owned_assign(void *round, struct why *why);
/*
 * Updates the rows from the last reading: writes the owned sets that the zone contains,
 * and deletes the rows of sets that no longer exist.
 */
enum err round_owned_settle(void *round, struct why *why);

/* ---- round_skip.c ---- */

/* True: the round can skip the reading of the zone if the serial is unchanged. */
bool round_skip_is_possible(const struct round *round);
/* True: SERIAL is the serial of the last plan. */
bool round_skip_applies(const struct round *round, uint32_t serial);
/* Stores the serial of the zone and the revision of the endpoints for the next round. */
void round_skip_note(const struct round *round);

/* ---- round_records.c ---- */

enum err round_keep_records(void *round, struct why *why);

/* ---- round_report.c ---- */

void round_digest(struct round *round);
/* Appends the plan as JSON. The length of the JSON is limited. */
void round_describe(const struct round *round, struct buf *json);
/* Writes log lines, metrics and notifications at the end of the round. */
void round_report(struct round *round, enum registry_state state);
void round_skip_count(void);
/* Sends a notification. Takes over PAYLOAD and adds the zone and the storage_id. */
void round_notify(const struct round *round, const char *event, json_t *payload);
