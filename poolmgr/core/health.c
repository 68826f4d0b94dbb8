#include "core/health.h"

#include "base/backoff.h"
#include "base/log.h"

enum { FAILURES_MAX = 3 };	/* so many in a row: the channel counts as failing */

/* The pauses between probes. One process of the fleet sends each probe. */
static const struct backoff pauses = { .first_ms = 1000, .max_ms = 10 * 1000 };

/*
 * What an error of a driver (backends/driver.h) says about the server. Other errors say
 * nothing.
 */
static const enum sign signs[ERR_COUNT] = {
	[OK]              = SIGN_ANSWER,
	[ERR_DENIED]      = SIGN_ANSWER,
	[ERR_NOT_FOUND]   = SIGN_ANSWER,
	[ERR_EXISTS]      = SIGN_ANSWER,
	[ERR_CONFLICT]    = SIGN_ANSWER,
	[ERR_TOO_LARGE]   = SIGN_ANSWER,
	[ERR_REMOTE]      = SIGN_ANSWER,
	[ERR_TIMEOUT]     = SIGN_FAILURE,
	[ERR_UNREACHABLE] = SIGN_FAILURE,
	[ERR_INVALID]     = SIGN_NONE,
	[ERR_BUSY]        = SIGN_NONE,
};

enum sign health_sign_of(enum err err)
{
	bug_if((unsigned)err >= ERR_COUNT);
	return signs[err];
}

bool health_is_open(const struct health *health)
{
	return health->failures >= FAILURES_MAX;
}

static struct health_move health_move_to(const struct health *health, int failures,
                                         uint32_t random)
{
	struct health_move move = { .is_news = failures != health->failures,
	                            .failures = failures };
	bool was_open = health_is_open(health);
	bool is_open = failures >= FAILURES_MAX;

	if (is_open)
		move.next_ms = backoff_ms(&pauses, failures - FAILURES_MAX, random);
	move.opens = is_open && !was_open;
	move.closes = was_open && !is_open;
	return move;
}

struct health_move health_decide(const struct health *health,
                                 const struct evidence *evidence, uint32_t random)
{
	int failures = evidence->failures;

	if (!evidence->has_answered && health_is_open(health) && !health->is_due)
		failures = 0;
	if (!evidence->has_answered)
		failures += health->failures;
	return health_move_to(health, failures, random);
}

struct health_move health_probe(const struct health *health, uint32_t random)
{
	return health_move_to(health, health->failures + 1, random);
}
