/*
 * reverse_quota -- a reverse domain belongs to no tenant, and the first port that needs
 * it creates it. It counts for the tenant of that port. The tenant's quota of domains, or
 * ports.quota_reverse, limits their number. A port in an existing reverse domain needs no
 * quota. Ports of Neutron count and are never refused: Neutron has its own quotas.
 */
#pragma once

#include "ports.h"
#include "record_diff.h"

struct request;

/*
 * Checks the quotas of reverse domains after DIFF was written, in the same transaction.
 * An administrator has no limit. ERR_QUOTA: a port needs a new reverse domain, and its
 * tenant has too many. ERR_RACE: another call gave the tenant a reverse domain at the
 * same time. A new transaction sees it.
 */
void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const struct record_diff *diff);
