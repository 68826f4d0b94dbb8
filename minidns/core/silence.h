/*
 * silence -- whether a name server has fallen silent, by what became of the questions
 * to it: then no more are kept waiting for it than a probe now and then (base/breaker.h).
 *
 * Silent is who leaves questions about five zones in a row without an answer. One zone
 * that a server ignores, or whose answers are lost, says nothing of the others; and a
 * question says nothing that was asked before the last sign of life. So those that were
 * out when the server fell silent cannot make it so again once it was heard.
 *
 * A probe is taken for unanswered until its answer comes: that may take longer than the
 * pause to the next one. Pauses stay below five seconds, for the pool manager probes
 * too, some ten seconds apart: none of its probes may meet a server that is not asked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/breaker.h"
#include "model/name.h"

enum { SILENCE_ZONES = 5 };

struct silence {
	struct breaker breaker;
	struct name zones[SILENCE_ZONES];	/* without an answer, in a row */
	int64_t since_ms;			/* when the first of them was asked about */
	int64_t heard_ms;			/* the last sign of life */
};

/* A question that got no answer in all its time. */
struct unanswered {
	const struct name *zone;
	int64_t asked_ms;
};

/* All times are of one clock that never goes back. */
void silence_init(struct silence *silence);
bool silence_is(const struct silence *silence);
/* May a question be sent now? Of a silent server, a yes is the probe. */
bool silence_allows(struct silence *silence, int64_t now_ms, uint32_t random);
/* True: with it the server has fallen silent. */
bool silence_unanswered(struct silence *silence, const struct unanswered *question,
                        int64_t now_ms, uint32_t random);
/* Any sign of life. True: it was silent until now. */
bool silence_heard(struct silence *silence, int64_t now_ms);
