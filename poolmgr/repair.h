/*
 * repair -- corrects two kinds of drift: orphan zones, and records that differ from the
 * database under the same serial (for example, an operator edited records on a server).
 * The pool manager repairs a drift only after a second observation has confirmed the
 * drift (drift.h). After the confirmation, the pool manager takes the lock of the domain
 * and reads the database again. Finally, the pool manager makes the server transfer or
 * delete the zone, and writes a row of repair_log. The pool manager parks drift that
 * returns too often. It also parks an orphan zone if no deleted domain had the same
 * name, because the zone possibly belongs to another fleet.
 */
#pragma once

#include "poolmgr.h"
#include "store_repair.h"

struct server;

void repair_metrics(void);	/* call it before the fork */
/*
 * Returns the number of rounds after which an unconfirmed observation of a drift
 * expires. After this time, the next observation of the drift counts as the first
 * observation.
 */
int repair_rounds(const struct poolmgr *poolmgr);
/*
 * Writes to the table repairs that SERVER has the drift FAULT, and repairs a confirmed
 * drift. If the write fails, the next round finds the drift again.
 */
void repair_observe(struct poolmgr *poolmgr, struct server *server,
                    const struct fault *fault);
