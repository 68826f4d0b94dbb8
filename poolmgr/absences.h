/*
 * absences -- what mini-DNS says of zones that are being deleted: each is proven gone,
 * doubted, or still there (core/absence.h). All that a message says is one transaction. It
 * locks rows of pool_manager_status alone, so that it waits for no change of central's.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"

enum err absences_record(struct poolmgr *poolmgr, const struct server_report *reports,
                         size_t count, struct why *why);
