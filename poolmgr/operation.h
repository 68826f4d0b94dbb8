/*
 * operation -- creates or deletes one zone on one server through the driver. It runs on
 * the lane of the server, under the lock of the domain (or of the tenant: lock_scope),
 * so only one process does it. Under the lock it checks again whether the action is
 * needed. It writes the result under the fence of the lock. The row of the action exists
 * before, so a retry finds it if an operation is lost.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"

void operation_metrics(void);	/* before the fork */
/* ACTION is ACTION_CREATE or ACTION_DELETE. */
void operation_start(struct poolmgr *poolmgr, const struct domain_ref *domain,
                     enum action action, struct server *server,
                     const struct cause *cause);
