/*
 * Any octets as a message: its signature is found, or not, and judged, and what comes of
 * it is answered under it. What we sign ourselves is right, whatever it is.
 */
#include <stdint.h>
#include <stdlib.h>

#include "core/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tsig_key the_key(void)
{
	struct tsig_key key;
	struct why why;

	if (tsig_key_parse("key.", "hmac-sha256", "c2VjcmV0", &key, &why))
		abort();
	return key;
}

static void answer(struct query *query)
{
	static uint8_t out[PACKET_MAX];
	size_t len = query_answer_rcode(query, query->rcode, out, sizeof(out));
	struct tsig tsig;

	if (!tsig_find(out, len, &tsig) || tsig.present != (query->signature != UNSIGNED))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tsig_key key = the_key();
	struct tsig_chain chain;
	struct query query;
	struct tsig tsig;

	if (query_read(data, size, true, &query) == QUERY_SILENCE)
		return 0;
	if (query.tsig.present)
		query_verify(&query, data, &key, query.tsig.time);
	answer(&query);
	if (tsig_find(data, size, &tsig) && tsig.present) {
		tsig_chain_begin(&chain, &key);
		tsig_verify(&chain, data, &tsig, tsig.time);
	}
	return 0;
}
