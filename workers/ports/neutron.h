/*
 * neutron -- decodes Neutron's notifications into rows. It supports Neutron 21 and older
 * releases, which have tenant_id instead of project_id, no dns_* and no revision_number.
 *
 *	port.create.end, port.update.end	{"port": {...}}, {"ports": [{...}, ...]}
 *	port.delete.end				{"port_id": "...", "port"?: {...}}
 *	network.*, subnet.*, floatingip.*	the same, with these names
 *
 * Other notifications concern no names.
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
	const json_t *one, *many;	/* one object, or a list */
	char id[ID_LEN + 1];		/* only of a deleted object */
};

/* EVENT borrows from PAYLOAD. ERR_INVALID: PAYLOAD does not fit TYPE. */
enum err neutron_event(const char *type, const json_t *payload,
                       struct neutron_event *event, struct why *why);
size_t neutron_count(const struct neutron_event *event);
const json_t *neutron_item(const struct neutron_event *event, size_t i);

/*
 * ERR_INVALID: the id or the network is missing. A revision here is Neutron's
 * revision_number plus one, because Neutron starts some objects with 0; here 0 means
 * unknown. It skips invalid names, addresses and domains, because Neutron has already
 * accepted them.
 */
enum err neutron_port(const json_t *json, struct arena *arena, struct port_row *port,
                      struct why *why);
/*
 * Decodes a floating IP as a port of the network of its address, with a name and a
 * domain.
 */
enum err neutron_floating(const json_t *json, struct arena *arena, struct port_row *port,
                          struct why *why);
/*
 * True: the object is the port of a floating IP. Only the floating IP itself has the
 * name.
 */
bool neutron_is_of_floating(const json_t *json);
uint64_t neutron_revision(const json_t *json);
enum err neutron_network(const json_t *json, struct arena *arena,
                         struct network_row *network, struct why *why);
/* Does not set is_published. ERR_INVALID also if the cidr is missing. */
enum err neutron_subnet(const json_t *json, struct subnet_row *subnet, struct why *why);
