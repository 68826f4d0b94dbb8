/*
 * reverse_quota -- limits the number of reverse domains per tenant. A reverse domain
 * belongs to no tenant. zonefleet creates a reverse domain when the first port needs the
 * domain. The domain counts toward the limit of the tenant of this port. The limit is the
 * tenant's quota of domains. If the tenant has no such quota, the limit is
 * ports.quota_reverse. A port needs no quota if its reverse domain already exists.
 * Reverse domains for Neutron's ports also count toward the limit. But zonefleet never
 * refuses a port of Neutron, because Neutron has its own quotas.
 */
#pragma once

#include "ports.h"
#include "record_diff.h"

struct request;

/*
 * Checks the quotas of reverse domains after the write of DIFF, in the same transaction.
 * An administrator has no limit. ERR_QUOTA: ports need new reverse domains, but these
 * domains exceed the limit of a tenant. ERR_RACE: another transaction has changed the
 * reverse domains of the tenant at the same time. After ERR_RACE, the caller must run the
 * transaction again.
 */
void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const struct record_diff *diff);
