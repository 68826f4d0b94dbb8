/*
 * registration -- writes the servers of this process to their rows in pool_servers. It
 * does so before the first order, because mini-DNS refuses transfers to servers that it
 * does not know. It does so again when a server gets another address. The sync also
 * writes the rows in each round.
 */
#pragma once

#include "poolmgr.h"

struct registration;

/* Before the loop: it waits between its tries. Learns the operator's word on each server. */
enum err registration_begin(struct poolmgr *poolmgr, struct why *why);
struct registration *registration_new(struct poolmgr *poolmgr);
void registration_free(struct registration **registration);
/* On the lane, with the addresses of now; what fails is done by the next sync. */
void registration_renew(struct registration *registration);
