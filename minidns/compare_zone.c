#include "compare_zone.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/diff_text.h"
#include "core/zone_at_serial.h"
#include "deltas.h"
#include "dns_request.h"
#include "net/axfr_client.h"
#include "runtime/loop.h"
#include "servers.h"
#include "zone_lookup.h"
#include "zones.h"

enum {
	WALK_A_TURN = 500,		/* records: less than a millisecond of work */
	/* the remote zone may have this many more than twice the local records */
	RECORDS_BESIDES = 100000,
	WHOLE_MS = 300 * 1000,		/* limit of a whole transfer */
	RESTART_MS = 2000,		/* pause after a server broke off */
	/* pause until the servers and keys were read again */
	UNREAD_MS = 3000,
};

struct compare_zone {
	const struct compare_zone_parts *parts;
	struct compare_zone_want want;
	compare_zone_fn *fn;
	void *self;
	/* the lookup, the zones or the deltas will call back */
	bool awaits_callback;
	bool cancelled;
	struct head head;
	struct axfr_client *fetch;
	bool second_pass;		/* the remote records are streamed again */
	uint32_t serial;		/* of the complete remote zone */
	/* from the server's serial to the local one; NULL: no delta */
	struct delta *delta;
	struct zone *zone;		/* the local zone; NULL: not read yet */
	struct zone_at_serial *view;	/* the local zone at the remote serial */
	struct set_diff *diff;
	void (*on_local)(struct set_diff *diff, const struct canonical *record);
	struct loop_timer *timer;	/* only to report a failure in a later turn */
	const char *fault;
	/* the server or its key may not have been read yet */
	bool is_unread;
};

const char *compare_outcome_name(enum compare_outcome outcome)
{
	static const char *const names[COMPARE_OUTCOMES] = {
		[COMPARE_EQUAL] = "equal",
		[COMPARE_DIFFERS] = "differs",
		[COMPARE_SERIAL] = "serial",
		[COMPARE_REFUSED] = "refused",
		[COMPARE_FAILED] = "failed",
	};

	return names[outcome];
}

/* ---- the end ---- */

static void compare_zone_free(struct compare_zone *compare)
{
	bool had_zone = compare->zone;

	axfr_client_cancel(&compare->fetch);
	loop_later_cancel(compare->parts->loop, compare);
	loop_timer_free(&compare->timer);
	set_diff_free(&compare->diff);
	zone_at_serial_free(&compare->view);
	delta_release(&compare->delta);
	zone_release(&compare->zone);
	if (had_zone)
		compare->parts->released(compare->parts->self);
	free(compare);
}

static void compare_zone_finish_with(struct compare_zone *compare,
                                     const struct compare_zone_end *end)
{
	compare_zone_fn *fn = compare->fn;
	void *self = compare->self;

	compare_zone_free(compare);
	fn(self, end);
}

static void compare_zone_finish(struct compare_zone *compare,
                                enum compare_outcome outcome, const char *words)
{
	bool compared = outcome == COMPARE_EQUAL || outcome == COMPARE_DIFFERS;

	compare_zone_finish_with(compare, &(struct compare_zone_end){
		.outcome = outcome,
		.serial = compared ? compare->serial : compare->head.serial,
		.words = words,
	});
}

void compare_zone_cancel(struct compare_zone **compare)
{
	struct compare_zone *old = *compare;

	*compare = NULL;
	if (!old)
		return;
	old->cancelled = true;
	if (!old->awaits_callback)
		compare_zone_free(old);
}

/* For a pending callback. True: the comparison was cancelled, and is freed now. */
static bool compare_zone_is_late(struct compare_zone *compare)
{
	bool late = compare->cancelled;

	compare->awaits_callback = false;
	if (late)
		compare_zone_free(compare);
	return late;
}

static void compare_zone_fail_now(void *self)
{
	struct compare_zone *compare = self;

	compare_zone_finish(compare, COMPARE_FAILED, compare->fault);
}

/* ---- the local zone ---- */

typedef void local_fn(struct set_diff *diff, const struct canonical *record);

static void compare_zone_transfer(struct compare_zone *compare);
static void compare_zone_walk(struct compare_zone *compare, local_fn *on_local);

static void compare_zone_report(struct compare_zone *compare)
{
	struct set_diff_side remote, local;
	char words[DIFF_TEXT_MAX];

	switch (set_diff_found(compare->diff, &remote, &local)) {
	case SET_DIFF_EQUAL:
		compare_zone_finish(compare, COMPARE_EQUAL, "");
		return;
	case SET_DIFF_DIFFERENT:
		diff_text_format(&remote, &local, compare->serial, words);
		compare_zone_finish(compare, COMPARE_DIFFERS, words);
		return;
	case SET_DIFF_UNKNOWN:
		compare_zone_finish(compare, COMPARE_FAILED,
		                    "sends a record twice, or sends different records in "
		                    "each transfer");
	}
}

/* All local records are walked. */
static void compare_zone_walked(struct compare_zone *compare)
{
	if (compare->on_local == set_diff_find) {
		compare_zone_report(compare);
	} else if (set_diff_equal(compare->diff)) {
		compare_zone_finish(compare, COMPARE_EQUAL, "");
	} else if (set_diff_second_pass(compare->diff)) {
		compare->second_pass = true;
		compare_zone_transfer(compare);
	} else {
		compare_zone_walk(compare, set_diff_find);
	}
}

static void compare_zone_walk_some(void *self)
{
	struct compare_zone *compare = self;
	struct canonical *record = compare->parts->record;

	for (int i = 0; i < WALK_A_TURN; i++) {
		if (!zone_at_serial_next(compare->view, record)) {
			compare_zone_walked(compare);
			return;
		}
		compare->on_local(compare->diff, record);
	}
	loop_later(compare->parts->loop, compare_zone_walk_some, compare);
}

static void compare_zone_walk(struct compare_zone *compare, local_fn *on_local)
{
	zone_at_serial_rewind(compare->view);
	compare->on_local = on_local;
	loop_later(compare->parts->loop, compare_zone_walk_some, compare);
}

/* ---- the local zone at the remote serial: the delta, then the zone ---- */

static void compare_zone_begin_walk(struct compare_zone *compare)
{
	compare->view = zone_at_serial_new(compare->zone, compare->delta, random_u32());
	if (compare->view)
		compare_zone_walk(compare, set_diff_local);
	else
		compare_zone_finish(compare, COMPARE_SERIAL, "is behind by more changes "
		                    "than mini-DNS can compare");
}

static void compare_zone_ask_delta(struct compare_zone *compare);
static void compare_zone_ask_zone(struct compare_zone *compare);

static void compare_zone_on_zone(void *self, enum err err, struct zone *zone)
{
	struct compare_zone *compare = self;

	if (compare_zone_is_late(compare))
		return;
	if (err) {
		compare_zone_finish(compare, COMPARE_FAILED,
		                    "was not compared: mini-DNS cannot read the zone "
		                    "from the database");
		return;
	}
	compare->zone = zone_hold(zone);
	if (zone->serial == compare->head.serial) {
		compare_zone_begin_walk(compare);
	} else {
		compare->head.serial = zone->serial;
		compare_zone_ask_delta(compare);
	}
}

static void compare_zone_on_delta(void *self, enum err err, struct delta *delta)
{
	struct compare_zone *compare = self;

	if (compare_zone_is_late(compare))
		return;
	if (err) {
		compare_zone_finish(compare, COMPARE_FAILED,
		                    "is behind, and mini-DNS cannot read the journal of "
		                    "the zone");
		return;
	}
	if (!delta) {
		compare_zone_finish(compare, COMPARE_SERIAL,
		                    "is behind by changes that the journal no longer "
		                    "contains, or that are too large to compare");
		return;
	}
	delta_release(&compare->delta);
	compare->delta = delta_hold(delta);
	if (compare->zone)
		compare_zone_begin_walk(compare);
	else
		compare_zone_ask_zone(compare);
}

static void compare_zone_ask_delta(struct compare_zone *compare)
{
	compare->awaits_callback = true;
	deltas_get(compare->parts->deltas, &compare->head, compare->serial,
	           ZONE_AT_SERIAL_OCTETS, compare_zone_on_delta, compare);
}

static void compare_zone_ask_zone(struct compare_zone *compare)
{
	compare->awaits_callback = true;
	zones_get(compare->parts->zones, &compare->head, compare_zone_on_zone, compare);
}

/* ---- the remote zone ---- */

static void compare_zone_on_record(void *self, const struct canonical *record)
{
	struct compare_zone *compare = self;

	if (compare->second_pass)
		set_diff_remote_again(compare->diff, record);
	else
		set_diff_remote(compare->diff, record);
}

static void compare_zone_on_whole(struct compare_zone *compare, uint32_t serial)
{
	if (compare->second_pass) {
		if (serial == compare->serial)
			compare_zone_walk(compare, set_diff_find);
		else
			compare_zone_finish(compare, COMPARE_SERIAL,
			                    "changed its serial during the comparison");
		return;
	}
	compare->serial = serial;
	if (serial == compare->head.serial)
		compare_zone_ask_zone(compare);
	else
		compare_zone_ask_delta(compare);
}

/* Ends with a failure; another attempt after AGAIN_MS may succeed. */
static void compare_zone_finish_for_now(struct compare_zone *compare, int again_ms,
                                        const char *words)
{
	compare_zone_finish_with(compare, &(struct compare_zone_end){
		.outcome = COMPARE_FAILED,
		.serial = compare->head.serial,
		.again_ms = again_ms,
		.words = words,
	});
}

static void compare_zone_on_end(void *self, enum axfr_outcome outcome, uint32_t serial,
                                const char *words)
{
	struct compare_zone *compare = self;

	compare->fetch = NULL;
	switch (outcome) {
	case AXFR_COMPLETE:
		compare_zone_on_whole(compare, serial);
		return;
	case AXFR_NEWER:
		compare_zone_finish(compare, COMPARE_SERIAL, words);
		return;
	case AXFR_REFUSED:
		compare_zone_finish(compare, COMPARE_REFUSED, words);
		return;
	case AXFR_BROKEN:
		compare_zone_finish_for_now(compare, RESTART_MS, words);
		return;
	case AXFR_FAILED:
		if (compare->is_unread)
			compare_zone_finish_for_now(compare, UNREAD_MS, words);
		else
			compare_zone_finish(compare, COMPARE_FAILED, words);
	}
}

/*
 * Connects to the server; the query is signed if the server has a key. Without a socket,
 * *fault has the reason.
 */
static void compare_zone_connect(struct compare_zone *compare,
                                 struct axfr_client_config *fetch)
{
	const struct compare_zone_parts *parts = compare->parts;
	const struct compare_zone_want *want = &compare->want;

	fetch->fd = -1;
	fetch->fault = "is silent";
	compare->is_unread = false;
	if (dns_requests_are_silent(parts->requests, &want->server))
		return;
	compare->is_unread = true;
	fetch->fault = "was not contacted: mini-DNS has not yet read a server with "
	               "this address from the database";
	if (!servers_may_hear(parts->servers, &want->server, false)) {
		servers_hurry(parts->servers, &want->server);
		return;
	}
	fetch->fault = "has a tsig_key in the settings, but mini-DNS has no TSIG key "
	               "with this name";
	if (want->tsig_key.len)
		fetch->key = servers_key(parts->servers, &want->tsig_key, NULL);
	if (want->tsig_key.len && !fetch->key)
		return;
	compare->is_unread = false;
	fetch->fault = "was not compared: mini-DNS cannot open a TCP connection to the "
	               "server";
	fetch->fd = dns_requests_connect(parts->requests, &want->server);
}

static void compare_zone_transfer(struct compare_zone *compare)
{
	struct axfr_client_config fetch = {
		.zone = compare->want.zone,
		.has_newest = true,
		.newest = compare->head.serial,
		.silence_ms = compare->want.silence_ms,
		.whole_ms = WHOLE_MS,
		.limits = {
			.records = 2 * (uint64_t)compare->head.records +
				   RECORDS_BESIDES,
			.octets = UINT32_MAX,	/* the limit of zone.c */
		},
		.record = compare->parts->record,
	};
	const struct axfr_client_listener listener = { compare_zone_on_record,
	                                               compare_zone_on_end, compare };

	compare_zone_connect(compare, &fetch);
	compare->fetch = axfr_client_start(compare->parts->loop, &fetch, &listener);
}

/* ---- the beginning ---- */

static void compare_zone_on_head(void *self, enum err err, const struct head *head)
{
	struct compare_zone *compare = self;

	if (compare_zone_is_late(compare))
		return;
	if (err) {
		compare_zone_finish(compare, COMPARE_FAILED,
		                    "was not compared: mini-DNS cannot read the zone "
		                    "from the database");
	} else if (!head || !name_equal(&head->name, &compare->want.zone) ||
	           strcmp(head->id, compare->want.id)) {
		compare_zone_finish(compare, COMPARE_FAILED,
		                    "was not compared: mini-DNS no longer serves the "
		                    "zone");
	} else {
		compare->head = *head;
		compare->diff = set_diff_new(&compare->parts->keys);
		compare_zone_transfer(compare);
	}
}

struct compare_zone *compare_zone_start(const struct compare_zone_parts *parts,
                                        const struct compare_zone_want *want,
                                        compare_zone_fn *fn, void *self)
{
	struct compare_zone *compare = xcalloc(1, sizeof(*compare));

	compare->parts = parts;
	compare->want = *want;
	compare->fn = fn;
	compare->self = self;
	compare->timer = loop_timer_new(parts->loop, compare_zone_fail_now, compare);
	compare->awaits_callback =
	    !zone_lookup_find(parts->lookup, &want->zone, true, compare_zone_on_head,
	                      compare);
	if (!compare->awaits_callback) {
		compare->fault = "was not compared: mini-DNS is too busy";
		loop_timer_set(compare->timer, 0);
	}
	return compare;
}
