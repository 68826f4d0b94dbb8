/*
 * hosts_versions -- answers an agent that asks for the current versions of hosts
 * (store_hosts.h, agent/versions.h). Only administrators may make this call.
 */
#pragma once

#include "consistency/store_hosts.h"
#include "runtime/rpc.h"

struct db;

/* Returns the name in its stored form; NULL: TEXT is not a valid name. */
typedef const char *hosts_name_fn(struct arena *arena, const char *text);

/*
 * The arguments are {KEYS: [name, ...]}. The answer omits names whose hosts have never
 * changed.
 */
enum err hosts_versions(struct request *req, struct db *db, enum hosts_of of,
                        const char *keys, hosts_name_fn *name);
