/*
 * follow_up -- corrects a server that answers but does not serve our serial.
 * core/follow.h decides when and how. A job calls the driver on the lane of the server,
 * under the same lock as operations on the domain. If the server takes no orders, the job
 * asks central for a newer serial. Before it acts, it reads the rows again. Each action
 * is a row of repair_log; the pauses follow from these rows.
 *
 * A job that is lost with its process starts again with the next report.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"
#include "servers.h"

struct follow_up;

void follow_up_metrics(void);	/* before the fork */
struct follow_up *follow_up_new(struct poolmgr *poolmgr);
/* Call it after servers_stop(). */
void follow_up_free(struct follow_up **follow_up);
/*
 * Starts a follow-up. The row of the server is in error. The server serves the serial
 * SERVES of the domain; NULL: it answered without a serial.
 */
void follow_up_observe(struct follow_up *follow_up, const struct server *server,
                       const struct domain_ref *domain, const uint32_t *serves,
                       const struct cause *cause);
