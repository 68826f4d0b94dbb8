#include <stdio.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"
#include "runtime/loop.h"

enum { HEALTHY_MS = 60000 };	/* after this time the backoff starts again */

static const struct backoff reconnect_backoff = { .first_ms = 200, .max_ms = 4000 };

/* Requests one turn for all messages and acknowledgements of this turn of the loop. */
void broker_turn_soon(struct broker *broker)
{
	if (broker->turn_due || !broker->connection)
		return;
	broker->turn_due = true;
	loop_later(broker->loop, broker->turn, broker);
}

void broker_reconnect_later(struct broker *broker)
{
	if (broker->paused && broker->queue_count)
		return;		/* a paused consumer needs no connection */
	loop_timer_set(broker->reconnect,
		       backoff_ms(&reconnect_backoff, broker->attempt++, random_u32()));
}

static void topology_check_stop(struct broker *broker)
{
	broker->check.state = CHECK_IDLE;
	broker->check.due = false;
	loop_timer_cancel(broker->check.timer);
}

void broker_drop(struct broker *broker, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(broker->down_reason.text, sizeof broker->down_reason.text, fmt, args);
	va_end(args);
	log_warn("connection to the broker lost: connection=%s reason=\"%s\"",
	         broker->name, broker->down_reason.text);
	loop_io_free(&broker->io);
	loop_timer_cancel(broker->tick);
	topology_check_stop(broker);
	topology_free(&broker->topology);
	connection_free(&broker->connection);
	broker->blocked = false;
	broker->content.expect = CONTENT_NONE;
	broker->acks.count = broker->acks.in_hand = 0;
	outbox_rewind(broker);
	if (clock_ms() - broker->up_since_ms >= HEALTHY_MS)
		broker->attempt = 0;
	broker_reconnect_later(broker);
	if (broker->hooks.down && !broker->closed)
		broker->hooks.down(broker->hooks.self);
}

void broker_tell_refusal(struct broker *broker, int code)
{
	if (reply_is_refusal(code) && broker->hooks.refused && !broker->closed)
		broker->hooks.refused(broker->hooks.self, broker->down_reason.text);
}

static void acks_add(struct broker *broker, uint64_t tag, enum ack_kind how)
{
	struct acks *acks = &broker->acks;

	if (acks->count == acks->size) {
		acks->size = acks->size ? 2 * acks->size : 64;
		acks->item =
		    xrealloc(acks->item, acks->size * sizeof *acks->item);
	}
	acks->item[acks->count++] = (struct ack){ tag, how };
	broker_turn_soon(broker);
}

void broker_acknowledge(struct broker *broker, const struct broker_delivery *delivery,
                        enum ack_kind how)
{
	if (!broker->connection || delivery->epoch != broker->epoch)
		return;
	bug_if(broker->acks.in_hand == 0);
	broker->acks.in_hand--;
	acks_add(broker, delivery->tag, how);
}
