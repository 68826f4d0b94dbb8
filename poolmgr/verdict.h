/*
 * verdict -- from how a domain stands on its servers to what central is
 * told, if anything: the consensus in the words of a report.
 */
#pragma once

#include "store.h"

/* False: nothing to tell, the domain stands as central knows it. Reason in the arena. */
bool verdict_of(const struct standing *standing, enum action action,
                int threshold_percent, struct arena *arena, struct pool_report *report);
