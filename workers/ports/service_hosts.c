#include <string.h>

#include "core/hosts.h"
#include "model/json.h"
#include "service_private.h"
#include "writing.h"

/*
 * A network's files for dnsmasq, so many ports at a time: the pages, one after another,
 * are the files.
 */

enum { PORTS_OF_A_PAGE = 100 };		/* with all their addresses: 0.5 MB */

struct export {
	const struct ports *ports;
	struct network_row network;
	struct buf addn, dhcp;
	char last[ID_LEN + 1];
	int count;
};

static void take_port(void *self, const struct port_row *port)
{
	struct export *export = self;
	struct name fqdn;
	struct why why;
	const struct port_network as = writing_network_of(export->ports, &export->network,
	                                                  port);
	bool is_named = port->dns_fqdn && !name_parse(port->dns_fqdn, "dns_fqdn", &fqdn,
	                                              &why);

	for (size_t i = 0; i < port->count; i++) {
		const struct host host = { &port->addresses[i], &export->network.domain,
		                           is_named ? &fqdn : NULL, port->mac };

		if (!subnets_publish(&as.subnets, host.address))
			continue;
		hosts_addn(&host, &export->addn);
		hosts_dhcp(&host, &export->dhcp);
	}
	memcpy(export->last, port->id, sizeof(export->last));
	export->count++;
}

enum err service_export_hosts(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct export export = { .ports = ports };
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "network", JSON_REQUIRED, id, &req->why);

	if (!err)
		err = codec_filter(req, &filter);
	if (err)
		return err;
	if (filter.limit > PORTS_OF_A_PAGE)
		filter.limit = PORTS_OF_A_PAGE;

	struct tx tx = tx_begin_snapshot(ports->runtime.db, &req->why);
	if (!store_network_read(&tx, req->arena, id, &export.network) ||
	    service_check_rights(req, export.network.project_id))
		tx_fail(&tx, ERR_NOT_FOUND, "no network %.32s", id);
	store_ports(&tx, req->arena, &filter, take_port, &export);
	req->result = json_pack("{s:s, s:s, s:s?}",
		"addn_hosts", buf_string(&export.addn),
		"dhcp_hosts", buf_string(&export.dhcp),
		"marker", export.count == filter.limit ? export.last : NULL);
	buf_clear(&export.addn);
	buf_clear(&export.dhcp);
	return tx_commit(&tx);
}
