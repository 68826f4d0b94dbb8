#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "change.h"
#include "model/json.h"
#include "publish.h"
#include "service_private.h"

/*
 * A network's domain is that of all its ports' names. Another one renames them all, in
 * one transaction: what is published afterwards is one change of each domain.
 */

enum { UNNAMED_SHOWN = 100 };		/* ids of an answer */

struct renaming {
	struct ports *ports;
	struct request *req;
	struct network_row *network;	/* as it will be */
	struct map *names;		/* that are taken */
	struct change change;
	struct port_row *all;
	size_t count, size;
	json_t *unnamed;		/* whose name cannot be there, or is taken */
};

static void take_port(void *self, const struct port_row *port)
{
	struct renaming *renaming = self;

	if (renaming->count == renaming->size) {
		const struct port_row *old = renaming->all;

		renaming->size = 2 * renaming->size + 64;
		renaming->all = arena_alloc(renaming->req->arena, renaming->size *
		                                                  sizeof(*old));
		if (old)
			memcpy(renaming->all, old, renaming->count * sizeof(*old));
	}
	renaming->all[renaming->count++] = *port;
}

/* The first one, by its id, has a name that several want. */
static void name_port(struct renaming *renaming, struct port_row *port)
{
	struct why why;
	enum err err = service_name_port(renaming->ports, renaming->network, port,
	                                 renaming->req->arena, &why);

	if (!err && port->dns_fqdn && map_get(renaming->names, port->dns_fqdn,
	                                      strlen(port->dns_fqdn)))
		port->dns_fqdn = NULL;
	if (port->dns_fqdn)
		map_put(renaming->names, port->dns_fqdn, strlen(port->dns_fqdn), port);
	else if (port->dns_name && renaming->network->domain.len &&
	         json_array_size(renaming->unnamed) < UNNAMED_SHOWN)
		json_array_append_new(renaming->unnamed, json_string(port->id));
}

static void rename_ports(struct renaming *renaming, struct tx *tx)
{
	const struct port_filter all = { NULL, renaming->network->id, "", INT32_MAX };

	store_ports(tx, renaming->req->arena, &all, take_port, renaming);
	change_begin(&renaming->change, renaming->req->arena);
	renaming->names = map_new(random_u32());
	store_records(tx, renaming->req->arena, renaming->network->id, NULL, change_was,
	              &renaming->change);
	for (size_t i = 0; i < renaming->count; i++) {
		name_port(renaming, &renaming->all[i]);
		service_want_port(renaming->ports, renaming->network, &renaming->all[i],
		                  &renaming->change);
	}
	store_ports_rename(tx, renaming->network->id, renaming->all, renaming->count);
	change_write(&renaming->change, tx);
	change_end(&renaming->change);
	map_free(&renaming->names);
}

/* Is what was read the network of who asks? */
static void set_network(struct renaming *renaming, struct tx *tx)
{
	struct network_row was;
	bool is_there = store_network_lock(tx, renaming->req->arena,
	                                   renaming->network->id, &was);

	if (tx->err)
		return;
	if (is_there && service_check_rights(renaming->req, was.project_id)) {
		tx_fail(tx, ERR_DENIED, "the network is of another project");
		return;
	}
	if (is_there)
		renaming->network->project_id = was.project_id;
	store_network_put(tx, renaming->network);
	if (is_there && strcmp(was.domain_text, renaming->network->domain_text))
		rename_ports(renaming, tx);
}

enum err service_set_network(void *self, struct request *req)
{
	struct network_row network;
	struct renaming renaming = { .ports = self, .req = req, .network = &network };
	enum err err = codec_network(req, &network, &req->why);

	if (!err)
		err = service_check_rights(req, network.project_id);
	if (err)
		return err;
	renaming.unnamed = json_array();

	struct tx tx = tx_begin(renaming.ports->runtime.db, &req->why);
	set_network(&renaming, &tx);
	err = tx_commit(&tx);
	if (err) {
		json_decref(renaming.unnamed);
		return err;
	}
	publisher_now(renaming.ports->publisher, renaming.change.zones,
	              renaming.change.zone_count);
	req->result = json_pack("{s:o, s:I, s:o}", "network",
		codec_encode_network(&network), "ports", (json_int_t)renaming.count,
		"unnamed", renaming.unnamed);
	return OK;
}

/* ---- the others ---- */

enum err service_get_network(void *self, struct request *req)
{
	struct ports *ports = self;
	struct network_row network;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "network", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_once(ports->runtime.db, &req->why);
	if (store_network_read(&tx, req->arena, id, &network) &&
	    !service_check_rights(req, network.project_id))
		req->result = json_pack("{s:o}", "network",
		                        codec_encode_network(&network));
	else
		tx_fail(&tx, ERR_NOT_FOUND, "no network %.32s", id);
	return tx_commit(&tx);
}

enum err service_delete_network(void *self, struct request *req)
{
	struct ports *ports = self;
	struct network_row network;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "network", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin(ports->runtime.db, &req->why);
	if (!store_network_lock(&tx, req->arena, id, &network) ||
	    service_check_rights(req, network.project_id))
		tx_fail(&tx, ERR_NOT_FOUND, "no network %.32s", id);
	if (!tx.err && store_network_is_used(&tx, id))
		tx_fail(&tx, ERR_CONFLICT, "the network has ports: delete them first");
	store_network_delete(&tx, id);
	return tx_commit(&tx);
}

struct networks {
	json_t *list;
	char last[ID_LEN + 1];
};

static void take_network(void *self, const struct network_row *network)
{
	struct networks *networks = self;

	memcpy(networks->last, network->id, sizeof(networks->last));
	json_array_append_new(networks->list, codec_encode_network(network));
}

enum err service_list_networks(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct networks networks = { .last = "" };
	enum err err = codec_filter(req, &filter);

	if (err)
		return err;
	networks.list = json_array();

	struct tx tx = tx_once(ports->runtime.db, &req->why);
	store_networks(&tx, req->arena, req->context.is_admin ? NULL
	                                                      : req->context.tenant,
	               filter.marker, filter.limit, take_network, &networks);
	req->result = json_pack("{s:o, s:s?}", "networks", networks.list, "marker",
		json_array_size(networks.list) == (size_t)filter.limit ? networks.last
		                                                       : NULL);
	return tx_commit(&tx);
}
