/*
 * changed -- stores what a call has changed in a domain. After the commit, the rpc server
 * writes a line with these changes to the log (rpc_changed()).
 */
#pragma once

#include "write.h"

struct changed_records {
	int64_t added, updated, deleted;
};

/* Stores the change to the domain write->zone: its new serial, and the counts RECORDS. */
void changed_domain(const struct write *write, struct changed_records records);
