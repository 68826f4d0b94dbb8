/*
 * order -- starts the operations that central orders for a domain, on all servers of the
 * domain. The pool manager first writes the rows of the operations. Then the pool manager
 * starts the operations (operation.h), and acknowledges the message. If a process crashes
 * during an operation, a retry finds the row of the operation.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"

/*
 * If the domain still needs the action, writes the rows and starts the operations. OK:
 * the caller may acknowledge the message. ACTION is ACTION_CREATE or ACTION_DELETE.
 */
enum err order_start(struct poolmgr *poolmgr, const char *domain_id, enum action action,
                     const struct cause *cause, struct why *why);
