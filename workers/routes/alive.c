#include "base/clock.h"
#include "routes.h"
#include "runtime/broker.h"
#include "runtime/db.h"

struct alive_rule routes_alive_rule(const struct routes *own)
{
	const int64_t enough_ms = own->settings.alive_ms;

	return (struct alive_rule){
		.timeout_ms = own->settings.alive_ms,
		.is_receiving = own->receives_since_ms &&
		                clock_ms() - own->receives_since_ms >= enough_ms,
		.keeps = own->settings.all_down == ALL_DOWN_KEEP,
	};
}

/* Reports wait in a queue if the broker or the database is away, or after a late turn. */
void routes_alive_update(struct routes *own)
{
	const int64_t now = clock_ms();
	const int64_t late_ms = own->settings.alive_ms / 2 +
	                        own->due_period_ms * INT64_C(3) / 2;

	if (!broker_is_up(own->runtime.out) || !db_is_up(own->runtime.db))
		own->receives_since_ms = 0;
	else if (!own->receives_since_ms || now - own->turn_ms > late_ms)
		own->receives_since_ms = now;
	own->turn_ms = now;
}
