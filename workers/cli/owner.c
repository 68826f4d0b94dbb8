#include "owner.h"

#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "owner_show.h"

#define OWNERSHIP "ownership"

/* ---- calls ---- */

enum err owner_zone(struct cli *cli, struct shared_zone *zone)
{
	zone->storage_id = cli->argv[0];
	return cli_domain(cli, 1, zone->name);
}

json_t *owner_arguments(const struct shared_zone *zone, const char *key, json_t *value)
{
	json_t *args = json_pack("{s:s, s:s}", "storage_id", zone->storage_id, "zone",
	                         zone->name);

	if (value)
		json_object_set_new(args, key, value);
	return args;
}

enum err owner_ask(struct cli *cli, const char *method, json_t *args, json_t **answer)
{
	return client_call(cli->client, OWNERSHIP, method, args, answer, &cli->why);
}

enum err owner_state(struct cli *cli, const struct shared_zone *zone, json_t **status)
{
	return owner_ask(cli, "get_plan", owner_arguments(zone, NULL, NULL), status);
}

/* ---- failed rounds ---- */

bool owner_is_failed(const json_t *status)
{
	const char *state = answer_text(status, "state");

	return !strcmp(state, "FAILED") || !strcmp(state, "PARKED");
}

enum err owner_ended_in_error(struct cli *cli, const json_t *status, const char *and)
{
	cli_fail(cli, ERR_CONFLICT, "%s is %s: %s%s", answer_text(status, "zone"),
	         answer_text(status, "state"), answer_text(status, "reason"), and);
	cli->status = EXIT_IN_ERROR;
	cli->class = "InError";
	return ERR_CONFLICT;
}

/* ---- list ---- */

static const struct column list_columns[] = {
	{ "STORAGE-ID", COLUMN_LEFT },
	{ "ZONE",       COLUMN_LEFT },
	{ "STATE",      COLUMN_STATUS },
	{ "ROUNDS",     COLUMN_RIGHT },
	{ "PLANNED",    COLUMN_LEFT },
	{ "REASON",     COLUMN_LEFT },
	{ 0 }
};

static void owner_row(struct table *table, const json_t *zone)
{
	const char *reason = answer_text(zone, "reason");
	char ago[MOMENT_TEXT];

	owner_ago(zone, "planned_at", ago);
	table_text(table, answer_text(zone, "storage_id"));
	table_text(table, answer_text(zone, "zone"));
	table_text(table, answer_text(zone, "state"));
	table_number(table, answer_number(zone, "rounds"));
	table_text(table, ago);
	table_text(table, *reason ? reason : "-");
}

enum err owner_list(struct cli *cli)
{
	json_t *answer, *zone;
	struct table table;
	size_t i;
	enum err err = owner_ask(cli, "find_registries", json_object(), &answer);

	if (err)
		return err;
	const json_t *zones = json_object_get(answer, "registries");
	table_begin(&table, &cli->out, list_columns);
	json_array_foreach((json_t *)zones, i, zone)
		owner_row(&table, zone);
	if (!cli->out.json && json_array_size(zones))
		table_flush(&table, stdout);
	else if (!cli->out.json && !cli->out.quiet)
		puts("this tenant has no shared zone");
	table_clear(&table);
	cli_answer(cli, answer);
	return OK;
}
