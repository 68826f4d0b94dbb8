/*
 * claims -- whose a host is. Whoever asks for a host first has it, until its route goes or
 * gets another host; all others wait, and who waits longest has it in the same
 * transaction that frees it.
 *
 * "*.example.org" stands for all names of one label more. A project may have it and names
 * below it; of two projects only one has anything below example.org if the other one has
 * the wildcard.
 *
 * Before anything else its caller locks the host's parent (store_parent_lock()); of two
 * hosts, the parents by their names. Whoever gives a route a host, or frees one, passes a gate
 * then (store_gate_pass()); who makes a router locks all of them first of all. Behind these
 * come the namespace, the route, routers, and last what agents keep of them (host_changes.h).
 */
#pragma once

#include "store.h"

/* ROUTE has its host by now. False: another one has, as WHY tells whoever waits. */
bool claims_take(struct tx *tx, struct arena *arena, const struct route_row *route,
                 struct why *why);
/*
 * HOST is ROUTE_ID's no more, nor served for it anywhere; who waited longest has it, and
 * all others hear whose it is. EACH hears of routes that are to be scheduled by now.
 */
void claims_free(struct tx *tx, struct arena *arena, const char *host,
                 const char *route_id, void (*each)(void *self, const char *id),
                 void *self);
/* The host is nobody's, and somebody waits: that should never be. */
void claims_settle(struct tx *tx, struct arena *arena, const char *host);
