/*
 * registration -- writes a row of pool_servers for each server in the settings of this
 * process. The pool manager writes the rows before it sends the first order, because
 * mini-DNS refuses transfers to unknown servers. The pool manager writes a row again
 * when the address of its server changes. The sync also writes the rows in each round.
 */
#pragma once

#include "poolmgr.h"

struct registration;

/*
 * Writes the rows. Call it before the event loop starts, because it blocks between tries.
 * It also reads which servers are drained.
 */
enum err registration_begin(struct poolmgr *poolmgr, struct why *why);
struct registration *registration_new(struct poolmgr *poolmgr);
void registration_free(struct registration **registration);
/*
 * Writes the current addresses, on the pool manager's lane. If this fails, the next sync
 * writes them.
 */
void registration_renew(struct registration *registration);
