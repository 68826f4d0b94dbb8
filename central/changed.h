/*
 * changed -- notes that a call has changed a domain, for the line of the log that the rpc
 * server writes after the commit (rpc_changed()).
 */
#pragma once

#include "write.h"

struct changed_records {
	int64_t added, updated, deleted;
};

/* The domain is write->zone, with its new serial. */
void changed_domain(const struct write *write, struct changed_records records);
