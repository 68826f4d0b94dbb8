/*
 * repair -- removes drift on a server whose serial is right: edited records (content),
 * or one of our zones without a domain (an orphan zone). Two rounds must see the drift
 * (drift.h). Then, under the lock of the domain, repair reads the database again, makes
 * the server transfer or delete the zone, and writes a row of repair_log. It parks drift
 * that returns too often, for the operator. It also parks an orphan zone without a
 * deleted domain of its name, because the zone may belong to another fleet.
 */
#pragma once

#include "poolmgr.h"
#include "store_repair.h"

struct server;

void repair_metrics(void);	/* before the fork */
/* The number of rounds after which the pool manager forgets an unconfirmed drift. */
int repair_rounds(const struct poolmgr *poolmgr);
/*
 * Records that SERVER has this fault. If this fails, the next round sees the fault again.
 */
void repair_observe(struct poolmgr *poolmgr, struct server *server,
                    const struct fault *fault);
