/*
 * unseen -- adds the addresses in poolmgr.masters to the reason of a server that answers
 * with SERVFAIL. The server must transfer the zone from one of these addresses. Most
 * servers answer with SERVFAIL if the first transfer of a zone has failed.
 */
#pragma once

#include "base/arena.h"
#include "model/messages.h"
#include "poolmgr.h"

/*
 * Returns the reason of REPORT, with UNSEEN_WORDS (store.h) and the addresses in
 * poolmgr.masters if the server may need a transfer. A server that reads a catalog zone
 * has its own list of primaries, so its reason stays as it is.
 */
const char *unseen_reason(const struct poolmgr *poolmgr, struct arena *arena,
                          const struct server_report *report);
