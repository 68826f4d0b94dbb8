#include "core/cache_lease.h"

#include <string.h>

static struct cache_lease_message *cache_lease_message_of(struct cache_lease *lease,
                                                          uint64_t number)
{
	return &lease->out[number % CACHE_LEASE_OUT];
}

void cache_lease_reset(struct cache_lease *lease, int64_t now_ms)
{
	lease->old_queue = lease->sent;
	lease->valid_until_ms = 0;
	lease->unknown_until_ms = now_ms + CACHE_LEASE_GONE_MS;
}

/* ---- our messages ---- */

bool cache_lease_may_send(const struct cache_lease *lease)
{
	/* a message to a lost queue never comes back */
	uint64_t echoed = lease->echoed > lease->old_queue ? lease->echoed
	                                                   : lease->old_queue;
	uint64_t done = lease->confirmed < echoed ? lease->confirmed : echoed;

	return lease->sent - done < CACHE_LEASE_OUT;
}

uint64_t cache_lease_send(struct cache_lease *lease, int64_t now_ms)
{
	uint64_t number = ++lease->sent;

	*cache_lease_message_of(lease, number) = (struct cache_lease_message){
		.sent_ms = now_ms,
		.confirmed = lease->confirmed,
		.renews = lease->confirmed_sent_ms &&
			  now_ms - lease->confirmed_sent_ms <= CACHE_LEASE_MS / 2,
	};
	return number;
}

static void cache_lease_finish_message(struct cache_lease *lease, uint64_t number)
{
	cache_lease_message_of(lease, number)->done = true;
	while (lease->confirmed < lease->sent &&
	       cache_lease_message_of(lease, lease->confirmed + 1)->done)
		lease->confirmed++;
}

void cache_lease_confirmed(struct cache_lease *lease, uint64_t number)
{
	int64_t sent_ms = cache_lease_message_of(lease, number)->sent_ms;

	if (sent_ms > lease->confirmed_sent_ms)
		lease->confirmed_sent_ms = sent_ms;
	cache_lease_finish_message(lease, number);
}

void cache_lease_given_up(struct cache_lease *lease, uint64_t number)
{
	cache_lease_finish_message(lease, number);
}

void cache_lease_echoed(struct cache_lease *lease, uint64_t number)
{
	const struct cache_lease_message *message = cache_lease_message_of(lease, number);

	if (number <= lease->echoed || number <= lease->old_queue ||
	    number > lease->sent)
		return;
	lease->echoed = number;
	lease->covered = message->confirmed;
	lease->horizon_ms = message->sent_ms;
	if (message->renews)
		lease->valid_until_ms = message->sent_ms + CACHE_LEASE_MS;
}

bool cache_lease_is_valid(const struct cache_lease *lease, int64_t now_ms)
{
	return now_ms < lease->valid_until_ms;
}

/* ---- other instances ---- */

static bool cache_lease_is_gone(const struct cache_lease *lease,
                                const struct cache_lease_peer *peer)
{
	return peer->seen_ms + CACHE_LEASE_GONE_MS <= lease->horizon_ms;
}

static struct cache_lease_peer *cache_lease_find_peer(struct cache_lease *lease,
                                                      const char *id)
{
	for (size_t i = 0; i < lease->peer_count; i++)
		if (!strcmp(lease->peers[i].id, id))
			return &lease->peers[i];
	return NULL;
}

/* Reuses the row of an instance that is gone. NULL: no row is left. */
static struct cache_lease_peer *cache_lease_new_peer(struct cache_lease *lease)
{
	for (size_t i = 0; i < lease->peer_count; i++)
		if (cache_lease_is_gone(lease, &lease->peers[i]))
			return &lease->peers[i];
	return lease->peer_count < CACHE_LEASE_PEERS ? &lease->peers[lease->peer_count++]
	                                             : NULL;
}

void cache_lease_saw(struct cache_lease *lease, const char *id, int64_t now_ms)
{
	struct cache_lease_peer *peer = cache_lease_find_peer(lease, id);

	if (!peer) {
		peer = cache_lease_new_peer(lease);
		if (!peer) {
			lease->unknown_until_ms = now_ms + CACHE_LEASE_GONE_MS;
			return;
		}
		*peer = (struct cache_lease_peer){ .acked = 0 };
		memcpy(peer->id, id, strnlen(id, ID_LEN));
	}
	peer->seen_ms = now_ms;
}

void cache_lease_acked(struct cache_lease *lease, const char *id, uint64_t number)
{
	struct cache_lease_peer *peer = cache_lease_find_peer(lease, id);

	if (peer && number > peer->acked && number <= lease->sent)
		peer->acked = number;
}

uint64_t cache_lease_settled(const struct cache_lease *lease)
{
	uint64_t settled = lease->covered;

	if (lease->horizon_ms < lease->unknown_until_ms)
		return 0;
	for (size_t i = 0; i < lease->peer_count; i++) {
		const struct cache_lease_peer *peer = &lease->peers[i];

		if (!cache_lease_is_gone(lease, peer) && peer->acked < settled)
			settled = peer->acked;
	}
	return settled;
}
