/*
 * hosts -- the files that dnsmasq reads (2.90: --addn-hosts, --dhcp-hostsfile), line by
 * line, as Neutron's DHCP agent writes them: whoever writes the files of a network, they
 * are the same, but for the generated names, which Neutron forgets once a port has
 * another (seed 002: they continue to be available).
 *
 *	10.224.36.4\tvm01.example.com vm01
 *	10.224.36.4\thost-10-224-36-4.example.com host-10-224-36-4
 *
 *	fa:16:3e:00:00:01,vm01.example.com,10.224.36.4
 *	fa:16:3e:00:00:01,vm01.example.com,[fd5d:19f:52e9::2]
 *
 * dnsmasq answers the reverse question with the first name of an address that it read,
 * so the chosen name is the first.
 */
#pragma once

#include "base/buf.h"
#include "dns/address.h"
#include "model/name.h"

struct host {
	const struct address *address;
	const struct name *domain;	/* of the network; len 0: it has none */
	const struct name *fqdn;	/* the chosen name; NULL: none */
	const char *mac;		/* NULL: no lease */
};

/*
 * Both append whole lines; a host without a name has none in the first, and one without
 * a MAC address none in the second.
 */
void hosts_addn(const struct host *host, struct buf *file);
void hosts_dhcp(const struct host *host, struct buf *file);
