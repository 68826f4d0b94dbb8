#include "base/id.h"
#include "base/log.h"
#include "runtime/broker_private.h"
#include "runtime/loop.h"

enum {
	ANSWER_MS = 10000,
	REQUEST_MAX = 2048,	/* bytes of a request */
};

/*
 * Adds a jitter of a tenth, so that the processes of a fleet do not check at the same
 * time.
 */
void topology_check_schedule(struct broker *broker)
{
	int64_t ms = (int64_t)broker->config.check_period_s * 1000;

	broker->check.state = CHECK_IDLE;
	broker->check.due = false;
	if (ms)
		loop_timer_set(broker->check.timer,
		               ms * 9 / 10 + random_u32() % (ms / 5));
}

/* ---- requests ---- */

static void topology_check_step(struct broker *broker)
{
	broker->check.due = true;
	loop_timer_set(broker->check.timer, ANSWER_MS);
}

/*
 * During an alarm RabbitMQ does not read from a publisher, so an answer cannot be late.
 */
void topology_check_on_timer(struct broker *broker)
{
	struct topology_check *check = &broker->check;

	if (broker->blocked || broker->paused) {
		loop_timer_set(check->timer, ANSWER_MS);
	} else if (check->state == CHECK_IDLE) {
		check->state = CHECK_OPENS;
		check->at = 0;
		topology_check_step(broker);
		broker_turn_soon(broker);
	} else {
		broker_drop(broker, "the broker did not answer within %d s",
		            ANSWER_MS / 1000);
	}
}

static int topology_check_send_item(const struct broker *broker,
                                    const struct topology_item *item)
{
	struct topology_request request;

	topology_request(item, true, &request);
	return amqp_send_method(broker->connection->amqp, CHECK_CHANNEL, request.method,
	                        &request.of);
}

static int topology_check_send_step(const struct broker *broker)
{
	amqp_connection_state_t amqp = broker->connection->amqp;
	amqp_channel_open_t open = { 0 };
	amqp_channel_close_t close = { .reply_code = AMQP_REPLY_SUCCESS };

	switch (broker->check.state) {
	case CHECK_OPENS:
		return amqp_send_method(amqp, CHECK_CHANNEL, AMQP_CHANNEL_OPEN_METHOD,
		                        &open);
	case CHECK_ASKS:
		return topology_check_send_item(
		    broker, &broker->topology->item[broker->check.at]);
	case CHECK_CLOSES:
		return amqp_send_method(amqp, CHECK_CHANNEL, AMQP_CHANNEL_CLOSE_METHOD,
		                        &close);
	case CHECK_IDLE:
		break;
	}
	return AMQP_STATUS_OK;
}

bool topology_check_send(struct broker *broker)
{
	if (!broker->check.due)
		return true;
	if (!connection_writable(broker->connection, REQUEST_MAX))
		return false;
	broker->check.due = false;
	if (!topology_check_send_step(broker))
		return true;
	broker_drop(broker, "cannot send to the broker");
	return false;
}

/* ---- the answers ---- */

static amqp_method_number_t topology_check_expected(const struct broker *broker)
{
	struct topology_request request;

	switch (broker->check.state) {
	case CHECK_OPENS:
		return AMQP_CHANNEL_OPEN_OK_METHOD;
	case CHECK_ASKS:
		topology_request(&broker->topology->item[broker->check.at], true,
		                 &request);
		return request.answer;
	case CHECK_CLOSES:
		return AMQP_CHANNEL_CLOSE_OK_METHOD;
	case CHECK_IDLE:
		break;
	}
	return 0;
}

/* The item is missing, or the account has lost its right to it. */
static void topology_check_on_refusal(struct broker *broker,
                                      const amqp_channel_close_t *close)
{
	char words[TOPOLOGY_WORDS] = "a channel";
	int code = close->reply_code;

	if (broker->check.state == CHECK_ASKS)
		topology_item_describe(&broker->topology->item[broker->check.at], words,
		                       sizeof words);
	broker_drop(broker, "%s: %d %.*s", words, code,
	            (int)close->reply_text.len, (char *)close->reply_text.bytes);
	broker_tell_refusal(broker, code);
}

static void topology_check_advance(struct broker *broker)
{
	struct topology_check *check = &broker->check;

	if (check->state == CHECK_CLOSES) {
		topology_check_schedule(broker);
		return;
	}
	check->at += check->state == CHECK_ASKS;
	check->state = check->at < broker->topology->count ? CHECK_ASKS : CHECK_CLOSES;
	topology_check_step(broker);
}

void topology_check_on_method(struct broker *broker, const amqp_method_t *method)
{
	if (method->id == AMQP_CHANNEL_CLOSE_METHOD)
		topology_check_on_refusal(broker, method->decoded);
	else if (method->id == topology_check_expected(broker))
		topology_check_advance(broker);
	else
		broker_drop(broker, "the broker sent an unexpected answer: %x",
		            (unsigned)method->id);
}
