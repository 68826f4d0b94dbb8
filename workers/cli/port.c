#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "handlers.h"
#include "pages.h"
#include "published.h"

#define PORTS "ports"

static enum err port_ask(struct cli *cli, const char *method, json_t *args,
                         json_t **answer)
{
	return client_call(cli->client, PORTS, method, args, answer, &cli->why);
}

/* ---- networks ---- */

static const struct field network_fields[] = {
	{ "id",         "id" },
	{ "project_id", "project" },
	{ "dns_domain", "domain" },
	{ 0 }
};

static const struct column network_columns[] = {
	{ "ID",      COLUMN_LEFT },
	{ "DOMAIN",  COLUMN_LEFT },
	{ "PROJECT", COLUMN_LEFT },
	{ 0 }
};

static void network_row(struct table *table, const json_t *network)
{
	const char *domain = answer_text(network, "dns_domain");

	table_text(table, answer_text(network, "id"));
	table_text(table, *domain ? domain : "-");
	table_text(table, answer_text(network, "project_id"));
}

static void network_print_unnamed(const json_t *answer)
{
	const json_t *unnamed = json_object_get(answer, "unnamed");

	for (size_t i = 0; i < json_array_size(unnamed); i++)
		printf("port %s has only generated names: its dns_name is not valid in "
		       "this domain, or another port has the same name\n",
		       json_string_value(json_array_get(unnamed, i)));
}

static void network_print(const struct cli *cli, const json_t *answer)
{
	const json_t *network = json_object_get(answer, "network");
	const char *domain = answer_text(network, "dns_domain");

	if (cli->out.json || cli->out.quiet)
		return;
	printf("network %s: %s%s, renamed ports: %" PRId64 "\n",
	       answer_text(network, "id"), *domain ? "domain " : "no domain", domain,
	       answer_number(answer, "ports"));
	network_print_unnamed(answer);
}

/*
 * Reads where the ports of the network are published now. A new network has no published
 * ports.
 */
static enum err network_read_published(struct cli *cli, struct published *published)
{
	enum err err = cli_has(cli, OPT_WAIT) ? published_read(cli, published) : OK;

	return err == ERR_NOT_FOUND ? OK : err;
}

/*
 * Reads the domain of the network before the change. *NETWORK: the answer; NULL: a new
 * network.
 */
static enum err network_read(struct cli *cli, json_t **network)
{
	enum err err;

	*network = NULL;
	if (!cli_has(cli, OPT_WAIT))
		return OK;
	err = port_ask(cli, "get_network", json_pack("{s:s}", "network", cli->argv[0]),
	               network);
	return err == ERR_NOT_FOUND ? OK : err;
}

/* --wait waits for the old and the new domain, because only these have other records. */
enum err network_set(struct cli *cli)
{
	struct published published = { .key = "network", .id = cli->argv[0] };
	json_t *network = json_pack("{s:s}", "id", cli->argv[0]), *answer, *old = NULL;
	enum err err = cli_put_name(cli, 1, network, "dns_domain");

	published.to = answer_text(network, "dns_domain");
	if (!err)
		err = network_read(cli, &old);
	published.from = answer_text(json_object_get(old, "network"), "dns_domain");
	if (!err)
		err = network_read_published(cli, &published);
	if (!err)
		err = port_ask(cli, "set_network", json_pack("{s:O}", "network", network),
		               &answer);
	if (!err) {
		cli_answer(cli, answer);
		network_print(cli, answer);
		err = published_wait(cli, &published, "ACTIVE", answer);
	}
	published_clear(&published);
	json_decref(network);
	json_decref(old);
	return err;
}

/* Replaces ANSWER by its member KEY. */
static json_t *port_unwrap(json_t *answer, const char *key)
{
	json_t *inner = json_incref(json_object_get(answer, key));

	json_decref(answer);
	return inner;
}

static enum err port_show_member(struct cli *cli, const char *method, const char *key,
                                 const struct field *fields)
{
	json_t *answer;
	enum err err = port_ask(cli, method, json_pack("{s:s}", key, cli->argv[0]),
	                        &answer);

	if (err)
		return err;
	answer = port_unwrap(answer, key);
	if (!cli->out.json)
		output_fields(&cli->out, answer, fields);
	cli_answer(cli, answer);
	return OK;
}

enum err network_show(struct cli *cli)
{
	return port_show_member(cli, "get_network", "network", network_fields);
}

enum err network_list(struct cli *cli)
{
	const struct listing listing = {
		"list_networks", "networks", network_columns, network_row, PORTS,
		.noun = "network",
	};

	return pages_list(cli, &listing, json_object());
}

static enum err port_delete_member(struct cli *cli, const char *method, const char *key)
{
	json_t *answer;
	enum err err = port_ask(cli, method, json_pack("{s:s}", key, cli->argv[0]),
	                        &answer);

	if (err)
		return err;
	json_decref(answer);
	if (!cli->out.json && !cli->out.quiet)
		printf("deleted %s %s\n", key, cli->argv[0]);
	cli_answer(cli, json_pack("{s:s}", "id", cli->argv[0]));
	return OK;
}

enum err network_delete(struct cli *cli)
{
	return port_delete_member(cli, "delete_network", "network");
}

/* ---- subnets ---- */

static const struct field subnet_fields[] = {
	{ "id",                   "id" },
	{ "network_id",           "network" },
	{ "project_id",           "project" },
	{ "cidr",                 "cidr" },
	{ "dns_domain",           "domain" },
	{ "dns_publish_fixed_ip", "flag" },
	{ "published",            "published" },
	{ 0 }
};

static const struct column subnet_columns[] = {
	{ "ID",        COLUMN_LEFT },
	{ "CIDR",      COLUMN_LEFT },
	{ "PUBLISHED", COLUMN_LEFT },
	{ "NETWORK",   COLUMN_LEFT },
	{ 0 }
};

static bool subnet_is_published(const json_t *subnet)
{
	return json_is_true(json_object_get(subnet, "published"));
}

static void subnet_row(struct table *table, const json_t *subnet)
{
	table_text(table, answer_text(subnet, "id"));
	table_text(table, answer_text(subnet, "cidr"));
	table_text(table, subnet_is_published(subnet) ? "yes" : "no");
	table_text(table, answer_text(subnet, "network_id"));
}

static enum err subnet_put(struct cli *cli, json_t **subnet)
{
	json_t *answer;
	enum err err = port_ask(cli, "set_subnet", json_pack("{s:{s:s, s:s, s:b}}",
	                        "subnet", "network_id", cli->argv[0], "cidr",
	                        cli->argv[1], "dns_publish_fixed_ip",
	                        !cli_has(cli, OPT_NO_PUBLISH)), &answer);

	if (err)
		return err;
	*subnet = port_unwrap(answer, "subnet");
	if (!cli->out.json && !cli->out.quiet)
		printf("subnet %s: addresses of %s have %s\n", answer_text(*subnet, "id"),
		       answer_text(*subnet, "cidr"),
		       subnet_is_published(*subnet) ? "records" : "no records");
	return OK;
}

/* --wait waits for the network, because its ports have the records. */
enum err subnet_set(struct cli *cli)
{
	struct published published = { .key = "network", .id = cli->argv[0] };
	json_t *subnet;
	enum err err = network_read_published(cli, &published);

	if (!err)
		err = subnet_put(cli, &subnet);
	if (!err) {
		cli_answer(cli, subnet);
		err = published_wait(cli, &published, "ACTIVE", subnet);
	}
	published_clear(&published);
	return err;
}

enum err subnet_show(struct cli *cli)
{
	return port_show_member(cli, "get_subnet", "subnet", subnet_fields);
}

enum err subnet_list(struct cli *cli)
{
	const struct listing listing = {
		"list_subnets", "subnets", subnet_columns, subnet_row, PORTS,
		.noun = "subnet",
	};

	return pages_list(cli, &listing, cli->argc ? json_pack("{s:s}", "network",
	                                                       cli->argv[0])
	                                           : json_object());
}

enum err subnet_delete(struct cli *cli)
{
	return port_delete_member(cli, "delete_subnet", "subnet");
}

/* ---- ports ---- */

static const struct field port_fields[] = {
	{ "id",          "id" },
	{ "network_id",  "network" },
	{ "project_id",  "project" },
	{ "dns_name",    "name" },
	{ "dns_fqdn",    "full name" },
	{ "dns_domain",  "domain" },
	{ "mac_address", "MAC address" },
	{ "status",      "status" },
	{ "reason",      "reason" },
	{ "addresses",   "addresses" },
	{ 0 }
};

static const struct column port_columns[] = {
	{ "ID",        COLUMN_LEFT },
	{ "NAME",      COLUMN_LEFT },
	{ "STATUS",    COLUMN_STATUS },
	{ "ADDRESSES", COLUMN_LEFT },
	{ "REASON",    COLUMN_LEFT },
	{ 0 }
};

/* The name of an address, or "-". */
static const char *port_address_name(const json_t *port, const char *address)
{
	const json_t *named = json_object_get(port, "dns_assignment");

	for (size_t i = 0; i < json_array_size(named); i++) {
		const json_t *with = json_array_get(named, i);

		if (!strcmp(answer_text(with, "ip_address"), address))
			return answer_text(with, "fqdn");
	}
	return "-";
}

/* "10.1.1.1 host-10-1-1-1.example.org.", or "10.1.1.1 -" if it is not published. */
static json_t *port_addresses(const json_t *port)
{
	const json_t *bare = json_object_get(port, "fixed_ips");
	json_t *list = json_array();

	for (size_t i = 0; i < json_array_size(bare); i++) {
		const char *address = answer_text(json_array_get(bare, i), "ip_address");

		json_array_append_new(list, json_sprintf("%s %s", address,
		                      port_address_name(port, address)));
	}
	return list;
}

static void port_row(struct table *table, const json_t *port)
{
	const json_t *addresses = json_object_get(port, "fixed_ips");
	const char *name = answer_text(port, "dns_name");
	const char *reason = answer_text(port, "reason");
	struct buf text = { 0 };

	for (size_t i = 0; i < json_array_size(addresses); i++)
		buf_printf(&text, "%s%s", i ? " " : "",
		           answer_text(json_array_get(addresses, i), "ip_address"));
	table_text(table, answer_text(port, "id"));
	table_text(table, *name ? name : "-");
	table_text(table, answer_text(port, "status"));
	table_text(table, text.len ? buf_string(&text) : "-");
	table_text(table, *reason ? reason : "-");
	buf_clear(&text);
}

enum err port_list(struct cli *cli)
{
	const struct listing listing = {
		"list_ports", "ports", port_columns, port_row, PORTS,
		.noun = "port",
	};

	return pages_list(cli, &listing, cli->argc ? json_pack("{s:s}", "network",
	                                                       cli->argv[0])
	                                           : json_object());
}

/* ---- finding a port ---- */

static enum err port_fail_many(struct cli *cli, const json_t *ports)
{
	struct buf ids = { 0 };
	enum err err;

	for (size_t i = 0; i < json_array_size(ports); i++)
		buf_printf(&ids, "%s%s", i ? ", " : "",
		           answer_text(json_array_get(ports, i), "id"));
	err = fail(&cli->why, ERR_CONFLICT, "several ports have the name '%.255s': "
	           "use one of the ids %s", cli->argv[0], buf_string(&ids));
	buf_clear(&ids);
	return err;
}

/* Finds the id of the port with this full name. A network has at most one such port. */
static enum err port_find_by_name(struct cli *cli, const char *name, char id[ID_LEN + 1])
{
	enum { SHOWN_MAX = 5 };
	json_t *answer;
	enum err err = port_ask(cli, "list_ports", json_pack("{s:s, s:i}", "dns_fqdn",
	                        name, "limit", SHOWN_MAX), &answer);

	if (err)
		return err;
	const json_t *ports = json_object_get(answer, "ports");
	if (!json_array_size(ports))
		err = fail(&cli->why, ERR_NOT_FOUND, "there is no port '%.255s'",
		           cli->argv[0]);
	else if (json_array_size(ports) > 1)
		err = port_fail_many(cli, ports);
	else
		snprintf(id, ID_LEN + 1, "%s",
		         answer_text(json_array_get(ports, 0), "id"));
	json_decref(answer);
	return err;
}

/* The first argument is an id or a full name. Its final dot may be missing. */
static enum err port_find(struct cli *cli, char id[ID_LEN + 1])
{
	char name[NAME_MAX_TEXT + 1];
	enum err err;

	if (id_parse(cli->argv[0], id))
		return OK;
	err = cli_domain(cli, 0, name);
	return err ? err : port_find_by_name(cli, name, id);
}

/* ---- one port ---- */

static enum err port_get(struct cli *cli, const char *id, json_t **port)
{
	json_t *answer;
	enum err err = port_ask(cli, "get_port", json_pack("{s:s}", "port", id), &answer);

	if (!err)
		*port = port_unwrap(answer, "port");
	return err;
}

enum err port_show(struct cli *cli)
{
	char id[ID_LEN + 1];
	json_t *port;
	enum err err = port_find(cli, id);

	if (!err)
		err = port_get(cli, id, &port);
	if (err)
		return err;
	if (!cli->out.json) {
		json_t *shown = json_copy(port);

		json_object_set_new(shown, "addresses", port_addresses(port));
		output_fields(&cli->out, shown, port_fields);
		json_decref(shown);
	}
	cli_answer(cli, port);
	return OK;
}

static json_t *port_fixed_ips(char *const *addresses, int count)
{
	json_t *list = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s}", "ip_address",
		                                      addresses[i]));
	return list;
}

static void port_print(const struct cli *cli, const json_t *port, const char *done)
{
	json_t *addresses;

	if (cli->out.json || cli->out.quiet)
		return;
	addresses = port_addresses(port);
	printf("%s port %s\n", done, answer_text(port, "id"));
	for (size_t i = 0; i < json_array_size(addresses); i++)
		printf("  %s\n", json_string_value(json_array_get(addresses, i)));
	json_decref(addresses);
}

/*
 * Creates or changes a port with METHOD and prints its names; --json prints the whole
 * port. --wait also waits for the domains of PUBLISHED, where the port was published
 * before.
 */
static enum err port_change(struct cli *cli, const char *method, json_t *args,
                            const char *done, struct published *published)
{
	json_t *port;
	enum err err = port_ask(cli, method, args, &port);

	if (err)
		return err;
	port = port_unwrap(port, "port");
	cli_answer(cli, port);
	port_print(cli, port, done);
	published->id = answer_text(port, "id");
	return published_wait(cli, published, "ACTIVE", port);
}

static void port_put_values(const struct cli *cli, json_t *port)
{
	cli_put_text(cli, OPT_DNS_NAME, port, "dns_name");
	cli_put_text(cli, OPT_DNS_DOMAIN, port, "dns_domain");
	cli_put_text(cli, OPT_MAC, port, "mac_address");
	if (cli->argc > 1)
		json_object_set_new(port, "fixed_ips", port_fixed_ips(cli->argv + 1,
		                                                      cli->argc - 1));
}

enum err port_create(struct cli *cli)
{
	struct published published = { .key = "port" };
	json_t *port = json_pack("{s:s}", "network_id", cli->argv[0]);
	enum err err;

	port_put_values(cli, port);
	err = port_change(cli, "create_port", json_pack("{s:o}", "port", port), "created",
	                  &published);
	published_clear(&published);
	return err;
}

enum err port_set(struct cli *cli)
{
	char id[ID_LEN + 1];
	struct published published = { .key = "port", .id = id };
	json_t *values = json_object();
	enum err err = OK;

	port_put_values(cli, values);
	if (!json_object_size(values))
		err = cli_usage(cli, "port set needs at least one of ADDRESS, "
		                "--dns-name, --dns-domain and --mac");
	if (!err)
		err = port_find(cli, id);
	if (!err)
		err = network_read_published(cli, &published);
	if (!err)
		err = port_change(cli, "update_port", json_pack("{s:s, s:O}", "port", id,
		             "values", values), "changed", &published);
	json_decref(values);
	published_clear(&published);
	return err;
}

/* Ends a command on one port: prints it with the name from the command line. */
static enum err port_end(struct cli *cli, const char *id)
{
	json_t *answer;
	enum err err = port_ask(cli, "delete_port", json_pack("{s:s}", "port", id),
	                        &answer);

	if (err)
		return err;
	json_decref(answer);
	cli_answer(cli, json_pack("{s:s}", "id", id));
	if (!cli->out.json && !cli->out.quiet)
		printf("deleted port %s\n", cli->argv[0]);
	return OK;
}

enum err port_delete(struct cli *cli)
{
	char id[ID_LEN + 1];
	struct published published = { .key = "port", .id = id };
	enum err err = port_find(cli, id);

	if (!err)
		err = network_read_published(cli, &published);
	if (!err)
		err = port_end(cli, id);
	if (!err)
		err = published_wait(cli, &published, "DELETED", cli->document);
	published_clear(&published);
	return err;
}
