#include "runtime/broker_private.h"

_Static_assert(FLIGHT_SLOTS > WINDOW && (FLIGHT_SLOTS & (FLIGHT_SLOTS - 1)) == 0,
	       "each unconfirmed message needs a slot");

void outbox_init(struct outbox *outbox)
{
	TAILQ_INIT(&outbox->waiting);
	TAILQ_INIT(&outbox->returned);
	outbox->first_tag = outbox->next_tag = 1;
}

struct message **outbox_slot(struct outbox *outbox, uint64_t tag)
{
	return &outbox->flight[tag % FLIGHT_SLOTS];
}

struct message *outbox_take(struct outbox *outbox, uint64_t tag)
{
	struct message *message = *outbox_slot(outbox, tag);

	if (message) {
		*outbox_slot(outbox, tag) = NULL;
		outbox->flight_count--;
	}
	return message;
}

/* The window begins at the oldest unconfirmed message. */
void outbox_advance(struct outbox *outbox)
{
	while (outbox->first_tag < outbox->next_tag &&
	       !*outbox_slot(outbox, outbox->first_tag))
		outbox->first_tag++;
}

/* All unconfirmed messages are sent again, in the same order with the same bytes. */
void outbox_rewind(struct broker *broker)
{
	struct outbox *outbox = &broker->outbox;

	for (uint64_t tag = outbox->next_tag; tag-- > outbox->first_tag;) {
		struct message *message = outbox_take(outbox, tag);

		if (!message)
			continue;
		message->is_returned = false;
		TAILQ_INSERT_HEAD(&outbox->waiting, message, link);
		outbox->waiting_count++;
	}
	outbox->first_tag = outbox->next_tag = 1;
	outbox->begun = false;
}
