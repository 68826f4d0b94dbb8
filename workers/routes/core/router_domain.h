/*
 * shard_zone -- what a router's domain has, as central is asked for it: a wildcard with
 * the addresses that are shown, whatever the domain had to begin with, and a CNAME for
 * each name that a route had there before.
 *
 *	*.shard1.v3.rhcloud.com. A 10.245.2.2, 10.245.2.3
 *
 * What it had to begin with is said by whoever made the router, and may leave all out:
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

enum { ZONE_RECORDS_MAX = 100, ZONE_TEXT_MAX = 16384, SHARD_ZONE_NAME = 600 };

extern const struct json_field shard_zone_fields[], shard_zone_soa_fields[];
extern const struct json_field shard_zone_record_fields[];

/* "ns1" is below the domain, "@" the domain, "ns1.example." what it says. */
const char *shard_zone_full(const char *name, const char *dns,
                            char text[SHARD_ZONE_NAME]);

/* ERR_INVALID for what is of another type; what names and records can be central says. */
enum err shard_zone_check(const json_t *zone, struct why *why);
/* The argument `domain` of central's create_domain. New. DNS without a last dot. */
json_t *shard_zone_domain(const json_t *zone, const char *dns, const char *pool,
                          const char *description);
/* Appends to CHANGES (apply_changes) the records that it had to begin with, */
void shard_zone_extras(json_t *changes, const json_t *zone, const char *dns);
/* and that there are none of these any more. */
void shard_zone_no_extras(json_t *changes, const json_t *zone, const char *dns);
/* The wildcard of one family; of no addresses, that there is none. */
void shard_zone_wildcard(json_t *changes, const char *dns, uint32_t ttl,
                         const struct address *addresses, size_t count, uint8_t bits);
/* NAME leads to TARGET; NULL: no more. */
void shard_zone_alias(json_t *changes, const char *name, const char *target,
                      uint32_t ttl);
