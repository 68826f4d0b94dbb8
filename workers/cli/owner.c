#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "handlers.h"
#include "input.h"
#include "owner_show.h"
#include "progress.h"

/* Zones that others write, too: the calls of zonefleet-ownership. */

#define OWNERSHIP "ownership"
#define RESOURCE_DEFAULT "by-hand"

enum { WAIT_DEFAULT_S = 60, WAIT_MAX_S = 24 * 3600 };

/* ---- asking ---- */

/* ZONE of the command line, and what the program is asked of it. */
struct shared_zone {
	const char *storage_id;
	char name[NAME_MAX_TEXT + 1];
};

static enum err zone_of(struct cli *cli, struct shared_zone *zone)
{
	zone->storage_id = cli->argv[0];
	return cli_domain(cli, 1, zone->name);
}

/* The arguments of all methods; KEY and VALUE are one more, which may be NULL. */
static json_t *arguments(const struct shared_zone *zone, const char *key, json_t *value)
{
	json_t *args = json_pack("{s:s, s:s}", "storage_id", zone->storage_id, "zone",
	                         zone->name);

	if (value)
		json_object_set_new(args, key, value);
	return args;
}

static enum err ask(struct cli *cli, const char *method, json_t *args, json_t **answer)
{
	return client_call(cli->client, OWNERSHIP, method, args, answer, &cli->why);
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

static void list_row(struct table *table, const json_t *zone)
{
	const char *reason = answer_text(zone, "reason");
	char ago[MOMENT_TEXT];

	owner_planned_ago(zone, ago);
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
	enum err err = ask(cli, "find_registries", json_object(), &answer);

	if (err)
		return err;
	const json_t *zones = json_object_get(answer, "registries");
	table_begin(&table, &cli->out, list_columns);
	json_array_foreach((json_t *)zones, i, zone)
		list_row(&table, zone);
	if (!cli->out.json && json_array_size(zones))
		table_flush(&table, stdout);
	else if (!cli->out.json && !cli->out.quiet)
		puts("no zone of this tenant's is shared");
	table_clear(&table);
	cli_answer(cli, answer);
	return OK;
}

/* ---- plan ---- */

static bool is_failed(const json_t *status)
{
	const char *state = answer_text(status, "state");

	return !strcmp(state, "FAILED") || !strcmp(state, "PARKED");
}

/* A further round ended; what was wanted when it was asked for is in its plan. */
static bool is_fresh(const json_t *status, const json_t *before)
{
	return answer_number(status, "rounds") > answer_number(before, "rounds") &&
	       (is_failed(status) ||
	        answer_number(status, "planned_rev") >= answer_number(before, "rev"));
}

static enum err out_of_time(struct cli *cli, const struct shared_zone *zone)
{
	return fail(&cli->why, ERR_TIMEOUT, "%.255s was not planned within %.1f s: a "
	            "round may be under way, or its primary says nothing (see 'zonefleet "
	            "owner list')", zone->name, cli_elapsed(cli));
}

/* Takes BEFORE over; *status is the caller's. */
static enum err await_round(struct cli *cli, const struct shared_zone *zone,
                            int64_t wait_s, json_t *before, json_t **status)
{
	int64_t until_ms = clock_ms() + 1000 * wait_s;
	struct progress progress;
	int pause_ms = 0;
	enum err err = OK;

	*status = json_incref(before);
	progress_begin(&progress, &cli->out);
	while (!err && !is_fresh(*status, before)) {
		progress_line(&progress, "%s is read and planned  %.1f s", zone->name,
		              cli_elapsed(cli));
		client_pause(cli->client, &pause_ms);
		json_decref(*status);
		*status = NULL;
		err = ask(cli, "get_plan", arguments(zone, NULL, NULL), status);
		if (!err && clock_ms() >= until_ms && !is_fresh(*status, before))
			err = out_of_time(cli, zone);
	}
	progress_end(&progress);
	json_decref(before);
	return err;
}

static enum err plan_anew(struct cli *cli, const struct shared_zone *zone,
                          json_t **status)
{
	json_t *before, *asked;
	int64_t wait_s = WAIT_DEFAULT_S;
	enum err err = cli_seconds(cli, OPT_WAIT_TIMEOUT, WAIT_MAX_S, &wait_s);

	*status = NULL;
	if (!err)
		err = ask(cli, "get_plan", arguments(zone, NULL, NULL), &before);
	if (err)
		return err;
	err = ask(cli, "plan_calculate", arguments(zone, NULL, NULL), &asked);
	if (err) {
		json_decref(before);
		return err;
	}
	json_decref(asked);
	return await_round(cli, zone, wait_s, before, status);
}

/* The plan that is kept is of a former round. */
static enum err not_planned(struct cli *cli, const json_t *status)
{
	fail(&cli->why, ERR_CONFLICT, "%.255s is %.16s: %.240s",
	     answer_text(status, "zone"), answer_text(status, "state"),
	     answer_text(status, "reason"));
	cli->status = EXIT_IN_ERROR;
	cli->class = "InError";
	return ERR_CONFLICT;
}

enum err owner_plan(struct cli *cli)
{
	struct shared_zone zone;
	json_t *status = NULL;
	enum err err = zone_of(cli, &zone);

	if (!err)
		err = plan_anew(cli, &zone, &status);
	if (!err && is_failed(status))
		err = not_planned(cli, status);
	if (!err && !cli->out.json)
		owner_show_plan(&cli->out, status);
	cli_answer(cli, status);
	return err;
}

/* ---- apply ---- */

static enum err read_endpoints(struct cli *cli, const char *path, json_t **endpoints)
{
	struct buf text = { 0 };
	json_error_t error;
	enum err err = input_read(path, &text, &cli->why);

	*endpoints = NULL;
	if (!err)
		*endpoints = json_loads(buf_string(&text), JSON_REJECT_DUPLICATES,
		                        &error);
	buf_clear(&text);
	if (!err && !*endpoints)
		return fail(&cli->why, ERR_INVALID, "%.200s: line %d: no JSON: %.200s",
		            path, error.line, error.text);
	if (!err && !json_is_array(*endpoints))
		return fail(&cli->why, ERR_INVALID, "%.200s: must be a list of endpoints",
		            path);
	return err;
}

static void tell_applied(const struct cli *cli, const struct shared_zone *zone,
                         const char *resource, const json_t *answer)
{
	struct buf name = { 0 };

	output_escape(resource, &name);
	printf("%s: %s wants %" PRId64 " endpoints, changed %" PRId64 "\n", zone->name,
	       buf_string(&name), answer_number(answer, "endpoints"),
	       answer_number(answer, "changed"));
	buf_clear(&name);
	if (!cli_has(cli, OPT_PARTIAL) &&
	    !json_is_true(json_object_get(answer, "complete")))
		puts("it had many and has none now: what the zone would lose is held "
		     "until it is approved");
}

enum err owner_apply(struct cli *cli)
{
	const char *resource = cli_has(cli, OPT_RESOURCE) ? cli->option[OPT_RESOURCE]
	                                                  : RESOURCE_DEFAULT;
	struct shared_zone zone;
	json_t *endpoints = NULL, *args, *answer;
	enum err err = zone_of(cli, &zone);

	if (!err)
		err = read_endpoints(cli, cli->argv[2], &endpoints);
	if (err) {
		json_decref(endpoints);
		return err;
	}
	args = arguments(&zone, "endpoints", endpoints);
	json_object_set_new(args, "resource", json_string(resource));
	json_object_set_new(args, "complete", json_boolean(!cli_has(cli, OPT_PARTIAL)));
	err = ask(cli, "apply_endpoints", args, &answer);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		tell_applied(cli, &zone, resource, answer);
	cli_answer(cli, answer);
	return OK;
}

/* ---- approve ---- */

/* cli->document says whether it was done. */
static enum err approve(struct cli *cli, const struct shared_zone *zone,
                        const char *digest)
{
	json_t *nothing;
	enum err err = ask(cli, "plan_approve",
	                   arguments(zone, "digest", json_string(digest)), &nothing);

	if (err)
		return err;
	json_decref(nothing);
	json_object_set_new(cli->document, "approved", json_true());
	if (!cli->out.json && !cli->out.quiet)
		puts("approved: it is done in the next round");
	return OK;
}

/* What is held of the plan, as an answer of its own. */
static json_t *held_of(const json_t *status)
{
	const json_t *plan = json_object_get(status, "plan");
	json_t *items = json_array(), *item;
	size_t i;

	json_array_foreach(json_object_get(plan, "items"), i, item)
		if (owner_is_held(item))
			json_array_append(items, item);
	return json_pack("{s:s, s:I, s:s, s:o, s:b}", "zone", answer_text(status, "zone"),
	                 "held", (json_int_t)answer_number(plan, "held"), "digest",
	                 answer_text(plan, "digest"), "items", items, "approved", 0);
}

static void show_held(const struct output *out, const json_t *held)
{
	static const struct field fields[] = {
		{ "zone", "zone" }, { "held", "held" }, { "digest", "digest" }, { 0 }
	};

	const json_t *items = json_object_get(held, "items");
	int64_t more = answer_number(held, "held") - (int64_t)json_array_size(items);

	output_fields(out, held, fields);
	owner_show_items(out, items);
	if (more > 0)
		printf("... and %" PRId64 " more\n", more);
	if (!out->quiet)
		putchar('\n');
}

static enum err approve_shown(struct cli *cli, const struct shared_zone *zone)
{
	const char *digest = answer_text(cli->document, "digest");

	if (!cli->out.json && *digest)
		show_held(&cli->out, cli->document);
	if (*digest && cli_has(cli, OPT_YES))
		return approve(cli, zone, digest);
	if (!cli->out.json && !cli->out.quiet)
		puts(*digest ? "nothing of it is done: approve it by its digest, or "
		               "by --yes" : "nothing is held");
	return OK;
}

enum err owner_approve(struct cli *cli)
{
	struct shared_zone zone;
	json_t *status;
	enum err err = zone_of(cli, &zone);

	if (err)
		return err;
	if (cli->argc == 3) {
		cli_answer(cli, json_pack("{s:s, s:b}", "digest", cli->argv[2],
		                          "approved", 0));
		return approve(cli, &zone, cli->argv[2]);
	}
	err = ask(cli, "get_plan", arguments(&zone, NULL, NULL), &status);
	if (err)
		return err;
	cli_answer(cli, held_of(status));
	json_decref(status);
	return approve_shown(cli, &zone);
}
