/*
 * store_hosts -- stores a version for the hosts of each network and router (schema/014).
 * The version grows with each change to the hosts. Agents on other machines have copies
 * of the hosts. A program that changes hosts raises the version of the hosts in the last
 * statement of the transaction, because this statement makes other transactions wait
 * until the commit. After the commit, the program sends the change and the version to
 * the agents. If an agent finds a gap between versions, the agent has missed a change
 * (agent/version_gaps.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/tx.h"

enum hosts_of { HOSTS_OF_NETWORK, HOSTS_OF_ROUTER };

/*
 * Raises the version of the hosts of NAME, and returns the new version. 0: the
 * transaction has failed. If you raise several versions in one transaction, call this
 * function in the order of the names.
 */
uint64_t store_hosts_raise(struct tx *tx, enum hosts_of of, const char *name);
/*
 * Returns the version of the hosts of NAME. 0: the hosts have never changed, or the
 * transaction has failed.
 */
uint64_t store_hosts_version(struct tx *tx, enum hosts_of of, const char *name);
/*
 * Reads the versions of 1 to TX_LIST_MAX names, and calls EACH for each name with its
 * version. Skips each name whose hosts have never changed.
 */
void store_hosts_versions(struct tx *tx, struct arena *arena, enum hosts_of of,
                          const char *const *names, size_t count,
                          void (*each)(void *self, const char *name, uint64_t version),
                          void *self);
