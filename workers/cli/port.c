#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "pages.h"

#define PORTS "ports"

static enum err ask(struct cli *cli, const char *method, json_t *args, json_t **answer)
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

static void tell_unnamed(const json_t *answer)
{
	const json_t *unnamed = json_object_get(answer, "unnamed");

	for (size_t i = 0; i < json_array_size(unnamed); i++)
		printf("port %s keeps generated names only: its dns_name cannot be, or "
		       "is another port's\n",
		       json_string_value(json_array_get(unnamed, i)));
}

enum err network_set(struct cli *cli)
{
	json_t *answer;
	enum err err = ask(cli, "set_network", json_pack("{s:{s:s, s:s}}", "network",
	                   "id", cli->argv[0], "dns_domain", cli->argv[1]), &answer);

	if (err)
		return err;
	const json_t *network = json_object_get(answer, "network");
	if (!cli->out.json && !cli->out.quiet) {
		printf("network %s: ports are named in %s; renamed %" PRId64 "\n",
		       answer_text(network, "id"),
		       *answer_text(network, "dns_domain")
		       ? answer_text(network, "dns_domain") : "no domain",
		       answer_number(answer, "ports"));
		tell_unnamed(answer);
	}
	cli_answer(cli, answer);
	return OK;
}

/* What ANSWER has under KEY becomes the answer. */
static json_t *unwrapped(json_t *answer, const char *key)
{
	json_t *inner = json_incref(json_object_get(answer, key));

	json_decref(answer);
	return inner;
}

static enum err show(struct cli *cli, const char *method, const char *key,
                     const struct field *fields)
{
	json_t *answer;
	enum err err = ask(cli, method, json_pack("{s:s}", key, cli->argv[0]), &answer);

	if (err)
		return err;
	answer = unwrapped(answer, key);
	if (!cli->out.json)
		output_fields(&cli->out, answer, fields);
	cli_answer(cli, answer);
	return OK;
}

enum err network_show(struct cli *cli)
{
	return show(cli, "get_network", "network", network_fields);
}

enum err network_list(struct cli *cli)
{
	const struct listing listing = {
		"list_networks", "networks", network_columns, network_row, PORTS,
	};

	return pages_list(cli, &listing, json_object());
}

static enum err delete_it(struct cli *cli, const char *method, const char *key)
{
	json_t *answer;
	enum err err = ask(cli, method, json_pack("{s:s}", key, cli->argv[0]), &answer);

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
	return delete_it(cli, "delete_network", "network");
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

static bool is_published(const json_t *subnet)
{
	return json_is_true(json_object_get(subnet, "published"));
}

static void subnet_row(struct table *table, const json_t *subnet)
{
	table_text(table, answer_text(subnet, "id"));
	table_text(table, answer_text(subnet, "cidr"));
	table_text(table, is_published(subnet) ? "yes" : "no");
	table_text(table, answer_text(subnet, "network_id"));
}

enum err subnet_set(struct cli *cli)
{
	json_t *answer;
	enum err err = ask(cli, "set_subnet", json_pack("{s:{s:s, s:s, s:b}}", "subnet",
	                   "network_id", cli->argv[0], "cidr", cli->argv[1],
	                   "dns_publish_fixed_ip", !cli_has(cli, OPT_NO_PUBLISH)),
	                   &answer);

	if (err)
		return err;
	answer = unwrapped(answer, "subnet");
	if (!cli->out.json && !cli->out.quiet)
		printf("subnet %s: addresses of %s have %s\n", answer_text(answer, "id"),
		       answer_text(answer, "cidr"),
		       is_published(answer) ? "records" : "no records");
	cli_answer(cli, answer);
	return OK;
}

enum err subnet_show(struct cli *cli)
{
	return show(cli, "get_subnet", "subnet", subnet_fields);
}

enum err subnet_list(struct cli *cli)
{
	const struct listing listing = {
		"list_subnets", "subnets", subnet_columns, subnet_row, PORTS,
	};

	return pages_list(cli, &listing, cli->argc ? json_pack("{s:s}", "network",
	                                                       cli->argv[0])
	                                           : json_object());
}

enum err subnet_delete(struct cli *cli)
{
	return delete_it(cli, "delete_subnet", "subnet");
}

/* ---- ports ---- */

static const struct field port_fields[] = {
	{ "id",          "id" },
	{ "network_id",  "network" },
	{ "project_id",  "project" },
	{ "dns_name",    "name" },
	{ "dns_fqdn",    "full name" },
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
	{ 0 }
};

/* The name of an address, if it has one. */
static const char *name_of(const json_t *port, const char *address)
{
	const json_t *named = json_object_get(port, "dns_assignment");

	for (size_t i = 0; i < json_array_size(named); i++) {
		const json_t *with = json_array_get(named, i);

		if (!strcmp(answer_text(with, "ip_address"), address))
			return answer_text(with, "fqdn");
	}
	return "-";
}

/* "10.1.1.1 host-10-1-1-1.example.org." each; one that is not published, bare. */
static json_t *addresses_of(const json_t *port)
{
	const json_t *bare = json_object_get(port, "fixed_ips");
	json_t *list = json_array();

	for (size_t i = 0; i < json_array_size(bare); i++) {
		const char *address = answer_text(json_array_get(bare, i), "ip_address");

		json_array_append_new(list, json_sprintf("%s %s", address,
		                                         name_of(port, address)));
	}
	return list;
}

static void port_row(struct table *table, const json_t *port)
{
	const json_t *addresses = json_object_get(port, "fixed_ips");
	const char *name = answer_text(port, "dns_name");
	struct buf text = { 0 };

	for (size_t i = 0; i < json_array_size(addresses); i++)
		buf_printf(&text, "%s%s", i ? " " : "",
		           answer_text(json_array_get(addresses, i), "ip_address"));
	table_text(table, answer_text(port, "id"));
	table_text(table, *name ? name : "-");
	table_text(table, answer_text(port, "status"));
	table_text(table, text.len ? buf_string(&text) : "-");
	buf_clear(&text);
}

enum err port_list(struct cli *cli)
{
	const struct listing listing = {
		"list_ports", "ports", port_columns, port_row, PORTS,
	};

	return pages_list(cli, &listing, cli->argc ? json_pack("{s:s}", "network",
	                                                       cli->argv[0])
	                                           : json_object());
}

enum err port_show(struct cli *cli)
{
	json_t *answer;
	enum err err = ask(cli, "get_port", json_pack("{s:s}", "port", cli->argv[0]),
	                   &answer);

	if (err)
		return err;
	answer = unwrapped(answer, "port");
	if (!cli->out.json) {
		json_t *shown = json_copy(answer);

		json_object_set_new(shown, "addresses", addresses_of(answer));
		output_fields(&cli->out, shown, port_fields);
		json_decref(shown);
	}
	cli_answer(cli, answer);
	return OK;
}

static json_t *fixed_ips(char *const *addresses, int count)
{
	json_t *list = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s}", "ip_address",
		                                      addresses[i]));
	return list;
}

/* Made or changed by METHOD: what it is called is said, and all the rest with --json. */
static enum err change(struct cli *cli, const char *method, json_t *args,
                       const char *done)
{
	json_t *answer;
	enum err err = ask(cli, method, args, &answer);

	if (err)
		return err;
	answer = unwrapped(answer, "port");
	if (!cli->out.json && !cli->out.quiet) {
		json_t *addresses = addresses_of(answer);

		printf("%s port %s\n", done, answer_text(answer, "id"));
		for (size_t i = 0; i < json_array_size(addresses); i++)
			printf("  %s\n", json_string_value(json_array_get(addresses, i)));
		json_decref(addresses);
	}
	cli_answer(cli, answer);
	return OK;
}

enum err port_create(struct cli *cli)
{
	json_t *port = json_pack("{s:s, s:o}", "network_id", cli->argv[0], "fixed_ips",
	                         fixed_ips(cli->argv + 1, cli->argc - 1));

	cli_put_text(cli, OPT_DNS_NAME, port, "dns_name");
	cli_put_text(cli, OPT_MAC, port, "mac_address");
	return change(cli, "create_port", json_pack("{s:o}", "port", port), "created");
}

enum err port_set(struct cli *cli)
{
	json_t *values = json_object();

	cli_put_text(cli, OPT_DNS_NAME, values, "dns_name");
	cli_put_text(cli, OPT_MAC, values, "mac_address");
	if (cli->argc > 1)
		json_object_set_new(values, "fixed_ips", fixed_ips(cli->argv + 1,
		                                                   cli->argc - 1));
	if (!json_object_size(values)) {
		json_decref(values);
		return cli_usage(cli, "say what to change: --dns-name, --mac or ADDRESS");
	}
	return change(cli, "update_port", json_pack("{s:s, s:o}", "port", cli->argv[0],
	                                            "values", values), "changed");
}

enum err port_delete(struct cli *cli)
{
	return delete_it(cli, "delete_port", "port");
}
