/*
 * neutron_apply -- what Neutron says of a network, a subnet, a port or a floating IP becomes
 * rows, whichever way it was said. Of two that tell of one object the one with the higher
 * revision_number holds, and what is gone stays gone. A port or a subnet that comes
 * before its network waits for it in its row. A port that comes before its subnet is
 * published by what holds for addresses in no known subnet (port_network_of()).
 *
 * Neutron lets no two subnets of a network overlap, but of two that never were at the
 * same time the end of the first may not have been told yet: both hold until it is
 * (core/subnets.h), and the log says so.
 *
 * Neutron has accepted what it tells of: a name that cannot be here, or that another port
 * of the network has, costs the port that name and not its generated ones, until it is
 * free.
 */
#pragma once

#include "neutron.h"
#include "ports.h"

void telling_metrics(void);		/* before the fork */

struct told {
	struct ports *ports;
	struct arena *arena;
	enum neutron_kind of;
	const json_t *json;		/* of what is there: neutron.h */
	const char *id;			/* of what is gone */
	bool is_hint;			/* less than a notification tells: only of what is new */
	bool has_changed;		/* something here, by that */
	const char *rival;		/* NULL: nobody else has the port's name */
};

/* Runs its transaction, again if it has to. ERR_INVALID: it says nothing that can be. */
enum err tell(struct told *told, struct why *why);
enum err tell_gone(struct told *told, struct why *why);
