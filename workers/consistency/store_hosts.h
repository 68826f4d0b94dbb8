/*
 * store_hosts -- the version of the hosts of a network or a router, which grows with each
 * change of the hosts (schema/014). Agents elsewhere keep copies of the hosts. A program
 * that changes hosts raises their version as the last statement of the transaction,
 * because other transactions wait for that row. After the commit it sends the agents the
 * change with its version. A gap between versions shows an agent that it missed a change
 * (agent/version_gaps.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/tx.h"

enum hosts_of { HOSTS_OF_NETWORK, HOSTS_OF_ROUTER };

/*
 * Raises the version of the hosts of NAME and returns it; 0: the transaction failed.
 * Raise several in the order of their names.
 */
uint64_t store_hosts_raise(struct tx *tx, enum hosts_of of, const char *name);
/* 0: the hosts have never changed. */
uint64_t store_hosts_version(struct tx *tx, enum hosts_of of, const char *name);
/*
 * Calls EACH with the versions of 1 to TX_LIST_MAX names, but not for hosts that have
 * never changed.
 */
void store_hosts_versions(struct tx *tx, struct arena *arena, enum hosts_of of,
                          const char *const *names, size_t count,
                          void (*each)(void *self, const char *name, uint64_t version),
                          void *self);
