/*
 * silence -- decides whether a name server is silent, from its answers. A silent server
 * gets only a probe at intervals (base/breaker.h), so that no further requests wait for
 * it.
 *
 * A server is silent if it has not answered questions about five zones in a row. One
 * zone that the server ignores, or whose answers are lost, says nothing about the other
 * zones. A question from before the server's last sign of life does not count. So
 * questions that were out when the server became silent cannot make it silent again
 * after an answer.
 *
 * A probe counts as unanswered until its answer comes, which may take longer than the
 * pause before the next probe. The pauses stay below five seconds. The pool manager sends
 * probes through mini-DNS, some ten seconds apart, and mini-DNS must pass each of them
 * on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/breaker.h"
#include "model/name.h"

enum { SILENCE_ZONES = 5 };

struct silence {
	struct breaker breaker;
	/* the zones without an answer, in a row */
	struct name zones[SILENCE_ZONES];
	/* the time of the first of these questions */
	int64_t since_ms;
	int64_t heard_ms;			/* the last sign of life */
};

/* A question that got no answer within its timeout. */
struct unanswered {
	const struct name *zone;
	int64_t asked_ms;
};

/* All times come from one monotonic clock. */
void silence_init(struct silence *silence);
bool silence_is(const struct silence *silence);
/*
 * True: mini-DNS may send a question now. If the server is silent, this question is the
 * probe.
 */
bool silence_allows(struct silence *silence, int64_t now_ms, uint32_t random);
/* True: the server has just become silent. */
bool silence_unanswered(struct silence *silence, const struct unanswered *question,
                        int64_t now_ms, uint32_t random);
/* The server gave a sign of life. True: it was silent before. */
bool silence_heard(struct silence *silence, int64_t now_ms);
