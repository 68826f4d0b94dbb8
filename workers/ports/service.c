#include <string.h>

#include "model/json.h"
#include "port_network.h"
#include "port_update.h"
#include "reverse_quota.h"
#include "service_private.h"

/* ---- steps of the calls about a port ---- */

struct port_call {
	struct request *req;
	struct port_update update;
};

static struct port_call port_call_of(struct ports *ports, struct request *req)
{
	return (struct port_call){ req, { .ports = ports, .arena = req->arena } };
}

/* The network must belong to the caller. */
static void port_call_read_network(struct port_call *call, struct tx *tx, const char *id)
{
	struct request *req = call->req;

	if (!store_network_share(tx, req->arena, id, &call->update.network) ||
	    !access_is_owner(req, call->update.network.project_id))
		tx_fail(tx, ERR_NOT_FOUND,
		        "there is no network %.32s: create the network first", id);
}

/* Returns ID if the caller may see the port, otherwise "". */
static const char *port_visible_id(const struct request *req, struct tx *tx,
                                   const char *id)
{
	struct port_row port;

	return store_port_read(tx, req->arena, id, &port) &&
	       access_is_owner(req, port.project_id) ? id : "";
}

static enum err port_fail_taken(struct why *why, const char *id, const char *fqdn)
{
	return fail(why, ERR_EXISTS, "dns_name: %s%s has the name %.255s in this "
	            "network: choose a different name",
	            *id ? "port " : "another port", id, fqdn);
}

/* For two calls at the same time: the unique key of the table refuses the second one. */
static void port_explain_taken(struct tx *tx, const struct port_row *port)
{
	if (tx->err == ERR_EXISTS && port->dns_fqdn)
		port_fail_taken(tx->why, "", port->dns_fqdn);
}

static void port_call_set_name(struct port_call *call, struct tx *tx,
                               struct port_row *port)
{
	struct port_update *update = &call->update;
	const char *holder;

	if (!tx->err)
		tx->err = port_update_set_fqdn(&update->network, port,
		                               ports_label_rules(update->ports),
		                               update->arena, tx->why);
	holder = port_update_taken_by(update, tx, port);
	if (holder && !tx->err)
		tx->err = port_fail_taken(tx->why, port_visible_id(call->req, tx, holder),
		                          port->dns_fqdn);
}

static json_t *port_encode(const struct ports *ports, const struct port_row *port,
                           const struct network_row *network)
{
	const struct port_network as = port_network_of(ports, network, port);

	return codec_encode_port(port, &as);
}

static enum err port_call_end(struct port_call *call, struct tx *tx, const char *id)
{
	struct port_row port;

	if (!tx->err && call->update.exists)
		port_update_mark_lines(&call->update, &call->update.old);
	if (id && store_port_read(tx, call->req->arena, id, &port))
		call->req->result = json_pack("{s:o}", "port",
			port_encode(call->update.ports, &port, &call->update.network));
	return port_update_commit(&call->update, tx);
}

/* ---- the calls ---- */

static bool port_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* True: the call is a repetition. */
static bool port_is_same(const struct port_row *a, const struct port_row *b)
{
	if (strcmp(a->network_id, b->network_id) || a->count != b->count ||
	    strcmp(a->project_id, b->project_id) ||
	    !port_same_text(a->dns_name, b->dns_name) ||
	    !port_same_text(a->mac, b->mac) ||
	    !port_same_text(a->dns_domain, b->dns_domain))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!codec_has_address(b, &a->addresses[i]))
			return false;
	return true;
}

static void port_call_check_reverse(const struct port_call *call, struct tx *tx)
{
	reverse_quota_check(call->update.ports, tx, call->req, &call->update.diff);
}

/* The id exists. The reason tells a caller nothing about a port of another tenant. */
static void port_call_check_same(const struct port_call *call, struct tx *tx,
                                 const struct port_row *port)
{
	const struct port_row *old = &call->update.old;

	if (!access_is_owner(call->req, old->project_id))
		tx_fail(tx, ERR_NOT_FOUND, "there is no port %.32s", port->id);
	else if (old->is_gone || !port_is_same(old, port))
		tx_fail(tx, ERR_EXISTS, "id: port %.32s exists or existed: use a new id",
		        port->id);
}

static void port_call_insert(struct port_call *call, struct tx *tx, struct port_row *port)
{
	struct port_update *update = &call->update;

	port_call_read_network(call, tx, port->network_id);
	port_update_read(update, tx, port->id);
	if (tx->err)
		return;
	if (update->exists) {
		port_call_check_same(call, tx, port);
		return;
	}
	port_call_set_name(call, tx, port);
	if (tx->err)
		return;
	store_port_insert(tx, port);
	rpc_changed(call->req, "port", port->id);
	port_explain_taken(tx, port);
	port_update_write_records(update, tx, port);
	port_call_check_reverse(call, tx);
}

static enum err service_create_port(void *self, struct request *req)
{
	struct port_call call = port_call_of(self, req);
	struct port_values values;
	enum err err = codec_port(req, &values);

	if (!err)
		err = access_check(req, values.port.project_id);
	if (err)
		return err;

	struct tx tx = tx_begin(call.update.ports->runtime.db, &req->why);
	port_call_insert(&call, &tx, &values.port);
	return port_call_end(&call, &tx, values.port.id);
}

/* Finds a port of the caller; it may be deleted. */
static void port_call_find(struct port_call *call, struct tx *tx, const char *id)
{
	struct port_update *update = &call->update;

	port_update_read(update, tx, id);
	if (tx->err)
		return;
	if (!update->exists || access_check(call->req, update->old.project_id))
		tx_fail(tx, ERR_NOT_FOUND, "there is no port %.32s", id);
}

static void port_call_write(struct port_call *call, struct tx *tx,
                            struct port_values *values)
{
	struct port_update *update = &call->update;

	if (tx->err)
		return;
	if (update->old.is_gone) {
		tx_fail(tx, ERR_NOT_FOUND, "there is no port %.32s", update->old.id);
		return;
	}
	port_update_read_network(update, tx);
	codec_merge(values, &update->old);
	port_call_set_name(call, tx, &values->port);
	if (tx->err)
		return;
	store_port_update(tx, &values->port);
	if (!port_is_same(&update->old, &values->port))
		rpc_changed(call->req, "port", update->old.id);
	port_explain_taken(tx, &values->port);
	port_update_write_records(update, tx, &values->port);
	port_call_check_reverse(call, tx);
}

static enum err service_update_port(void *self, struct request *req)
{
	struct port_call call = port_call_of(self, req);
	struct port_values values;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (!err)
		err = codec_values(req, &values);
	if (err)
		return err;

	struct tx tx = tx_begin(call.update.ports->runtime.db, &req->why);
	port_call_find(&call, &tx, id);
	port_call_write(&call, &tx, &values);
	return port_call_end(&call, &tx, id);
}

/* Idempotent: deleting a deleted port is OK. */
static enum err service_delete_port(void *self, struct request *req)
{
	struct port_call call = port_call_of(self, req);
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin(call.update.ports->runtime.db, &req->why);
	port_call_find(&call, &tx, id);
	if (!tx.err && !call.update.old.is_gone) {
		port_update_delete(&call.update, &tx);
		rpc_changed(req, "port", id);
	}
	return port_call_end(&call, &tx, NULL);
}

/* ---- the reason why a port lacks its name ---- */

/* "": the port has its name, or wants no name. */
static const char *port_why_unnamed(const struct ports *ports, const struct request *req,
                                    struct tx *tx, const struct port_row *port,
                                    const struct network_row *network)
{
	struct arena *arena = req->arena;
	enum label_rules rules = port->is_fed ? LABELS_RFC1123 : ports_label_rules(ports);
	struct port_row named = *port;
	const char *holder;
	struct why why;

	if (port->dns_fqdn)
		return "";
	if (port_update_set_fqdn(network, &named, rules, arena, &why))
		return arena_strdup(arena, why.text);
	if (!named.dns_fqdn)
		return "";
	holder = store_port_find_fqdn(tx, arena, port->network_id, named.dns_fqdn);
	if (!holder)
		return "dns_name: the name is free now: set dns_name again";
	port_fail_taken(&why, port_visible_id(req, tx, holder), named.dns_fqdn);
	return arena_strdup(arena, why.text);
}

/* Such a port can be ACTIVE with its generated names, so the reason must be shown. */
static void port_explain_name(const struct ports *ports, const struct request *req,
                              struct tx *tx, struct port_row *port,
                              const struct network_row *network)
{
	const char *words = port_why_unnamed(ports, req, tx, port, network);

	if (*words && port->reason)
		port->reason = arena_printf(req->arena, "%s; %s", port->reason, words);
	else if (*words)
		port->reason = words;
}

static enum err service_get_port(void *self, struct request *req)
{
	struct ports *ports = self;
	struct network_row network = { .project_id = "" };
	struct port_row port;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(ports->runtime.db, &req->why);
	if (!store_port_read(&tx, req->arena, id, &port) || port.is_gone ||
	    access_check(req, port.project_id))
		tx_fail(&tx, ERR_NOT_FOUND, "there is no port %.32s", id);
	if (!tx.err && !store_network_read(&tx, req->arena, port.network_id, &network))
		network = (struct network_row){ .project_id = "" };
	if (!tx.err) {
		port_explain_name(ports, req, &tx, &port, &network);
		req->result = json_pack("{s:o}", "port",
		                        port_encode(ports, &port, &network));
	}
	return tx_commit(&tx);
}

/* ---- lists ---- */

struct port_list {
	struct request *req;
	struct port_row *ports;
	size_t count;
};

static void port_list_add(void *self, const struct port_row *port)
{
	struct port_list *list = self;

	list->ports[list->count++] = *port;
}

/*
 * Ports of one network usually follow each other, so the network is read only once for
 * them.
 */
static json_t *port_list_encode(const struct ports *ports,
                                const struct port_list *list, struct tx *tx)
{
	struct network_row network = { .id = "" };
	json_t *encoded = json_array();

	for (size_t i = 0; i < list->count && !tx->err; i++) {
		struct port_row *port = &list->ports[i];

		if (strcmp(network.id, port->network_id) &&
		    !store_network_read(tx, list->req->arena, port->network_id,
		                        &network))
			network = (struct network_row){ .id = "" };
		port_explain_name(ports, list->req, tx, port, &network);
		json_array_append_new(encoded, port_encode(ports, port, &network));
	}
	return encoded;
}

static enum err service_list_ports(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct port_list list = { .req = req };
	enum err err = access_filter(req, &filter.project_id);

	if (!err)
		err = codec_port_filter(req, &filter);
	if (err)
		return err;
	list.ports = arena_alloc(req->arena, (size_t)filter.limit * sizeof(*list.ports));

	struct tx tx = tx_begin_snapshot(ports->runtime.db, &req->why);
	store_ports(&tx, req->arena, &filter, port_list_add, &list);
	/*
	 * a network without ports must exist; a network of Neutron may have ports before
	 * its own data came
	 */
	if (filter.network_id && !list.count && !*filter.marker)
		service_check_network(req, &tx, filter.network_id);
	json_t *encoded = port_list_encode(ports, &list, &tx);
	req->result = json_pack("{s:o, s:s?}", "ports", encoded, "marker",
		list.count == (size_t)filter.limit
		? list.ports[list.count - 1].id : NULL);
	return tx_commit(&tx);
}

const struct rpc_method ports_methods[] = {
	{ "create_port",    service_create_port,    "port" },
	{ "update_port",    service_update_port,    "port values", .subject = "port" },
	{ "delete_port",    service_delete_port,    "port", .subject = "port" },
	{ "get_port",       service_get_port,       "port" },
	{ "list_ports",     service_list_ports,     "network? dns_fqdn? marker? limit?" },
	{ "get_published",  service_get_published,  "port? network?" },
	{ "set_network",    service_set_network,    "network", .subject = "network" },
	{ "get_network",    service_get_network,    "network" },
	{ "list_networks",  service_list_networks,  "marker? limit?" },
	{ "delete_network", service_delete_network, "network", .subject = "network" },
	{ "set_subnet",     service_set_subnet,     "subnet", .subject = "subnet" },
	{ "get_subnet",     service_get_subnet,     "subnet" },
	{ "list_subnets",   service_list_subnets,   "network? marker? limit?" },
	{ "delete_subnet",  service_delete_subnet,  "subnet", .subject = "subnet" },
	{ "hosts_export",   service_export_hosts,   "network ports? marker? limit?",
	  .agents = true },
	{ "hosts_versions", service_hosts_versions, "networks", .agents = true },
	{ "compare",        service_compare,        "now?" },
	{ 0 }
};
