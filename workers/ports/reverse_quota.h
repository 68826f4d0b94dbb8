/*
 * reverse_quota -- a reverse domain belongs to no project, and is made when a port needs
 * it. It counts for the project of that port: the project's quota of domains, or
 * ports.quota_reverse, bounds how many there are. Ports in a reverse domain that exists
 * need nothing. What Neutron tells is counted, and not refused: its own quotas bound it.
 */
#pragma once

#include "ports.h"
#include "record_diff.h"

struct request;

/*
 * Checks the quotas of reverse domains after CHANGE was written, in the same transaction.
 * For an administrator there is no limit. ERR_QUOTA: a port needs a new reverse domain,
 * and its project has too many. ERR_RACE: another call gave the project a reverse domain
 * at the same time; a new transaction sees it.
 */
void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const struct record_diff *diff);
