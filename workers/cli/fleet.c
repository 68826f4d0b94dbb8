#include <stdio.h>

#include "handlers.h"
#include "names.h"
#include "status.h"
#include "wait.h"

static void fleet_add_seconds(struct table *table, const json_t *row, const char *key)
{
	char text[DURATION_TEXT];

	names_duration((int64_t)json_number_value(json_object_get(row, key)), text);
	table_text(table, text);
}

static void fleet_add_number(struct table *table, const json_t *row, const char *key)
{
	const json_t *number = json_object_get(row, key);

	if (json_is_integer(number))
		table_number(table, json_integer_value(number));
	else
		table_text(table, "-");
}

struct list {
	const char *method, *key;
	const struct column *columns;
	void (*row)(struct table *table, const json_t *row);
	const char *none;		/* the text for an empty list */
};

static enum err fleet_show(struct cli *cli, const struct list *list)
{
	json_t *answer, *row;
	struct table table;
	size_t i;
	enum err err = cli_call(cli, list->method, json_object(), &answer);

	if (err)
		return err;
	const json_t *rows = json_object_get(answer, list->key);
	table_begin(&table, &cli->out, list->columns);
	json_array_foreach((json_t *)rows, i, row)
		list->row(&table, row);
	if (!cli->out.json && json_array_size(rows))
		table_flush(&table, stdout);
	else if (!cli->out.json && !cli->out.quiet)
		puts(list->none);
	table_clear(&table);
	cli_answer(cli, answer);
	return OK;
}

/* ---- workers ---- */

static const struct column worker_columns[] = {
	{ "SERVICE",    COLUMN_LEFT },
	{ "WORKER",     COLUMN_LEFT },
	{ "ROLE",       COLUMN_LEFT },
	{ "STATUS",     COLUMN_STATUS },
	{ "SHARE",      COLUMN_RIGHT },
	{ "SHARES",     COLUMN_RIGHT },
	{ "GENERATION", COLUMN_RIGHT },
	{ "HEARD",      COLUMN_LEFT },
	{ "UP",         COLUMN_LEFT },
	{ 0 }
};

static void worker_row(struct table *table, const json_t *row)
{
	char text[DURATION_TEXT];

	table_text(table, answer_text(row, "service"));
	table_text(table, answer_text(row, "plugin_name"));
	table_text(table, answer_text(row, "role"));
	table_text(table, answer_text(row, "status"));
	fleet_add_number(table, row, "hash_factor");
	fleet_add_number(table, row, "total_number");
	fleet_add_number(table, row, "generation");
	names_duration((int64_t)json_number_value(json_object_get(row, "age")), text);
	table_printf(table, "%s ago", text);
	fleet_add_seconds(table, row, "up");
}

enum err workers_show(struct cli *cli)
{
	static const struct list list = { "find_workers", "workers", worker_columns,
	                                  worker_row,
	                                  "no worker has sent a heartbeat yet" };

	return fleet_show(cli, &list);
}

/* ---- locks ---- */

static const struct column lock_columns[] = {
	{ "OBJECT",  COLUMN_LEFT },
	{ "HOLDER",  COLUMN_LEFT },
	{ "FENCE",   COLUMN_RIGHT },
	{ "RENEWED", COLUMN_LEFT },
	{ "TTL",     COLUMN_LEFT },
	{ 0 }
};

static void lock_row(struct table *table, const json_t *row)
{
	const char *domain = answer_text(row, "domain");
	char text[DURATION_TEXT];

	table_text(table, *domain ? domain : answer_text(row, "object_uuid"));
	table_text(table, answer_text(row, "owner"));
	fleet_add_number(table, row, "fence");
	names_duration((int64_t)json_number_value(json_object_get(row, "age")), text);
	table_printf(table, "%s ago", text);
	names_duration((int64_t)json_number_value(json_object_get(row, "ttl")), text);
	table_text(table, text);
}

enum err locks_show(struct cli *cli)
{
	static const struct list list = { "find_locks", "locks", lock_columns, lock_row,
	                                  "no object is locked" };

	return fleet_show(cli, &list);
}

/* ---- repairs ---- */

static const struct column repair_columns[] = {
	{ "DOMAIN", COLUMN_LEFT },
	{ "SERVER", COLUMN_LEFT },
	{ "KIND",   COLUMN_LEFT },
	{ "STATE",  COLUMN_STATUS },
	{ "SINCE",  COLUMN_LEFT },
	{ "WHAT",   COLUMN_LEFT },
	{ 0 }
};

static void repair_row(struct table *table, const json_t *row)
{
	char text[DURATION_TEXT];

	table_text(table, answer_text(row, "name"));
	table_text(table, answer_text(row, "server"));
	table_text(table, answer_text(row, "kind"));
	table_text(table, answer_text(row, "state"));
	names_duration((int64_t)json_number_value(json_object_get(row, "age")), text);
	table_printf(table, "%s ago", text);
	table_text(table, answer_text(row, "detail"));
}

enum err repairs_show(struct cli *cli)
{
	static const struct list list = { "find_repairs", "repairs", repair_columns,
	                                  repair_row,
	                                  "there are no drifts and no repairs" };

	return fleet_show(cli, &list);
}

/* ---- servers ---- */

enum err servers_show(struct cli *cli)
{
	json_t *status;
	enum err err = cli_call(cli, "get_status", json_pack("{s:s*}", "pool",
	                        cli->option[OPT_POOL]), &status);

	if (err)
		return err;
	if (!cli->out.json)
		status_show_servers(&cli->out, status);
	cli_answer(cli, status);
	return OK;
}

static enum err server_set(struct cli *cli, const char *state, const char *words)
{
	const char *pool = cli->option[OPT_POOL] ? cli->option[OPT_POOL] : "default";
	json_t *server;
	enum err err = cli_call(cli, "update_server", json_pack("{s:s, s:s, s:s}",
	                        "pool", pool, "server", cli->argv[0], "state", state),
	                        &server);

	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("%s %s\n", answer_text(server, "id"), words);
	cli_answer(cli, server);
	return OK;
}

enum err server_drain(struct cli *cli)
{
	return server_set(cli, "DRAINED", "is drained: within a few seconds, the pool "
	                  "managers stop changing the server and polling its zones");
}

enum err server_add(struct cli *cli)
{
	return server_set(cli, "ACTIVE", "is in service: the next rounds of the sync "
	                  "update the server");
}

enum err server_remove(struct cli *cli)
{
	return server_set(cli, "REMOVED", "is removed: now delete the server from the "
	                  "settings of the pool managers");
}

enum err sync_domain(struct cli *cli)
{
	char domain[NAME_MAX_TEXT + 1];
	json_t *answer;
	enum err err = cli_domain(cli, 0, domain);

	if (!err)
		err = cli_call(cli, "sync_domain",
		               json_pack("{s:s, s:b}", "domain", domain, "deep",
		                         cli_has(cli, OPT_DEEP)), &answer);
	if (err)
		return err;
	wait_take_warnings(cli, answer);
	if (!cli->out.json && !cli->out.quiet)
		printf("the sync of %s begins now; see 'zonefleet status %s'\n",
		       answer_text(answer, "name"), answer_text(answer, "name"));
	cli_answer(cli, answer);
	return OK;
}
