#include "core/poll.h"

#include <stdio.h>
#include <time.h>

#include "model/serial.h"

enum {
	FIRST_PAUSE_MS = 5,
	/* if the transfer did not bring the wanted serial */
	PAUSE_AFTER_TRANSFER_MS = 2,
	/* a limit, so that a server that transfers for ever is not polled for ever */
	MAX_RESTARTS = 64,
};

static const struct poll_move stay = { .action = POLL_STAY };

/* ---- moves ---- */

static struct poll_move poll_send(struct poll *poll)
{
	poll->state = POLL_ASKING;
	poll->asked_from = poll->next_from;
	poll->next_from = PACE_COUNT;
	return (struct poll_move){ .action = POLL_SEND };
}

static struct poll_move poll_pause(struct poll *poll, int wait_ms)
{
	poll->state = POLL_PAUSING;
	poll->paused_ms = wait_ms;
	return (struct poll_move){ .action = POLL_WAIT, .wait_ms = wait_ms };
}

/* Waits until the server probably serves the serial. */
static struct poll_move poll_pause_at_its_pace(struct poll *poll, enum pace_from from)
{
	poll->next_from = from;
	return poll_pause(poll, pace_ms(poll->pace, from));
}

static struct poll_move poll_report(struct poll *poll)
{
	poll->state = POLL_ENDED;
	return (struct poll_move){ .action = POLL_REPORT };
}

/* A try has failed. It was the last one, or a pause of the whole interval follows. */
static struct poll_move poll_fail_try(struct poll *poll)
{
	if (!poll->transfers)
		poll->tries++;
	poll->next_from = PACE_COUNT;
	if (poll->tries >= poll->terms.max_retries)
		return poll_report(poll);
	return poll_pause(poll, poll->terms.retry_interval_ms);
}

/* ---- the meaning of an answer ---- */

static bool poll_is_satisfied(const struct poll *poll)
{
	if (poll->silent)
		return false;
	if (poll->terms.absence)
		return poll->last.kind == RESPONSE_ABSENT;
	return poll->last.kind == RESPONSE_SERIAL &&
	       serial_covers(poll->last.serial, poll->terms.wanted);
}

static bool poll_reached_unreported(struct poll *poll)
{
	if (!poll->has_unreported || poll->last.kind != RESPONSE_SERIAL ||
	    !serial_covers(poll->last.serial, poll->unreported))
		return false;
	poll->has_unreported = false;
	return true;
}

static void poll_note(struct poll *poll, const struct response *response)
{
	poll->silent = false;
	poll->last = *response;
	if (response->kind == RESPONSE_SERIAL) {
		poll->has_serial = true;
		poll->serial = response->serial;
	}
}

/* A query at the server's pace shows whether it came too early. */
static void poll_learn(struct poll *poll)
{
	enum pace_from from = poll->asked_from;

	poll->asked_from = PACE_COUNT;
	if (from == PACE_COUNT || poll->terms.absence ||
	    poll->last.kind != RESPONSE_SERIAL)
		return;
	if (poll->pause_ms < pace_ms(poll->pace, from))
		poll->pause_ms = pace_ms(poll->pace, from);
	pace_learn(poll->pace, from, poll_is_satisfied(poll));
}

/*
 * True: the server has not reached the goal yet, but may reach it: it lacks the zone, or
 * still has it.
 */
static bool poll_is_on_its_way(const struct poll *poll)
{
	if (poll->last.fault && poll->last.kind != RESPONSE_ABSENT)
		return false;
	if (poll->terms.absence)
		return poll->last.kind == RESPONSE_SERIAL ||
		       poll->last.kind == RESPONSE_FAILED;
	return poll->last.kind == RESPONSE_ABSENT ||
	       poll->last.kind == RESPONSE_FAILED;
}

static struct poll_move poll_wait_patiently(struct poll *poll)
{
	poll->patience_ms -= poll->terms.retry_interval_ms;
	poll->next_from = PACE_COUNT;
	return poll_pause(poll, poll->terms.retry_interval_ms);
}

/*
 * Queries again soon; each pause is twice as long. A pause of the whole interval counts
 * as a try.
 */
static struct poll_move poll_ask_again(struct poll *poll)
{
	int wait_ms = poll->pause_ms;

	if (wait_ms >= poll->terms.retry_interval_ms)
		return poll->patience_ms > 0 && poll_is_on_its_way(poll)
			   ? poll_wait_patiently(poll) : poll_fail_try(poll);
	poll->pause_ms = wait_ms > poll->terms.retry_interval_ms / 2
				 ? poll->terms.retry_interval_ms : 2 * wait_ms;
	return poll_pause(poll, wait_ms);
}

/* ---- the table: what each event does in each state ---- */

typedef struct poll_move poll_fn(struct poll *poll, const struct response *response);

static struct poll_move poll_on_nothing(struct poll *poll,
                                        const struct response *response)
{
	(void)poll, (void)response;
	return stay;
}

static struct poll_move poll_on_notified(struct poll *poll,
                                         const struct response *response)
{
	(void)response;
	return poll_pause_at_its_pace(poll, PACE_FROM_NOTIFY);
}

static struct poll_move poll_on_began(struct poll *poll, const struct response *response)
{
	(void)response;
	poll->transfers++;
	return stay;
}

static bool poll_quicken(struct poll *poll)
{
	if (poll->transfers)
		poll->transfers--;
	if (poll->restarts == MAX_RESTARTS)
		return false;
	poll->restarts++;
	poll->pause_ms = PAUSE_AFTER_TRANSFER_MS;
	return true;
}

static bool poll_brought_it(const struct poll *poll, const struct response *brought)
{
	return brought && !poll->terms.absence &&
	       serial_covers(brought->serial, poll->terms.wanted);
}

/*
 * The current query was sent before the transfer ended, so its answer says nothing about
 * the pace.
 */
static struct poll_move poll_on_ended_while_asking(struct poll *poll,
                                                   const struct response *brought)
{
	poll->asked_from = PACE_COUNT;
	if (poll_quicken(poll) && poll_brought_it(poll, brought)) {
		poll->next_from = PACE_FROM_TRANSFER;
		poll->pause_ms = pace_ms(poll->pace, PACE_FROM_TRANSFER);
	}
	return stay;
}

static struct poll_move poll_on_ended_while_waiting(struct poll *poll,
                                                    const struct response *brought)
{
	/* a transfer does not help if mini-DNS cannot send a query */
	if (!poll_quicken(poll) || poll->last.kind == RESPONSE_UNASKED)
		return stay;
	if (poll_brought_it(poll, brought))
		return poll_pause_at_its_pace(poll, PACE_FROM_TRANSFER);
	poll->next_from = PACE_COUNT;		/* it comes before the server's pace */
	return poll_send(poll);
}

static struct poll_move poll_on_timer(struct poll *poll, const struct response *response)
{
	(void)response;
	return poll_send(poll);
}

static struct poll_move poll_on_answered(struct poll *poll,
                                         const struct response *response)
{
	struct poll_move move;
	bool reached_unreported;

	poll_note(poll, response);
	poll_learn(poll);
	if (poll_is_satisfied(poll))
		return poll_report(poll);
	reached_unreported = poll_reached_unreported(poll);
	/*
	 * the fault that keeps mini-DNS from sending a query does not end in milliseconds
	 */
	move =
	    response->kind == RESPONSE_UNASKED ? poll_fail_try(poll)
	                                       : poll_ask_again(poll);
	move.reached_unreported = reached_unreported;
	return move;
}

static struct poll_move poll_on_silent(struct poll *poll, const struct response *response)
{
	(void)response;
	poll->silent = true;
	return poll_fail_try(poll);
}

static poll_fn *const table[POLL_STATES][POLL_EVENTS] = {
	[POLL_HELD] = {
		[POLL_NOTIFY_ANSWERED] = poll_on_notified,
		[POLL_TRANSFER_BEGAN]  = poll_on_began,
		[POLL_TRANSFER_ENDED]  = poll_on_ended_while_waiting,
		[POLL_TIMER]           = poll_on_timer,
		[POLL_ANSWERED]        = poll_on_nothing,
		[POLL_SILENT]          = poll_on_nothing,
	},
	[POLL_ASKING] = {
		[POLL_NOTIFY_ANSWERED] = poll_on_nothing,
		[POLL_TRANSFER_BEGAN]  = poll_on_began,
		[POLL_TRANSFER_ENDED]  = poll_on_ended_while_asking,
		[POLL_TIMER]           = poll_on_nothing,
		[POLL_ANSWERED]        = poll_on_answered,
		[POLL_SILENT]          = poll_on_silent,
	},
	[POLL_PAUSING] = {
		[POLL_NOTIFY_ANSWERED] = poll_on_nothing,
		[POLL_TRANSFER_BEGAN]  = poll_on_began,
		[POLL_TRANSFER_ENDED]  = poll_on_ended_while_waiting,
		[POLL_TIMER]           = poll_on_timer,
		[POLL_ANSWERED]        = poll_on_nothing,
		[POLL_SILENT]          = poll_on_nothing,
	},
	[POLL_ENDED] = {
		[POLL_NOTIFY_ANSWERED] = poll_on_nothing,
		[POLL_TRANSFER_BEGAN]  = poll_on_nothing,
		[POLL_TRANSFER_ENDED]  = poll_on_nothing,
		[POLL_TIMER]           = poll_on_nothing,
		[POLL_ANSWERED]        = poll_on_nothing,
		[POLL_SILENT]          = poll_on_nothing,
	},
};

struct poll_move poll_step(struct poll *poll, enum poll_event event,
                           const struct response *response)
{
	return table[poll->state][event](poll, response);
}

/* If no answer to the NOTIFY comes, the poll waits for it no longer than for one try. */
struct poll_move poll_start(struct poll *poll, const struct poll_terms *terms,
                            struct pace *pace, bool notify_is_out)
{
	int hold_ms = terms->retry_interval_ms < terms->timeout_ms
	                  ? terms->retry_interval_ms
	                  : terms->timeout_ms;

	*poll = (struct poll){
		.terms = *terms,
		.patience_ms = terms->patience_ms,
		.pause_ms = FIRST_PAUSE_MS,
		.pace = pace,
		.next_from = PACE_COUNT,
		.asked_from = PACE_COUNT,
		.silent = true,
	};
	if (!notify_is_out)
		return poll_send(poll);
	poll->state = POLL_HELD;
	return (struct poll_move){ .action = POLL_WAIT, .wait_ms = hold_ms };
}

/*
 * True: the server serves the zone. Otherwise a newer serial changes nothing about the
 * fault.
 */
static bool poll_serves_it(const struct poll *poll)
{
	return !poll->silent && poll->last.kind == RESPONSE_SERIAL;
}

/*
 * A long pause ends, a short one continues: if each of many orders set the timer again,
 * it would never fire. The oldest unreported order is kept, so that many orders do not
 * hide what the server has reached.
 */
struct poll_move poll_renew(struct poll *poll, const struct poll_terms *terms)
{
	bool is_long =
	    poll->state == POLL_PAUSING && poll->paused_ms > 2 * FIRST_PAUSE_MS;

	if (!poll->has_unreported && !poll->terms.absence && !terms->absence) {
		poll->has_unreported = true;
		poll->unreported = poll->terms.wanted;
	}
	poll->has_unreported &= !terms->absence;
	if (poll_serves_it(poll) || terms->absence != poll->terms.absence) {
		poll->tries = 0;
		poll->patience_ms = terms->patience_ms;
		poll->pause_ms = FIRST_PAUSE_MS;
	}
	poll->terms = *terms;
	poll->restarts = 0;
	poll->next_from = poll->asked_from = PACE_COUNT;
	return is_long ? poll_send(poll) : stay;
}

/* ---- the report ---- */

static void poll_explain_silence(const struct poll *poll, struct poll_result *result)
{
	if (poll->is_server_silent) {
		snprintf(result->reason, sizeof(result->reason),
		         REPORT_SILENCE_WORDS " about any domain; mini-DNS probes the "
		         "server until the server answers");
		return;
	}
	snprintf(result->reason, sizeof(result->reason),
	         REPORT_SILENCE_WORDS " in %d %s of %g s", poll->tries,
	         poll->tries == 1 ? "try" : "tries", poll->terms.timeout_ms / 1e3);
}

static void poll_explain_serial(const struct poll *poll, struct poll_result *result)
{
	if (poll->terms.absence)
		snprintf(result->reason, sizeof(result->reason),
		         "still serves the domain at serial %u", poll->last.serial);
	else
		snprintf(result->reason, sizeof(result->reason),
		         "serves serial %u, not yet %u", poll->last.serial,
		         poll->terms.wanted);
}

static void poll_explain_rcode(const struct poll *poll, struct poll_result *result)
{
	snprintf(result->reason, sizeof(result->reason), "answers with %s",
	         poll->last.rcode ? rcode_name(poll->last.rcode)
	                          : "no SOA record of the domain");
}

void poll_result(const struct poll *poll, struct poll_result *result)
{
	bool absent = !poll->silent && poll->last.kind == RESPONSE_ABSENT;

	*result =
	    (struct poll_result){ .report = absent ? REPORT_NO_DOMAIN : REPORT_ERROR };
	/*
	 * A deleted zone that the server served before: it answers us. Without a
	 * signature, this does not show that the absence comes from the server.
	 */
	result->has_serial = poll->has_serial &&
	                     (!absent || (poll->terms.absence && !poll->last.fault));
	result->serial = poll->serial;
	result->silent = poll->silent;
	result->unasked = !poll->silent && poll->last.kind == RESPONSE_UNASKED;
	if (poll->silent)
		poll_explain_silence(poll, result);
	else if (poll_is_satisfied(poll) && !absent)
		result->report = REPORT_SUCCESS;
	else if (poll->last.fault)
		snprintf(result->reason, sizeof(result->reason), "%s", poll->last.fault);
	else if (poll->last.kind == RESPONSE_SERIAL)
		poll_explain_serial(poll, result);
	else if (poll->last.kind == RESPONSE_LAME)
		snprintf(result->reason, sizeof(result->reason),
		         "answers without the AA flag: the server is not authoritative "
		         "for the domain");
	else
		poll_explain_rcode(poll, result);
}

/* ---- the rest ---- */

struct poll_terms poll_left(const struct poll *poll)
{
	struct poll_terms left = poll->terms;

	/* a newer order may have fewer tries than the poll has used */
	left.max_retries =
	    left.max_retries > poll->tries ? left.max_retries - poll->tries : 0;
	left.patience_ms = poll->patience_ms > 0 ? poll->patience_ms : 0;
	return left;
}
