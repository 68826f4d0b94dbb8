/*
 * store_hosts -- how often the hosts of a network or a router have changed, of which agents
 * keep a copy elsewhere (schema/014). Whoever changes them raises their version, in the
 * transaction of the change and last of all in it, for others wait; and tells the agents of
 * the change and its version once it is committed. What an agent was not told it finds by
 * the versions between (agent/version_gaps.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/tx.h"

enum hosts_of { HOSTS_OF_NETWORK, HOSTS_OF_ROUTER };

/* Of several, by their names. Their version from now on; 0: the transaction failed. */
uint64_t store_hosts_raise(struct tx *tx, enum hosts_of of, const char *name);
/* 0: they have never changed. */
uint64_t store_hosts_version(struct tx *tx, enum hosts_of of, const char *name);
/* Of those that have ever changed, 1 to TX_LIST_MAX names. */
void store_hosts_versions(struct tx *tx, struct arena *arena, enum hosts_of of,
                          const char *const *names, size_t count,
                          void (*each)(void *self, const char *name, uint64_t version),
                          void *self);
