#include "base/clock.h"
#include "routes.h"

struct alive_rule routes_alive_rule(const struct routes *own)
{
	const int64_t enough_ms = own->settings.alive_ms;

	return (struct alive_rule){
		.timeout_ms = own->settings.alive_ms,
		.is_receiving = own->hears_since_ms &&
		              clock_ms() - own->hears_since_ms >= enough_ms,
		.keeps = own->settings.all_down == ALL_DOWN_KEEP,
	};
}
