/*
 * server_limits -- records and zones that obey the RFCs, but that a kind of name server
 * refuses, or does not send in a zone transfer. The authors have seen each of these
 * limits on the servers in deploy/name-servers.md: BIND 9.18, Knot 3.2, NSD 4.6, PowerDNS
 * 4.7. Records that RFCs forbid have no row, because zonefleet refuses such records
 * (rdata_rules.h, central/core/rules.h). The function of a row uses only its arguments: a
 * record set with facts about its name, a record, or the name of the zone. So the table
 * contains only limits that do not depend on other names in the zone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/name.h"

enum server_limit_effect {
	/*
	 * the server refuses the transfer of the zone, and continues to serve its old
	 * version of the zone, if it has one
	 */
	SERVER_LIMIT_ZONE,
	SERVER_LIMIT_NAME,		/* the server answers SERVFAIL for the name */
	SERVER_LIMIT_RECORDS,	/* the server does not serve the records of the set */
	SERVER_LIMIT_CREATE,		/* the pool manager cannot create the zone */
	/* the server serves the zone, but does not send it to mini-DNS */
	SERVER_LIMIT_COMPARE,
};

/* A record set that is not empty, and facts about its name. */
struct server_limit_view {
	const struct name *name;	/* in lower case */
	uint16_t type;
	size_t records;			/* number of records in the record set */
	size_t types;			/* number of types at the name */
	/* has_cname: the name has a CNAME record. has_key: the name has a KEY record */
	bool has_cname, has_key;
};

struct server_limit {
	/* name of the backend in the table pool_servers: "bind9" */
	const char *backend;
	const char *server;		/* the name of the software: "BIND" */
	/* the text after the name of the software: "accepts no NS records at ..." */
	const char *takes;
	enum server_limit_effect effect;
	/* true: one warning is enough for all record sets of a name */
	bool is_of_name;
	/*
	 * Each row has exactly one of the following functions. True: the record set, the
	 * record or the zone is beyond the limit.
	 */
	bool (*excludes_set)(const struct server_limit_view *view);
	bool (*excludes_record)(uint16_t type, const uint8_t *rdata, size_t len);
	bool (*excludes_zone)(const struct name *apex);
};

enum { SERVER_LIMITS = 9 };

extern const struct server_limit server_limits[SERVER_LIMITS];

/* Returns the text after the name of the software: "refuses the whole zone". */
const char *server_limit_effect_words(enum server_limit_effect effect);
