/*
 * registration -- writes a row of pool_servers for each server in the settings of this
 * process. The pool manager writes the rows before it sends the first order, because
 * mini-DNS refuses transfers to unknown servers. The pool manager writes the rows again
 * when the addresses of a server change, and in each round of the sync.
 */
#pragma once

#include "poolmgr.h"

struct registration;

/*
 * Writes the rows, and reads which servers are in service and whether other pool managers
 * have newer settings. Call it before the event loop starts, because registration_begin()
 * blocks between tries.
 */
enum err registration_begin(struct poolmgr *poolmgr, struct why *why);
struct registration *registration_new(struct poolmgr *poolmgr);
void registration_free(struct registration **registration);
/*
 * Writes the current addresses of all servers, on the pool manager's lane. If this fails,
 * the next sync writes the addresses.
 */
void registration_renew(struct registration *registration);
