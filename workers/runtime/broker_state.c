#include <stdio.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"
#include "runtime/loop.h"

enum { HEALTHY_MS = 60000 };	/* a connection that lived so long was a good one */

static const struct backoff redial_backoff = { .first_ms = 200, .max_ms = 4000 };

/* Once for all that is published and settled in this turn of the loop. */
void broker_turn_soon(struct broker *broker)
{
	if (broker->turn_due || !broker->connection)
		return;
	broker->turn_due = true;
	loop_later(broker->loop, broker->turn, broker);
}

void broker_redial(struct broker *broker)
{
	if (broker->paused && broker->queue_count)
		return;		/* nothing is wanted from it any more */
	loop_timer_set(broker->redial,
		       backoff_ms(&redial_backoff, broker->attempt++, random_u32()));
}

static void recheck_end(struct broker *broker)
{
	broker->recheck.state = RECHECK_IDLE;
	broker->recheck.due = false;
	loop_timer_cancel(broker->recheck.timer);
}

void broker_drop(struct broker *broker, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(broker->down_reason.text, sizeof broker->down_reason.text, fmt, args);
	va_end(args);
	log_warn("broker lost: connection=%s cause=\"%s\"", broker->name,
		 broker->down_reason.text);
	loop_io_free(&broker->io);
	loop_timer_cancel(broker->tick);
	recheck_end(broker);
	topology_free(&broker->topology);
	connection_free(&broker->connection);
	broker->blocked = false;
	broker->content.expect = CONTENT_NONE;
	broker->settles.count = broker->settles.in_hand = 0;
	outbox_rewind(broker);
	if (clock_ms() - broker->up_since_ms >= HEALTHY_MS)
		broker->attempt = 0;
	broker_redial(broker);
	if (broker->hooks.down && !broker->closed)
		broker->hooks.down(broker->hooks.self);
}

static void settle_later(struct broker *broker, uint64_t tag, enum settle how)
{
	struct settles *settles = &broker->settles;

	if (settles->count == settles->size) {
		settles->size = settles->size ? 2 * settles->size : 64;
		settles->item =
		    xrealloc(settles->item, settles->size * sizeof *settles->item);
	}
	settles->item[settles->count++] = (struct settlement){ tag, how };
	broker_turn_soon(broker);
}

void broker_settle(struct broker *broker, const struct broker_delivery *delivery,
                   enum settle how)
{
	if (!broker->connection || delivery->epoch != broker->epoch)
		return;
	bug_if(broker->settles.in_hand == 0);
	broker->settles.in_hand--;
	settle_later(broker, delivery->tag, how);
}
