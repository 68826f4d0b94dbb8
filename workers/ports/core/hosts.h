/*
 * hosts -- writes the lines of the files that dnsmasq 2.90 reads (--addn-hosts,
 * --dhcp-hostsfile), in the form of Neutron's DHCP agent. There is one difference: if a
 * port has a chosen name, the files also contain the generated name.
 *
 *	10.224.36.4\tvm01.example.com vm01
 *	10.224.36.4\thost-10-224-36-4.example.com host-10-224-36-4
 *
 *	fa:16:3e:00:00:01,vm01.example.com,10.224.36.4
 *	fa:16:3e:00:00:01,vm01.example.com,[fd5d:19f:52e9::2]
 *
 * dnsmasq answers a reverse query with the first name of an address, so the chosen name
 * comes before the generated name.
 */
#pragma once

#include "base/buf.h"
#include "dns/address.h"
#include "model/name.h"

/* One address of a port. */
struct host {
	const struct address *address;
	const struct name *domain;	/* domain of the network; len 0: no domain */
	const struct name *fqdn;	/* the chosen name; NULL: no name */
	const char *mac;		/* MAC address of the port; NULL: no lease */
};

/*
 * hosts_addn() appends the lines of HOST for --addn-hosts, and hosts_dhcp() the line for
 * --dhcp-hostsfile. hosts_addn() skips a host without a name. hosts_dhcp() skips a host
 * without a MAC address.
 */
void hosts_addn(const struct host *host, struct buf *file);
void hosts_dhcp(const struct host *host, struct buf *file);
