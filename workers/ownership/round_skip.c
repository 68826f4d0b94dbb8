#include "base/clock.h"
#include "provider.h"
#include "round_private.h"

/*
 * If the serial of the zone and the endpoints are unchanged since the last plan, the plan
 * is the same. Then the round reads only the serial.
 */

bool round_skip_is_possible(const struct round *round)
{
	const struct last_plan *last = &round->registry->last_plan;

	return last->is_known && last->rev == round->row.rev &&
	       clock_ms() < last->until_ms;
}

bool round_skip_applies(const struct round *round, uint32_t serial)
{
	return round->registry->last_plan.serial == serial;
}

/* The next round may skip the reading if this one had no update to send. */
void round_skip_note(const struct round *round)
{
	const struct registry_settings *settings = round->registry->settings;

	round->registry->last_plan = (struct last_plan){
		.is_known = round->is_planned && round->is_kept && !round->orders &&
		            (!round->update_count || settings->dry_run),
		.is_held = round->plan.held, .serial = round->serial,
		.rev = round->row.rev,
		.until_ms = clock_ms() + 1000 * (int64_t)settings->reread_s,
	};
}
