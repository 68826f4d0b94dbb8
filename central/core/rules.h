/*
 * rules -- what a zone may hold, whoever asks. Pure: the record sets are the
 * outcome of a change (core/changes.h), not the change, so that a request
 * may pass through states that would not do. All refuse with ERR_INVALID.
 *
 *	CNAME alone at its name (RFC 1034 3.6.2), but for RRSIG, NSEC and KEY
 *	(RFC 2181 10.1); never at the apex; CNAME and DNAME are single
 *	owners inside the zone; below a child domain only its delegation:
 *	NS and DS at its name, and glue
 *	the SOA is the domain's own; NS at the apex stays
 */
#pragma once

#include "core/rrsets.h"
#include "core/zone.h"

/* domain_check_name() of a new domain. Only an administrator may create the root. */
enum err rules_domain_name(const struct name *name, bool is_admin, struct why *why);

/* One record's place, as it was asked for. */
enum err rules_owner(const struct zone *zone, const struct change *change,
                     struct why *why);

/* All sets at every touched name, sorted (rrsets_sort). */
enum err rules_outcome(const struct zone *zone, const struct rrsets *sets,
                       struct why *why);

/* No touched set within one of CHILDREN, domains below ZONE, but their delegations. */
enum err rules_children(const struct rrsets *sets, const struct name *children,
                        size_t count, struct why *why);
bool rules_is_delegation(uint16_t type, bool at_child);

/* Sets that grew keep to MAX records; -1: any number. ERR_QUOTA. */
enum err rules_quota_records(const struct rrsets *sets, int64_t max, struct why *why);
