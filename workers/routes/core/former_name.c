#include "core/former_name.h"

#include <string.h>

/* only in this table */
#define ADD       FORMER_ADD
#define TOLD      FORMER_TOLD
#define HAVE      FORMER_HAVE
#define WITHDRAW  FORMER_WITHDRAW
#define WITHDRAWN FORMER_WITHDRAWN
#define CACHED    FORMER_CACHED
#define DROP      FORMER_DROP
#define GONE      FORMER_GONE
#define NO        FORMER_STATES		/* no change */
#define NONE      FORMER_NO_UPDATE
#define SET       FORMER_SET_CNAME
#define DEL       FORMER_DELETE_CNAME

/* In the order of the enums; the last columns are the events. */
static const struct {
	const char *name;
	enum former_update update;
	enum former_state next[FORMER_EVENTS];
} states[FORMER_STATES] = {
	/* state       update LEAV RETG KEEP      END   SENT       PUBL    EXPIRED */
	{ "ADD",       SET,  { NO,  NO,  WITHDRAW, DROP, TOLD,      NO,     NO } },
	{ "TOLD",      NONE, { ADD, ADD, WITHDRAW, DROP, NO,        HAVE,   NO } },
	{ "HAVE",      NONE, { ADD, ADD, WITHDRAW, DROP, NO,        NO,     WITHDRAW } },
	{ "WITHDRAW",  DEL,  { ADD, NO,  NO,       DROP, WITHDRAWN, NO,     NO } },
	{ "WITHDRAWN", NONE, { ADD, NO,  NO,       DROP, NO,        CACHED, NO } },
	{ "CACHED",    NONE, { ADD, NO,  NO,       DROP, NO,        NO,     GONE } },
	{ "DROP",      DEL,  { ADD, NO,  WITHDRAW, NO,   GONE,      NO,     NO } },
	{ "GONE",      NONE, { ADD, NO,  CACHED,   NO,   NO,        NO,     NO } },
};

enum former_state former_name_next(enum former_state state, enum former_event event)
{
	enum former_state next = states[state].next[event];

	return next == NO ? state : next;
}

enum former_update former_name_update(enum former_state state)
{
	return states[state].update;
}

const char *former_name_state_name(enum former_state state)
{
	return states[state].name;
}

bool former_name_state_parse(const char *name, enum former_state *state)
{
	for (enum former_state at = FORMER_ADD; at < FORMER_GONE; at++)
		if (!strcmp(states[at].name, name)) {
			*state = at;
			return true;
		}
	return false;
}
