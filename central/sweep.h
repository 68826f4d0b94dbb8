/*
 * sweep -- deletes old rows. The sweep also sets an import to ERROR if the import has
 * been open without activity for `central.import_age`, and corrects the numbers of
 * domains of the tenants (usage.h). The sweep has its own lane (thread), with its own
 * connection. Each central process runs the sweep. The
 * transactions are short, and two processes can run the same step at the same time.
 */
#pragma once

#include "central.h"

void sweep_start(struct central *central);
void sweep_stop(struct central *central);
void sweep_fire(void *self);	/* the function of a timer; starts a run of the sweep */
