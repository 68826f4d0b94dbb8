#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "idn.h"
#include "pages.h"
#include "status.h"
#include "wait.h"

enum { TTL_MAX = INT32_MAX };

static const struct column list_columns[] = {
	{ "NAME",    COLUMN_LEFT },
	{ "POOL",    COLUMN_LEFT },
	{ "SERIAL",  COLUMN_RIGHT },
	{ "RECORDS", COLUMN_RIGHT },
	{ "TASK",    COLUMN_LEFT },
	{ "STATUS",  COLUMN_STATUS },
	{ "TENANT",  COLUMN_LEFT },
	{ 0 }
};

static const struct field fields[] = {
	{ "id",          "id" },
	{ "name",        "name" },
	{ "tenant",      "tenant" },
	{ "pool",        "pool" },
	{ "serial",      "serial" },
	{ "version",     "version" },
	{ "task",        "task" },
	{ "status",      "status" },
	{ "reason",      "reason" },
	{ "email",       "email" },
	{ "primary",     "primary" },
	{ "ttl",         "ttl" },
	{ "refresh",     "refresh" },
	{ "retry",       "retry" },
	{ "expire",      "expire" },
	{ "minimum",     "minimum" },
	{ "recordsets",  "record sets" },
	{ "records",     "records" },
	{ "description", "description" },
	{ "attributes",  "attributes" },
	{ "created_at",  "created" },
	{ "updated_at",  "updated" },
	{ 0 }
};

/* ---- values from options ---- */

static enum err domain_put_seconds(struct cli *cli, enum cli_option option, json_t *into,
                                   const char *key)
{
	int64_t seconds;
	enum err err = cli_seconds(cli, option, TTL_MAX, &seconds);

	if (!err && cli_has(cli, option))
		json_object_set_new(into, key, json_integer(seconds));
	return err;
}

/* Adds the values that both domain create and domain set accept. */
static enum err domain_put_values(struct cli *cli, json_t *into)
{
	static const struct {
		enum cli_option option;
		const char *key;
	} times[] = {
		{ OPT_TTL, "ttl" }, { OPT_REFRESH, "refresh" }, { OPT_RETRY, "retry" },
		{ OPT_EXPIRE, "expire" }, { OPT_MINIMUM, "minimum" },
	};
	enum err err = cli_put_host(cli, OPT_PRIMARY, into, "primary");

	cli_put_text(cli, OPT_EMAIL, into, "email");
	cli_put_text(cli, OPT_DESCRIPTION, into, "description");
	if (!err)
		err = cli_put_pairs(cli, OPT_ATTRIBUTES, into, "attributes");
	for (size_t i = 0; !err && i < sizeof times / sizeof times[0]; i++)
		err = domain_put_seconds(cli, times[i].option, into, times[i].key);
	return err;
}

/* ---- one domain ---- */

/* Prints a line about the change. --wait waits for the domain by its id. */
static enum err domain_finish(struct cli *cli, json_t *domain, const char *verb)
{
	const struct goal goal = {
		.domain = answer_text(domain, "id"),
		.serial = (uint32_t)answer_number(domain, "serial"),
		.is_deletion = !strcmp(answer_text(domain, "task"), "DELETE"),
	};
	struct buf line = { 0 };
	enum err err;

	buf_printf(&line, "%s ", verb);
	idn_show(answer_text(domain, "name"), &line);
	buf_printf(&line, ": serial %" PRIu32 ", %s, id %s", goal.serial,
	           answer_text(domain, "status"), goal.domain);
	err = wait_finish(cli, domain, &goal, buf_string(&line));
	buf_clear(&line);
	return err;
}

enum err domain_create(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	json_t *wish = json_object(), *domain;
	enum err err = cli_domain(cli, 0, name);

	if (!err)
		err = domain_put_values(cli, wish);
	if (!err)
		err = cli_put_hosts(cli, OPT_NS, wish, "ns");
	if (err) {
		json_decref(wish);
		return err;
	}
	json_object_set_new(wish, "name", json_string(name));
	cli_put_text(cli, OPT_POOL, wish, "pool");
	err = cli_call(cli, "create_domain", json_pack("{s:o}", "domain", wish), &domain);
	if (err)
		return err;
	return domain_finish(cli, domain, "created");
}

enum err domain_set(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	json_t *values = json_object(), *domain;
	enum err err = cli_domain(cli, 0, name);

	if (!err)
		err = domain_put_values(cli, values);
	if (!err && !json_object_size(values))
		err = cli_usage(cli, "domain set needs at least one of --email, "
		                "--primary, --ttl, --refresh, --retry, --expire, "
		                "--minimum, --description and --attributes");
	if (err) {
		json_decref(values);
		return err;
	}
	err = cli_call(cli, "update_domain",
	               json_pack("{s:s, s:o}", "domain", name, "values", values),
	               &domain);
	return err ? err : domain_finish(cli, domain, "changed");
}

/* Calls METHOD with the domain of the first argument. */
static enum err domain_call(struct cli *cli, const char *method, json_t **domain)
{
	char name[NAME_MAX_TEXT + 1];
	enum err err = cli_domain(cli, 0, name);
	json_t *args;

	if (err)
		return err;
	args = json_pack("{s:s}", "domain", name);
	cli_put_force(cli, args);
	return cli_call(cli, method, args, domain);
}

enum err domain_delete(struct cli *cli)
{
	json_t *domain;
	enum err err = domain_call(cli, "delete_domain", &domain);

	return err ? err : domain_finish(cli, domain, "deleting");
}

static enum err domain_call_abandon(struct cli *cli)
{
	json_t *domain, *server;
	size_t i;
	enum err err = domain_call(cli, "abandon_domain", &domain);

	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet) {
		printf("abandoned %s: its name is free\n", answer_text(domain, "name"));
		json_array_foreach(json_object_get(domain, "servers"), i, server)
			printf("%s: %s\n", answer_text(server, "id"),
			       answer_text(server, "reason"));
	}
	cli_answer(cli, domain);
	return OK;
}

static enum err domain_check_deleting(struct cli *cli, const json_t *domain)
{
	if (!strcmp(answer_text(domain, "task"), "DELETE"))
		return OK;
	return fail(&cli->why, ERR_CONFLICT, "the domain %.255s is not being deleted: "
	            "delete the domain first", answer_text(domain, "name"));
}

/* Without --yes it shows the name servers that would keep the zone. */
enum err domain_abandon(struct cli *cli)
{
	json_t *status;

	if (cli_has(cli, OPT_YES))
		return domain_call_abandon(cli);
	enum err err = domain_call(cli, "get_status", &status);

	if (err)
		return err;
	err = domain_check_deleting(cli, json_object_get(status, "domain"));
	if (err) {
		json_decref(status);
		return err;
	}
	if (!cli->out.json) {
		status_show_domain(&cli->out, json_object_get(status, "domain"));
		if (!cli->out.quiet)
			puts("\nnothing was changed: use --yes to abandon the domain");
	}
	cli_answer(cli, status_only_domain(status));
	return OK;
}

static void domain_show_fields(const struct output *out, const json_t *domain)
{
	json_t *shown = json_copy((json_t *)domain);

	idn_show_member(shown, "name");
	output_fields(out, shown, fields);
	json_decref(shown);
}

enum err domain_show(struct cli *cli)
{
	json_t *domain;
	enum err err = domain_call(cli, "get_domain", &domain);

	if (err)
		return err;
	if (!cli->out.json)
		domain_show_fields(&cli->out, domain);
	cli_answer(cli, domain);
	return OK;
}

/* ---- several domains ---- */

static void domain_row(struct table *table, const json_t *domain)
{
	table_text(table, answer_text(domain, "name"));
	table_text(table, answer_text(domain, "pool"));
	table_number(table, answer_number(domain, "serial"));
	table_number(table, answer_number(domain, "records"));
	table_text(table, answer_text(domain, "task"));
	table_text(table, answer_text(domain, "status"));
	table_text(table, answer_text(domain, "tenant"));
}

/* Central completes a pattern. The client only converts it to ASCII. */
static enum err domain_put_pattern(struct cli *cli, json_t *criterion)
{
	char name[NAME_MAX_TEXT + 1];
	enum err err;

	if (strchr(cli->argv[0], '*'))
		return cli_put_name(cli, 0, criterion, "name");
	err = cli_domain(cli, 0, name);
	if (!err)
		json_object_set_new(criterion, "name", json_string(name));
	return err;
}

enum err domain_list(struct cli *cli)
{
	const struct listing listing = { "find_domains", "domains", list_columns,
		                         domain_row, .noun = "domain",
		                         .pattern = cli->argv[0] };
	json_t *criterion = json_object();
	enum err err = cli->argc ? domain_put_pattern(cli, criterion) : OK;

	if (err) {
		json_decref(criterion);
		return err;
	}
	cli_put_text(cli, OPT_STATUS, criterion, "status");
	cli_put_text(cli, OPT_POOL, criterion, "pool");
	return pages_list(cli, &listing, json_pack("{s:o}", "criterion", criterion));
}
