/*
 * hosts_news -- which routes of which routers a transaction makes others, for the
 * instances of these: gathered within it, raised last of all in it
 * (consistency/store_hosts.h), and told, with one message to each router, once it is
 * committed.
 *
 *	routes.ROUTER	routes_changed(router, routes?, version)	cast, fanout
 */
#pragma once

#include <jansson.h>

#include "routes.h"
#include "store.h"

struct news_router;

struct hosts_news {			/* zeroed, but for the arena: none */
	struct arena *arena;
	struct news_router *routers;	/* by their names */
};

/* ROUTE_ID: NULL: any of its routes. Both are borrowed. */
void hosts_news_add(struct hosts_news *news, const char *router, const char *route_id);
json_t *hosts_news_routers(const struct hosts_news *news);	/* their names */
void hosts_news_raise(struct hosts_news *news, struct tx *tx);
void hosts_news_tell(const struct hosts_news *news, struct routes *routes);
