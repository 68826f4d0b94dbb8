#include "base/clock.h"
#include "provider.h"
#include "round_private.h"

/*
 * A zone that is of the serial that it was planned with, and of which nobody wants
 * anything else, gives the same plan again: one question says so.
 */

bool round_may_be_quiet(const struct round *round)
{
	const struct quiet *quiet = &round->registry->quiet;

	return quiet->is_known && quiet->rev == round->row.rev &&
	       clock_ms() < quiet->until_ms;
}

bool round_is_quiet(const struct round *round, uint32_t serial)
{
	return round->registry->quiet.serial == serial;
}

/* After a plan of which nothing was to be done. */
void round_note_quiet(const struct round *round)
{
	const struct registry_settings *settings = round->registry->settings;

	round->registry->quiet = (struct quiet){
		.is_known = round->is_planned && round->is_kept && !round->orders &&
		            (!round->errand_count || settings->dry_run),
		.is_held = round->plan.held, .serial = round->serial,
		.rev = round->row.rev,
		.until_ms = clock_ms() + 1000 * (int64_t)settings->reread_s,
	};
}
