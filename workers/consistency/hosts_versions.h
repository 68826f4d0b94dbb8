/*
 * hosts_versions -- answers an agent that asks for the current versions of the hosts of
 * networks or routers (store_hosts.h, agent/versions.h). Only administrators may make
 * this call.
 */
#pragma once

#include "consistency/store_hosts.h"
#include "runtime/rpc.h"

struct db;

/*
 * Returns the name TEXT in the form in which the database stores it. NULL: TEXT is not a
 * valid name.
 */
typedef const char *hosts_name_fn(struct arena *arena, const char *text);

/*
 * Handles a request with the arguments {KEYS: [name, ...]}, with at most TX_LIST_MAX
 * names. Sets the result to {"versions": {name: version, ...}}. The result omits each
 * name whose hosts have never changed.
 */
enum err hosts_versions(struct request *req, struct db *db, enum hosts_of of,
                        const char *keys, hosts_name_fn *name);
