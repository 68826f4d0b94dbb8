/*
 * health -- decides whether a server answers over DNS and on its control channel. The
 * row of the server in pool_servers contains the state and the time of the next try. All
 * processes share this row. After too many failures in a row, the server gets only a
 * probe: one process sends the probe when the next try is due. When a process begins a
 * probe, the number of failures grows by one. The first answer resets the number of
 * failures to zero. The caller passes the row, and a random number for the pause.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum channel { CHANNEL_CONTROL, CHANNEL_DNS, CHANNELS };

/* The row of a server, for one channel. */
struct health {
	int failures;			/* in a row */
	/* a probe may begin now, according to the clock of the database */
	bool is_due;
};

/* The observations of a process since it last wrote the row. */
struct evidence {
	bool has_answered;
	int failures;			/* since the last answer */
};

struct health_move {
	bool is_news;			/* false: the row is unchanged */
	int failures;
	int64_t next_ms;		/* time until the next try; 0: no limit */
	bool opens, closes;
};

/* The meaning of the result of an operation for the health of the server. */
enum sign {
	SIGN_NONE,			/* the fault is in this host or in the request */
	SIGN_ANSWER,			/* the server answered; a refusal is an answer */
	SIGN_FAILURE,			/* the server gave no answer */
};

enum sign health_sign_of(enum err err);

/* True: the server has failed too often in a row. */
bool health_is_open(const struct health *health);
/*
 * Returns the new row. If the server already gets only probes, ignores failures while no
 * probe is due.
 */
struct health_move health_decide(const struct health *health,
                                 const struct evidence *evidence, uint32_t random);
/* Returns the row after a probe has begun. */
struct health_move health_probe(const struct health *health, uint32_t random);
