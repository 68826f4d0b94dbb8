/*
 * neutron -- Neutron's notifications, from its message to rows of ours (Neutron 21, and
 * what older ones left out: tenant_id for project_id, no dns_*, no revision_number).
 *
 *	port.create.end, port.update.end	{"port": {...}}, {"ports": [{...}, ...]}
 *	port.delete.end				{"port_id": "...", "port"?: {...}}
 *	network.*				the same, of networks
 *
 * Whatever else there is says nothing about names.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "store.h"

struct neutron_event {
	enum { NEUTRON_OTHER, NEUTRON_PORT, NEUTRON_NETWORK } of;
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
 * ERR_INVALID for what has no id, or is of no network. A revision of 0 is none. What
 * cannot be a name, an address or a domain is left out: its source has accepted it.
 */
enum err neutron_port(const json_t *json, struct arena *arena, struct port_row *port,
                      struct why *why);
enum err neutron_network(const json_t *json, struct arena *arena,
                         struct network_row *network, struct why *why);
