/*
 * operation -- one zone created on a server, or deleted from it, through its driver: on
 * the server's lane, under the lock of its domain (or tenant: lock_scope), so that no two
 * processes do it at once, or one each. Under the lock it is asked once more whether it
 * is owed; how it ended is written under the lock's fence. The row that says that it is
 * owed was written before: an operation that is lost is found by it.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"

void operation_metrics(void);	/* before the fork */
/* ACTION_CREATE or ACTION_DELETE. */
void operation_start(struct poolmgr *poolmgr, const struct domain_ref *domain,
                     enum action action, struct server *server,
                     const struct cause *cause);
