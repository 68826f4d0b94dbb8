/*
 * network_update -- changes a network or its subnets, and all ports of the network, in
 * one transaction. A new domain of the network changes the generated names of all ports,
 * and the names of the ports that have no domain of their own. A change to a subnet adds
 * or removes the records of addresses and does not change names. After the transaction,
 * zonefleet-ports makes one change to each domain (publish.h).
 */
#pragma once

#include <jansson.h>

#include "port_update.h"

struct network_update {
	struct ports *ports;
	struct arena *arena;
	const struct network_row *network;	/* the network with the new values */
	/* hash table of the named ports. Key: the fully qualified name */
	struct map *names;
	struct record_diff diff;
	struct port_row *rows;		/* ports of the network */
	size_t count, size;
	/* ids of ports that have a dns_name, but get no fully qualified name */
	json_t *unnamed;
	/* network_update_commit() must announce new lines for dnsmasq */
	bool has_new_lines;
};

enum { UNNAMED_SHOWN = 100 };		/* maximum number of ids in `unnamed` */

/*
 * Changes the names and records of all ports. Call it after the write of the network's
 * row. The caller must free `unnamed`.
 */
void network_update_rename(struct network_update *update, struct tx *tx);
/*
 * Changes the records of all ports. Call it after the write of a subnet's row and a new
 * read of `network`.
 */
void network_update_republish(struct network_update *update, struct tx *tx);
/*
 * Deletes the ports of a deleted network. Neutron deletes only networks without ports, so
 * Neutron has also deleted these ports.
 */
void network_update_delete_ports(struct network_update *update, struct tx *tx);
/* Commits, then publishes the changes and announces the new lines for dnsmasq. */
enum err network_update_commit(struct network_update *update, struct tx *tx);
