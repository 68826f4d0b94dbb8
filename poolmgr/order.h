/*
 * work -- what all servers of a domain owe it, from a message: the debt is written before
 * the message is acknowledged, and then worked on (operation.h). What is lost with its
 * process is found by its rows (sync).
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"

/*
 * Write the debt of all servers and start on it, if the domain's row says that it is owed
 * still; the message may be acknowledged then. ACTION_CREATE or ACTION_DELETE.
 */
enum err order_start(struct poolmgr *poolmgr, const char *domain_id, enum action action,
                     const struct cause *cause, struct why *why);
