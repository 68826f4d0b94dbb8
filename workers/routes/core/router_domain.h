/*
 * router_domain -- makes the arguments of calls to central for the records of a router's
 * domain: a wildcard with the addresses that the domain shows, the initial records, and
 * a CNAME for each former name of a route.
 *
 *	*.shard1.v3.rhcloud.com.	A	10.245.2.2, 10.245.2.3
 *
 * The caller that creates the router may set the initial content of the domain ("zone"):
 *
 *	{"ns": ["ns1.v3.rhcloud.com."], "ttl": 300, "serial": 2009092001,
 *	 "soa": {"mname": ".", "rname": "...", "refresh": 604800, ...},
 *	 "records": [{"name": "ns1", "type": "A", "records": ["127.0.0.1"]}]}
 */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "dns/address.h"
#include "model/json.h"

enum { ROUTER_DOMAIN_TEXT_MAX = 16384, ROUTER_DOMAIN_NAME = 600 };

extern const struct json_field router_domain_fields[], router_domain_soa_fields[];
extern const struct json_field router_domain_record_fields[];

/*
 * Makes a fully qualified name from NAME: "ns1" is below DNS, "@" is DNS itself, and
 * "ns1.example." is already fully qualified.
 */
const char *router_domain_full_name(const char *name, const char *dns,
                                    char text[ROUTER_DOMAIN_NAME]);

/*
 * Checks the types of the values in ZONE. ERR_INVALID: a value has the wrong type.
 * Central checks names and records.
 */
enum err router_domain_check(const json_t *zone, struct why *why);
/* Makes a new object for the argument `domain` of create_domain. DNS has no final dot. */
json_t *router_domain_new(const json_t *zone, const char *dns, const char *pool,
                          const char *description);
/* The following functions append to CHANGES, the argument of apply_changes. */
void router_domain_set_first_records(json_t *changes, const json_t *zone,
                                     const char *dns);
void router_domain_delete_first_records(json_t *changes, const json_t *zone,
                                        const char *dns);
/*
 * Sets the wildcard of one address family. If there is no address of this family, deletes
 * the wildcard.
 */
void router_domain_set_wildcard(json_t *changes, const char *dns, uint32_t ttl,
                                const struct address *addresses, size_t count,
                                uint8_t bits);
/* Makes zonefleet-routes the producer that manages the records of all CHANGES. */
void router_domain_set_manager(json_t *changes);
/* Sets the CNAME of NAME to TARGET. If TARGET is NULL, deletes the CNAME. */
void router_domain_set_cname(json_t *changes, const char *name, const char *target,
                             uint32_t ttl);
