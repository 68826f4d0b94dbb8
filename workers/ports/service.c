#include <string.h>

#include "change.h"
#include "model/json.h"
#include "publish.h"
#include "service_private.h"

/* ---- who may ---- */

enum err service_check_rights(struct request *req, const char *project_id)
{
	if (req->context.is_admin ||
	    (*project_id && !strcmp(req->context.tenant, project_id)))
		return OK;
	return fail(&req->why, ERR_DENIED, "this is of another project");
}

/* ---- from a port to its records ---- */

struct port_network service_network_of(const struct ports *ports,
                                       const struct network_row *network)
{
	return (struct port_network){ network->domain,
	                              (uint8_t)ports->settings.v4_bits,
	                              (uint8_t)ports->settings.v6_bits };
}

enum err service_name_port(const struct ports *ports, const struct network_row *network,
                           struct port_row *port, struct arena *arena, struct why *why)
{
	char text[NAME_MAX_TEXT + 1];
	struct name fqdn;
	enum err err;

	port->dns_fqdn = NULL;
	if (!port->dns_name || !network->domain.len)
		return OK;
	err = port_fqdn(port->dns_name, &network->domain, ports_label_rules(ports), &fqdn,
	                why);
	if (err)
		return err;
	name_format(&fqdn, text);
	port->dns_fqdn = arena_strdup(arena, text);
	return OK;
}

void service_want_port(const struct ports *ports, const struct network_row *network,
                       const struct port_row *port, struct change *change)
{
	struct port_network as = service_network_of(ports, network);
	struct port_names names = { .addresses = port->addresses, .count = port->count };
	struct port_record *records;
	struct why why;
	size_t count;

	if (port->dns_fqdn && name_parse(port->dns_fqdn, "dns_fqdn", &names.fqdn, &why))
		names.fqdn.len = 0;
	count = port_records(&as, &names, change->arena, &records);
	change_want(change, port->id, network->project_id, records, count);
}

/* ---- what each call about a port does in its transaction ---- */

struct deed {
	struct ports *ports;
	struct request *req;
	struct network_row network;
	struct port_row was;		/* the row, if there is one */
	bool is_there;
	struct change change;
};

static void read_port(struct deed *deed, struct tx *tx, const char *id)
{
	deed->is_there = store_port_read(tx, deed->req->arena, id, &deed->was);
}

/* Which has to be the caller's, as its ports are. */
static void read_network(struct deed *deed, struct tx *tx, const char *id)
{
	struct request *req = deed->req;

	if (!store_network_share(tx, req->arena, id, &deed->network))
		tx_fail(tx, ERR_NOT_FOUND, "no network %.32s: set_network makes it", id);
	else if (service_check_rights(req, deed->network.project_id))
		tx_fail(tx, ERR_DENIED, "the network is of another project");
}

static enum err fail_taken(struct why *why, const char *id, const char *fqdn)
{
	return fail(why, ERR_EXISTS, "dns_name: %s%s of the network is called %.255s "
	            "already", *id ? "port " : "another port", id, fqdn);
}

/* Of those that come together all but one meet the table's key. */
static void tell_taken(struct tx *tx, const struct port_row *port)
{
	if (tx->err == ERR_EXISTS && port->dns_fqdn)
		fail_taken(tx->why, "", port->dns_fqdn);
}

static void check_name(struct deed *deed, struct tx *tx, const struct port_row *port)
{
	const char *id = port->dns_fqdn ? store_port_named(tx, deed->req->arena,
	                                                   port->network_id,
	                                                   port->dns_fqdn) : NULL;

	if (id && strcmp(id, port->id) && !tx->err)
		tx->err = fail_taken(tx->why, id, port->dns_fqdn);
}

static void write_records(struct deed *deed, struct tx *tx, const struct port_row *port)
{
	change_begin(&deed->change, deed->req->arena);
	store_records(tx, deed->req->arena, NULL, port->id, change_was, &deed->change);
	if (!port->is_gone)
		service_want_port(deed->ports, &deed->network, port, &deed->change);
	change_write(&deed->change, tx);
	change_end(&deed->change);
}

/* The commit comes before all else; and then it is published at once. */
static enum err end_deed(struct deed *deed, struct tx *tx, const char *id)
{
	struct port_row port;
	enum err err;

	if (id && store_port_read(tx, deed->req->arena, id, &port))
		deed->req->result = json_pack("{s:o}", "port",
			codec_encode_port(&port, &deed->network.domain));
	err = tx_commit(tx);
	if (!err)
		publisher_now(deed->ports->publisher, deed->change.zones,
		              deed->change.zone_count);
	return err;
}

/* ---- the calls ---- */

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool has_address(const struct port_row *port, const struct address *address)
{
	for (size_t i = 0; i < port->count; i++)
		if (address_same_host(&port->addresses[i], address))
			return true;
	return false;
}

/* A message that comes again. */
static bool is_same_port(const struct port_row *a, const struct port_row *b)
{
	if (strcmp(a->network_id, b->network_id) || a->count != b->count ||
	    !is_same_text(a->dns_name, b->dns_name) || !is_same_text(a->mac, b->mac))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!has_address(b, &a->addresses[i]))
			return false;
	return true;
}

static void make_port(struct deed *deed, struct tx *tx, struct port_row *port)
{
	read_network(deed, tx, port->network_id);
	read_port(deed, tx, port->id);
	if (tx->err)
		return;
	if (deed->is_there) {
		if (deed->was.is_gone || !is_same_port(&deed->was, port))
			tx_fail(tx, ERR_EXISTS, "id: there is or was a port %.32s",
			        port->id);
		return;
	}
	if (service_name_port(deed->ports, &deed->network, port, deed->req->arena,
	                      tx->why))
		tx->err = ERR_INVALID;
	check_name(deed, tx, port);
	store_port_insert(tx, port);
	tell_taken(tx, port);
	write_records(deed, tx, port);
}

static enum err create_port(void *self, struct request *req)
{
	struct deed deed = { .ports = self, .req = req };
	struct port_wish wish;
	enum err err = codec_port(req, &wish);

	if (!err)
		err = service_check_rights(req, wish.port.project_id);
	if (err)
		return err;

	struct tx tx = tx_begin(deed.ports->runtime.db, &req->why);
	make_port(&deed, &tx, &wish.port);
	return end_deed(&deed, &tx, wish.port.id);
}

/* The port that the argument "port" names, if it is there and the caller's. */
static void find_port(struct deed *deed, struct tx *tx, const char *id)
{
	struct request *req = deed->req;

	read_port(deed, tx, id);
	if (tx->err)
		return;
	if (!deed->is_there || service_check_rights(req, deed->was.project_id)) {
		tx_fail(tx, ERR_NOT_FOUND, "no port %.32s", id);
		return;
	}
	if (!store_network_share(tx, req->arena, deed->was.network_id, &deed->network))
		deed->network = (struct network_row){ .project_id = "" };
}

static void change_port(struct deed *deed, struct tx *tx, struct port_wish *wish)
{
	if (tx->err)
		return;
	if (deed->was.is_gone) {
		tx_fail(tx, ERR_NOT_FOUND, "no port %.32s", deed->was.id);
		return;
	}
	codec_complete(wish, &deed->was);
	if (service_name_port(deed->ports, &deed->network, &wish->port, deed->req->arena,
	                      tx->why))
		tx->err = ERR_INVALID;
	check_name(deed, tx, &wish->port);
	store_port_update(tx, &wish->port);
	tell_taken(tx, &wish->port);
	write_records(deed, tx, &wish->port);
}

static enum err update_port(void *self, struct request *req)
{
	struct deed deed = { .ports = self, .req = req };
	struct port_wish wish;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (!err)
		err = codec_values(req, &wish);
	if (err)
		return err;

	struct tx tx = tx_begin(deed.ports->runtime.db, &req->why);
	find_port(&deed, &tx, id);
	change_port(&deed, &tx, &wish);
	return end_deed(&deed, &tx, id);
}

/* One that is gone stays so, however often that is said. */
static enum err delete_port(void *self, struct request *req)
{
	struct deed deed = { .ports = self, .req = req };
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin(deed.ports->runtime.db, &req->why);
	find_port(&deed, &tx, id);
	if (!tx.err && !deed.was.is_gone) {
		deed.was.is_gone = true;
		store_port_delete(&tx, id);
		write_records(&deed, &tx, &deed.was);
	}
	return end_deed(&deed, &tx, NULL);
}

static enum err get_port(void *self, struct request *req)
{
	struct deed deed = { .ports = self, .req = req };
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(deed.ports->runtime.db, &req->why);
	read_port(&deed, &tx, id);
	if (!tx.err && (!deed.is_there || deed.was.is_gone ||
	                service_check_rights(req, deed.was.project_id)))
		tx_fail(&tx, ERR_NOT_FOUND, "no port %.32s", id);
	if (!tx.err && !store_network_read(&tx, req->arena, deed.was.network_id,
	                                   &deed.network))
		deed.network = (struct network_row){ .project_id = "" };
	if (!tx.err)
		req->result = json_pack("{s:o}", "port",
			codec_encode_port(&deed.was, &deed.network.domain));
	return tx_commit(&tx);
}

/* ---- lists ---- */

struct listing {
	struct request *req;
	struct port_row *ports;
	size_t count;
};

static void take_port(void *self, const struct port_row *port)
{
	struct listing *listing = self;

	listing->ports[listing->count++] = *port;
}

/* Their networks are few, and read once each. */
static json_t *encode_ports(const struct listing *listing, struct tx *tx)
{
	struct network_row network = { .id = "" };
	json_t *list = json_array();

	for (size_t i = 0; i < listing->count && !tx->err; i++) {
		const struct port_row *port = &listing->ports[i];

		if (strcmp(network.id, port->network_id) &&
		    !store_network_read(tx, listing->req->arena, port->network_id,
		                        &network))
			network = (struct network_row){ .id = "" };
		json_array_append_new(list, codec_encode_port(port, &network.domain));
	}
	return list;
}

static enum err list_ports(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct listing listing = { .req = req };
	enum err err = codec_filter(req, &filter);

	if (err)
		return err;
	if (!req->context.is_admin)
		filter.project_id = req->context.tenant;
	listing.ports = arena_alloc(req->arena, (size_t)filter.limit *
	                                        sizeof(*listing.ports));

	struct tx tx = tx_begin_snapshot(ports->runtime.db, &req->why);
	store_ports(&tx, req->arena, &filter, take_port, &listing);
	json_t *list = encode_ports(&listing, &tx);
	req->result = json_pack("{s:o, s:s?}", "ports", list, "marker",
		listing.count == (size_t)filter.limit
		? listing.ports[listing.count - 1].id : NULL);
	return tx_commit(&tx);
}

const struct rpc_method ports_methods[] = {
	{ "create_port",    create_port,            "port" },
	{ "update_port",    update_port,            "port values" },
	{ "delete_port",    delete_port,            "port" },
	{ "get_port",       get_port,               "port" },
	{ "list_ports",     list_ports,             "network? marker? limit?" },
	{ "set_network",    service_set_network,    "network" },
	{ "get_network",    service_get_network,    "network" },
	{ "list_networks",  service_list_networks,  "marker? limit?" },
	{ "delete_network", service_delete_network, "network" },
	{ "hosts_export",   service_export_hosts,   "network marker? limit?" },
	{ 0 }
};
