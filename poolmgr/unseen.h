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
 * Returns the reason of REPORT. If the server answered with SERVFAIL and the report
 * contains no serial, the reason also contains UNSEEN_WORDS (store.h) and the addresses
 * in poolmgr.masters. A server that reads a catalog zone has its own list of primaries,
 * so this function does not change its reason.
 */
const char *unseen_reason(const struct poolmgr *poolmgr, struct arena *arena,
                          const struct server_report *report);
