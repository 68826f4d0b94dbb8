#include "core/former_name.h"

#include <string.h>

/* In this table alone. */
#define ADD       MOVE_ADD
#define TOLD      MOVE_TOLD
#define HAVE      MOVE_HAVE
#define WITHDRAW  MOVE_WITHDRAW
#define WITHDRAWN MOVE_WITHDRAWN
#define CACHED    MOVE_CACHED
#define DROP      MOVE_DROP
#define GONE      MOVE_GONE
#define SAME      MOVE_STATES
#define NOTHING   MOVE_ASKS_NOTHING
#define CNAME     MOVE_ASKS_CNAME
#define NO_CNAME  MOVE_ASKS_NO_CNAME

/* In the order of the enums. */
static const struct {
	const char *name;
	enum move_asks asks;
	enum move_state next[MOVE_EVENTS];
} states[MOVE_STATES] = {
	/* state       asks        LEADS TURNS STAYS     ENDS  IS_TOLD    IS_OUT  IS_OVER */
	{ "ADD",       CNAME,    { SAME, SAME, WITHDRAW, DROP, TOLD,      SAME,   SAME     } },
	{ "TOLD",      NOTHING,  { ADD,  ADD,  WITHDRAW, DROP, SAME,      HAVE,   SAME     } },
	{ "HAVE",      NOTHING,  { ADD,  ADD,  WITHDRAW, DROP, SAME,      SAME,   WITHDRAW } },
	{ "WITHDRAW",  NO_CNAME, { ADD,  SAME, SAME,     DROP, WITHDRAWN, SAME,   SAME     } },
	{ "WITHDRAWN", NOTHING,  { ADD,  SAME, SAME,     DROP, SAME,      CACHED, SAME     } },
	{ "CACHED",    NOTHING,  { ADD,  SAME, SAME,     DROP, SAME,      SAME,   GONE     } },
	{ "DROP",      NO_CNAME, { ADD,  SAME, WITHDRAW, SAME, GONE,      SAME,   SAME     } },
	{ "GONE",      NOTHING,  { ADD,  SAME, CACHED,   SAME, SAME,      SAME,   SAME     } },
};

enum move_state move_next(enum move_state state, enum move_event event)
{
	enum move_state next = states[state].next[event];

	return next == SAME ? state : next;
}

enum move_asks move_asks(enum move_state state)
{
	return states[state].asks;
}

const char *move_state_name(enum move_state state)
{
	return states[state].name;
}

bool move_state_parse(const char *name, enum move_state *state)
{
	for (enum move_state at = MOVE_ADD; at < MOVE_GONE; at++)
		if (!strcmp(states[at].name, name)) {
			*state = at;
			return true;
		}
	return false;
}
