/*
 * binding -- a route gets a router: its binding is written, and by that its phase and its
 * dns, which nothing else sets (seed 003). A route that had another router keeps the name
 * that it had there for a grace time: generated names lead to the new one by a CNAME, and
 * the instances of both routers serve it.
 */
#pragma once

#include "host_changes.h"
#include "routes.h"
#include "store.h"

/* What a transaction did, for those who are told once it is committed. */
struct bound {
	struct route_row route;
	const char *router, *dns;
	const char *was_router;		/* NULL: it had none */
	bool has_changed;
};

/*
 * ROUTE, whose row is locked and which waits for no host, gets ROUTER. ERR_INVALID: no
 * name for it can be in the router's domain; then nothing was written. Errors of
 * statements are the transaction's.
 */
enum err binding_make(struct routes *routes, struct tx *tx, struct arena *arena,
                      const struct route_row *route, const struct router_row *router,
                      struct bound *bound, struct why *why);
/* It is new again, and what it was called is nobody's. */
void binding_end(struct tx *tx, struct arena *arena, const struct route_row *route,
                 const char *reason);
/*
 * The routers that serve other hosts by these bindings, which have to live as long as
 * NEWS.
 */
void binding_news(struct tx *tx, const struct bound *bound, size_t count,
                  struct host_changes *news);
/* Once they are committed, whoever listens to notifications hears of them. */
void binding_tell(struct routes *routes, const struct bound *bound, size_t count);
