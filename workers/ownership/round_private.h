/*
 * round_private -- between round.c, which goes through the steps, round_plan.c, which
 * brings rows and records together, round_records.c, which keeps what was read,
 * round_skip.c, which knows when nothing is to be read, and round_report.c, which says
 * what came of it.
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

enum { PLAN_DIGEST = 64 };		/* hexadecimal digits */

/* What goes to the server for one name. */
struct name_update {
	struct update update;
	size_t first, count;		/* of the plan's items */
	bool is_unconfirmed;		/* a message of it got no answer */
};

/* A name and a type, as a key of maps. */
struct set_key {
	uint8_t octets[NAME_MAX_WIRE + 2];
	size_t len;
};

struct round {
	struct ownership *ownership;
	struct registry *registry;
	struct held *held;
	struct arena *arena;		/* of the rows that were read */
	struct registry_row row;
	struct view *view;
	struct owned_row *owned_rows;
	struct map *owned;		/* the same rows, by name and type */
	struct endpoint *endpoints;
	struct map *complete;		/* resources with a complete list */
	struct order *orders;		/* round_orders.c's, from the oldest on */
	uint32_t serial;
	bool is_complete, is_planned, is_accepted, is_stopped;
	bool is_kept;			/* what was read, for who asks for it */
	struct plan plan;
	char digest[PLAN_DIGEST + 1];	/* of what is held; "": nothing is */
	char mismatches[PLAN_DIGEST + 1];	/* of what is wanted and another's */
	struct name_update *updates;
	size_t update_count;
	struct batch *batch;
	const struct update **sending;	/* room for all of a message */
	int tries;			/* of the message in hand */
	struct loop_timer *timer;
	size_t outcomes[OUTCOME_COUNT];
	char reason[256];		/* of the last outcome that is not APPLIED */
};

/* ---- round_state.c ---- */

struct set_key set_key_of(const struct name *name, uint16_t type);
/* Guarded by the registry's lock. */
struct tx round_begin_tx(struct round *round, struct why *why);
struct owned_row round_row_of(const struct plan_item *item);
enum answer { ANSWER_TAKEN, ANSWER_REFUSED, ANSWER_UNKNOWN };
/* Nothing of what was surely refused can come any more. */
enum answer round_answer(const struct round *round, size_t update);

/* ---- round_plan.c and round_owned.c ---- */

/* Rows that are marks, and were lost, come back from those of the zone as it was read. */
enum err round_owned_restore(void *round, struct why *why);
/* From the rows to a plan. The zone is in the view. */
enum err round_plan(struct round *round, struct why *why);
bool round_writes_set(const struct plan_item *item);	/* it will be owned */
/* What will be owned is written down. */
enum err round_owned_accept(void *round, struct why *why);
/* What the provider took, and what it refused. */
enum err round_owned_assign(void *round, struct why *why);
/* What was seen to be owned, and what is no more. */
enum err round_owned_settle(void *round, struct why *why);

/* ---- round_skip.c ---- */

/* Is it worth to ask for the zone's serial, before it is read? */
bool round_skip_is_possible(const struct round *round);
bool round_skip_applies(const struct round *round, uint32_t serial);
void round_skip_note(const struct round *round);

/* ---- round_records.c ---- */

enum err round_keep_records(void *round, struct why *why);

/* ---- round_report.c ---- */

void round_digest(struct round *round);
/* The plan as JSON, cut off where it is long. */
void round_describe(const struct round *round, struct buf *json);
/* Log, metrics, notifications: how it ended. */
void round_report(struct round *round, enum registry_state state);
void round_skip_count(void);
/* PAYLOAD is taken, and gets the zone and the storage_id. */
void round_notify(const struct round *round, const char *event, json_t *payload);
