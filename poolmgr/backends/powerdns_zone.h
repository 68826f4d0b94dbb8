/*
 * powerdns_zone -- makes the JSON object that describes a zone to PowerDNS. powerdns_zone
 * also compares a zone with an object in an answer from PowerDNS.
 */
#pragma once

#include <jansson.h>

#include "backends/driver.h"

/* A zone for PowerDNS. `key`: name of the TSIG key for transfers, or NULL. */
struct powerdns_zone {
	const char *name, *account, *key;
	const struct driver_context *context;	/* contains the masters of the zone */
};

json_t *powerdns_zone_encode(const struct powerdns_zone *zone);
/* True: ROW, an object in an answer, has exactly the masters and the key of ZONE. */
bool powerdns_zone_is_shown(const struct powerdns_zone *zone, const json_t *row);
