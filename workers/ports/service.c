#include <string.h>

#include "model/json.h"
#include "port_network.h"
#include "port_update.h"
#include "reverse_quota.h"
#include "service_private.h"

/* ---- what each call about a port does in its transaction ---- */

struct deed {
	struct request *req;
	struct writing writing;
};

static struct deed deed_of(struct ports *ports, struct request *req)
{
	return (struct deed){ req, { .ports = ports, .arena = req->arena } };
}

/* Which has to be the caller's, as its ports are. */
static void read_network(struct deed *deed, struct tx *tx, const char *id)
{
	struct request *req = deed->req;

	if (!store_network_share(tx, req->arena, id, &deed->writing.network) ||
	    !access_is_owner(req, deed->writing.network.project_id))
		tx_fail(tx, ERR_NOT_FOUND, "no network %.32s: set_network makes it", id);
}

/* The port of that id, if the caller may see it; else "". */
static const char *seen(const struct request *req, struct tx *tx, const char *id)
{
	struct port_row port;

	return store_port_read(tx, req->arena, id, &port) &&
	       access_is_owner(req, port.project_id) ? id : "";
}

static enum err fail_taken(struct why *why, const char *id, const char *fqdn)
{
	return fail(why, ERR_EXISTS, "dns_name: %s%s of the network is called %.255s "
	            "already", *id ? "port " : "another port", id, fqdn);
}

/* Nobody had it, but of those that come together all but one meet the table's key. */
static void tell_taken(struct tx *tx, const struct port_row *port)
{
	if (tx->err == ERR_EXISTS && port->dns_fqdn)
		fail_taken(tx->why, "", port->dns_fqdn);
}

/* Nobody else of the network has the name. */
static void check_name(struct deed *deed, struct tx *tx, const struct port_row *port)
{
	const char *id = writing_rival(&deed->writing, tx, port);

	if (id && !tx->err)
		tx->err = fail_taken(tx->why, seen(deed->req, tx, id), port->dns_fqdn);
}

static void name_port(struct deed *deed, struct tx *tx, struct port_row *port)
{
	const struct writing *writing = &deed->writing;

	if (!tx->err)
		tx->err = writing_name(&writing->network, port,
		                       ports_label_rules(writing->ports), writing->arena,
		                       tx->why);
	check_name(deed, tx, port);
}

static json_t *encode_port(const struct ports *ports, const struct port_row *port,
                           const struct network_row *network)
{
	const struct port_network as = port_network_of(ports, network, port);

	return codec_encode_port(port, &as);
}

static enum err end_deed(struct deed *deed, struct tx *tx, const char *id)
{
	struct port_row port;

	if (!tx->err && deed->writing.is_there)
		writing_note(&deed->writing, &deed->writing.was);
	if (id && store_port_read(tx, deed->req->arena, id, &port))
		deed->req->result = json_pack("{s:o}", "port",
			encode_port(deed->writing.ports, &port, &deed->writing.network));
	return writing_commit(&deed->writing, tx);
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
	    strcmp(a->project_id, b->project_id) ||
	    !is_same_text(a->dns_name, b->dns_name) || !is_same_text(a->mac, b->mac) ||
	    !is_same_text(a->dns_domain, b->dns_domain))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!has_address(b, &a->addresses[i]))
			return false;
	return true;
}

static void check_reverse(const struct deed *deed, struct tx *tx)
{
	reverse_quota_check(deed->writing.ports, tx, deed->req, &deed->writing.change);
}

/* The id is taken. A caller does not hear of another project's port. */
static void check_same(const struct deed *deed, struct tx *tx, const struct port_row *port)
{
	const struct port_row *was = &deed->writing.was;

	if (!access_is_owner(deed->req, was->project_id))
		tx_fail(tx, ERR_NOT_FOUND, "no port %.32s", port->id);
	else if (was->is_gone || !is_same_port(was, port))
		tx_fail(tx, ERR_EXISTS, "id: there is or was a port %.32s", port->id);
}

static void make_port(struct deed *deed, struct tx *tx, struct port_row *port)
{
	struct writing *writing = &deed->writing;

	read_network(deed, tx, port->network_id);
	writing_read(writing, tx, port->id);
	if (tx->err)
		return;
	if (writing->is_there) {
		check_same(deed, tx, port);
		return;
	}
	name_port(deed, tx, port);
	if (tx->err)
		return;
	store_port_insert(tx, port);
	tell_taken(tx, port);
	writing_records(writing, tx, port);
	check_reverse(deed, tx);
}

static enum err create_port(void *self, struct request *req)
{
	struct deed deed = deed_of(self, req);
	struct port_wish wish;
	enum err err = codec_port(req, &wish);

	if (!err)
		err = access_check(req, wish.port.project_id);
	if (err)
		return err;

	struct tx tx = tx_begin(deed.writing.ports->runtime.db, &req->why);
	make_port(&deed, &tx, &wish.port);
	return end_deed(&deed, &tx, wish.port.id);
}

/* The port that the argument "port" names, if it is there and the caller's. */
static void find_port(struct deed *deed, struct tx *tx, const char *id)
{
	struct writing *writing = &deed->writing;

	writing_read(writing, tx, id);
	if (tx->err)
		return;
	if (!writing->is_there || access_check(deed->req, writing->was.project_id))
		tx_fail(tx, ERR_NOT_FOUND, "no port %.32s", id);
}

static void change_port(struct deed *deed, struct tx *tx, struct port_wish *wish)
{
	struct writing *writing = &deed->writing;

	if (tx->err)
		return;
	if (writing->was.is_gone) {
		tx_fail(tx, ERR_NOT_FOUND, "no port %.32s", writing->was.id);
		return;
	}
	writing_read_network(writing, tx);
	codec_complete(wish, &writing->was);
	name_port(deed, tx, &wish->port);
	if (tx->err)
		return;
	store_port_update(tx, &wish->port);
	tell_taken(tx, &wish->port);
	writing_records(writing, tx, &wish->port);
	check_reverse(deed, tx);
}

static enum err update_port(void *self, struct request *req)
{
	struct deed deed = deed_of(self, req);
	struct port_wish wish;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (!err)
		err = codec_values(req, &wish);
	if (err)
		return err;

	struct tx tx = tx_begin(deed.writing.ports->runtime.db, &req->why);
	find_port(&deed, &tx, id);
	change_port(&deed, &tx, &wish);
	return end_deed(&deed, &tx, id);
}

/* One that is gone stays so, however often that is said. */
static enum err delete_port(void *self, struct request *req)
{
	struct deed deed = deed_of(self, req);
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "port", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin(deed.writing.ports->runtime.db, &req->why);
	find_port(&deed, &tx, id);
	if (!tx.err && !deed.writing.was.is_gone)
		writing_end(&deed.writing, &tx);
	return end_deed(&deed, &tx, NULL);
}

/* ---- a name that it should have, and has not ---- */

/* "": it is called so, or is to be called nothing. */
static const char *why_unnamed(const struct ports *ports, const struct request *req,
                               struct tx *tx, const struct port_row *port,
                               const struct network_row *network)
{
	struct arena *arena = req->arena;
	enum label_rules rules = port->is_fed ? LABELS_RFC1123 : ports_label_rules(ports);
	struct port_row named = *port;
	const char *rival;
	struct why why;

	if (port->dns_fqdn)
		return "";
	if (writing_name(network, &named, rules, arena, &why))
		return arena_strdup(arena, why.text);
	if (!named.dns_fqdn)
		return "";
	rival = store_port_named(tx, arena, port->network_id, named.dns_fqdn);
	if (!rival)
		return "dns_name: was another port's, and is free by now: set it again";
	fail_taken(&why, seen(req, tx, rival), named.dns_fqdn);
	return arena_strdup(arena, why.text);
}

/* It has generated names only, and they are published: else nobody would see it. */
static void explain_name(const struct ports *ports, const struct request *req,
                         struct tx *tx, struct port_row *port,
                         const struct network_row *network)
{
	const char *words = why_unnamed(ports, req, tx, port, network);

	if (*words && port->reason)
		port->reason = arena_printf(req->arena, "%s; %s", port->reason, words);
	else if (*words)
		port->reason = words;
}

static enum err get_port(void *self, struct request *req)
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
		tx_fail(&tx, ERR_NOT_FOUND, "no port %.32s", id);
	if (!tx.err && !store_network_read(&tx, req->arena, port.network_id, &network))
		network = (struct network_row){ .project_id = "" };
	if (!tx.err) {
		explain_name(ports, req, &tx, &port, &network);
		req->result = json_pack("{s:o}", "port",
		                        encode_port(ports, &port, &network));
	}
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
static json_t *encode_ports(const struct ports *ports, const struct listing *listing,
                            struct tx *tx)
{
	struct network_row network = { .id = "" };
	json_t *list = json_array();

	for (size_t i = 0; i < listing->count && !tx->err; i++) {
		struct port_row *port = &listing->ports[i];

		if (strcmp(network.id, port->network_id) &&
		    !store_network_read(tx, listing->req->arena, port->network_id,
		                        &network))
			network = (struct network_row){ .id = "" };
		explain_name(ports, listing->req, tx, port, &network);
		json_array_append_new(list, encode_port(ports, port, &network));
	}
	return list;
}

static enum err list_ports(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct listing listing = { .req = req };
	enum err err = access_filter(req, &filter.project_id);

	if (!err)
		err = codec_port_filter(req, &filter);
	if (err)
		return err;
	listing.ports = arena_alloc(req->arena, (size_t)filter.limit *
	                                        sizeof(*listing.ports));

	struct tx tx = tx_begin_snapshot(ports->runtime.db, &req->why);
	store_ports(&tx, req->arena, &filter, take_port, &listing);
	/* one that nobody described may have ports all the same; this one has none */
	if (filter.network_id && !listing.count && !*filter.marker)
		service_check_network(req, &tx, filter.network_id);
	json_t *list = encode_ports(ports, &listing, &tx);
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
	{ "list_ports",     list_ports,             "network? dns_fqdn? marker? limit?" },
	{ "get_published",  service_get_published,  "port? network?" },
	{ "set_network",    service_set_network,    "network" },
	{ "get_network",    service_get_network,    "network" },
	{ "list_networks",  service_list_networks,  "marker? limit?" },
	{ "delete_network", service_delete_network, "network" },
	{ "set_subnet",     service_set_subnet,     "subnet" },
	{ "get_subnet",     service_get_subnet,     "subnet" },
	{ "list_subnets",   service_list_subnets,   "network? marker? limit?" },
	{ "delete_subnet",  service_delete_subnet,  "subnet" },
	{ "hosts_export",   service_export_hosts,   "network ports? marker? limit?",
	  .agents = true },
	{ "hosts_versions", service_hosts_versions, "networks", .agents = true },
	{ "compare",        service_compare,        "now?" },
	{ 0 }
};
