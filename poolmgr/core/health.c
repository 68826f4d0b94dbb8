#include "core/health.h"

#include "base/backoff.h"
#include "base/log.h"

/* A DNS probe costs little, so its pause is shorter. */
static const struct terms {
	int failures;			/* number of failures that is too many */
	struct backoff pace;		/* pauses between probes */
} terms[CHANNELS] = {
	[CHANNEL_CONTROL] = { 3, { .first_ms = 1000, .max_ms = 60 * 1000 } },
	[CHANNEL_DNS]     = { 3, { .first_ms = 1000, .max_ms = 10 * 1000 } },
};

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

static bool health_is_too_many(enum channel channel, int failures)
{
	return failures >= terms[channel].failures;
}

bool health_is_open(enum channel channel, const struct health *health)
{
	return health_is_too_many(channel, health->failures);
}

static struct health_move health_move_to(enum channel channel,
                                         const struct health *health, int failures,
                                         uint32_t random)
{
	struct health_move move = { .is_news = failures != health->failures,
	                            .failures = failures };
	bool was_open = health_is_open(channel, health);
	bool is_open = health_is_too_many(channel, failures);

	if (is_open)
		move.next_ms = backoff_ms(&terms[channel].pace,
		                          failures - terms[channel].failures, random);
	move.opens = is_open && !was_open;
	move.closes = was_open && !is_open;
	return move;
}

struct health_move health_decide(enum channel channel, const struct health *health,
                                 const struct evidence *evidence, uint32_t random)
{
	int failures = evidence->failures;

	if (!evidence->has_answered && health_is_open(channel, health) && !health->is_due)
		failures = 0;
	if (!evidence->has_answered)
		failures += health->failures;
	return health_move_to(channel, health, failures, random);
}

struct health_move health_probe(enum channel channel, const struct health *health,
                                uint32_t random)
{
	return health_move_to(channel, health, health->failures + 1, random);
}
