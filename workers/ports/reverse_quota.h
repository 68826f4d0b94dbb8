/*
 * reverse_quota -- limits the number of reverse domains of a tenant. A reverse domain
 * has no tenant; the first port that needs it creates it, and it counts for the tenant
 * of that port. The limit is the tenant's quota of domains, or ports.quota_reverse. A
 * port in an existing reverse domain needs no quota. Ports of Neutron count, but
 * zonefleet never refuses them: Neutron has its own quotas.
 */
#pragma once

#include "ports.h"
#include "record_diff.h"

struct request;

/*
 * Checks the quotas of reverse domains after the write of DIFF, in the same transaction.
 * An administrator has no limit. ERR_QUOTA: a port needs a new reverse domain, and its
 * tenant has too many. ERR_RACE: at the same time another call gave the tenant a reverse
 * domain; a new transaction sees it.
 */
void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const struct record_diff *diff);
