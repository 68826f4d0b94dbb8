#include "round_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "consistency/membership.h"
#include "provider.h"
#include "round_orders.h"
#include "runtime/loop.h"
#include "runtime/redo_timer.h"
#include "storage.h"

enum { TRIES_MAX = 5 };			/* for one message */

static const struct backoff resend = { .first_ms = 200, .max_ms = 5000 };
static const struct backoff again = { .first_ms = 1000, .max_ms = 300 * 1000 };

static void round_warn(const struct round *round, const char *event, const char *reason)
{
	log_warn("%s: zone=%s storage_id=%s reason=\"%s\"", event,
	         round->registry->zone_text, round->registry->settings->storage_id,
	         reason);
}

static struct holder *round_holder(const struct round *round)
{
	return membership_holder(round->ownership->runtime.membership);
}

/* ---- end of a round ---- */

static void round_free(struct round *round)
{
	round->registry->round = NULL;
	holder_drop(round_holder(round), round->ownership->runtime.db, &round->held);
	loop_timer_free(&round->timer);
	redo_timer_free(&round->redo);
	free(round->end_reason);
	batch_free(&round->batch);
	map_free(&round->owned);
	map_free(&round->complete);
	view_free(&round->view);
	arena_free(&round->arena);
	arena_free(&round->scratch);
	free(round->updates);
	free(round->sending);
	free(round);
}

/* True: the round had updates, and the provider applied none. */
static bool round_is_fruitless(const struct round *round)
{
	return round->update_count && !round->outcomes[OUTCOME_APPLIED] &&
	       !round->registry->settings->dry_run;
}

static int64_t round_interval_ms(const struct round *round)
{
	return round->is_stopped ? 0
	       : round->registry->settings->interval_ms;
}

/*
 * When the next round is due. It checks the applied updates of this one. After failures
 * the pauses grow.
 */
static int64_t round_next_ms(const struct round *round, enum registry_state state)
{
	int64_t resync_ms = round->registry->settings->resync_ms;
	int64_t again_ms = backoff_ms(&again, (int)round->row.failures, random_u32());

	if (round->is_stopped)
		return 0;
	if (registry_state_failed(state))
		return again_ms;
	if (round_is_fruitless(round))
		return again_ms < resync_ms ? again_ms : resync_ms;
	return round->outcomes[OUTCOME_APPLIED] ? round_interval_ms(round) : resync_ms;
}

/* An approval stays valid if the round could not use it. */
static bool round_keeps_approval(const struct round *round)
{
	return registry_state_failed(round->end_state) ||
	       round->registry->settings->dry_run;
}

static enum err round_write_end(void *self, struct why *why)
{
	struct round *round = self;
	int64_t next = round_next_ms(round, round->end_state);
	struct buf plan = { 0 };
	struct tx tx = round_begin_tx(round, why);

	if (round->is_planned)
		round_describe(round, &plan);
	store_round(&tx, &(struct round_row){
		.id = round->row.id, .state = round->end_state,
		.reason = round->end_reason,
		.is_fruitless = round_is_fruitless(round),
		.is_planned = round->is_planned, .rev = round->row.rev,
		.serial = round->serial, .plan = buf_string(&plan),
		.held_digest = *round->digest || !round_keeps_approval(round)
		               ? round->digest : NULL,
		.mismatches = round->mismatches,
		.next_ms = next, .rest_ms = registry_state_failed(round->end_state)
		                            ? next : round_interval_ms(round),
	});
	buf_clear(&plan);
	return tx_commit(&tx);
}

/* The plan is not in the database, so the next round must not skip the reading. */
static void round_note_unwritten(struct round *round, const struct why *why)
{
	round->registry->last_plan.is_known = false;
	round_warn(round, "result of the round not stored in the database", why->text);
}

static void round_on_end_written(void *self, enum err err, const struct why *why)
{
	struct round *round = self;

	if (err)
		round_note_unwritten(round, why);
	else
		round_report(round, round->end_state);
	round_free(round);
}

static void round_on_orders_settled(void *self, enum err err, const struct why *why)
{
	struct round *round = self;

	if (err)
		round_warn(round, "results of orders not stored in the database",
		           why->text);
	else
		round_orders_notify(round);
	redo_timer_run(round->redo, round_write_end, round_on_end_written);
}

static void round_end(struct round *round, enum registry_state state, const char *reason)
{
	struct registry *registry = round->registry;

	round->end_state = state;
	round->end_reason = xstrdup(reason);
	registry->provider->cancel(registry);
	registry->not_before_ms = clock_ms() + registry->settings->interval_ms;
	if (registry_state_failed(state))
		log_warn("round failed: zone=%s storage_id=%s state=%s reason=\"%s\"",
		         registry->zone_text, registry->settings->storage_id,
		         registry_state_name(state), reason);
	if (round->is_planned && round->orders)
		redo_timer_run(round->redo, round_orders_settle, round_on_orders_settled);
	else
		redo_timer_run(round->redo, round_write_end, round_on_end_written);
}

static void round_end_planned(struct round *round)
{
	round_skip_note(round);
	if (round->outcomes[OUTCOME_PARKED])
		round_end(round, REGISTRY_PARKED, round->reason);
	else if (round->outcomes[OUTCOME_AGAIN] || round->outcomes[OUTCOME_UNABLE])
		round_end(round, REGISTRY_FAILED, round->reason);
	else
		round_end(round, round->plan.held ? REGISTRY_HELD : REGISTRY_OK,
		          round->outcomes[OUTCOME_POLICY] ||
		          round->outcomes[OUTCOME_FAILED]
		        ? round->reason : "");
}

/* ---- sending ---- */

static void round_send_next(void *self);

static void round_count_outcomes(struct round *round)
{
	for (size_t i = 0; i < round->update_count; i++)
		round->outcomes[batch_outcome(round->batch, i)]++;
}

static void round_on_assigned(void *self, enum err err, const struct why *why)
{
	struct round *round = self;

	if (err)
		round_warn(round, "outcomes of changes not stored in the database",
		           why->text);
	round_end_planned(round);
}

static void round_end_sending(struct round *round)
{
	round_count_outcomes(round);
	redo_timer_run(round->redo, round_owned_assign, round_on_assigned);
}

/* The provider may have applied the message, now or later. */
static void round_mark_unconfirmed(struct round *round)
{
	size_t first, count;

	batch_next(round->batch, &first, &count);
	for (size_t i = first; i < first + count; i++)
		round->updates[i].is_unconfirmed = true;
}

/*
 * If a server does not answer, or fails temporarily, it gets the same message again after
 * a pause. If it answers and fails again, one of the updates is the cause.
 */
static void round_on_sent(void *self, enum outcome outcome, const char *words)
{
	struct round *round = self;
	bool is_open = outcome == OUTCOME_AGAIN || outcome == OUTCOME_UNABLE;

	if (outcome != OUTCOME_APPLIED)
		snprintf(round->reason, sizeof(round->reason), "%s", words);
	if (is_open)
		round_mark_unconfirmed(round);
	if (is_open && ++round->tries < TRIES_MAX && !round->is_stopped) {
		loop_timer_set(round->timer,
		               backoff_ms(&resend, round->tries - 1, random_u32()));
		return;
	}
	if (outcome == OUTCOME_AGAIN) {
		batch_give_up(round->batch, OUTCOME_AGAIN);
		round_end_sending(round);
		return;
	}
	if (!is_open)
		round->tries = 0;	/* after UNABLE each half is sent once */
	batch_settle(round->batch, outcome);
	round_send_next(round);
}

static void round_send_next(void *self)
{
	struct round *round = self;
	size_t first, count;

	if (!batch_next(round->batch, &first, &count)) {
		round_end_sending(round);
		return;
	}
	if (round->is_stopped || !holder_is_sure(round_holder(round), round->held)) {
		snprintf(round->reason, sizeof(round->reason), "%s", round->is_stopped
		         ? "this process of zonefleet-ownership is stopping"
		         : "the lock of the registry expired");
		batch_give_up(round->batch, OUTCOME_AGAIN);
		round_end_sending(round);
		return;
	}
	for (size_t i = 0; i < count; i++)
		round->sending[i] = &round->updates[first + i].update;
	round->registry->provider->send(round->registry, round->sending, count,
	                                round_on_sent, round);
}

/* ---- from the plan to updates ---- */

static void round_add_update(struct round *round, size_t first, size_t end)
{
	struct name_update *update = &round->updates[round->update_count];

	*update = (struct name_update){ .first = first, .count = end - first };
	update_make(round->view, &round->plan.items[first], end - first,
	            (uint32_t)round->registry->settings->mark_ttl, &update->update);
	round->update_count += update->update.changes.count > 0;
}

static void round_make_updates(struct round *round)
{
	round->updates = xcalloc(round->plan.count + 1, sizeof(*round->updates));
	for (size_t first = 0, last; first < round->plan.count; first = last) {
		last = plan_group_end(&round->plan, first);
		round_add_update(round, first, last);
	}
}

static void round_make_batch(struct round *round)
{
	const struct registry *registry = round->registry;
	struct batch_size *sizes = xcalloc(round->update_count + 1, sizeof(*sizes));

	for (size_t i = 0; i < round->update_count; i++)
		sizes[i] = registry->provider->measure(&round->updates[i].update);
	round->batch = batch_new(sizes, round->update_count, &registry->limits);
	round->sending = xcalloc(round->update_count + 1, sizeof(*round->sending));
	free(sizes);
}

/* ---- the transactions before the sending, one after the other ---- */

static void round_on_accepted(void *self, enum err err, const struct why *why)
{
	struct round *round = self;
	bool is_dry = round->registry->settings->dry_run;

	round->is_accepted = !err && !is_dry;
	if (err) {
		round_end(round, REGISTRY_FAILED, why->text);
	} else if (is_dry || !round->update_count) {
		round_end_planned(round);
	} else {
		round_make_batch(round);
		round_send_next(round);
	}
}

static void round_on_settled(void *self, enum err err, const struct why *why)
{
	struct round *round = self;

	if (err || round->registry->settings->dry_run)
		round_on_accepted(round, err, why);
	else
		redo_timer_run(round->redo, round_owned_accept, round_on_accepted);
}

static void round_on_kept(void *self, enum err err, const struct why *why)
{
	struct round *round = self;

	round->is_kept = !err;
	if (err)
		round_warn(round, "records of the zone not stored in the database",
		           why->text);
	redo_timer_run(round->redo, round_owned_settle, round_on_settled);
}

static void round_on_restored(void *self, enum err err, const struct why *why)
{
	struct round *round = self;
	struct why reason;

	if (err) {
		round_end(round, REGISTRY_FAILED, why->text);
	} else if (round_plan(round, &reason)) {
		round_end(round, REGISTRY_FAILED, reason.text);
	} else {
		round->is_planned = true;
		round_make_updates(round);
		redo_timer_run(round->redo, round_keep_records, round_on_kept);
	}
}

static void round_on_zone(void *self, const char *fault, uint32_t serial)
{
	struct round *round = self;

	round->serial = serial;
	if (fault)
		round_end(round, REGISTRY_FAILED, fault);
	else
		redo_timer_run(round->redo, round_owned_restore, round_on_restored);
}

static void round_read_zone(struct round *round)
{
	struct registry *registry = round->registry;

	registry->last_plan.is_known = false;
	registry->provider->read(registry, round->view, round_on_zone, round);
}

/* If the serial is unknown, the round reads the whole zone. */
static void round_on_serial(void *self, const char *fault, uint32_t serial)
{
	struct round *round = self;

	if (fault || !round_skip_applies(round, serial)) {
		round_read_zone(round);
		return;
	}
	round_skip_count();
	round_end(round, round->registry->last_plan.is_held ? REGISTRY_HELD : REGISTRY_OK,
	          "");
}

/* ---- begin of a round ---- */

static enum err round_read_row(struct round *round, struct why *why)
{
	struct tx tx = tx_autocommit(round->ownership->runtime.db, why);

	if (!store_registry_read(&tx, round->arena, round->registry->id, &round->row))
		tx_fail(&tx, ERR_NOT_FOUND,
		        "the table registries has no row for storage_id %s and zone %s: "
		        "restart zonefleet-ownership",
		        round->registry->settings->storage_id,
		        round->registry->zone_text);
	return tx_commit(&tx);
}

void round_begin(struct ownership *ownership, struct registry *registry)
{
	struct round *round = xcalloc(1, sizeof(*round));
	struct db *db = ownership->runtime.db;
	struct why why;

	round->ownership = ownership;
	round->registry = registry;
	if (holder_take(round_holder(round), db, registry->lock, 0, &round->held, &why)) {
		log_debug("registry not locked: zone=%s storage_id=%s reason=\"%s\"",
		          registry->zone_text, registry->settings->storage_id, why.text);
		free(round);
		return;
	}
	registry->round = round;
	round->arena = arena_new();
	round->scratch = arena_new();
	round->owned = map_new(random_u32());
	round->complete = map_new(random_u32());
	round->view = view_new(&registry->zone, random_u32());
	round->timer = loop_timer_new(ownership->runtime.loop, round_send_next, round);
	round->redo = redo_timer_new(ownership->runtime.loop, round);
	if (round_read_row(round, &why)) {
		round_warn(round, "registry not read from the database", why.text);
		round_free(round);
		return;
	}
	if (!round->row.is_due) {	/* another process was faster */
		round_free(round);
		return;
	}
	if (round_skip_is_possible(round))
		registry->provider->serial(registry, round_on_serial, round);
	else
		round_read_zone(round);
}

void round_abort(struct registry *registry)
{
	if (!registry->round)
		return;
	registry->provider->cancel(registry);
	round_free(registry->round);
}

void round_stop(struct registry *registry)
{
	struct round *round = registry->round;

	if (!round)
		return;
	round->is_stopped = true;
	if (!round->batch)
		round_abort(registry);
	else if (loop_timer_armed(round->timer))
		loop_timer_set(round->timer, 0);
}
