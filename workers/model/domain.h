/*
 * domain -- the structs that all programs share: domain, record set, record, pool,
 * server. The structs borrow their strings from an arena, or from the JSON value of a
 * message.
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
	const char *name;		/* text in lower case, with a final dot */
	const char *tenant;
	char pool_id[ID_LEN + 1];
	struct state state;		/* state.serial is the zone's serial */
	/* number that grows by one with each change; 0: unknown */
	uint64_t version;
	/*
	 * true: the domain is the catalog zone, which lists the pool's domains (RFC
	 * 9432)
	 */
	bool is_catalog;
	const char *description;
	const char *email;	/* RNAME of the SOA record, as hostmaster@example.org */
	const char *primary;		/* MNAME of the SOA record */
	uint32_t ttl, refresh, retry, expire, minimum;
	int64_t created_at, updated_at;	/* unix seconds */
};

/* A domain in messages to poolmgr and minidns, without records. */
struct domain_ref {
	char id[ID_LEN + 1];
	/* text in lower case with a final dot; can contain "/" and \DDD */
	const char *name;
	const char *pool;		/* name of the pool */
	const char *tenant;
	struct state state;
	uint64_t version;		/* 0: unknown */
	bool is_catalog;	/* true: the domain is the catalog zone of its pool */
};

struct record {
	char id[ID_LEN + 1];
	const char *data;		/* the rdata as text */
	const uint8_t *rdata;
	uint16_t rdata_len;
	const char *managed_by;	/* producer that manages the record; NULL: no producer */
	struct state state;
};

struct recordset {
	char id[ID_LEN + 1];
	char domain_id[ID_LEN + 1];
	const char *name;
	uint16_t type;
	bool has_ttl;	/* false: the record set has the TTL of the domain */
	uint32_t ttl;
	const char *description;
	/* tenant that created the record set by a share, or tenant of the domain */
	const char *tenant;
	struct record *records;
	size_t record_count;
	int64_t created_at, updated_at;
};

struct pool {
	char id[ID_LEN + 1];
	const char *name;		/* the pool_name in the settings of poolmgr */
	const char *description;
	const char *const *ns_records;	/* hosts in the NS records of new domains */
	size_t ns_record_count;
	/* name of the pool's catalog zone; NULL: no catalog zone */
	const char *catalog_zone;
	char catalog_id[ID_LEN + 1];	/* id of the catalog zone; "": no catalog zone */
	const char *attributes;		/* text of model/attributes.h */
	/* maximum number of domains for the scheduler; -1: no limit */
	int64_t capacity;
};

/* The address of a name server for NOTIFY and polls. */
struct destination {
	const char *id;	/* id of the server in the settings of the pool manager */
	const char *host;		/* an IPv4 or IPv6 address as text */
	uint16_t port;
	const char *tsig_key;	/* name of a key in the table tsigkeys; NULL: no key */
	/*
	 * maximum time in seconds until the server creates or deletes a zone after a
	 * change of the catalog zone; 0: a driver creates and deletes the zones
	 */
	int patience_s;
};

enum action { ACTION_CREATE, ACTION_UPDATE, ACTION_DELETE, ACTION_COUNT };
const char *action_name(enum action action);	/* "CREATE" */
bool action_parse(const char *text, enum action *action);

/*
 * Checks the name of a new domain. Call name_parse_owner() before. The name must not be
 * a wildcard. "/" must be between letters or digits (RFC 2317: "0/25"), because name
 * servers use the name as a file name. With this rule, no component of the file path is
 * empty, and the file stays in its folder. ERR_INVALID: the reason begins with FIELD.
 */
enum err domain_check_name(const struct name *name, const char *field, struct why *why);
