#include "core/cache_lease.h"

#include <string.h>

static struct accord_message *message_of(struct accord *accord, uint64_t number)
{
	return &accord->out[number % ACCORD_OUT];
}

void accord_reset(struct accord *accord, int64_t now_ms)
{
	accord->old_queue = accord->sent;
	accord->held_until_ms = 0;
	accord->strangers_until_ms = now_ms + ACCORD_GONE_MS;
}

/* ---- our messages ---- */

bool accord_may_send(const struct accord *accord)
{
	/* one that went to a queue that is gone never comes back */
	uint64_t back = accord->back > accord->old_queue ? accord->back
	                                                 : accord->old_queue;
	uint64_t done = accord->confirmed < back ? accord->confirmed : back;

	return accord->sent - done < ACCORD_OUT;
}

uint64_t accord_send(struct accord *accord, int64_t now_ms)
{
	uint64_t number = ++accord->sent;

	*message_of(accord, number) = (struct accord_message){
		.sent_ms = now_ms,
		.confirmed = accord->confirmed,
		.chained = accord->confirmed_sent_ms &&
			   now_ms - accord->confirmed_sent_ms <= ACCORD_HOLD_MS / 2,
	};
	return number;
}

static void settle_message(struct accord *accord, uint64_t number)
{
	message_of(accord, number)->done = true;
	while (accord->confirmed < accord->sent &&
	       message_of(accord, accord->confirmed + 1)->done)
		accord->confirmed++;
}

void accord_confirmed(struct accord *accord, uint64_t number)
{
	int64_t sent_ms = message_of(accord, number)->sent_ms;

	if (sent_ms > accord->confirmed_sent_ms)
		accord->confirmed_sent_ms = sent_ms;
	settle_message(accord, number);
}

void accord_given_up(struct accord *accord, uint64_t number)
{
	settle_message(accord, number);
}

void accord_came_back(struct accord *accord, uint64_t number)
{
	const struct accord_message *message = message_of(accord, number);

	if (number <= accord->back || number <= accord->old_queue ||
	    number > accord->sent)
		return;
	accord->back = number;
	accord->covered = message->confirmed;
	accord->horizon_ms = message->sent_ms;
	if (message->chained)
		accord->held_until_ms = message->sent_ms + ACCORD_HOLD_MS;
}

bool accord_holds(const struct accord *accord, int64_t now_ms)
{
	return now_ms < accord->held_until_ms;
}

/* ---- the others ---- */

static bool is_gone(const struct accord *accord, const struct accord_peer *peer)
{
	return peer->seen_ms + ACCORD_GONE_MS <= accord->horizon_ms;
}

static struct accord_peer *find_peer(struct accord *accord, const char *id)
{
	for (size_t i = 0; i < accord->peer_count; i++)
		if (!strcmp(accord->peers[i].id, id))
			return &accord->peers[i];
	return NULL;
}

/* A place for one more: of somebody who is gone, or a new one; NULL: there is none. */
static struct accord_peer *new_peer(struct accord *accord)
{
	for (size_t i = 0; i < accord->peer_count; i++)
		if (is_gone(accord, &accord->peers[i]))
			return &accord->peers[i];
	return accord->peer_count < ACCORD_PEERS ? &accord->peers[accord->peer_count++]
	                                         : NULL;
}

void accord_saw(struct accord *accord, const char *id, int64_t now_ms)
{
	struct accord_peer *peer = find_peer(accord, id);

	if (!peer) {
		peer = new_peer(accord);
		if (!peer) {
			accord->strangers_until_ms = now_ms + ACCORD_GONE_MS;
			return;
		}
		*peer = (struct accord_peer){ .heard = 0 };
		memcpy(peer->id, id, strnlen(id, ID_LEN));
	}
	peer->seen_ms = now_ms;
}

void accord_was_heard(struct accord *accord, const char *id, uint64_t number)
{
	struct accord_peer *peer = find_peer(accord, id);

	if (peer && number > peer->heard && number <= accord->sent)
		peer->heard = number;
}

uint64_t accord_settled(const struct accord *accord)
{
	uint64_t settled = accord->covered;

	if (accord->horizon_ms < accord->strangers_until_ms)
		return 0;
	for (size_t i = 0; i < accord->peer_count; i++) {
		const struct accord_peer *peer = &accord->peers[i];

		if (!is_gone(accord, peer) && peer->heard < settled)
			settled = peer->heard;
	}
	return settled;
}
