/*
 * reverse_quota -- limits the number of reverse domains per tenant. A reverse domain has
 * no tenant. A reverse domain counts for the tenant for whose port zonefleet created it.
 * The limit is the tenant's quota of domains, or ports.quota_reverse. A port needs no
 * quota if its reverse domain already exists. Reverse domains of Neutron's ports count,
 * but zonefleet never refuses these ports, because Neutron has its own quotas.
 */
#pragma once

#include "ports.h"
#include "record_diff.h"

struct request;

/*
 * Checks the quotas of reverse domains after the write of DIFF, in the same transaction.
 * An administrator has no limit. ERR_QUOTA: a port needs a new reverse domain, and its
 * tenant already has as many as the limit allows. ERR_RACE: another call gave the tenant
 * a reverse domain at the same time; run the transaction again.
 */
void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const struct record_diff *diff);
