/*
 * rules -- decides which records a zone may contain. The rules are the same for all
 * callers. central checks only the result of the whole request (core/changes.h). So one
 * change may violate a rule if another change in the same request corrects the violation.
 * If the result violates a rule, the error is ERR_INVALID, unless a function below names
 * another error.
 *
 *	A CNAME is the only record at its name (RFC 1034 3.6.2), except for RRSIG, NSEC
 *	and KEY (RFC 2181 10.1).
 *	The apex has no CNAME and has at least one NS record.
 *	A name has at most one CNAME and at most one DNAME.
 *	The apex has no DS (RFC 4035 2.4).
 *	No name except the apex has both NS and DNAME (RFC 6672 2.3).
 *	No name has records below a DNAME (RFC 6672 2.4).
 *	The first label of a name with NSEC3 is a hash in base32hex (RFC 5155 3).
 *	A record set fits into one DNS message.
 *	Each owner name is inside the zone.
 *	If another domain exists below this domain, the zone contains only the delegation
 *	at and below the name of the other domain: NS and DS at this name, and glue (A and
 *	AAAA) at and below this name.
 *	A change cannot have the type SOA. The values of the domain define its SOA.
 */
#pragma once

#include "core/rrsets.h"
#include "core/zone.h"
#include "model/rr.h"

/*
 * Checks the name of a new domain with domain_check_name(). Only an administrator may
 * create the root, a name of one label, in-addr.arpa. and ip6.arpa. Other callers get
 * ERR_DENIED. No tenant can create a domain above or below a domain of another tenant. So
 * if a tenant had the domain "com.", no other tenant could create a domain below "com.".
 */
enum err rules_domain_name(const struct name *name, bool is_admin, struct why *why);

/* Checks one change: the owner must be inside the zone, and the type must not be SOA. */
enum err rules_owner(const struct zone *zone, const struct change *change,
                     struct why *why);

/*
 * Checks the result (`wanted`) of the changes at each name. SETS: all record sets at each
 * name of the changes, sorted by rrsets_sort().
 */
enum err rules_outcome(const struct zone *zone, const struct rrsets *sets,
                       struct why *why);

/* True: the first label of NAME is base32hex in lower case, without padding. */
bool rules_is_nsec3_owner(const struct name *name);

/*
 * CHILDREN: the names of the domains below this domain. Checks that no changed record set
 * is at or below one of these names. Accepts the delegations of these domains.
 */
enum err rules_children(const struct rrsets *sets, const struct name *children,
                        size_t count, struct why *why);
bool rules_is_delegation(uint16_t type, bool at_child);

/*
 * The maximum number of octets of a record set. Each record counts with its data and 12
 * octets for owner, type, class, TTL and length. A larger set does not fit into a DNS
 * message.
 */
enum { RULES_SET_MAX = RDATA_MAX };
/*
 * Checks the sizes of the changed record sets. ERR_INVALID: a record set would grow to
 * more than RULES_SET_MAX octets.
 */
enum err rules_sizes(const struct rrsets *sets, struct why *why);

/* The rights of a call on records that the caller does not manage. */
struct rules_may {
	/* argument `force`: the call may delete and replace records of other producers */
	bool take_managed;
	/* argument `replace`: a producer may replace records that no producer manages */
	bool replace_unmanaged;
};

/*
 * Checks the removed records in rrset.taken. ERR_CONFLICT: MAY does not allow the removal
 * of one of these records.
 */
enum err rules_managed(const struct rrsets *sets, struct rules_may may, struct why *why);
/*
 * Returns ERR_CONFLICT, with the reason that the producer MANAGED_BY manages the record.
 * FIELD: the place of the change, for the reason.
 */
enum err rules_fail_managed(const char *field, const char *managed_by, const char *owner,
                            uint16_t type, const char *data, struct why *why);

/*
 * Checks the number of records in each record set. ERR_QUOTA: a record set would grow to
 * more than MAX records. MAX -1: no limit.
 */
enum err rules_quota_records(const struct rrsets *sets, int64_t max, struct why *why);
