#include "base/id.h"
#include "base/log.h"
#include "runtime/broker_private.h"
#include "runtime/loop.h"

enum {
	ANSWER_MS = 10000,
	REQUEST_MAX = 2048,	/* bytes of a request: names and arguments */
};

/* Give or take a tenth: not all of a fleet at once. */
void recheck_later(struct broker *broker)
{
	int64_t ms = (int64_t)broker->config.check_period_s * 1000;

	broker->recheck.state = RECHECK_IDLE;
	broker->recheck.due = false;
	if (ms)
		loop_timer_set(broker->recheck.timer, ms * 9 / 10 + random_u32() % (ms / 5));
}

/* ---- asking ---- */

static void recheck_step(struct broker *broker)
{
	broker->recheck.due = true;
	loop_timer_set(broker->recheck.timer, ANSWER_MS);
}

/* An alarm: the broker does not read what a publisher says. It is not late then. */
void recheck_fire(struct broker *broker)
{
	struct recheck *recheck = &broker->recheck;

	if (broker->blocked || broker->paused) {
		loop_timer_set(recheck->timer, ANSWER_MS);
	} else if (recheck->state == RECHECK_IDLE) {
		recheck->state = RECHECK_OPENS;
		recheck->at = 0;
		recheck_step(broker);
		broker_turn_soon(broker);
	} else {
		broker_drop(broker, "the broker did not answer in %d s", ANSWER_MS / 1000);
	}
}

static int send_request(const struct broker *broker, const struct thing *thing)
{
	struct thing_request request;

	thing_request(thing, true, &request);
	return amqp_send_method(broker->connection->amqp, RECHECK_CHANNEL, request.method,
	                        &request.of);
}

static int send_step(const struct broker *broker)
{
	amqp_connection_state_t amqp = broker->connection->amqp;
	amqp_channel_open_t open = { 0 };
	amqp_channel_close_t close = { .reply_code = AMQP_REPLY_SUCCESS };

	switch (broker->recheck.state) {
	case RECHECK_OPENS:
		return amqp_send_method(amqp, RECHECK_CHANNEL, AMQP_CHANNEL_OPEN_METHOD,
		                        &open);
	case RECHECK_ASKS:
		return send_request(broker, &broker->topology->item[broker->recheck.at]);
	case RECHECK_CLOSES:
		return amqp_send_method(amqp, RECHECK_CHANNEL, AMQP_CHANNEL_CLOSE_METHOD,
		                        &close);
	case RECHECK_IDLE:
		break;
	}
	return AMQP_STATUS_OK;
}

bool recheck_send(struct broker *broker)
{
	if (!broker->recheck.due)
		return true;
	if (!connection_writable(broker->connection, REQUEST_MAX))
		return false;
	broker->recheck.due = false;
	if (!send_step(broker))
		return true;
	broker_drop(broker, "cannot send");
	return false;
}

/* ---- the answers ---- */

static amqp_method_number_t answer_awaited(const struct broker *broker)
{
	struct thing_request request;

	switch (broker->recheck.state) {
	case RECHECK_OPENS:
		return AMQP_CHANNEL_OPEN_OK_METHOD;
	case RECHECK_ASKS:
		thing_request(&broker->topology->item[broker->recheck.at], true, &request);
		return request.answer;
	case RECHECK_CLOSES:
		return AMQP_CHANNEL_CLOSE_OK_METHOD;
	case RECHECK_IDLE:
		break;
	}
	return 0;
}

/* It is gone, or it is ours no longer. */
static void recheck_refused(struct broker *broker, const amqp_channel_close_t *close)
{
	char words[WORDS_SIZE] = "a channel";

	if (broker->recheck.state == RECHECK_ASKS)
		thing_describe(&broker->topology->item[broker->recheck.at], words,
		               sizeof words);
	broker_drop(broker, "%s: %d %.*s", words, close->reply_code,
	            (int)close->reply_text.len, (char *)close->reply_text.bytes);
}

static void recheck_go_on(struct broker *broker)
{
	struct recheck *recheck = &broker->recheck;

	if (recheck->state == RECHECK_CLOSES) {
		recheck_later(broker);
		return;
	}
	recheck->at += recheck->state == RECHECK_ASKS;
	recheck->state = recheck->at < broker->topology->count ? RECHECK_ASKS : RECHECK_CLOSES;
	recheck_step(broker);
}

void recheck_answered(struct broker *broker, const amqp_method_t *method)
{
	if (method->id == AMQP_CHANNEL_CLOSE_METHOD)
		recheck_refused(broker, method->decoded);
	else if (method->id == answer_awaited(broker))
		recheck_go_on(broker);
	else
		broker_drop(broker, "an answer that was not due: %x", (unsigned)method->id);
}
