#include <stdio.h>

#include "handlers.h"
#include "pages.h"
#include "status.h"
#include "wait.h"

static const struct column list_columns[] = {
	{ "NAME",        COLUMN_LEFT },
	{ "NS",          COLUMN_LEFT },
	{ "CAPACITY",    COLUMN_RIGHT },
	{ "ATTRIBUTES",  COLUMN_LEFT },
	{ "DESCRIPTION", COLUMN_LEFT },
	{ 0 }
};

static const struct field fields[] = {
	{ "id",          "id" },
	{ "name",        "name" },
	{ "description", "description" },
	{ "ns_records",  "ns" },
	{ "catalog_zone", "catalog" },
	{ "attributes",  "attributes" },
	{ "capacity",    "capacity" },
	{ 0 }
};

static const struct column limit_columns[] = {
	{ "SERVERS", COLUMN_LEFT },
	{ "LIMIT",   COLUMN_LEFT },
	{ "EFFECT",  COLUMN_LEFT },
	{ 0 }
};

static void pool_row(struct table *table, const json_t *pool)
{
	int64_t capacity = answer_number(pool, "capacity");

	table_text(table, answer_text(pool, "name"));
	table_value(table, json_object_get(pool, "ns_records"));
	if (capacity < 0)
		table_text(table, "unlimited");
	else
		table_number(table, capacity);
	table_value(table, json_object_get(pool, "attributes"));
	table_text(table, answer_text(pool, "description"));
}

enum err pool_list(struct cli *cli)
{
	const struct listing listing = { "find_pools", "pools", list_columns, pool_row,
		                         .noun = "pool" };

	return pages_list(cli, &listing, json_object());
}

/* Leaves out the capacity of a pool without a limit. */
static void pool_show_fields(const struct output *out, const json_t *pool)
{
	json_t *shown = json_copy((json_t *)pool);

	if (answer_number(pool, "capacity") < 0)
		json_object_del(shown, "capacity");
	output_fields(out, shown, fields);
	json_decref(shown);
}

/* Calls METHOD with ARGS (taken over) and shows the pool in the answer. */
static enum err pool_call(struct cli *cli, const char *method, json_t *args)
{
	json_t *pool;
	enum err err = cli_call(cli, method, args, &pool);

	if (err)
		return err;
	wait_take_warnings(cli, pool);
	if (!cli->out.json && !cli->out.quiet)
		pool_show_fields(&cli->out, pool);
	cli_answer(cli, pool);
	return OK;
}

/* What the name servers do not take, below them. */
static void pool_show_limits(const struct output *out, const json_t *pool)
{
	const json_t *limits = json_object_get(pool, "limits");
	struct table table;
	json_t *limit;
	size_t i;

	if (!json_array_size(limits))
		return;
	putchar('\n');
	table_begin(&table, out, limit_columns);
	json_array_foreach(limits, i, limit) {
		table_text(&table, answer_text(limit, "server"));
		table_text(&table, answer_text(limit, "limit"));
		table_text(&table, answer_text(limit, "effect"));
	}
	table_flush(&table, stdout);
	table_clear(&table);
}

/* Shows the pool, its name servers and their limits. */
enum err pool_show(struct cli *cli)
{
	const char *name = cli->argc ? cli->argv[0] : "default";
	json_t *status;
	enum err err = pool_call(cli, "get_pool", json_pack("{s:s}", "pool", name));

	if (!err)
		err = cli_call(cli, "get_status", json_pack("{s:s}", "pool",
		               answer_text(cli->document, "name")), &status);
	if (err)
		return err;
	if (!cli->out.json) {
		putchar('\n');
		status_show_servers(&cli->out, status);
	}
	if (!cli->out.json && !cli->out.quiet)
		pool_show_limits(&cli->out, cli->document);
	json_object_set(cli->document, "servers", json_object_get(status, "servers"));
	json_decref(status);
	return OK;
}

static enum err pool_put_capacity(struct cli *cli, json_t *values)
{
	int64_t capacity = -1;
	enum err err = OK;

	if (!cli_has(cli, OPT_CAPACITY))
		return OK;
	if (*cli->option[OPT_CAPACITY])
		err = cli_number(cli, OPT_CAPACITY, 0, UINT32_MAX, &capacity);
	json_object_set_new(values, "capacity", json_integer(capacity));
	return err;
}

/* The caller frees *values, also after an error. */
static enum err pool_values(struct cli *cli, json_t **values)
{
	enum err err;

	*values = json_object();
	cli_put_text(cli, OPT_DESCRIPTION, *values, "description");
	err = cli_put_hosts(cli, OPT_NS, *values, "ns_records");
	if (!err)
		err = cli_put_pairs(cli, OPT_ATTRIBUTES, *values, "attributes");
	if (!err)
		err = pool_put_capacity(cli, *values);
	return err ? err : cli_put_host(cli, OPT_CATALOG, *values, "catalog_zone");
}

/* The answer has the hosts of the pool. */
static void pool_warn_ns(struct cli *cli)
{
	struct why words;

	if (json_array_size(json_object_get(cli->document, "ns_records")))
		return;
	fail(&words, OK, "the pool %.64s has no hosts for NS records, so 'domain create' "
	     "needs --ns: set the hosts with 'zonefleet pool set %.64s --ns HOST,...'",
	     cli->argv[0], cli->argv[0]);
	output_warn(&cli->out, words.text);
}

enum err pool_create(struct cli *cli)
{
	json_t *pool;
	enum err err = pool_values(cli, &pool);

	if (err) {
		json_decref(pool);
		return err;
	}
	json_object_set_new(pool, "name", json_string(cli->argv[0]));
	err = pool_call(cli, "create_pool", json_pack("{s:o}", "pool", pool));
	if (!err)
		pool_warn_ns(cli);
	return err;
}

enum err pool_set(struct cli *cli)
{
	json_t *values;
	enum err err = pool_values(cli, &values);

	if (!err && !json_object_size(values))
		err = cli_usage(cli, "pool set needs at least one of --ns, "
		                "--description, --catalog, --attributes and "
		                "--capacity");
	if (err) {
		json_decref(values);
		return err;
	}
	err = pool_call(cli, "update_pool", json_pack("{s:s, s:o}", "pool", cli->argv[0],
	                                              "values", values));
	if (!err && cli_has(cli, OPT_NS))
		pool_warn_ns(cli);
	return err;
}

enum err pool_delete(struct cli *cli)
{
	enum err err = cli_call(cli, "delete_pool", json_pack("{s:s}", "pool",
	                        cli->argv[0]), NULL);

	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("deleted the pool %s\n", cli->argv[0]);
	cli_answer(cli, json_pack("{s:s}", "name", cli->argv[0]));
	return OK;
}
