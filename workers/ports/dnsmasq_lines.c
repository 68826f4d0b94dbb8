#include "dnsmasq_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "consistency/store_hosts.h"
#include "core/hosts.h"
#include "port_network.h"

/* ---- of a port ---- */

static int compare(const void *a, const void *b)
{
	const struct address *left = a, *right = b;

	if (left->bits != right->bits)
		return left->bits < right->bits ? -1 : 1;
	return memcmp(left->octets, right->octets, left->bits / 8);
}

static struct address *sorted(const struct port_row *port)
{
	size_t size = port->count * sizeof(*port->addresses);
	struct address *addresses = xmalloc(size + 1);

	if (port->count)
		memcpy(addresses, port->addresses, size);
	qsort(addresses, port->count, sizeof(*addresses), compare);
	return addresses;
}

void lines_of(const struct ports *ports, const struct network_row *network,
              const struct port_row *port, struct lines *lines)
{
	const struct port_network as = port_network_of(ports, network, port);
	struct address *addresses = sorted(port);
	struct name fqdn;
	struct why why;
	bool is_named = port->dns_fqdn && !name_parse(port->dns_fqdn, "dns_fqdn", &fqdn,
	                                              &why);

	for (size_t i = 0; i < port->count; i++) {
		const struct host host = { &addresses[i], &network->domain,
		                           is_named ? &fqdn : NULL, port->mac };

		/* it has its lease in any case */
		if (subnets_publish(&as.subnets, host.address))
			hosts_addn(&host, &lines->addn);
		hosts_dhcp(&host, &lines->dhcp);
	}
	free(addresses);
}

void lines_clear(struct lines *lines)
{
	buf_clear(&lines->addn);
	buf_clear(&lines->dhcp);
}

bool lines_differ(const struct ports *ports, const struct network_row *network,
                  const struct port_row *was, const struct port_row *is)
{
	struct lines before = { 0 }, after = { 0 };
	bool differ;

	if (was)
		lines_of(ports, network, was, &before);
	if (!is->is_gone)
		lines_of(ports, network, is, &after);
	differ = strcmp(buf_string(&before.addn), buf_string(&after.addn)) ||
	         strcmp(buf_string(&before.dhcp), buf_string(&after.dhcp));
	lines_clear(&before);
	lines_clear(&after);
	return differ;
}

/* ---- who keeps files is told ---- */

static json_t *arguments(const struct lines_news *news)
{
	json_t *args = json_pack("{s:s, s:I}", "network", news->network_id,
	                         "version", (json_int_t)news->version);
	json_t *ids = json_array();

	for (size_t i = 0; i < news->count; i++)
		json_array_append_new(ids, json_string(news->port_ids[i]));
	if (news->port_ids)
		json_object_set(args, "ports", ids);
	json_decref(ids);
	return args;
}

void lines_raise(struct lines_news *news, struct tx *tx)
{
	if (news->network_id && !tx->err)
		news->version = store_hosts_raise(tx, HOSTS_OF_NETWORK, news->network_id);
}

void lines_tell(const struct lines_news *news, struct ports *ports)
{
	const struct rpc_target target = { .topic = "ports_agent", .fanout = true,
	                                   .agents = true };
	json_t *args;
	struct why why;

	if (!news->network_id)
		return;
	args = arguments(news);
	if (rpc_cast(ports->runtime.rpc, &target, "hosts_changed", args, NULL, &why))
		log_warn("hosts not told: network=%s reason=\"%s\"", news->network_id,
		         why.text);
	json_decref(args);
}
