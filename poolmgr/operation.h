/*
 * operation -- creates or deletes one zone on one server through the driver. An
 * operation runs on the lane (thread) of the server, under the lock of the domain or the
 * tenant (lock_scope). So two processes never change the zone at the same time. A server
 * of the backend `catalog` gets no commands, so operations on this server need no lock.
 * While the operation holds the lock, it checks again whether the action is needed. The
 * operation writes its result only if the fence of the lock is unchanged. The row of the
 * action already exists when an operation starts. So if the process crashes, a retry
 * finds the row.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"

void operation_metrics(void);	/* call it before the fork */
/*
 * Puts an operation on the lane of SERVER. If the lane is full, a retry starts the
 * operation later (retry.h). ACTION is ACTION_CREATE or ACTION_DELETE.
 */
void operation_start(struct poolmgr *poolmgr, const struct domain_ref *domain,
                     enum action action, struct server *server,
                     const struct cause *cause);
