/*
 * hosts_versions -- the answer to agents that ask of which versions hosts are by now
 * (store_hosts.h, agent/versions.h). For administrators.
 */
#pragma once

#include "consistency/store_hosts.h"
#include "runtime/rpc.h"

struct db;

/* The name that a text means; NULL: none. */
typedef const char *hosts_name_fn(struct arena *arena, const char *text);

/* req: {KEYS: [name, ...]}. Those that never changed are not in the answer. */
enum err hosts_versions(struct request *req, struct db *db, enum hosts_of of,
                        const char *keys, hosts_name_fn *name);
