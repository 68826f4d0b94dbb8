/*
 * registration -- the rows of pool_servers are as this process has its servers: before the
 * first order, for mini-DNS refuses transfers to servers that it does not know, and when one
 * has another address. The sync writes them again in each round.
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
