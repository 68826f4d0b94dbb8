/*
 * repair -- removes drift on a server whose serial is right: edited records (content),
 * or a zone of ours without a domain (an orphan zone). Two rounds must see the drift
 * (drift.h). Then, under the lock of the domain, repair reads the database again, makes
 * the server transfer or delete the zone, and writes a row of repair_log. Drift that
 * returns too often is parked for the operator. An orphan zone without a deleted domain
 * of its name is parked too, because it may belong to another fleet.
 */
#pragma once

#include "poolmgr.h"
#include "store_repair.h"

struct server;

void repair_metrics(void);	/* before the fork */
/* Drift that is not seen again within so many rounds begins anew. */
int repair_rounds(const struct poolmgr *poolmgr);
/* Records that SERVER has this fault. After a failure the next round sees it again. */
void repair_observe(struct poolmgr *poolmgr, struct server *server,
                    const struct fault *fault);
