/*
 * zone -- a domain in central. struct zone contains the struct domain that all programs
 * use, and adds the names of the SOA record, counts and times. A struct zone does not own
 * its strings.
 *
 * The database stores the RNAME of the SOA as a domain name. Answers show the RNAME as an
 * email address. In the domain name, a backslash precedes each dot of the part before the
 * @ (RFC 1035 8).
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/domain.h"
#include "model/name.h"

enum { EMAIL_MAX = 254 };

struct zone {
	/*
	 * is.email contains the text of rname, and is.primary contains the text of mname
	 */
	struct domain is;
	struct name apex;		/* is.name in wire form */
	struct name mname, rname;
	uint32_t soa_ttl;
	const char *pool;		/* name of the pool */
	const char *attributes;		/* text of model/attributes.h */
	const char *reason;		/* why the domain is not ACTIVE; "": not known */
	/* for example "2026-11-21T12:00:00.123Z" */
	const char *created_at, *updated_at;
	uint32_t recordsets, records;	/* numbers of live record sets and records */
	bool is_listed;			/* the domain is in a catalog zone */
	/* the database contains live domains below this domain */
	bool has_children;
	/*
	 * limits of the tenant; -1: no limit; QUOTA_DEFAULT: the configured limit applies
	 */
	int64_t quota_recordsets, quota_domain_records, quota_records;
};

/*
 * New values of the SOA record. If a name is NULL, or the `has` field of a number is
 * false, the value stays unchanged.
 */
struct soa_spec {
	const char *mname, *rname;	/* names as canonical texts */
	struct name mname_wire, rname_wire;
	bool has_refresh, has_retry, has_expire, has_minimum, has_ttl;
	uint32_t refresh, retry, expire, minimum, ttl;
};

/* Copies the new values of SPEC to ZONE. False: no value of ZONE has changed. */
bool zone_set_soa(struct zone *zone, const struct soa_spec *spec);
/* Appends the SOA record of the zone, with SERIAL, in wire form. */
void zone_append_soa(struct buf *to, const struct zone *zone, uint32_t serial);
/* Appends the data of the SOA record of the zone as text. */
void zone_format_soa(struct buf *text, const struct zone *zone);

/*
 * Converts an email address to a name: hostmaster@example.org becomes
 * hostmaster.example.org. ERR_INVALID: EMAIL is not a valid address. The reason begins
 * with FIELD.
 */
enum err email_to_name(const char *email, const char *field, struct name *name,
                       struct why *why);
/*
 * Converts NAME to an email address. If NAME has fewer than two labels, returns NAME as
 * text. If the first label has octets that are not printable ASCII, returns "?@" and the
 * rest of NAME.
 */
const char *email_from_name(const struct name *name, struct arena *arena);

/*
 * Writes the labels of NAME to ANCESTRY, from the root down. The length of each label
 * precedes the label (column domains.ancestry). Returns the number of octets.
 */
size_t zone_ancestry(const struct name *name, uint8_t ancestry[NAME_MAX_WIRE]);
