/*
 * move -- the state of a former name of a route at a router. The router's domain has a
 * CNAME from this name to the route's present name, and both routers serve both names. At
 * the end of the grace the CNAME is removed first. The routers serve the former name for
 * as long as a client may still follow the CNAME:
 *
 *	ADD -> TOLD -> HAVE -> WITHDRAW -> WITHDRAWN -> CACHED -> GONE
 *
 * Enough name servers are poolmgr.threshold_percentage of them: below 100 %, a server that is
 * behind may still give the CNAME of a name that is CACHED, or GONE.
 *
 * A name without a CNAME (a host of the route's owner, or a name at the same router) is CACHED
 * from its beginning, until its grace is over. Only a name in DROP is not served.
 */
#pragma once

#include <stdbool.h>

enum move_state {
	MOVE_ADD,		/* central is to be told of the CNAME */
	MOVE_TOLD,		/* central took the CNAME */
	MOVE_HAVE,		/* enough name servers have the CNAME: its grace */
	MOVE_WITHDRAW,		/* central is to be told that there is no CNAME */
	MOVE_WITHDRAWN,		/* central took that; a name server may have the CNAME */
	MOVE_CACHED,		/* enough name servers have it no more; a resolver may */
	MOVE_DROP,		/* served no more; central is to be told as by WITHDRAW */
	MOVE_GONE,		/* no row */
	MOVE_STATES
};

enum move_event {
	MOVE_LEADS,		/* the route left this router: the name leads to the other */
	MOVE_TURNS,		/* the CNAME has another target, or another domain has it */
	MOVE_STAYS,		/* the name is served on without a CNAME */
	MOVE_ENDS,		/* the name is to be served no more */
	MOVE_IS_TOLD,		/* central did what the state asks for */
	MOVE_IS_OUT,		/* enough name servers have what central was told */
	MOVE_IS_OVER,		/* the state's time is over */
	MOVE_EVENTS
};

enum move_asks { MOVE_ASKS_NOTHING, MOVE_ASKS_CNAME, MOVE_ASKS_NO_CNAME };

enum move_state move_next(enum move_state state, enum move_event event);
/* What central is still to be told of a name in this state. */
enum move_asks move_asks(enum move_state state);
const char *move_state_name(enum move_state state);	/* "WITHDRAW", as in the tables */
/* False: NAME is no state of a row. */
bool move_state_parse(const char *name, enum move_state *state);
