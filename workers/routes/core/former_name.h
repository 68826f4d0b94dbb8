/*
 * former_name -- decides the state of a former name of a route at a router. The router's
 * domain has a CNAME from the former name to the current name. The former router and the
 * current router serve both names. At the end of the grace time, the worker removes the
 * CNAME. The routers serve the former name as long as a client can still use the CNAME:
 *
 *	ADD -> TOLD -> HAVE -> WITHDRAW -> WITHDRAWN -> CACHED -> GONE
 *
 * In the comments below, "enough name servers" means at least
 * poolmgr.threshold_percentage of the name servers. If this option is below 100 %, a
 * name server that is behind can still answer with the CNAME of a name in state CACHED
 * or GONE. The routers serve former names in all states except DROP and GONE. A name
 * without a CNAME starts in state CACHED and keeps this state until its grace time ends.
 */
#pragma once

#include <stdbool.h>

enum former_state {
	FORMER_ADD,		/* the worker must send the CNAME to central */
	FORMER_TOLD,		/* central has accepted the CNAME */
	/* Enough name servers serve the CNAME. The grace time runs. */
	FORMER_HAVE,
	FORMER_WITHDRAW,	/* the worker must delete the CNAME in central */
	/*
	 * Central has deleted the CNAME. Some name servers possibly still serve the
	 * CNAME.
	 */
	FORMER_WITHDRAWN,
	/*
	 * Enough name servers have deleted the CNAME. Resolvers can still have the CNAME
	 * in a cache.
	 */
	FORMER_CACHED,
	/*
	 * The routers do not serve the name. The worker must delete the CNAME in central.
	 */
	FORMER_DROP,
	FORMER_GONE,		/* the database has no row for the name */
	FORMER_STATES
};

enum former_event {
	FORMER_ON_LEAVE,	/* the route with this name has left the router */
	FORMER_ON_RETARGET,	/* the CNAME has a new target or is in a new domain */
	FORMER_ON_KEEP,		/* the routers serve the name, without a CNAME */
	FORMER_ON_END,		/* the routers no longer serve the name */
	FORMER_ON_SENT,		/* central has accepted the update for the state */
	FORMER_ON_PUBLISHED,	/* enough name servers serve that update */
	FORMER_ON_EXPIRED,	/* the time in this state is over */
	FORMER_EVENTS
};

/* The update that the worker must send to central for a name in this state. */
enum former_update { FORMER_NO_UPDATE, FORMER_SET_CNAME, FORMER_DELETE_CNAME };

enum former_state former_name_next(enum former_state state, enum former_event event);
enum former_update former_name_update(enum former_state state);
/* Returns the value of the column route_moves.state, for example "WITHDRAW". */
const char *former_name_state_name(enum former_state state);
/* Finds the state with the name NAME. False: a row cannot have a state with this name. */
bool former_name_state_parse(const char *name, enum former_state *state);
