/*
 * lock_name -- the name of a lock in distributed_locks. The setting lock_scope selects
 * the name: the id of the domain, or "tenant:" and the digest of the tenant. If a zone
 * has no domain, the name of the lock is the digest of the zone name. A digest always
 * fits into the column, but a zone name or tenant can be too long.
 */
#pragma once

#include "poolmgr.h"

enum { LOCK_NAME_SIZE = 80 };

void lock_name_digest(const char *text, char name[LOCK_NAME_SIZE]);
void lock_name_of(const struct poolmgr *poolmgr, const char *domain_id,
                  const char *tenant, char name[LOCK_NAME_SIZE]);
