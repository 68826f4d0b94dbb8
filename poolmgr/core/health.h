/*
 * health -- whether a server answers, to DNS and on its control channel. The row in
 * pool_servers has the state that all processes share and the time of their next try.
 * After too many failures in a row the server only gets a probe: one process sends it at
 * the time in the row. A probe counts as one more failure when it begins. The first
 * answer resets the count to zero. Pure: the caller passes the row and the random number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum channel { CHANNEL_CONTROL, CHANNEL_DNS, CHANNELS };

/* The row of a server, for one channel. */
struct health {
	int failures;			/* in a row */
	bool is_due;			/* by the database's clock: a probe may begin */
};

/* The findings of a process since it wrote last. */
struct evidence {
	bool has_answered;
	int failures;			/* since then */
};

struct health_move {
	bool is_news;			/* false: the row stays as it is */
	int failures;
	int64_t next_ms;		/* until the next try; 0: no limit */
	bool opens, closes;
};

/* The meaning of an operation's result for its server. */
enum sign {
	SIGN_NONE,			/* the fault is in this host or in the request */
	SIGN_ANSWER,			/* the server answered; a refusal counts */
	SIGN_FAILURE,			/* the server gave no answer */
};

enum sign health_sign_of(enum err err);

/* Are there too many failures? */
bool health_is_open(enum channel channel, const struct health *health);
/* A failure of a try that began before the next try was due is ignored. */
struct health_move health_decide(enum channel channel, const struct health *health,
                                 const struct evidence *evidence, uint32_t random);
/* The row after a probe has begun. */
struct health_move health_probe(enum channel channel, const struct health *health,
                                uint32_t random);
