#include "compare_zone.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/diff_text.h"
#include "core/zone_at_serial.h"
#include "deltas.h"
#include "dns_request.h"
#include "net/fetch.h"
#include "runtime/loop.h"
#include "servers.h"
#include "zone_lookup.h"
#include "zones.h"

enum {
	WALK_A_TURN = 500,		/* records: less than a millisecond of work */
	RECORDS_BESIDES = 100000,	/* that a server may send beyond twice ours */
	WHOLE_MS = 300 * 1000,		/* all of a transfer */
};

struct comparison {
	const struct comparison_parts *parts;
	struct comparison_want want;
	comparison_fn *fn;
	void *self;
	bool owed;			/* by the lookup, the zones or the deltas */
	bool cancelled;
	struct head head;
	struct fetch *fetch;
	bool second;			/* theirs go by for the second time */
	uint32_t serial;		/* theirs, once it was whole */
	struct delta *delta;		/* from their serial to ours; NULL: it is the same */
	struct zone *zone;		/* ours, once that was known */
	struct zone_at_serial *view;	/* ours at their serial */
	struct set_diff *diff;
	void (*on_ours)(struct set_diff *diff, const struct canonical *record);
	struct loop_timer *timer;	/* only to fail soon */
	const char *fault;
	bool is_unread;			/* we may not have read of the server or its key yet */
};

const char *comparison_outcome_name(enum comparison_outcome outcome)
{
	static const char *const names[COMPARISON_OUTCOMES] = {
		[COMPARISON_EQUAL] = "equal",
		[COMPARISON_DIFFERS] = "differs",
		[COMPARISON_SERIAL] = "serial",
		[COMPARISON_REFUSED] = "refused",
		[COMPARISON_FAILED] = "failed",
	};

	return names[outcome];
}

/* ---- the end ---- */

static void comparison_free(struct comparison *comparison)
{
	bool had_zone = comparison->zone;

	fetch_cancel(&comparison->fetch);
	loop_later_cancel(comparison->parts->loop, comparison);
	loop_timer_free(&comparison->timer);
	set_diff_free(&comparison->diff);
	zone_at_serial_free(&comparison->view);
	delta_release(&comparison->delta);
	zone_release(&comparison->zone);
	if (had_zone)
		comparison->parts->released(comparison->parts->self);
	free(comparison);
}

static void finish_with(struct comparison *comparison, const struct comparison_end *end)
{
	comparison_fn *fn = comparison->fn;
	void *self = comparison->self;

	comparison_free(comparison);
	fn(self, end);
}

static void finish(struct comparison *comparison, enum comparison_outcome outcome,
                   const char *words)
{
	bool compared = outcome == COMPARISON_EQUAL || outcome == COMPARISON_DIFFERS;

	finish_with(comparison, &(struct comparison_end){
		.outcome = outcome,
		.serial = compared ? comparison->serial : comparison->head.serial,
		.words = words,
	});
}

void comparison_cancel(struct comparison **comparison)
{
	struct comparison *old = *comparison;

	*comparison = NULL;
	if (!old)
		return;
	old->cancelled = true;
	if (!old->owed)
		comparison_free(old);
}

/* What was owed came. True: too late, and the comparison is gone. */
static bool comes_late(struct comparison *comparison)
{
	bool late = comparison->cancelled;

	comparison->owed = false;
	if (late)
		comparison_free(comparison);
	return late;
}

static void fail_now(void *self)
{
	struct comparison *comparison = self;

	finish(comparison, COMPARISON_FAILED, comparison->fault);
}

/* ---- our own zone ---- */

typedef void ours_fn(struct set_diff *diff, const struct canonical *record);

static void transfer(struct comparison *comparison);
static void walk(struct comparison *comparison, ours_fn *on_ours);

static void tell_difference(struct comparison *comparison)
{
	struct set_diff_side theirs, ours;
	char words[DIFF_TEXT_MAX];

	switch (set_diff_found(comparison->diff, &theirs, &ours)) {
	case SET_DIFF_EQUAL:
		finish(comparison, COMPARISON_EQUAL, "");
		return;
	case SET_DIFF_DIFFERENT:
		diff_text_format(&theirs, &ours, comparison->serial, words);
		finish(comparison, COMPARISON_DIFFERS, words);
		return;
	case SET_DIFF_UNKNOWN:
		finish(comparison, COMPARISON_FAILED,
		       "sends records twice, or others each time");
	}
}

/* All of ours went by. */
static void walked(struct comparison *comparison)
{
	if (comparison->on_ours == set_diff_find) {
		tell_difference(comparison);
	} else if (set_diff_equal(comparison->diff)) {
		finish(comparison, COMPARISON_EQUAL, "");
	} else if (set_diff_second_pass(comparison->diff)) {
		comparison->second = true;
		transfer(comparison);
	} else {
		walk(comparison, set_diff_find);
	}
}

static void walk_some(void *self)
{
	struct comparison *comparison = self;
	struct canonical *record = comparison->parts->record;

	for (int i = 0; i < WALK_A_TURN; i++) {
		if (!zone_at_serial_next(comparison->view, record)) {
			walked(comparison);
			return;
		}
		comparison->on_ours(comparison->diff, record);
	}
	loop_later(comparison->parts->loop, walk_some, comparison);
}

static void walk(struct comparison *comparison, ours_fn *on_ours)
{
	zone_at_serial_rewind(comparison->view);
	comparison->on_ours = on_ours;
	loop_later(comparison->parts->loop, walk_some, comparison);
}

/* ---- our own zone, at their serial: the way there, then what it leads to ---- */

static void begin_walk(struct comparison *comparison)
{
	comparison->view = zone_at_serial_new(comparison->zone, comparison->delta,
	                                      random_u32());
	if (comparison->view)
		walk(comparison, set_diff_local);
	else
		finish(comparison, COMPARISON_SERIAL, "is many changes behind");
}

static void ask_delta(struct comparison *comparison);
static void ask_zone(struct comparison *comparison);

static void on_zone(void *self, enum err err, struct zone *zone)
{
	struct comparison *comparison = self;

	if (comes_late(comparison))
		return;
	if (err) {
		finish(comparison, COMPARISON_FAILED, "has a zone that we cannot read");
		return;
	}
	comparison->zone = zone_hold(zone);
	if (zone->serial == comparison->head.serial) {
		begin_walk(comparison);
	} else {
		comparison->head.serial = zone->serial;
		ask_delta(comparison);
	}
}

static void on_delta(void *self, enum err err, struct delta *delta)
{
	struct comparison *comparison = self;

	if (comes_late(comparison))
		return;
	if (err) {
		finish(comparison, COMPARISON_FAILED,
		       "is behind, and we cannot read our journal");
		return;
	}
	if (!delta) {
		finish(comparison, COMPARISON_SERIAL, "has another serial");
		return;
	}
	delta_release(&comparison->delta);
	comparison->delta = delta_hold(delta);
	if (comparison->zone)
		begin_walk(comparison);
	else
		ask_zone(comparison);
}

static void ask_delta(struct comparison *comparison)
{
	comparison->owed = true;
	deltas_get(comparison->parts->deltas, &comparison->head, comparison->serial,
	           ZONE_AT_SERIAL_OCTETS, on_delta, comparison);
}

static void ask_zone(struct comparison *comparison)
{
	comparison->owed = true;
	zones_get(comparison->parts->zones, &comparison->head, on_zone, comparison);
}

/* ---- the server's ---- */

static void on_record(void *self, const struct canonical *record)
{
	struct comparison *comparison = self;

	if (comparison->second)
		set_diff_remote_again(comparison->diff, record);
	else
		set_diff_remote(comparison->diff, record);
}

static void on_whole(struct comparison *comparison, uint32_t serial)
{
	if (comparison->second) {
		if (serial == comparison->serial)
			walk(comparison, set_diff_find);
		else
			finish(comparison, COMPARISON_SERIAL, "has another serial by now");
		return;
	}
	comparison->serial = serial;
	if (serial == comparison->head.serial)
		ask_zone(comparison);
	else
		ask_delta(comparison);
}

/* Another attempt may do better. */
static void finish_for_now(struct comparison *comparison, const char *words)
{
	finish_with(comparison, &(struct comparison_end){
		.outcome = COMPARISON_FAILED,
		.serial = comparison->head.serial,
		.may_pass = true,
		.words = words,
	});
}

static void on_end(void *self, enum fetch_outcome outcome, uint32_t serial,
                   const char *words)
{
	struct comparison *comparison = self;

	comparison->fetch = NULL;
	switch (outcome) {
	case FETCH_WHOLE:
		on_whole(comparison, serial);
		return;
	case FETCH_NEWER:
		finish(comparison, COMPARISON_SERIAL, words);
		return;
	case FETCH_REFUSED:
		finish(comparison, COMPARISON_REFUSED, words);
		return;
	case FETCH_BROKEN:
		finish_for_now(comparison, words);
		return;
	case FETCH_FAILED:
		if (comparison->is_unread)
			finish_for_now(comparison, words);
		else
			finish(comparison, COMPARISON_FAILED, words);
	}
}

/* To ask for it, signed if the server has a key; of no socket the fault is known. */
static void connect_to(struct comparison *comparison, struct fetch_want *fetch)
{
	const struct comparison_parts *parts = comparison->parts;
	const struct comparison_want *want = &comparison->want;

	fetch->fd = -1;
	fetch->fault = "is silent";
	comparison->is_unread = false;
	if (dns_requests_silent_since(parts->requests, &want->server))
		return;
	comparison->is_unread = true;
	fetch->fault = "is no server of a pool, as far as is known";
	if (!servers_may_hear(parts->servers, &want->server, false)) {
		servers_hurry(parts->servers, &want->server);
		return;
	}
	fetch->fault = "has a TSIG key that is not known here";
	if (want->tsig_key.len)
		fetch->key = servers_key(parts->servers, &want->tsig_key, NULL);
	if (want->tsig_key.len && !fetch->key)
		return;
	comparison->is_unread = false;
	fetch->fault = "cannot be reached over TCP";
	fetch->fd = dns_requests_connect(parts->requests, &want->server);
}

static void transfer(struct comparison *comparison)
{
	struct fetch_want fetch = {
		.zone = comparison->want.zone,
		.has_newest = true,
		.newest = comparison->head.serial,
		.silence_ms = comparison->want.silence_ms,
		.whole_ms = WHOLE_MS,
		.limits = {
			.records = 2 * (uint64_t)comparison->head.records +
				   RECORDS_BESIDES,
			.octets = UINT32_MAX,	/* as zone.c has it */
		},
		.record = comparison->parts->record,
	};
	const struct fetch_listener listener = { on_record, on_end, comparison };

	connect_to(comparison, &fetch);
	comparison->fetch = fetch_start(comparison->parts->loop, &fetch, &listener);
}

/* ---- the beginning ---- */

static void on_head(void *self, enum err err, const struct head *head)
{
	struct comparison *comparison = self;

	if (comes_late(comparison))
		return;
	if (err) {
		finish(comparison, COMPARISON_FAILED, "has a zone that we cannot read");
	} else if (!head || !name_equal(&head->name, &comparison->want.zone) ||
	           strcmp(head->id, comparison->want.id)) {
		finish(comparison, COMPARISON_FAILED, "has a zone that is gone here");
	} else {
		comparison->head = *head;
		comparison->diff = set_diff_new(&comparison->parts->keys);
		transfer(comparison);
	}
}

struct comparison *comparison_start(const struct comparison_parts *parts,
                                    const struct comparison_want *want,
                                    comparison_fn *fn, void *self)
{
	struct comparison *comparison = xcalloc(1, sizeof(*comparison));

	comparison->parts = parts;
	comparison->want = *want;
	comparison->fn = fn;
	comparison->self = self;
	comparison->timer = loop_timer_new(parts->loop, fail_now, comparison);
	comparison->owed =
	    !zone_lookup_find(parts->lookup, &want->zone, true, on_head, comparison);
	if (!comparison->owed) {
		comparison->fault = "has a zone that we are too busy to look for";
		loop_timer_set(comparison->timer, 0);
	}
	return comparison;
}
