/*
 * follow_up -- a server that answers, and does not follow, is put right: core/follow.h says
 * when and how, this does it. Through its driver, on the server's lane, under the lock that
 * operations on the domain take; or, where the server takes no orders, by a newer serial,
 * which central is asked for as any client would. Before it acts it reads how things stand
 * now. A row of repair_log says what was done, and is what the pauses go by.
 *
 * What is begun here is not remembered: if it is lost, the next report begins it again.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"
#include "servers.h"

struct follow_up;

void follow_up_metrics(void);	/* before the fork */
struct follow_up *follow_up_new(struct poolmgr *poolmgr);
/* Behind servers_stop(). */
void follow_up_free(struct follow_up **follow_up);
/*
 * The server, whose row is in error, was seen to serve the serial SERVES of the domain;
 * NULL: it answered, and with none.
 */
void follow_up_observe(struct follow_up *follow_up, const struct server *server,
                       const struct domain_ref *domain, const uint32_t *serves,
                       const struct cause *cause);
