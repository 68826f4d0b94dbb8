#include "server_clock.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "dns/tsig_reason.h"

uint64_t server_clock_now(const struct server_clock *clock)
{
	return (uint64_t)(clock_unix() + clock->ahead_s);
}

void server_clock_learn(struct server_clock *clock, uint64_t now,
                        const struct address *server, const struct name *zone)
{
	int64_t ours = clock_unix(), ahead_s = (int64_t)now - ours;
	bool is_news = llabs(ahead_s - clock->ahead_s) > TSIG_FUDGE_S;
	char host[ADDRESS_TEXT], zone_text[NAME_MAX_TEXT + 1], clocks[TSIG_CLOCKS];

	clock->ahead_s = ahead_s;
	if (!is_news)
		return;
	address_format(server, host);
	name_format(zone, zone_text);
	tsig_reason_clocks(now, (uint64_t)ours, clocks);
	log_warn("server's clock used for TSIG: zone=%s server=%s reason=\"%s\"",
	         zone_text, host, clocks);
}
