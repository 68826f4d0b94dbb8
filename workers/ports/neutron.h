/*
 * neutron -- Neutron's notifications, from its message to rows of ours (Neutron 21, and
 * what older ones left out: tenant_id for project_id, no dns_*, no revision_number).
 *
 *	port.create.end, port.update.end	{"port": {...}}, {"ports": [{...}, ...]}
 *	port.delete.end				{"port_id": "...", "port"?: {...}}
 *	network.*, subnet.*, floatingip.*	the same, of those
 *
 * Whatever else there is says nothing about names.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "store.h"

enum neutron_kind {
	NEUTRON_OTHER, NEUTRON_PORT, NEUTRON_NETWORK, NEUTRON_SUBNET, NEUTRON_FLOATING,
	NEUTRON_KINDS
};

struct neutron_event {
	enum neutron_kind kind;
	bool is_gone;
	const json_t *one, *many;	/* an object, or a list of some */
	char id[ID_LEN + 1];		/* of what is gone */
};

/* EVENT borrows from PAYLOAD. ERR_INVALID: it is not what its type says. */
enum err neutron_event(const char *type, const json_t *payload,
                       struct neutron_event *event, struct why *why);
size_t neutron_count(const struct neutron_event *event);
const json_t *neutron_item(const struct neutron_event *event, size_t i);

/*
 * ERR_INVALID for what has no id, or is of no network. Revisions are Neutron's and one
 * more (it begins some objects with 0): 0 is for what has none. What
 * cannot be a name, an address or a domain is left out: its source has accepted it.
 */
enum err neutron_port(const json_t *json, struct arena *arena, struct port_row *port,
                      struct why *why);
/* A port of the network that the address is from, with a name and a domain of its own. */
enum err neutron_floating(const json_t *json, struct arena *arena, struct port_row *port,
                          struct why *why);
/* Is it the port by which Neutron keeps the address of a floating IP? That one tells. */
bool neutron_is_of_floating(const json_t *json);
uint64_t neutron_revision(const json_t *json);
enum err neutron_network(const json_t *json, struct arena *arena,
                         struct network_row *network, struct why *why);
/* Whether it is published is not said there. Also ERR_INVALID: it has no cidr. */
enum err neutron_subnet(const json_t *json, struct subnet_row *subnet, struct why *why);
