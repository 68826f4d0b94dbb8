/*
 * reverse_quota -- a reverse domain belongs to no project, and is made when a port needs it.
 * It counts for the project of that port: the project's quota of domains, or
 * ports.quota_reverse, bounds how many there are. Ports in a reverse domain that exists need
 * nothing. What Neutron tells is counted, and not refused: its own quotas bound it.
 */
#pragma once

#include "change.h"
#include "ports.h"

struct request;

/*
 * After CHANGE was written, for PROJECT_ID: ERR_QUOTA if it needs a reverse domain too many.
 * An administrator may have any number. Calls that come together may be some more.
 */
void reverse_quota_check(const struct ports *ports, struct tx *tx,
                         const struct request *req, const char *project_id,
                         const struct change *change);
