/*
 * neutron_apply -- writes a network, subnet, port or floating IP of Neutron to the
 * tables. It may come from a notification, a push or a comparison. The version with the
 * higher revision_number wins, and a deleted object stays deleted. A port or subnet may
 * come before its network. Then its row waits for the network. A port that comes before
 * its subnet follows the rule for addresses in no known subnet (port_network_of()).
 *
 * Subnets of a network do not overlap in Neutron. But the deletion of a subnet may arrive
 * after its successor. Until then both rows count (core/subnets.h), and the log has a
 * warning.
 *
 * Neutron has already accepted these objects, so an invalid or taken name is not an
 * error: the port has only its generated names until the name is free.
 */
#pragma once

#include "neutron.h"
#include "ports.h"

void neutron_apply_metrics(void);		/* before the fork */

/* One object, and the results of applying it. */
struct neutron_apply {
	struct ports *ports;
	struct arena *arena;
	enum neutron_kind kind;
	const json_t *json;		/* the object (neutron.h); NULL if deleted */
	const char *id;			/* only of a deleted object */
	/* some fields are missing: writes only new objects */
	bool is_partial;
	bool has_changed;		/* set if it changed rows */
	const char *taken_by;		/* set to the port that already has the name */
};

/* Each runs a transaction, with retries. ERR_INVALID: the object is invalid. */
enum err neutron_apply(struct neutron_apply *apply, struct why *why);
enum err neutron_apply_gone(struct neutron_apply *apply, struct why *why);
