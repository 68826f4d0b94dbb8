#include "dnsmasq_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "consistency/store_hosts.h"
#include "core/hosts.h"
#include "port_network.h"

/* ---- lines of a port ---- */

static int lines_compare_addresses(const void *a, const void *b)
{
	const struct address *left = a, *right = b;

	if (left->bits != right->bits)
		return left->bits < right->bits ? -1 : 1;
	return memcmp(left->octets, right->octets, left->bits / 8);
}

static struct address *lines_sort_addresses(const struct port_row *port)
{
	size_t size = port->count * sizeof(*port->addresses);
	struct address *addresses = xmalloc(size + 1);

	if (port->count)
		memcpy(addresses, port->addresses, size);
	qsort(addresses, port->count, sizeof(*addresses), lines_compare_addresses);
	return addresses;
}

void dnsmasq_lines_of(const struct ports *ports, const struct network_row *network,
                      const struct port_row *port, struct dnsmasq_lines *lines)
{
	const struct port_network as = port_network_of(ports, network, port);
	struct address *addresses = lines_sort_addresses(port);
	struct name fqdn;
	struct why why;
	bool is_named = port->dns_fqdn && !name_parse(port->dns_fqdn, "dns_fqdn", &fqdn,
	                                              &why);

	for (size_t i = 0; i < port->count; i++) {
		const struct host host = { &addresses[i], &network->domain,
		                           is_named ? &fqdn : NULL, port->mac };

		/* a hidden address still has a lease */
		if (subnets_publish(&as.subnets, host.address))
			hosts_addn(&host, &lines->addn);
		hosts_dhcp(&host, &lines->dhcp);
	}
	free(addresses);
}

void dnsmasq_lines_clear(struct dnsmasq_lines *lines)
{
	buf_clear(&lines->addn);
	buf_clear(&lines->dhcp);
}

bool dnsmasq_lines_differ(const struct ports *ports, const struct network_row *network,
                          const struct port_row *old, const struct port_row *new)
{
	struct dnsmasq_lines before = { 0 }, after = { 0 };
	bool differ;

	if (old)
		dnsmasq_lines_of(ports, network, old, &before);
	if (!new->is_gone)
		dnsmasq_lines_of(ports, network, new, &after);
	differ = strcmp(buf_string(&before.addn), buf_string(&after.addn)) ||
	         strcmp(buf_string(&before.dhcp), buf_string(&after.dhcp));
	dnsmasq_lines_clear(&before);
	dnsmasq_lines_clear(&after);
	return differ;
}

/* ---- the announcement to agents ---- */

static json_t *lines_encode_change(const struct lines_change *change)
{
	json_t *ids = change->port_ids ? json_array() : NULL;

	for (size_t i = 0; i < change->count; i++)
		json_array_append_new(ids, json_string(change->port_ids[i]));
	return json_pack("{s:s, s:I, s:o*}", "network", change->network_id, "version",
	                 (json_int_t)change->version, "ports", ids);
}

void dnsmasq_lines_raise(struct lines_change *change, struct tx *tx)
{
	if (change->network_id && !tx->err)
		change->version = store_hosts_raise(tx, HOSTS_OF_NETWORK,
		                                    change->network_id);
}

void dnsmasq_lines_announce(const struct lines_change *change, struct ports *ports)
{
	const struct rpc_target target = { .topic = "ports_agent", .fanout = true,
	                                   .agents = true };
	json_t *args;
	struct why why;

	if (!change->network_id)
		return;
	args = lines_encode_change(change);
	if (rpc_cast(ports->runtime.rpc, &target, "hosts_changed", args, NULL, &why))
		log_warn("changed dnsmasq lines not announced to the agents: network=%s "
		         "reason=\"%s\"",
		         change->network_id, why.text);
	json_decref(args);
}
