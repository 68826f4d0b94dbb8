/*
 * dnsmasq_lines -- what one port is in the files of its network for dnsmasq (core/hosts.h). The
 * files are those of all its ports, by their ids. Whoever keeps them on another machine
 * is told which ports' lines are others by now, and asks for those (service_hosts.c).
 *
 *	ports_agent	hosts_changed(network, ports?, version)		cast, fanout
 */
#pragma once

#include "base/buf.h"
#include "ports.h"
#include "store.h"

struct lines {
	struct buf addn, dhcp;
};

/* Of a port that is there; by its addresses' order, whoever told them. */
void lines_of(const struct ports *ports, const struct network_row *network,
              const struct port_row *port, struct lines *lines);
void lines_clear(struct lines *lines);
/* Is anything of them another? WAS: NULL if it was not there; IS may be gone. */
bool lines_differ(const struct ports *ports, const struct network_row *network,
                  const struct port_row *was, const struct port_row *is);
/* Which lines of a network a transaction makes others. */
struct lines_news {
	const char *network_id;		/* NULL: none */
	const char *const *port_ids;	/* NULL: any of the network's */
	size_t count;
	uint64_t version;		/* of its lines, from now on */
};

/* Last of all in the transaction: they have another version (consistency/store_hosts.h). */
void lines_raise(struct lines_news *news, struct tx *tx);
/* Once it is committed. */
void lines_tell(const struct lines_news *news, struct ports *ports);
