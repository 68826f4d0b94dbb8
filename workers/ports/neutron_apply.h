/*
 * neutron_apply -- writes a network, subnet, port or floating IP of Neutron to the
 * tables, from any source: notification, push or comparison. Of two versions the higher
 * revision_number holds, and a deleted object stays deleted. A port or subnet that comes
 * before its network gets a row and waits there for the network. A port that comes before
 * its subnet follows the rule for addresses in no known subnet (port_network_of()).
 *
 * Neutron lets no two subnets of a network overlap. But the deletion of one may arrive
 * after its successor: until then both rows hold (core/subnets.h), and the log has a
 * warning.
 *
 * Neutron has already accepted these objects, so an invalid or taken name is no error:
 * the port has only its generated names until the name is free.
 */
#pragma once

#include "neutron.h"
#include "ports.h"

void neutron_apply_metrics(void);		/* before the fork */

/* One object, and what its application brings about. */
struct neutron_apply {
	struct ports *ports;
	struct arena *arena;
	enum neutron_kind kind;
	const json_t *json;		/* the object (neutron.h); NULL if deleted */
	const char *id;			/* of a deleted object */
	bool is_partial;		/* without all fields: writes new objects only */
	bool has_changed;		/* set if it changed rows */
	const char *taken_by;		/* set to the port that has the name already */
};

/* Each runs a transaction and retries it if needed. ERR_INVALID: an invalid object. */
enum err neutron_apply(struct neutron_apply *apply, struct why *why);
enum err neutron_apply_gone(struct neutron_apply *apply, struct why *why);
