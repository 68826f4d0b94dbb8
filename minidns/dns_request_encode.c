/*
 * dns_request_encode -- encodes the question of a request.
 */
#include "dns_request_private.h"

#include "base/clock.h"
#include "base/id.h"
#include "servers.h"

/*
 * Sets the id and the case of letters that an attacker must guess, as far as the server
 * allows it.
 */
static void dns_request_make_unlikely(struct dns_request *request,
                                      const struct tsig_key *key)
{
	struct { uint16_t id; uint8_t letters[FORGERY_LETTERS]; } random;

	random_fill(&random, sizeof(random));
	request->ask.id = random.id;
	if (key) {
		request->forgery.link = FORGERY_UDP_SIGNED;
	} else if (request_slots_case_not_echoed(request)) {
		request->forgery.link = FORGERY_UDP_LOWER_CASE;
	} else {
		forgery_mix_case(&request->ask.zone, random.letters);
	}
}

bool dns_request_encode(struct dns_request *request)
{
	const struct name *name = &request->want.tsig_key;
	const struct tsig_key *key = NULL;
	size_t len;

	if (name->len)
		key = servers_key(request->requests->servers, name, NULL);
	if (name->len && !key)
		return false;
	request->ask.opcode = request->want.opcode;
	request->ask.zone = request->want.zone;
	dns_request_make_unlikely(request, key);
	len = soa_request_encode(&request->ask, key, (uint64_t)clock_unix(),
	                         request->message + FRAME_PREFIX);
	frame_put_prefix(request->message, len);
	request->message_len = len;
	return true;
}
