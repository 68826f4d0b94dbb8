/*
 * neutron -- decodes Neutron's notifications into rows. The decoders support Neutron 21
 * and older releases. Some older releases send tenant_id instead of project_id, and do
 * not send the dns_* fields and revision_number.
 *
 *	port.create.end, port.update.end	{"port": {...}}, {"ports": [{...}, ...]}
 *	port.delete.end				{"port_id": "...", "port"?: {...}}
 *	network.*, subnet.*, floatingip.*	in the same form
 *
 * The decoders ignore other notifications, because only the notifications above can
 * change names.
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
	/*
	 * If the message contains one object, `one` is this object. Otherwise `many` is
	 * the list of the objects.
	 */
	const json_t *one, *many;
	char id[ID_LEN + 1];		/* id of the deleted object, if is_gone is true */
};

/*
 * Decodes a notification. *event borrows from PAYLOAD. ERR_INVALID: PAYLOAD does not have
 * the form of TYPE.
 */
enum err neutron_event(const char *type, const json_t *payload,
                       struct neutron_event *event, struct why *why);
size_t neutron_count(const struct neutron_event *event);
const json_t *neutron_item(const struct neutron_event *event, size_t i);

/*
 * Decodes a port. ERR_INVALID: the id or the network is missing. The revision is
 * Neutron's revision_number plus one, because Neutron starts some objects with 0, but
 * here 0 means unknown. Neutron has already accepted the port, so this function ignores
 * invalid names, addresses and domains.
 */
enum err neutron_port(const json_t *json, struct arena *arena, struct port_row *port,
                      struct why *why);
/*
 * Decodes a floating IP as a port with a name and a domain. The port is in the network of
 * the floating address.
 */
enum err neutron_floating(const json_t *json, struct arena *arena, struct port_row *port,
                          struct why *why);
/*
 * True: the object is the port of a floating IP. This port gets no name, because the
 * floating IP has the name.
 */
bool neutron_is_of_floating(const json_t *json);
uint64_t neutron_revision(const json_t *json);
enum err neutron_network(const json_t *json, struct arena *arena,
                         struct network_row *network, struct why *why);
/*
 * Decodes a subnet, but does not set is_published. ERR_INVALID: the id or the network is
 * missing, or the cidr is missing or malformed.
 */
enum err neutron_subnet(const json_t *json, struct subnet_row *subnet, struct why *why);
