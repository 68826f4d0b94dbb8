/*
 * placement -- selects the pool of a new domain. This module reads the pools that the
 * caller may use, and the scheduler (core/scheduler.h) selects one of them. The catalog
 * zone of a pool is always in this pool.
 */
#pragma once

#include "codec_domain.h"
#include "write.h"

/*
 * Checks that the caller may use the pool that SPEC names. ERR_DENIED: the pool is open
 * only to administrators. The reason does not say whether the pool exists.
 */
enum err placement_check(struct write *write, const struct domain_spec *spec);
/*
 * Selects the pool, and reads the pool with its NS records. ERR_INVALID: there is no pool
 * with the name in SPEC. For other errors see scheduler_select().
 */
enum err placement_select(struct write *write, const struct domain_spec *spec,
                          struct pool *pool);
