/*
 * zone -- a domain as central keeps it: what all programs know of it, and
 * its SOA record, its counts and its times. Pure; texts are borrowed.
 *
 * The SOA's RNAME is kept as a name and shown as an email address: the dots
 * of the part before the @ stand behind a backslash in the name (RFC 1035 8).
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/domain.h"
#include "model/name.h"

enum { EMAIL_MAX = 254 };

struct zone {
	struct domain is;		/* is.email: rname's text, is.primary: mname's */
	struct name apex;		/* is.name in wire form */
	struct name mname, rname;
	uint32_t soa_ttl;
	const char *pool;		/* its name */
	const char *reason;		/* of an ERROR, in words */
	const char *created_at, *updated_at;	/* 2026-11-21T12:00:00.123Z */
	uint32_t recordsets, records;	/* that are served */
	bool is_listed;			/* in a catalog zone */
	bool has_children;		/* domains below it stand in the same database */
	/* Limits of its tenant; -1: none. */
	int64_t quota_recordsets, quota_records;
};

/* New values of the SOA. NULL, or `has` is false: unchanged. */
struct soa_spec {
	const char *mname, *rname;	/* canonical texts */
	struct name mname_wire, rname_wire;
	bool has_refresh, has_retry, has_expire, has_minimum, has_ttl;
	uint32_t refresh, retry, expire, minimum, ttl;
};

/* Sets the values that SPEC has. False: nothing changed. */
bool zone_set_soa(struct zone *zone, const struct soa_spec *spec);
/* Append the zone's SOA record with SERIAL. */
void zone_append_soa(struct buf *to, const struct zone *zone, uint32_t serial);
/* The rdata of that record as a master file has it. */
void zone_format_soa(struct buf *text, const struct zone *zone);

/* FIELD, hostmaster@example.org, to the name hostmaster.example.org. ERR_INVALID. */
enum err email_to_name(const char *email, const char *field, struct name *name,
                       struct why *why);
/* And back; a name that is no address (the root) is shown as the name. In ARENA. */
const char *email_from_name(const struct name *name, struct arena *arena);

/* The labels from the root down, each behind its length (domains.ancestry). */
size_t zone_ancestry(const struct name *name, uint8_t ancestry[NAME_MAX_WIRE]);
