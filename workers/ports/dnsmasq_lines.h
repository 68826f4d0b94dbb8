/*
 * dnsmasq_lines -- makes the lines of one port in the files of dnsmasq (core/hosts.h).
 * The file of a network contains the lines of all its ports, sorted by port id. A fanout
 * to the agents names the ports that have new lines. After the fanout, the agents read
 * these lines (service_hosts.c).
 *
 *	ports_agent	hosts_changed(network, ports?, version)		cast, fanout
 */
#pragma once

#include "base/buf.h"
#include "ports.h"
#include "store.h"

struct dnsmasq_lines {
	struct buf addn, dhcp;
};

/* Appends the lines of PORT, in the order of its addresses. */
void dnsmasq_lines_of(const struct ports *ports, const struct network_row *network,
                      const struct port_row *port, struct dnsmasq_lines *lines);
void dnsmasq_lines_clear(struct dnsmasq_lines *lines);
/*
 * True: the lines of the two ports differ. OLD is NULL for a new port. NEW may be a
 * deleted port, which has no lines.
 */
bool dnsmasq_lines_differ(const struct ports *ports, const struct network_row *network,
                          const struct port_row *old, const struct port_row *new);
/* The lines of a network that change in a transaction. */
struct lines_change {
	const char *network_id;		/* id of the network; NULL: no lines change */
	/* ids of the ports whose lines change; NULL: the lines of all ports change */
	const char *const *port_ids;
	size_t count;
	uint64_t version;		/* the new version of the network's lines */
};

/*
 * Raises the version of the network's lines (consistency/store_hosts.h), and sets
 * change->version. Call it last in a transaction.
 */
void dnsmasq_lines_raise(struct lines_change *change, struct tx *tx);
/* Sends the fanout. Call it after the commit. */
void dnsmasq_lines_announce(const struct lines_change *change, struct ports *ports);
