/*
 * lock_name -- what the lock of a piece of work is called: the domain's id, or, as
 * lock_scope says, its tenant's digest; of a zone that is no domain, that of its name. A
 * name and a tenant may be longer, and of other letters, than an id in the tables.
 */
#pragma once

#include "poolmgr.h"

enum { LOCK_NAME_SIZE = 80 };

void lock_name_digest(const char *text, char name[LOCK_NAME_SIZE]);
void lock_name_of(const struct poolmgr *poolmgr, const char *domain_id,
                  const char *tenant, char name[LOCK_NAME_SIZE]);
