/*
 * hosts_versions -- the answer to an agent that asks for the present versions of hosts
 * (store_hosts.h, agent/versions.h). For administrators.
 */
#pragma once

#include "consistency/store_hosts.h"
#include "runtime/rpc.h"

struct db;

/* The name in its stored form; NULL: not a valid name. */
typedef const char *hosts_name_fn(struct arena *arena, const char *text);

/*
 * req: {KEYS: [name, ...]}. The answer leaves out names whose hosts have never changed.
 */
enum err hosts_versions(struct request *req, struct db *db, enum hosts_of of,
                        const char *keys, hosts_name_fn *name);
