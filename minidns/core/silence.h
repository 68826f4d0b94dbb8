/*
 * silence -- decides from the answers of a name server whether the server is silent.
 * mini-DNS sends probes to a silent server at intervals (base/breaker.h). Other requests
 * to this server end immediately, without an answer.
 *
 * A server counts as silent if requests for five different zones got no answer after the
 * last answer or query from the server. Requests for only one zone prove nothing, because
 * the server possibly ignores this zone, or the network possibly loses the answers for
 * this zone. mini-DNS does not count requests that it sent before the last answer or
 * query from the server. Otherwise old requests could make the server silent again after
 * an answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/breaker.h"
#include "model/name.h"

enum { SILENCE_ZONES = 5 };

struct silence {
	struct breaker breaker;
	/* the zones that have had no answer to a request since `heard_ms` */
	struct name zones[SILENCE_ZONES];
	/* when the last answer or query from the server arrived */
	int64_t heard_ms;
};

/* A request that got no answer within its timeout. */
struct unanswered {
	const struct name *zone;
	int64_t asked_ms;
};

/* Begins with a server that is not silent. Pass times of one monotonic clock only. */
void silence_init(struct silence *silence);
bool silence_is(const struct silence *silence);
/*
 * True: mini-DNS may send a request now. If the server is silent, this request is the
 * probe.
 *
 * A probe counts as unanswered until its answer arrives. The answer can arrive after the
 * next probe. The pauses are shorter than five seconds, because mini-DNS must send each
 * probe of the pool manager to the server. The pool manager orders a probe about every
 * ten seconds.
 */
bool silence_allows(struct silence *silence, int64_t now_ms, uint32_t random);
/*
 * Counts the zone of a request that got no answer. True: the server has just become
 * silent.
 */
bool silence_unanswered(struct silence *silence, const struct unanswered *question,
                        int64_t now_ms, uint32_t random);
/*
 * Ends the silence of the server. Call it when an answer or a query from the server has
 * arrived. True: the server was silent before.
 */
bool silence_heard(struct silence *silence, int64_t now_ms);
