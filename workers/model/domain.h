/*
 * domain -- the structs that all programs share: domain, record set, record, pool,
 * server. Their strings are in the arena of the code that reads these objects.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "model/name.h"
#include "model/state.h"

struct domain {
	char id[ID_LEN + 1];
	const char *name;		/* in lower case, with a final dot */
	const char *tenant;
	char pool_id[ID_LEN + 1];
	struct state state;		/* state.serial is the zone's serial */
	uint64_t version;		/* grows by one with each change; 0: unknown */
	/* the catalog zone, which lists the pool's domains (RFC 9432) */
	bool is_catalog;
	const char *description;
	const char *email;		/* hostmaster@example.org: the SOA's RNAME */
	const char *primary;		/* the SOA's MNAME */
	uint32_t ttl, refresh, retry, expire, minimum;
	int64_t created_at, updated_at;	/* unix seconds */
};

/* A domain in messages to poolmgr and minidns, without records. */
struct domain_ref {
	char id[ID_LEN + 1];
	/* text in lower case with a final dot; may contain "/" and \DDD */
	const char *name;
	const char *pool;		/* name of the pool */
	const char *tenant;
	struct state state;
	uint64_t version;		/* 0: unknown */
	bool is_catalog;		/* for servers that read catalog zones */
};

struct record {
	char id[ID_LEN + 1];
	const char *data;		/* presentation */
	const uint8_t *rdata;
	uint16_t rdata_len;
	const char *managed_by;		/* producer of the record, or NULL */
	struct state state;
};

struct recordset {
	char id[ID_LEN + 1];
	char domain_id[ID_LEN + 1];
	const char *name;
	uint16_t type;
	bool has_ttl;			/* false: the domain's TTL */
	uint32_t ttl;
	struct record *records;
	size_t record_count;
	int64_t created_at, updated_at;
};

struct pool {
	char id[ID_LEN + 1];
	const char *name;		/* the pool_name in the settings of poolmgr */
	const char *description;
	const char *const *ns_records;	/* host names at the apex of new domains */
	size_t ns_record_count;
	const char *catalog_zone;	/* name of the zone; NULL: no catalog zone */
	char catalog_id[ID_LEN + 1];	/* "": no catalog zone */
};

/* The address of a name server for NOTIFY and polls. */
struct destination {
	const char *id;			/* the id of the server in the settings */
	const char *host;		/* an IPv4 or IPv6 address as text */
	uint16_t port;
	const char *tsig_key;		/* a name in tsigkeys; NULL: no key */
	/*
	 * maximum time in seconds that the server needs to find a new zone by itself; 0:
	 * a driver creates the zone
	 */
	int patience_s;
};

enum action { ACTION_CREATE, ACTION_UPDATE, ACTION_DELETE, ACTION_COUNT };
const char *action_name(enum action action);	/* "CREATE" */
bool action_parse(const char *text, enum action *action);

/*
 * Checks the name of a new domain. name_parse_owner() has already accepted the name. The
 * name must not be a wildcard. "/" must be between letters or digits (RFC 2317: "0/25"),
 * because name servers use the name as a file name. This ensures that no component of the
 * file path is empty, and that the file stays in its folder. ERR_INVALID: *why begins
 * with FIELD.
 */
enum err domain_check_name(const struct name *name, const char *field, struct why *why);
