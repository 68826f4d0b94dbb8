/*
 * hosts_versions -- the answer to agents that ask of which versions hosts are by now
 * (store_hosts.h, agent/versions.h). For administrators.
 */
#pragma once

#include "consistency/store_hosts.h"
#include "runtime/rpc.h"

struct db;

/* req: {KEYS: [name, ...]}. Those that never changed are not in the answer. */
enum err hosts_versions(struct request *req, struct db *db, enum hosts_of of,
                        const char *keys);
