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
#include "consistency/heartbeat.h"
#include "provider.h"
#include "round_orders.h"
#include "runtime/loop.h"
#include "storage.h"

enum { TRIES_MAX = 5 };			/* of a message */

static const struct backoff resend = { .first_ms = 200, .max_ms = 5000 };
static const struct backoff again = { .first_ms = 1000, .max_ms = 300 * 1000 };

static struct holder *holder_of(const struct round *round)
{
	return membership_holder(heartbeat_membership(round->ownership->heartbeat));
}

/* ---- the end ---- */

static void round_free(struct round *round)
{
	round->registry->round = NULL;
	holder_drop(holder_of(round), round->ownership->runtime.db, &round->held);
	loop_timer_free(&round->timer);
	batch_free(&round->batch);
	map_free(&round->made);
	map_free(&round->sure);
	view_free(&round->view);
	arena_free(&round->arena);
	free(round->errands);
	free(round->sending);
	free(round);
}

static bool is_bad(enum registry_state state)
{
	return state == REGISTRY_FAILED || state == REGISTRY_PARKED;
}

/* Something was to be done, and nothing of it could be. */
static bool is_vain(const struct round *round)
{
	return round->errand_count && !round->outcomes[OUTCOME_APPLIED] &&
	       !round->registry->settings->dry_run;
}

static int64_t interval_ms(const struct round *round)
{
	return round->is_stopped ? 0
	       : round->registry->settings->interval_ms;
}

/* What was done is to be seen; what is in the way is looked at less and less often. */
static int64_t next_ms(const struct round *round, enum registry_state state)
{
	int64_t resync_ms = round->registry->settings->resync_ms;
	int64_t again_ms = backoff_ms(&again, (int)round->row.failures, random_u32());

	if (round->is_stopped)
		return 0;
	if (is_bad(state))
		return again_ms;
	if (is_vain(round))
		return again_ms < resync_ms ? again_ms : resync_ms;
	return round->outcomes[OUTCOME_APPLIED] ? interval_ms(round) : resync_ms;
}

struct ending {
	struct round *round;
	enum registry_state state;
	const char *reason;
};

/* What was approved, and could not be done, is so still. */
static bool keeps_approval(const struct ending *ending)
{
	return is_bad(ending->state) || ending->round->registry->settings->dry_run;
}

static enum err write_ending(void *self, struct why *why)
{
	const struct ending *ending = self;
	struct round *round = ending->round;
	int64_t next = next_ms(round, ending->state);
	struct buf plan = { 0 };
	struct tx tx = round_begin_tx(round, why);

	if (round->is_planned)
		round_describe(round, &plan);
	store_round(&tx, &(struct round_row){
		.id = round->row.id, .state = ending->state, .reason = ending->reason,
		.is_vain = is_vain(round),
		.is_planned = round->is_planned, .rev = round->row.rev,
		.serial = round->serial, .plan = buf_string(&plan),
		.held_digest = *round->digest || !keeps_approval(ending)
		               ? round->digest : NULL,
		.mismatches = round->mismatches,
		.next_ms = next, .rest_ms = is_bad(ending->state) ? next
		                                                  : interval_ms(round),
	});
	buf_clear(&plan);
	return tx_commit(&tx);
}

static void settle_orders(struct round *round)
{
	struct why why;

	if (tx_retry_on_loop(orders_settle, round, &why))
		log_warn("orders not settled: zone=%s storage=%s reason=\"%s\"",
		         round->registry->zone_text, round->registry->settings->storage_id,
		         why.text);
	else
		orders_tell(round);
}

/* What nobody could read of is planned again, however still the zone is. */
static void round_not_written(struct round *round, const struct why *why)
{
	round->registry->quiet.is_known = false;
	log_warn("round not written: zone=%s storage=%s reason=\"%s\"",
	         round->registry->zone_text, round->registry->settings->storage_id,
	         why->text);
}

static void end(struct round *round, enum registry_state state, const char *reason)
{
	struct ending ending = { round, state, reason };
	struct registry *registry = round->registry;
	struct why why;

	registry->provider->cancel(registry);
	registry->not_before_ms = clock_ms() + registry->settings->interval_ms;
	if (is_bad(state))
		log_warn("zone not kept: zone=%s storage=%s state=%s reason=\"%s\"",
		         registry->zone_text, registry->settings->storage_id,
		         registry_state_name(state), reason);
	if (round->is_planned && round->orders)
		settle_orders(round);
	if (tx_retry_on_loop(write_ending, &ending, &why))
		round_not_written(round, &why);
	else
		round_tell(round, state);
	round_free(round);
}

static void end_of_all(struct round *round)
{
	round_note_quiet(round);
	if (round->outcomes[OUTCOME_PARKED])
		end(round, REGISTRY_PARKED, round->words);
	else if (round->outcomes[OUTCOME_AGAIN] || round->outcomes[OUTCOME_UNABLE])
		end(round, REGISTRY_FAILED, round->words);
	else
		end(round, round->plan.held ? REGISTRY_HELD : REGISTRY_OK,
		    round->outcomes[OUTCOME_POLICY] || round->outcomes[OUTCOME_FAILED]
		        ? round->words : "");
}

/* ---- what is done ---- */

static void send_next(void *self);

static void count_outcomes(struct round *round)
{
	for (size_t i = 0; i < round->errand_count; i++)
		round->outcomes[batch_outcome(round->batch, i)]++;
}

static void after_sending(struct round *round)
{
	struct why why;

	count_outcomes(round);
	if (tx_retry_on_loop(round_assign, round, &why))
		log_warn("outcomes not written: zone=%s storage=%s reason=\"%s\"",
		         round->registry->zone_text, round->registry->settings->storage_id,
		         why.text);
	end_of_all(round);
}

/* Nobody knows whether it was done, and a second one may meet the first. */
static void doubt_message(struct round *round)
{
	size_t first, count;

	batch_next(round->batch, &first, &count);
	for (size_t i = first; i < first + count; i++)
		round->errands[i].is_unsure = true;
}

/*
 * A server that gives no answer, or cannot do it just now, gets the same message again in
 * a while. If it lives, and still cannot, one of the updates is to blame.
 */
static void sent(void *self, enum outcome outcome, const char *words)
{
	struct round *round = self;
	bool is_open = outcome == OUTCOME_AGAIN || outcome == OUTCOME_UNABLE;

	if (outcome != OUTCOME_APPLIED)
		snprintf(round->words, sizeof(round->words), "%s", words);
	if (is_open)
		doubt_message(round);
	if (is_open && ++round->tries < TRIES_MAX && !round->is_stopped) {
		loop_timer_set(round->timer,
		               backoff_ms(&resend, round->tries - 1, random_u32()));
		return;
	}
	if (outcome == OUTCOME_AGAIN) {
		batch_give_up(round->batch, OUTCOME_AGAIN);
		after_sending(round);
		return;
	}
	if (!is_open)
		round->tries = 0;	/* of what it cannot do each half is tried once */
	batch_settle(round->batch, outcome);
	send_next(round);
}

static void send_next(void *self)
{
	struct round *round = self;
	size_t first, count;

	if (!batch_next(round->batch, &first, &count)) {
		after_sending(round);
		return;
	}
	if (round->is_stopped || !holder_is_sure(holder_of(round), round->held)) {
		snprintf(round->words, sizeof(round->words), "%s", round->is_stopped
		         ? "this process ends" : "the lock of the registry ran out");
		batch_give_up(round->batch, OUTCOME_AGAIN);
		after_sending(round);
		return;
	}
	for (size_t i = 0; i < count; i++)
		round->sending[i] = &round->errands[first + i].update;
	round->registry->provider->send(round->registry, round->sending, count, sent,
	                                round);
}

/* ---- from the plan to what goes out ---- */

static void add_errand(struct round *round, size_t first, size_t end)
{
	struct errand *errand = &round->errands[round->errand_count];

	*errand = (struct errand){ .first = first, .count = end - first };
	update_make(round->view, &round->plan.items[first], end - first,
	            (uint32_t)round->registry->settings->mark_ttl, &errand->update);
	round->errand_count += errand->update.changes.count > 0;
}

static void make_errands(struct round *round)
{
	round->errands = xcalloc(round->plan.count + 1, sizeof(*round->errands));
	for (size_t first = 0, last; first < round->plan.count; first = last) {
		last = plan_group_end(&round->plan, first);
		add_errand(round, first, last);
	}
}

static void make_batch(struct round *round)
{
	const struct registry *registry = round->registry;
	struct batch_size *sizes = xcalloc(round->errand_count + 1, sizeof(*sizes));

	for (size_t i = 0; i < round->errand_count; i++)
		sizes[i] = registry->provider->measure(&round->errands[i].update);
	round->batch = batch_new(sizes, round->errand_count, &registry->limits);
	round->sending = xcalloc(round->errand_count + 1, sizeof(*round->sending));
	free(sizes);
}

static void keep_records(struct round *round)
{
	struct why why;

	round->is_kept = !tx_retry_on_loop(round_keep_records, round, &why);
	if (!round->is_kept)
		log_warn("records not kept: zone=%s storage=%s reason=\"%s\"",
		         round->registry->zone_text, round->registry->settings->storage_id,
		         why.text);
}

static enum err plan_and_accept(struct round *round, struct why *why)
{
	enum err err = tx_retry_on_loop(round_restore, round, why);

	if (!err)
		err = round_plan(round, why);
	if (err)
		return err;
	round->is_planned = true;
	make_errands(round);
	err = tx_retry_on_loop(round_settle, round, why);
	keep_records(round);
	if (!err && !round->registry->settings->dry_run)
		err = tx_retry_on_loop(round_accept, round, why);
	round->is_accepted = !err && !round->registry->settings->dry_run;
	return err;
}

static void was_read(void *self, const char *fault, uint32_t serial)
{
	struct round *round = self;
	struct why why;

	round->serial = serial;
	if (fault) {
		end(round, REGISTRY_FAILED, fault);
		return;
	}
	if (plan_and_accept(round, &why)) {
		end(round, REGISTRY_FAILED, why.text);
		return;
	}
	if (round->registry->settings->dry_run || !round->errand_count) {
		end_of_all(round);
		return;
	}
	make_batch(round);
	send_next(round);
}

static void read_zone(struct round *round)
{
	struct registry *registry = round->registry;

	registry->quiet.is_known = false;
	registry->provider->read(registry, round->view, was_read, round);
}

/* Who does not say gets the question for the whole zone, and has to answer that. */
static void serial_was_told(void *self, const char *fault, uint32_t serial)
{
	struct round *round = self;

	if (fault || !round_is_quiet(round, serial)) {
		read_zone(round);
		return;
	}
	round_count_quiet();
	end(round, round->registry->quiet.is_held ? REGISTRY_HELD : REGISTRY_OK, "");
}

/* ---- the beginning ---- */

static enum err read_row(struct round *round, struct why *why)
{
	struct tx tx = tx_autocommit(round->ownership->runtime.db, why);

	if (!store_registry_read(&tx, round->arena, round->registry->id, &round->row))
		tx_fail(&tx, ERR_NOT_FOUND, "the registry has no row");
	return tx_commit(&tx);
}

void round_begin(struct ownership *ownership, struct registry *registry)
{
	struct round *round = xcalloc(1, sizeof(*round));
	struct db *db = ownership->runtime.db;
	struct why why;

	round->ownership = ownership;
	round->registry = registry;
	if (holder_take(holder_of(round), db, registry->lock, 0, &round->held, &why)) {
		log_debug("registry not taken: zone=%s storage=%s reason=\"%s\"",
		          registry->zone_text, registry->settings->storage_id, why.text);
		free(round);
		return;
	}
	registry->round = round;
	round->arena = arena_new();
	round->made = map_new(random_u32());
	round->sure = map_new(random_u32());
	round->view = view_new(&registry->zone, random_u32());
	round->timer = loop_timer_new(ownership->runtime.loop, send_next, round);
	if (read_row(round, &why)) {
		log_warn("registry not read: zone=%s reason=\"%s\"", registry->zone_text,
		         why.text);
		round_free(round);
		return;
	}
	if (!round->row.is_due) {	/* somebody else was here meanwhile */
		round_free(round);
		return;
	}
	if (round_may_be_quiet(round))
		registry->provider->serial(registry, serial_was_told, round);
	else
		read_zone(round);
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
