#include <string.h>

#include "consistency/hosts_versions.h"
#include "dnsmasq_lines.h"
#include "model/json.h"
#include "service_private.h"

/*
 * The lines of a network for dnsmasq, port by port. An agent first reads all ports, page
 * by page, and later the ports that change.
 */

enum {
	PORTS_OF_A_PAGE = 50,	/* with 30 addresses and the longest names: 2 MB */
	PORTS_NAMED = 100,	/* at least MIRROR_KEYS_MAX */
};

struct hosts_export {
	const struct ports *ports;
	struct network_row network;
	json_t *hosts;
	char last[ID_LEN + 1];
	int count;
};

static void hosts_export_add_port(void *self, const struct port_row *port)
{
	struct hosts_export *export = self;
	struct dnsmasq_lines lines = { 0 };

	dnsmasq_lines_of(export->ports, &export->network, port, &lines);
	json_array_append_new(export->hosts, json_pack("{s:s, s:s, s:s}",
		"port", port->id, "addn_hosts", buf_string(&lines.addn),
		"dhcp_hosts", buf_string(&lines.dhcp)));
	dnsmasq_lines_clear(&lines);
	memcpy(export->last, port->id, sizeof(export->last));
	export->count++;
}

/* Ports of other networks and deleted ports are skipped. */
static void hosts_export_add_ports(struct hosts_export *export, struct tx *tx,
                                   struct request *req, const json_t *ids)
{
	struct port_row port;
	char id[ID_LEN + 1];

	for (size_t i = 0; i < json_array_size(ids) && !tx->err; i++) {
		const char *text = json_string_value(json_array_get(ids, i));

		if (!text || !id_parse(text, id))
			tx_fail(tx, ERR_INVALID, "ports[%zu]: must be an id of 32 "
			        "hexadecimal digits", i);
		else if (store_port_read(tx, req->arena, id, &port) && !port.is_gone &&
		         !strcmp(port.network_id, export->network.id))
			hosts_export_add_port(export, &port);
	}
	export->count = 0;
}

static enum err hosts_export_decode(struct request *req, struct port_filter *filter,
                                    const json_t **ids)
{
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "network", JSON_REQUIRED, id, &req->why);

	*ids = NULL;
	if (!err)
		err = codec_filter(req, filter);
	if (!err)
		err = json_get_array(req->args, "ports", 0, PORTS_NAMED, ids, &req->why);
	if (filter->limit > PORTS_OF_A_PAGE)
		filter->limit = PORTS_OF_A_PAGE;
	return err;
}

enum err service_export_hosts(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct hosts_export export = { .ports = ports };
	const json_t *ids;
	enum err err = hosts_export_decode(req, &filter, &ids);

	if (err)
		return err;
	export.hosts = json_array();

	struct tx tx = tx_begin_snapshot(ports->runtime.db, &req->why);
	bool exists = store_network_read(&tx, req->arena, filter.network_id,
	                                 &export.network);
	const char *project = exists ? export.network.project_id
	                             : store_network_gone_project(&tx, req->arena,
	                                                            filter.network_id);

	/* a deleted network has no ports; an unknown one may have some */
	if (!project || !access_is_owner(req, project))
		tx_fail(&tx, ERR_NOT_FOUND, "there is no network %.32s",
		        filter.network_id);
	if (ids)
		hosts_export_add_ports(&export, &tx, req, ids);
	else
		store_ports(&tx, req->arena, &filter, hosts_export_add_port, &export);
	req->result = json_pack("{s:o, s:s?, s:I}", "hosts", export.hosts, "marker",
		export.count == filter.limit ? export.last : NULL, "version",
		(json_int_t)store_hosts_version(&tx, HOSTS_OF_NETWORK,
		                                filter.network_id));
	return tx_commit(&tx);
}

static const char *hosts_decode_network_id(struct arena *arena, const char *text)
{
	char id[ID_LEN + 1];

	return id_parse(text, id) ? arena_strdup(arena, id) : NULL;
}

enum err service_hosts_versions(void *self, struct request *req)
{
	struct ports *ports = self;

	return hosts_versions(req, ports->runtime.db, HOSTS_OF_NETWORK, "networks",
	                      hosts_decode_network_id);
}
