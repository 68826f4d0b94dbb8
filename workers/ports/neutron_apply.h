/*
 * neutron_apply -- writes a network, subnet, port or floating IP of Neutron to the
 * tables. The object comes from a notification, a push or a comparison. zonefleet-ports
 * keeps the version with the higher revision_number. A deleted object stays deleted. If a
 * port or subnet arrives before its network, zonefleet-ports inserts a row for the
 * network. This row has no tenant and no domain. If a port arrives before its subnet,
 * port_network_of() decides whether zonefleet publishes the addresses of the port.
 *
 * In Neutron, the subnets of a network do not overlap. But the message about the deletion
 * of a subnet can arrive after the message about a new subnet that overlaps the deleted
 * subnet. Until the deletion arrives, both rows exist (core/subnets.h), and the log
 * contains a warning.
 *
 * Neutron has already accepted each object that arrives here. So it is not an error if
 * the name of a port is invalid or belongs to another port. In this case, the port has
 * only its generated names until its name is valid and free.
 */
#pragma once

#include "neutron.h"
#include "ports.h"

/* Registers the metrics. Call it before the fork. */
void neutron_apply_metrics(void);

/* One object, and the results of neutron_apply(). */
struct neutron_apply {
	struct ports *ports;
	struct arena *arena;
	enum neutron_kind kind;
	/* the object (neutron.h); NULL: the object is deleted */
	const json_t *json;
	const char *id;			/* id of the object, only for a deleted object */
	/*
	 * true: some fields of the object are missing, so neutron_apply() does not change
	 * a row that came from Neutron
	 */
	bool is_partial;
	bool has_changed;		/* output: neutron_apply() has changed rows */
	const char *taken_by;		/* output: the port that already has the name */
};

/*
 * neutron_apply() writes the object to the tables. neutron_apply_gone() deletes the
 * object. Each function runs a transaction, with retries. ERR_INVALID: the object is
 * invalid.
 */
enum err neutron_apply(struct neutron_apply *apply, struct why *why);
enum err neutron_apply_gone(struct neutron_apply *apply, struct why *why);
