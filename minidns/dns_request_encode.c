/*
 * exchange_ask -- encodes the question of an exchange.
 */
#include "dns_request_private.h"

#include "base/clock.h"
#include "base/id.h"
#include "servers.h"

/* As much as the server allows of what a forger has to guess. */
static void make_unlikely(struct exchange *exchange, const struct tsig_key *key)
{
	struct { uint16_t id; uint8_t letters[FORGERY_LETTERS]; } random;

	random_fill(&random, sizeof(random));
	exchange->ask.id = random.id;
	if (key) {
		exchange->forgery.link = FORGERY_UDP_SIGNED;
	} else if (place_case_not_echoed(exchange)) {
		exchange->forgery.link = FORGERY_UDP_LOWER_CASE;
	} else {
		forgery_mix_case(&exchange->ask.zone, random.letters);
	}
}

bool exchange_encode(struct exchange *exchange)
{
	const struct name *name = &exchange->want.tsig_key;
	const struct tsig_key *key = NULL;
	size_t len;

	if (name->len)
		key = servers_key(exchange->exchanges->servers, name, NULL);
	if (name->len && !key)
		return false;
	exchange->ask.opcode = exchange->want.opcode;
	exchange->ask.zone = exchange->want.zone;
	make_unlikely(exchange, key);
	len = ask_encode(&exchange->ask, key, (uint64_t)clock_unix(),
	                 exchange->message + FRAME_PREFIX);
	frame_put_prefix(exchange->message, len);
	exchange->message_len = len;
	return true;
}
