#include "status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "handlers.h"
#include "idn.h"
#include "names.h"
#include "problems.h"

enum { TROUBLED_MAX = 20 };	/* domains shown; `domain list --status` shows all */

static void status_add_number(struct table *table, const json_t *json, const char *key)
{
	if (json_is_integer(json_object_get(json, key)))
		table_number(table, answer_number(json, key));
	else
		table_text(table, "-");
}

static void status_add_text(struct table *table, const json_t *json, const char *key)
{
	const char *text = answer_text(json, key);

	table_text(table, *text ? text : "-");
}

static void status_add_moment(struct table *table, const json_t *json, const char *key)
{
	char text[MOMENT_TEXT];

	names_moment(answer_text(json, key), clock_unix(), text);
	table_text(table, *text ? text : "-");
}

static void status_add_due(struct table *table, const json_t *json, const char *key)
{
	char text[MOMENT_TEXT];

	names_due(answer_text(json, key), clock_unix(), text);
	table_text(table, *text ? text : "-");
}

/* ---- a domain ---- */

static const struct column domain_columns[] = {
	{ "SERVER",       COLUMN_LEFT },
	{ "STATE",        COLUMN_STATUS },
	{ "ACTION",       COLUMN_LEFT },
	{ "STATUS",       COLUMN_STATUS },
	{ "HEALTH",       COLUMN_STATUS },
	{ "SERIAL",       COLUMN_RIGHT },
	{ "SERIALS BEHIND", COLUMN_RIGHT },
	{ "CHECKED",      COLUMN_LEFT },
	{ "ATTEMPTS",     COLUMN_RIGHT },
	{ "NEXT ATTEMPT", COLUMN_LEFT },
	{ "LAST ERROR",   COLUMN_LEFT },
	{ 0 }
};

static const struct field domain_fields[] = {
	{ "name",      "domain" },
	{ "task",      "task" },
	{ "status",    "status" },
	{ "serial",    "serial" },
	{ "consensus", "consensus" },
	{ "reason",    "reason" },
	{ 0 }
};

/* A finished CREATE gets no line, because the following UPDATE has one. */
static bool status_is_settled(const json_t *server)
{
	return !strcmp(answer_text(server, "action"), "CREATE") &&
	       !strcmp(answer_text(server, "status"), "SUCCESS");
}

/* The last report of a server that does not answer now is old: it gets no color. */
static void status_add_report(struct table *table, const json_t *server)
{
	const char *status = answer_text(server, "status");
	const char *text = *status ? status : "no report yet";

	if (strcmp(answer_text(server, "health"), "OK"))
		table_plain(table, text);
	else
		table_text(table, text);
}

static void status_add_domain_server(struct table *table, const json_t *server)
{
	status_add_text(table, server, "id");
	status_add_text(table, server, "state");
	status_add_text(table, server, "action");
	status_add_report(table, server);
	status_add_text(table, server, "health");
	status_add_number(table, server, "serial");
	status_add_number(table, server, "serials_behind");
	status_add_moment(table, server, "seen_at");
	status_add_number(table, server, "attempts");
	status_add_due(table, server, "next_attempt_at");
	status_add_text(table, server, "reason");
}

/* Makes a text from central's counts. */
static json_t *status_with_consensus(const json_t *domain)
{
	const json_t *consensus = json_object_get(domain, "consensus");
	json_t *shown = json_copy((json_t *)domain);

	json_object_set_new(shown, "consensus",
	                    json_sprintf("%" PRId64 " of %" PRId64 " servers %s",
	                                 answer_number(consensus, "current"),
	                                 answer_number(consensus, "servers"),
	                                 strcmp(answer_text(domain, "task"), "DELETE")
	                                     ? "have the serial"
	                                     : "no longer have the zone"));
	return shown;
}

void status_show_domain(const struct output *out, const json_t *domain)
{
	const json_t *servers = json_object_get(domain, "servers");
	struct table table;
	json_t *shown = status_with_consensus(domain), *server;
	size_t i;

	idn_show_member(shown, "name");
	output_fields(out, shown, domain_fields);
	json_decref(shown);
	if (!json_array_size(servers))
		return;
	putchar('\n');
	table_begin(&table, out, domain_columns);
	json_array_foreach(servers, i, server)
		if (!status_is_settled(server))
			status_add_domain_server(&table, server);
	table_flush(&table, stdout);
	table_clear(&table);
}

json_t *status_only_domain(json_t *status)
{
	json_t *only = json_pack("{s:O}", "domain", json_object_get(status, "domain"));

	json_decref(status);
	return only;
}

static enum err domain_status(struct cli *cli)
{
	char domain[NAME_MAX_TEXT + 1];
	json_t *status;
	enum err err = cli_domain(cli, 0, domain);

	if (!err)
		err = cli_call(cli, "get_status", json_pack("{s:s}", "domain", domain),
		               &status);
	if (err)
		return err;
	if (!cli->out.json)
		status_show_domain(&cli->out, json_object_get(status, "domain"));
	cli_answer(cli, status_only_domain(status));
	return OK;
}

/* ---- the fleet ---- */

static const struct column server_columns[] = {
	{ "SERVER",          COLUMN_LEFT },
	{ "POOL",            COLUMN_LEFT },
	{ "STATE",           COLUMN_LEFT },
	{ "HEALTH",          COLUMN_STATUS },
	{ "BACKEND",         COLUMN_LEFT },
	{ "ADDRESS",         COLUMN_LEFT },
	{ "DOMAINS BEHIND",  COLUMN_RIGHT },
	{ "DOMAINS FAILED",  COLUMN_RIGHT },
	{ "ZONES UNCHECKED", COLUMN_RIGHT },
	{ "LAST ERROR",      COLUMN_LEFT },
	{ 0 }
};

static void status_add_server(struct table *table, const json_t *server)
{
	const char *host = answer_text(server, "host");

	status_add_text(table, server, "id");
	status_add_text(table, server, "pool");
	status_add_text(table, server, "state");
	status_add_text(table, server, "health");
	status_add_text(table, server, "backend");
	table_printf(table, strchr(host, ':') ? "[%s]:%" PRId64 : "%s:%" PRId64, host,
	             answer_number(server, "port"));
	status_add_number(table, server, "domains_behind");
	status_add_number(table, server, "domains_failed");
	status_add_number(table, server, "zones_unchecked");
	status_add_text(table, server, "last_error");
}

void status_show_servers(const struct output *out, const json_t *status)
{
	struct table table;
	size_t i;
	json_t *server;

	table_begin(&table, out, server_columns);
	json_array_foreach(json_object_get(status, "servers"), i, server)
		status_add_server(&table, server);
	table_flush(&table, stdout);
	table_clear(&table);
}

/* ---- domains with other states than ACTIVE ---- */

static const struct column troubled_columns[] = {
	{ "DOMAIN",  COLUMN_LEFT },
	{ "TASK",    COLUMN_LEFT },
	{ "STATUS",  COLUMN_STATUS },
	{ "CHANGED", COLUMN_LEFT },
	{ "REASON",  COLUMN_LEFT },
	{ 0 }
};

/* Appends the domains to INTO, those first that have not changed for the longest time. */
static enum err status_find_troubled(struct cli *cli, const char *status, json_t *into)
{
	json_t *page;
	json_t *args = json_pack("{s:{s:s, s:s*}, s:i, s:s}", "criterion", "status",
	                         status, "pool", cli->option[OPT_POOL], "limit",
	                         TROUBLED_MAX, "sort_key", "updated_at");
	enum err err = cli_call(cli, "find_domains", args, &page);

	if (err)
		return err;
	json_array_extend(into, json_object_get(page, "domains"));
	json_decref(page);
	return OK;
}

static void status_show_troubled(const struct output *out, const json_t *domains)
{
	struct table table;
	size_t i;
	json_t *domain;

	if (!json_array_size(domains)) {
		printf("\nno domain is PENDING or in ERROR\n");
		return;
	}
	putchar('\n');
	table_begin(&table, out, troubled_columns);
	json_array_foreach((json_t *)domains, i, domain) {
		status_add_text(&table, domain, "name");
		status_add_text(&table, domain, "task");
		status_add_text(&table, domain, "status");
		status_add_moment(&table, domain, "updated_at");
		status_add_text(&table, domain, "reason");
	}
	table_flush(&table, stdout);
	table_clear(&table);
	/* the first domains are those in ERROR; only get_status looks for a cause */
	if (!out->quiet && !strcmp(answer_text(json_array_get(domains, 0), "status"),
	                           "ERROR"))
		puts("'zonefleet status DOMAIN' shows each server and the likely cause");
}

/* Ends with status 1 if there are problems. */
static enum err fleet_add_problems(struct cli *cli, json_t *status,
                                   const json_t *troubled)
{
	json_t *problems;
	enum err err = problems_find(cli, status, troubled, TROUBLED_MAX, &problems);

	json_object_set_new(status, "problems", problems);
	if (!err && json_array_size(problems))
		cli->status = EXIT_FAILED;
	return err;
}

static enum err fleet_status(struct cli *cli)
{
	json_t *troubled = json_array(), *status;
	enum err err = cli_call(cli, "get_status", json_pack("{s:s*}", "pool",
	                        cli->option[OPT_POOL]), &status);

	if (err) {
		json_decref(troubled);
		return err;
	}
	client_see_all(cli->client);
	json_object_set_new(status, "troubled", troubled);
	cli_answer(cli, status);
	err = status_find_troubled(cli, "ERROR", troubled);
	if (!err)
		err = status_find_troubled(cli, "PENDING", troubled);
	if (!err)
		err = fleet_add_problems(cli, status, troubled);
	if (err || cli->out.json)
		return err;
	status_show_servers(&cli->out, status);
	status_show_troubled(&cli->out, troubled);
	problems_show(&cli->out, json_object_get(status, "problems"));
	return OK;
}

enum err status_show(struct cli *cli)
{
	return cli->argc ? domain_status(cli) : fleet_status(cli);
}
