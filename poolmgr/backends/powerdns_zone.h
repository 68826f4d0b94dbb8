/*
 * powerdns_zone -- a zone of zonefleet in the API of PowerDNS: the row that the driver
 * sends, and the comparison with the row that the server shows.
 */
#pragma once

#include <jansson.h>

#include "backends/driver.h"

/* KEY: the name of the TSIG key for transfers, or NULL. */
struct powerdns_zone {
	const char *name, *account, *key;
	const struct driver_context *context;	/* the masters */
};

json_t *powerdns_zone_encode(const struct powerdns_zone *zone);
/* True: ROW has the masters and the key of ZONE. */
bool powerdns_zone_is_shown(const struct powerdns_zone *zone, const json_t *row);
