/*
 * server_limits -- what kinds of name servers do not take, although the records obey the
 * RFCs. The authors have seen each row of the table on the servers that
 * deploy/name-servers.md describes: BIND 9.18, Knot 3.2, PowerDNS 4.7. Records that
 * RFCs forbid have no row, because zonefleet refuses them (rdata_rules.h,
 * central/core/rules.h). The functions only look at the view that the caller passes.
 * The view describes one record set and its name. So the table contains only limits
 * that do not depend on other names. A limit may also concern the name of the zone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name.h"

enum server_limit_effect {
	/* the server takes no transfer of the zone: it keeps the old zone, if any */
	SERVER_LIMIT_ZONE,
	SERVER_LIMIT_NAME,		/* it answers queries for the name with SERVFAIL */
	SERVER_LIMIT_RECORDS,		/* it leaves the records out */
	SERVER_LIMIT_CREATE,		/* the pool manager cannot create the zone there */
};

/* A record set that is not empty, and what else its name has. */
struct server_limit_view {
	const struct name *name;	/* in lower case */
	uint16_t type;
	size_t records;			/* of the record set */
	size_t types;			/* of the name */
	bool has_cname, has_key;	/* the name has such a record */
};

struct server_limit {
	const char *backend;		/* as in the table pool_servers: "bind9" */
	const char *server;		/* the name of the software: "BIND" */
	/* Follows the name of the software: "takes no NS records at a wildcard name" */
	const char *takes;
	enum server_limit_effect effect;
	bool is_of_name;		/* one warning for all record sets of a name */
	/* True: beyond the limit. Each row sets one of the three. */
	bool (*excludes_set)(const struct server_limit_view *view);
	bool (*excludes_record)(uint16_t type, const uint8_t *rdata, size_t len);
	bool (*excludes_zone)(const struct name *apex);
};

enum { SERVER_LIMITS = 8 };

extern const struct server_limit server_limits[SERVER_LIMITS];

/* Follows the name of the software: "refuses the whole zone". */
const char *server_limit_effect_words(enum server_limit_effect effect);
