#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/poll.h"
#include "model/serial.h"

/* ---- a table: what is answered each time, and what comes of it ---- */

#define NOTHING RESPONSE_KINDS
#define FAULT "was not asked"

struct say {
	enum response_kind kind;	/* NOTHING: silence; a row of zeroes is no row */
	uint32_t serial;
	enum rcode rcode;
	const char *fault;
};

struct story {
	const char *name;
	bool absence;
	struct say says[4];		/* the last one goes on for ever */
	enum report report;
	const char *reason;
	int serial;			/* -1: none is reported */
	bool unasked;
};

static const struct story stories[] = {
	{ "it has the serial", false, { { RESPONSE_SERIAL, 42 } }, REPORT_SUCCESS,
	  "", 42 },
	{ "it has a newer one", false, { { RESPONSE_SERIAL, 50 } }, REPORT_SUCCESS,
	  "", 50 },
	{ "it gets the serial", false,
	 { { RESPONSE_SERIAL, 41 }, { RESPONSE_SERIAL, 42 } },
	  REPORT_SUCCESS, "", 42 },
	{ "it stays behind", false, { { RESPONSE_SERIAL, 41 } },
	  REPORT_ERROR, "serves serial 41, not yet 42", 41 },
	{ "no order between them", false, { { RESPONSE_SERIAL, 42 + 0x80000000u } },
	  REPORT_ERROR, "serves serial 2147483690, not yet 42", INT32_MAX },
	{ "it has no such zone", false, { { RESPONSE_ABSENT, 0, RCODE_REFUSED } },
	  REPORT_NO_DOMAIN, "answers with REFUSED", -1 },
	{ "it had the zone", false,
	  { { RESPONSE_SERIAL, 41 }, { RESPONSE_ABSENT, 0, RCODE_NXDOMAIN } },
	  REPORT_NO_DOMAIN, "answers with NXDOMAIN", -1 },
	{ "silence", false, { { NOTHING } }, REPORT_ERROR,
	  "no answer in 3 tries of 2 s", -1 },
	{ "silence after absence", false,
	  { { RESPONSE_ABSENT, 0, RCODE_REFUSED }, { NOTHING } },
	  REPORT_ERROR, "no answer in 3 tries of 2 s", -1 },
	{ "silence after a serial", false, { { RESPONSE_SERIAL, 41 }, { NOTHING } },
	  REPORT_ERROR, "no answer in 3 tries of 2 s", 41 },
	{ "lame", false, { { RESPONSE_LAME } }, REPORT_ERROR,
	  ("answers without the AA flag: the server is not authoritative for the "
	   "domain"), -1 },
	{ "failing", false, { { RESPONSE_FAILED, 0, RCODE_SERVFAIL } }, REPORT_ERROR,
	  "answers with SERVFAIL", -1 },
	{ "to be gone: it is", true, { { RESPONSE_ABSENT, 0, RCODE_REFUSED } },
	  REPORT_NO_DOMAIN, "answers with REFUSED", -1 },
	{ "to be gone: it goes", true,
	  { { RESPONSE_SERIAL, 41 }, { NOTHING }, { RESPONSE_ABSENT, 0, RCODE_NOTAUTH } },
	  REPORT_NO_DOMAIN, "answers with NOTAUTH", 41 },
	/* only a signed absence comes from the server that had the serial */
	{ "to be gone: it goes, unsigned", true,
	  { { RESPONSE_SERIAL, 41 }, { RESPONSE_ABSENT, 0, RCODE_REFUSED, "unsigned" } },
	  REPORT_NO_DOMAIN, "unsigned", -1 },
	{ "it has no such zone, unsigned", false,
	  { { RESPONSE_ABSENT, 0, RCODE_REFUSED, "unsigned" } },
	  REPORT_NO_DOMAIN, "unsigned", -1 },
	{ "to be gone: it stays", true, { { RESPONSE_SERIAL, 41 } }, REPORT_ERROR,
	  "still serves the domain at serial 41", 41 },
	{ "to be gone: it stays, newer", true, { { RESPONSE_SERIAL, 99 } }, REPORT_ERROR,
	  "still serves the domain at serial 99", 99 },
	{ "to be gone: silence", true, { { NOTHING } }, REPORT_ERROR,
	  "no answer in 3 tries of 2 s", -1 },
	{ "it could not be asked", false, { { RESPONSE_UNASKED } }, REPORT_ERROR, FAULT,
	 -1,
	  true },
	{ "it could not be asked in the end", false,
	 { { NOTHING }, { RESPONSE_UNASKED } },
	  REPORT_ERROR, FAULT, -1, true },
	{ "silence in the end", false, { { RESPONSE_UNASKED }, { NOTHING } },
	 REPORT_ERROR,
	  "no answer in 3 tries of 2 s", -1 },
	{ "to be gone: it could not be asked", true, { { RESPONSE_UNASKED } },
	 REPORT_ERROR,
	  FAULT, -1, true },
	{ "to be gone: failing", true, { { RESPONSE_FAILED, 0, RCODE_SERVFAIL } },
	  REPORT_ERROR, "answers with SERVFAIL", -1 },
};

static const struct poll_terms terms = {
	.wanted = 42, .timeout_ms = 2000, .retry_interval_ms = 1000, .max_retries = 3,
};

/* As every server has it at first: 10 ms. */
static struct pace *new_pace(void)
{
	static struct pace pace;

	pace_init(&pace);
	return &pace;
}

static struct poll_move answer(struct poll *poll, const struct say *say)
{
	struct response response = { say->kind, say->rcode, say->serial,
	                             .fault = say->fault };

	if (say->kind == RESPONSE_UNASKED)
		response.fault = FAULT;
	if (say->kind == NOTHING)
		return poll_step(poll, POLL_SILENT, NULL);
	return poll_step(poll, POLL_ANSWERED, &response);
}

static void run_story(const struct story *story, struct poll_result *result)
{
	struct poll_terms own = terms;
	struct poll poll;
	struct poll_move move;
	int i = 0, steps = 0;

	own.absence = story->absence;
	move = poll_start(&poll, &own, new_pace(), false);
	while (move.action != POLL_REPORT) {
		assert_true(++steps < 100);
		if (move.action == POLL_WAIT) {
			move = poll_step(&poll, POLL_TIMER, NULL);
			continue;
		}
		assert_int_equal(move.action, POLL_SEND);
		move = answer(&poll, &story->says[i]);
		if (i < 3 && story->says[i + 1].kind)
			i++;
	}
	poll_result(&poll, result);
}

static void stories_end_as_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		const struct story *story = &stories[i];
		struct poll_result result;

		print_message("%s\n", story->name);
		run_story(story, &result);
		assert_int_equal(result.report, story->report);
		assert_string_equal(result.reason, story->reason);
		assert_int_equal(result.unasked, story->unasked);
		assert_false(result.silent && result.unasked);
		assert_int_equal(result.has_serial, story->serial != -1);
		if (story->serial != -1 && story->serial != INT32_MAX)
			assert_int_equal(result.serial, story->serial);
	}
}

static void a_server_that_is_silent_to_all_is_said_to_be(void **state)
{
	struct poll poll;
	struct poll_result result;

	(void)state;
	poll_start(&poll, &terms, new_pace(), false);
	poll_step(&poll, POLL_SILENT, NULL);
	poll.is_server_silent = true;
	poll_result(&poll, &result);
	assert_true(result.silent);
	assert_string_equal(result.reason,
	                    "no answer about any domain; mini-DNS probes the server "
	                    "until the server answers");
}

/* ---- the pace ---- */

static const struct response behind = { RESPONSE_SERIAL, RCODE_NOERROR, 41 };

static void the_pace_slows_down(void **state)
{
	static const int want_ms[] = { 5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 0 };
	struct poll poll;
	struct poll_move move;

	(void)state;
	move = poll_start(&poll, &terms, new_pace(), false);
	for (int i = 0; want_ms[i]; i++) {
		assert_int_equal(move.action, POLL_SEND);
		move = poll_step(&poll, POLL_ANSWERED, &behind);
		assert_int_equal(move.action, POLL_WAIT);
		assert_int_equal(move.wait_ms, want_ms[i]);
		move = poll_step(&poll, POLL_TIMER, NULL);
	}
	assert_int_equal(poll_step(&poll, POLL_ANSWERED, &behind).action, POLL_REPORT);
}

static void a_transfer_quickens_it(void **state)
{
	struct poll poll;
	struct poll_move move;

	(void)state;
	poll_start(&poll, &terms, new_pace(), false);
	for (int i = 0; i < 6; i++) {
		poll_step(&poll, POLL_ANSWERED, &behind);
		poll_step(&poll, POLL_TIMER, NULL);
	}
	poll_step(&poll, POLL_ANSWERED, &behind);
	assert_int_equal(poll_step(&poll, POLL_TRANSFER_BEGAN, NULL).action, POLL_STAY);
	assert_int_equal(poll_step(&poll, POLL_TRANSFER_ENDED, NULL).action, POLL_SEND);
	for (int want_ms = 2; want_ms < 64; want_ms *= 2) {
		move = poll_step(&poll, POLL_ANSWERED, &behind);
		assert_int_equal(move.wait_ms, want_ms);
		poll_step(&poll, POLL_TIMER, NULL);
	}
}

static void no_try_counts_during_a_transfer(void **state)
{
	struct poll poll;

	(void)state;
	poll_start(&poll, &terms, new_pace(), false);
	poll_step(&poll, POLL_TRANSFER_BEGAN, NULL);
	for (int i = 0; i < 50; i++) {
		assert_int_equal(poll_step(&poll, POLL_SILENT, NULL).action, POLL_WAIT);
		assert_int_equal(poll_step(&poll, POLL_TIMER, NULL).action, POLL_SEND);
	}
	poll_step(&poll, POLL_TRANSFER_ENDED, NULL);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(poll_step(&poll, POLL_SILENT, NULL).action, POLL_WAIT);
		poll_step(&poll, POLL_TIMER, NULL);
	}
	assert_int_equal(poll_step(&poll, POLL_SILENT, NULL).action, POLL_REPORT);
}

/* ---- the patience with a server that is told nothing ---- */

static const struct {
	const char *name;
	bool absence;
	struct say say;
	bool is_borne;
} patience[] = {
	{ "absent yet", false, { RESPONSE_ABSENT, 0, RCODE_REFUSED }, true },
	{ "absent yet, unsigned", false,
	  { RESPONSE_ABSENT, 0, RCODE_REFUSED, "unsigned" }, true },
	{ "not loaded yet", false, { RESPONSE_FAILED, 0, RCODE_SERVFAIL }, true },
	{ "an old serial", false, { RESPONSE_SERIAL, 41 }, false },
	{ "lame", false, { RESPONSE_LAME }, false },
	{ "silent", false, { NOTHING }, false },
	{ "still there", true, { RESPONSE_SERIAL, 41 }, true },
	{ "there, and failing", true, { RESPONSE_FAILED, 0, RCODE_SERVFAIL }, true },
	{ "silent at its end", true, { NOTHING }, false },
};

/* How many pauses of the whole interval there are until the report. */
static int long_pauses(const struct poll_terms *own, const struct say *say)
{
	struct poll poll;
	struct poll_move move = poll_start(&poll, own, new_pace(), false);
	int count = 0;

	while (move.action != POLL_REPORT) {
		count += move.action == POLL_WAIT && move.wait_ms == 1000;
		assert_true(count < 100);
		move = move.action == POLL_WAIT ? poll_step(&poll, POLL_TIMER, NULL)
		                                : answer(&poll, say);
	}
	return count;
}

static void patience_is_borne_with_what_comes_by_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patience) / sizeof(patience[0]); i++) {
		struct poll_terms own = terms;
		int told, untold;

		print_message("%s\n", patience[i].name);
		own.absence = patience[i].absence;
		told = long_pauses(&own, &patience[i].say);
		own.patience_ms = 10 * 1000;
		untold = long_pauses(&own, &patience[i].say);
		assert_int_equal(untold, told + (patience[i].is_borne ? 10 : 0));
	}
}

static void a_wrong_signature_is_not_borne(void **state)
{
	const struct response response = {
		.kind = RESPONSE_FAILED, .fault = "BADKEY",
	};
	struct poll_terms own = terms;
	struct poll poll;
	int steps = 0;

	(void)state;
	own.patience_ms = 1000 * 1000;
	poll_start(&poll, &own, new_pace(), false);
	while (poll_step(&poll, POLL_ANSWERED, &response).action != POLL_REPORT) {
		assert_true(++steps < 20);
		poll_step(&poll, POLL_TIMER, NULL);
	}
}

/* Else mini-DNS would try ten times before it counts one. */
static void what_could_not_be_asked_is_a_try(void **state)
{
	const struct response unasked = { .kind = RESPONSE_UNASKED, .fault = FAULT };
	struct poll_move move;
	struct poll poll;

	(void)state;
	poll_start(&poll, &terms, new_pace(), false);
	for (int i = 1; i < terms.max_retries; i++) {
		move = poll_step(&poll, POLL_ANSWERED, &unasked);
		assert_int_equal(move.action, POLL_WAIT);
		assert_int_equal(move.wait_ms, terms.retry_interval_ms);
		/* does not hasten it */
		move = poll_step(&poll, POLL_TRANSFER_ENDED, NULL);
		assert_int_equal(move.action, POLL_STAY);
		assert_int_equal(poll_step(&poll, POLL_TIMER, NULL).action, POLL_SEND);
	}
	assert_int_equal(poll_step(&poll, POLL_ANSWERED, &unasked).action, POLL_REPORT);
}

/* Under a stream of orders an absent zone would never be in error. */
static void a_newer_order_renews_no_patience(void **state)
{
	const struct response absent = { RESPONSE_ABSENT, RCODE_REFUSED, 0 };
	struct poll_terms own = terms;
	struct poll poll;
	int steps = 0;

	(void)state;
	own.patience_ms = 5000;
	poll_start(&poll, &own, new_pace(), false);
	while (poll_step(&poll, POLL_ANSWERED, &absent).action != POLL_REPORT) {
		assert_true(++steps < 50);
		own.wanted++;
		if (poll_renew(&poll, &own).action != POLL_SEND)
			poll_step(&poll, POLL_TIMER, NULL);
	}
}

static void a_notify_holds_the_first_query(void **state)
{
	struct poll poll;
	struct poll_move move;

	(void)state;
	move = poll_start(&poll, &terms, new_pace(), true);
	assert_int_equal(move.action, POLL_WAIT);
	assert_int_equal(move.wait_ms, 1000);
	move = poll_step(&poll, POLL_NOTIFY_ANSWERED, NULL);
	assert_int_equal(move.wait_ms, 10);
	assert_int_equal(poll_step(&poll, POLL_TRANSFER_ENDED, NULL).action, POLL_SEND);

	poll_start(&poll, &terms, new_pace(), true);
	assert_int_equal(poll_step(&poll, POLL_TRANSFER_ENDED, NULL).action, POLL_SEND);
	poll_start(&poll, &terms, new_pace(), true);
	assert_int_equal(poll_step(&poll, POLL_TIMER, NULL).action, POLL_SEND);
}

static void a_newer_order_replaces_the_older(void **state)
{
	static const struct response between = { RESPONSE_SERIAL, RCODE_NOERROR, 45 };
	static const struct response reached = { RESPONSE_SERIAL, RCODE_NOERROR, 50 };
	struct poll_terms newer = terms;
	struct poll poll;
	struct poll_move move;

	(void)state;
	poll_start(&poll, &terms, new_pace(), false);
	newer.wanted = 46;
	assert_int_equal(poll_renew(&poll, &newer).action, POLL_STAY);
	newer.wanted = 50;
	poll_renew(&poll, &newer);
	move = poll_step(&poll, POLL_ANSWERED, &behind);
	assert_false(move.reached_unreported);
	poll_step(&poll, POLL_TIMER, NULL);
	move = poll_step(&poll, POLL_ANSWERED, &between);	/* covers 42, not 50 */
	assert_true(move.reached_unreported);
	assert_int_equal(move.action, POLL_WAIT);
	poll_step(&poll, POLL_TIMER, NULL);
	move = poll_step(&poll, POLL_ANSWERED, &between);
	assert_false(move.reached_unreported);
	poll_step(&poll, POLL_TIMER, NULL);
	assert_int_equal(poll_step(&poll, POLL_ANSWERED, &reached).action, POLL_REPORT);
}

static void a_new_order_ends_a_long_pause(void **state)
{
	struct poll_terms newer = terms;
	struct poll poll;

	(void)state;
	newer.wanted = 50;
	poll_start(&poll, &terms, new_pace(), false);
	poll_step(&poll, POLL_SILENT, NULL);
	assert_int_equal(poll_renew(&poll, &newer).action, POLL_SEND);
	poll_step(&poll, POLL_ANSWERED, &behind);
	newer.wanted = 51;
	assert_int_equal(poll_renew(&poll, &newer).action, POLL_STAY);
}

/* A poll that goes on elsewhere has no more tries than it would have had here. */
static void its_rest_has_the_tries_that_are_left(void **state)
{
	static const struct response absent = { RESPONSE_ABSENT, RCODE_REFUSED, 0 };
	struct poll_terms own = terms, probe = terms;
	struct poll poll;

	(void)state;
	own.patience_ms = 5000;
	own.retry_interval_ms = 5;	/* the first pause is a whole interval */
	probe.max_retries = 0;
	poll_start(&poll, &own, new_pace(), false);
	poll_step(&poll, POLL_ANSWERED, &absent);
	assert_int_equal(poll_left(&poll).max_retries, 3);
	assert_int_equal(poll_left(&poll).patience_ms, 4995);
	assert_int_equal(poll_left(&poll).wanted, 42);
	for (int left = 2; left > 0; left--) {
		poll_step(&poll, POLL_TIMER, NULL);
		poll_step(&poll, POLL_SILENT, NULL);
		assert_int_equal(poll_left(&poll).max_retries, left);
	}
	poll_renew(&poll, &probe);
	assert_int_equal(poll_left(&poll).max_retries, 0);
}

/* However fast newer orders come: that the server lacks the zone is found out. */
static void a_stream_of_orders_hides_no_absence(void **state)
{
	static const struct response absent = { RESPONSE_ABSENT, RCODE_REFUSED, 0 };
	struct poll_terms newer = terms;
	struct poll poll;

	(void)state;
	poll_start(&poll, &terms, new_pace(), false);
	for (int orders = 0; poll.state != POLL_ENDED && orders < 100; orders++) {
		poll_step(&poll, POLL_ANSWERED, &absent);
		newer.wanted++;
		if (poll_renew(&poll, &newer).action == POLL_STAY)
			poll_step(&poll, POLL_TIMER, NULL);
	}
	assert_int_equal(poll.state, POLL_ENDED);
}

/* A right wait gets shorter, one that was too short longer; others teach nothing. */
static void it_learns_the_servers_pace(void **state)
{
	static const struct response served = { RESPONSE_SERIAL, RCODE_NOERROR, 42 };
	static const struct response absent = { RESPONSE_ABSENT, RCODE_REFUSED, 0 };
	static const struct {
		enum poll_event event;
		const struct response *brought, *heard;
		int notify_us, transfer_us;
	} cases[] = {
		{ POLL_NOTIFY_ANSWERED, NULL,    &served, 9375, 10000 },
		{ POLL_NOTIFY_ANSWERED, NULL,    &behind, 12500, 10000 },
		{ POLL_NOTIFY_ANSWERED, NULL,    &absent, 10000, 10000 },
		{ POLL_TRANSFER_ENDED,  &served, &served, 10000, 9375 },
		{ POLL_TRANSFER_ENDED,  &served, &behind, 10000, 12500 },
		{ POLL_TRANSFER_ENDED,  &behind, &behind, 10000, 10000 },
		{ POLL_TRANSFER_ENDED,  NULL,    &behind, 10000, 10000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pace *pace = new_pace();
		struct poll poll;
		struct poll_move move;

		poll_start(&poll, &terms, pace, true);
		move = poll_step(&poll, cases[i].event, cases[i].brought);
		if (move.action == POLL_WAIT) {
			assert_int_equal(move.wait_ms, 10);
			poll_step(&poll, POLL_TIMER, NULL);
		}
		poll_step(&poll, POLL_ANSWERED, cases[i].heard);
		assert_int_equal(pace->us[PACE_FROM_NOTIFY], cases[i].notify_us);
		assert_int_equal(pace->us[PACE_FROM_TRANSFER], cases[i].transfer_us);
	}
}

/* What was asked before the transfer ended says nothing of the time after it. */
static void an_early_answer_teaches_nothing(void **state)
{
	static const struct response brought = { RESPONSE_SERIAL, RCODE_NOERROR, 42 };
	struct pace *pace = new_pace();
	struct poll poll;
	struct poll_move move;

	(void)state;
	poll_start(&poll, &terms, pace, true);
	poll_step(&poll, POLL_NOTIFY_ANSWERED, NULL);
	poll_step(&poll, POLL_TIMER, NULL);
	poll_step(&poll, POLL_TRANSFER_ENDED, &brought);
	move = poll_step(&poll, POLL_ANSWERED, &behind);
	assert_int_equal(move.wait_ms, 10);
	assert_int_equal(pace->us[PACE_FROM_NOTIFY], 10000);
	poll_step(&poll, POLL_TIMER, NULL);
	poll_step(&poll, POLL_ANSWERED, &behind);
	assert_int_equal(pace->us[PACE_FROM_TRANSFER], 12500);
}

/* ---- a property over all sequences of events ---- */

/* What can happen next; -1 at the end. Answers come when asked, timers when set. */
static const struct response says[] = {
	{ RESPONSE_SERIAL, RCODE_NOERROR, 41 },
	{ RESPONSE_SERIAL, RCODE_NOERROR, 42 },
	{ RESPONSE_ABSENT, RCODE_REFUSED, 0 },
	{ RESPONSE_LAME, RCODE_NOERROR, 0 },
	{ RESPONSE_FAILED, RCODE_SERVFAIL, 0 },
};

struct world {
	bool asked, timer, ended;
	int reports, transfers;
	bool last_absent;		/* the last thing heard, silence included */
	bool last_good;
};

static unsigned long sequences;

static void check_report(const struct poll *poll, const struct world *world)
{
	struct poll_result result;

	poll_result(poll, &result);
	assert_int_equal(world->reports, 1);
	assert_int_equal(result.report == REPORT_NO_DOMAIN, world->last_absent);
	assert_int_equal(result.report == REPORT_SUCCESS,
	                 !poll->terms.absence && world->last_good);
	assert_int_equal(result.report == REPORT_SUCCESS, !result.reason[0]);
}

static void take(const struct poll *poll, struct poll_move move, struct world *world)
{
	switch (move.action) {
	case POLL_STAY:
		break;
	case POLL_SEND:
		assert_false(world->asked);
		world->asked = true;
		world->timer = false;
		break;
	case POLL_WAIT:
		assert_false(world->asked);
		assert_true(move.wait_ms > 0 && move.wait_ms <= 1000);
		world->timer = true;
		break;
	case POLL_REPORT:
		world->asked = world->timer = false;
		world->ended = true;
		world->reports++;
		check_report(poll, world);
		break;
	}
	/* there is always something that will happen */
	assert_true(world->asked || world->timer || world->ended);
}

static void explore(const struct poll *poll, const struct world *world, int depth);

static void step(const struct poll *from, const struct world *was, enum poll_event event,
                 const struct response *response, int depth)
{
	struct poll poll = *from;
	struct world world = *was;

	if (event == POLL_ANSWERED || event == POLL_SILENT) {
		world.asked = false;
		world.last_absent = response && response->kind == RESPONSE_ABSENT;
		world.last_good = response && response->kind == RESPONSE_SERIAL &&
				  serial_covers(response->serial, poll.terms.wanted);
	}
	if (event == POLL_TIMER)
		world.timer = false;
	world.transfers += (event == POLL_TRANSFER_BEGAN) -
	                   (event == POLL_TRANSFER_ENDED);
	struct poll_move move = poll_step(&poll, event, response);

	/* what is told to all polls of a zone ends none: the poller walks their list */
	if (event == POLL_TRANSFER_BEGAN || event == POLL_TRANSFER_ENDED ||
	    event == POLL_NOTIFY_ANSWERED)
		assert_false(move.action == POLL_REPORT || move.reached_unreported);
	take(&poll, move, &world);
	explore(&poll, &world, depth - 1);
}

/* From here on silence, timers, and the end of transfers: it must come to a report. */
static void must_end(const struct poll *from, const struct world *was)
{
	struct poll poll = *from;
	struct world world = *was;
	int steps = 0;

	while (!world.ended) {
		enum poll_event event = world.transfers > 0 ? POLL_TRANSFER_ENDED :
					world.asked ? POLL_SILENT : POLL_TIMER;

		assert_true(++steps < 40);
		world.transfers -= event == POLL_TRANSFER_ENDED;
		if (event == POLL_SILENT) {
			world.asked = false;
			world.last_absent = world.last_good = false;
		}
		if (event == POLL_TIMER)
			world.timer = false;
		take(&poll, poll_step(&poll, event, NULL), &world);
	}
}

static void explore(const struct poll *poll, const struct world *world, int depth)
{
	must_end(poll, world);
	if (!depth) {
		sequences++;
		return;
	}
	step(poll, world, POLL_NOTIFY_ANSWERED, NULL, depth);
	step(poll, world, POLL_TRANSFER_BEGAN, NULL, depth);
	if (world->transfers > 0) {
		step(poll, world, POLL_TRANSFER_ENDED, NULL, depth);
		step(poll, world, POLL_TRANSFER_ENDED, &says[1], depth);
	}
	if (world->timer)
		step(poll, world, POLL_TIMER, NULL, depth);
	if (!world->asked)
		return;
	step(poll, world, POLL_SILENT, NULL, depth);
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++)
		step(poll, world, POLL_ANSWERED, &says[i], depth);
}

static void all_sequences_end_in_one_report(void **state)
{
	(void)state;
	for (int variant = 0; variant < 4; variant++) {
		struct poll_terms own = terms;
		struct world world = { 0 };
		struct poll poll;

		own.absence = variant & 1;
		own.max_retries = 2;
		take(&poll, poll_start(&poll, &own, new_pace(), variant & 2), &world);
		explore(&poll, &world, 8);
	}
	print_message("%lu sequences\n", sequences);
	assert_true(sequences > 100000);
}

/* Answers that will not do, transfers without end: the queries are bounded. */
static void it_ends_under_endless_transfers(void **state)
{
	struct poll poll;
	int sent = 0;

	(void)state;
	poll_start(&poll, &terms, new_pace(), false);
	while (poll.state != POLL_ENDED) {
		assert_true(++sent < 200);
		poll_step(&poll, POLL_TRANSFER_BEGAN, NULL);
		poll_step(&poll, POLL_TRANSFER_ENDED, NULL);
		poll_step(&poll, POLL_ANSWERED, &behind);
		poll_step(&poll, POLL_TIMER, NULL);
	}
	assert_true(sent > 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stories_end_as_told),
		cmocka_unit_test(a_server_that_is_silent_to_all_is_said_to_be),
		cmocka_unit_test(the_pace_slows_down),
		cmocka_unit_test(a_transfer_quickens_it),
		cmocka_unit_test(no_try_counts_during_a_transfer),
		cmocka_unit_test(patience_is_borne_with_what_comes_by_itself),
		cmocka_unit_test(a_wrong_signature_is_not_borne),
		cmocka_unit_test(what_could_not_be_asked_is_a_try),
		cmocka_unit_test(a_newer_order_renews_no_patience),
		cmocka_unit_test(a_notify_holds_the_first_query),
		cmocka_unit_test(it_learns_the_servers_pace),
		cmocka_unit_test(an_early_answer_teaches_nothing),
		cmocka_unit_test(a_newer_order_replaces_the_older),
		cmocka_unit_test(a_new_order_ends_a_long_pause),
		cmocka_unit_test(its_rest_has_the_tries_that_are_left),
		cmocka_unit_test(a_stream_of_orders_hides_no_absence),
		cmocka_unit_test(all_sequences_end_in_one_report),
		cmocka_unit_test(it_ends_under_endless_transfers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
