/*
 * lock_name -- the name of a lock in distributed_locks: the id of the domain, or the
 * digest of its tenant (lock_scope). For a zone without a domain it is the digest of the
 * zone's name. A digest fits into the column; a name or tenant may be too long.
 */
#pragma once

#include "poolmgr.h"

enum { LOCK_NAME_SIZE = 80 };

void lock_name_digest(const char *text, char name[LOCK_NAME_SIZE]);
void lock_name_of(const struct poolmgr *poolmgr, const char *domain_id,
                  const char *tenant, char name[LOCK_NAME_SIZE]);
