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
#include "consistency/pulse.h"
#include "provider.h"
#include "round_orders.h"
#include "runtime/loop.h"
#include "storage.h"

enum { TRIES_MAX = 5 };			/* of a message */

static const struct backoff resend = { .first_ms = 200, .max_ms = 5000 };
static const struct backoff again = { .first_ms = 1000, .max_ms = 300 * 1000 };

static struct holder *holder_of(const struct round *round)
{
	return fleet_holder(pulse_fleet(round->ownership->pulse));
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

static int64_t next_ms(const struct round *round, enum registry_state state)
{
	const struct registry_settings *settings = round->registry->settings;

	if (round->is_stopped)
		return 0;
	if (state == REGISTRY_FAILED || state == REGISTRY_PARKED)
		return backoff_ms(&again, (int)round->row.failures, random_u32());
	/* what was done is to be seen, what was in the way may be gone */
	if (round->errand_count && !round->registry->settings->dry_run)
		return 1000 * (int64_t)settings->interval_s;
	return 1000 * (int64_t)settings->resync_s;
}

struct ending {
	struct round *round;
	enum registry_state state;
	const char *reason;
};

static enum err write_ending(void *self, struct why *why)
{
	const struct ending *ending = self;
	struct round *round = ending->round;
	struct buf plan = { 0 };
	struct tx tx = round_begin_tx(round, why);

	if (round->is_planned)
		round_describe(round, &plan);
	store_round(&tx, &(struct round_row){
		.id = round->row.id, .state = ending->state, .reason = ending->reason,
		.is_planned = round->is_planned, .rev = round->row.rev,
		.serial = round->serial, .plan = buf_string(&plan),
		.held_digest = round->digest,
		.next_ms = next_ms(round, ending->state),
	});
	buf_clear(&plan);
	return tx_commit(&tx);
}

static void settle_orders(struct round *round)
{
	struct why why;

	if (tx_redo(orders_settle, round, &why))
		log_warn("orders not settled: zone=%s storage=%s reason=\"%s\"",
		         round->registry->zone_text, round->registry->settings->storage_id,
		         why.text);
	else
		orders_tell(round);
}

static void end(struct round *round, enum registry_state state, const char *reason)
{
	struct ending ending = { round, state, reason };
	struct registry *registry = round->registry;
	struct why why;

	registry->provider->cancel(registry);
	registry->not_before_ms = clock_ms() + 1000 * registry->settings->interval_s;
	if (state == REGISTRY_FAILED || state == REGISTRY_PARKED)
		log_warn("zone not kept: zone=%s storage=%s state=%s reason=\"%s\"",
		         registry->zone_text, registry->settings->storage_id,
		         registry_state_name(state), reason);
	if (round->is_planned)
		round_tell(round);
	if (round->is_planned && round->orders)
		settle_orders(round);
	if (tx_redo(write_ending, &ending, &why))
		log_warn("round not written: zone=%s storage=%s reason=\"%s\"",
		         registry->zone_text, registry->settings->storage_id, why.text);
	round_free(round);
}

static void end_of_all(struct round *round)
{
	round_note_quiet(round);
	if (round->outcomes[OUTCOME_PARKED])
		end(round, REGISTRY_PARKED, round->words);
	else if (round->outcomes[OUTCOME_AGAIN])
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

/* What the provider took is ours, as far as it tells. */
static void assign(struct round *round)
{
	for (size_t i = 0; i < round->errand_count; i++) {
		const struct errand *errand = &round->errands[i];

		if (batch_outcome(round->batch, i) != OUTCOME_APPLIED)
			continue;
		for (size_t j = errand->first; j < errand->first + errand->count; j++) {
			const struct plan_item *item = &round->plan.items[j];
			struct made_row row;

			if (!round_is_arrival(item))
				continue;
			row = round_row_of(item);
			round->registry->storage->assign(round, &row);
		}
	}
}

static void after_sending(struct round *round)
{
	count_outcomes(round);
	assign(round);
	end_of_all(round);
}

/* A server that gives no answer gets the same message again, in a while. */
static void sent(void *self, enum outcome outcome, const char *words)
{
	struct round *round = self;

	if (outcome != OUTCOME_APPLIED)
		snprintf(round->words, sizeof(round->words), "%s", words);
	if (outcome != OUTCOME_AGAIN) {
		round->tries = 0;
		batch_settle(round->batch, outcome);
		send_next(round);
		return;
	}
	if (++round->tries < TRIES_MAX && !round->is_stopped) {
		loop_timer_set(round->timer,
		               backoff_ms(&resend, round->tries - 1, random_u32()));
		return;
	}
	batch_give_up(round->batch, OUTCOME_AGAIN);
	after_sending(round);
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

	if (tx_redo(round_keep_records, round, &why))
		log_warn("records not kept: zone=%s storage=%s reason=\"%s\"",
		         round->registry->zone_text, round->registry->settings->storage_id,
		         why.text);
}

static enum err plan_and_accept(struct round *round, struct why *why)
{
	enum err err = tx_redo(round_restore, round, why);

	if (!err)
		err = round_plan(round, why);
	if (err)
		return err;
	round->is_planned = true;
	make_errands(round);
	err = tx_redo(round_settle, round, why);
	keep_records(round);
	if (!err && !round->registry->settings->dry_run)
		err = tx_redo(round_accept, round, why);
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
	struct tx tx = tx_once(round->ownership->runtime.db, why);

	if (!store_registry_read(&tx, round->arena, round->registry->id, &round->row))
		tx_fail(&tx, ERR_NOT_FOUND, "the registry has no row");
	return tx_commit(&tx);
}

bool round_begin(struct ownership *ownership, struct registry *registry)
{
	struct round *round = xcalloc(1, sizeof(*round));
	struct db *db = ownership->runtime.db;
	struct why why;

	round->ownership = ownership;
	round->registry = registry;
	if (holder_take(holder_of(round), db, registry->lock, clock_ms(), &round->held,
	                &why)) {
		log_debug("registry not taken: zone=%s storage=%s reason=\"%s\"",
		          registry->zone_text, registry->settings->storage_id, why.text);
		free(round);
		return false;
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
		return false;
	}
	if (registry->provider->serial && round_may_be_quiet(round))
		registry->provider->serial(registry, serial_was_told, round);
	else
		read_zone(round);
	return true;
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
