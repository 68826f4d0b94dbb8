/*
 * registration -- writes the servers of this process to their rows in pool_servers. It
 * does so before the first order, because mini-DNS refuses transfers to servers that it
 * does not know. It does so again when a server gets another address. The sync also
 * writes the rows in each round.
 */
#pragma once

#include "poolmgr.h"

struct registration;

/* Before the loop: waits between tries. Also reads which servers are in service. */
enum err registration_begin(struct poolmgr *poolmgr, struct why *why);
struct registration *registration_new(struct poolmgr *poolmgr);
void registration_free(struct registration **registration);
/* On the lane, with the current addresses. If it fails, the next sync writes them. */
void registration_renew(struct registration *registration);
