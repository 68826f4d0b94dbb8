/*
 * repair -- puts right what a server has otherwise than it should, though its serial is
 * right: records that somebody edited on it (content), or a zone from us that no domain
 * stands for any more (a stray). Seen in two rounds it is believed (drift.h); then,
 * under the lock of the domain, it is asked once more whether the database still wants it
 * so, the server gets the zone anew, or loses it, and a row of repair_log says what was
 * done. What comes back too often is parked, for a person to look at; and so is a stray
 * that the database does not remember: it may be another fleet's.
 */
#pragma once

#include "poolmgr.h"
#include "store_repair.h"

struct server;

void repair_metrics(void);	/* before the fork */
/* A suspicion that no sight confirmed within so many rounds begins anew. */
int repair_rounds(const struct poolmgr *poolmgr);
/* A server was seen to have this. Failures are logged: the next round sees it again. */
void repair_observe(struct poolmgr *poolmgr, struct server *server,
                    const struct fault *fault);
