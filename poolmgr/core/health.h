/*
 * health -- decides whether a server answers over DNS and on its control channel. The row
 * of the server in pool_servers contains the state and the time of the next try. All
 * processes share this row. After three failures in a row, a server gets only probes.
 * When the next try is due, one process sends a probe. The pauses between probes grow
 * from about 1 s to about 10 s. When a process begins a probe, the number of failures
 * grows by one. The first answer resets the number of failures to zero. The caller passes
 * the row, and a random number for the pause.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum channel { CHANNEL_CONTROL, CHANNEL_DNS, CHANNELS };

/* The state of one channel, from the row of the server. */
struct health {
	int failures;			/* number of failures in a row */
	/* a probe may begin now, according to the clock of the database */
	bool is_due;
};

/* The observations of one process on one channel since the process last wrote the row. */
struct evidence {
	bool has_answered;
	int failures;			/* number of failures since the last answer */
};

/* A change of the row. */
struct health_move {
	bool is_news;			/* false: the row does not change */
	int failures;
	/* pause until the next probe; 0: the channel does not fail, and needs no pause */
	int64_t next_ms;
	bool opens, closes;		/* the channel begins to fail; answers again */
};

/* The meaning of the result of an operation for the health of the server. */
enum sign {
	SIGN_NONE,			/* the fault is in this host or in the request */
	SIGN_ANSWER,			/* the server answered; a refusal is an answer */
	SIGN_FAILURE,			/* the server gave no answer */
};

enum sign health_sign_of(enum err err);

/* True: the channel fails, after three failures in a row. */
bool health_is_open(const struct health *health);
/*
 * Returns the new state for the row, after the observations in EVIDENCE. If the server
 * already gets only probes and no probe is due, the function ignores failures.
 */
struct health_move health_decide(const struct health *health,
                                 const struct evidence *evidence, uint32_t random);
/* Returns the new state for the row when a probe begins. */
struct health_move health_probe(const struct health *health, uint32_t random);
