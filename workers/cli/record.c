#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "handlers.h"
#include "names.h"
#include "pages.h"
#include "wait.h"

enum { TTL_MAX = INT32_MAX, ENVELOPE_BYTES = 8 * 1024 };

/* ---- the domain ---- */

enum err record_zone(struct cli *cli, struct zone_ref *zone)
{
	json_t *domain;
	enum err err = cli_domain(cli, 0, zone->key);

	if (err)
		return err;
	snprintf(zone->name, sizeof zone->name, "%s", zone->key);
	if (!id_valid(zone->key))
		return OK;
	err = cli_call(cli, "get_domain", json_pack("{s:s}", "domain", zone->key),
	               &domain);
	if (err)
		return err;
	snprintf(zone->name, sizeof zone->name, "%s", answer_text(domain, "name"));
	json_decref(domain);
	return OK;
}

/* ---- sending ---- */

/*
 * The size on the wire. The arguments are JSON within a JSON text, so each quote and
 * backslash costs one more byte.
 */
static size_t record_wire_bytes(const json_t *args)
{
	char *text = json_dumps(args, JSON_COMPACT);
	size_t bytes = strlen(text);

	for (const char *at = text; (at = strpbrk(at, "\"\\")); at++)
		bytes++;
	free(text);
	return bytes;
}

static enum err record_check_size(struct cli *cli, const json_t *args)
{
	size_t max = (size_t)cli->common.broker.max_message_bytes - ENVELOPE_BYTES;
	size_t bytes = record_wire_bytes(args);

	if (bytes <= max)
		return OK;
	return fail(&cli->why, ERR_TOO_LARGE,
	            "the change has %zu bytes, but a message can have at most %zu: "
	            "make several changes, or use 'zonefleet domain import'",
	            bytes, max);
}

static enum err record_end(struct cli *cli, const struct zone_ref *zone, json_t *outcome)
{
	const struct goal goal = {
		.domain = zone->key, .serial = (uint32_t)answer_number(outcome, "serial"),
	};
	char *line = xprintf("%s serial %" PRIu32 ": added %" PRId64 ", updated %" PRId64
	                     ", deleted %" PRId64 ", unchanged %" PRId64 "%s",
	                     zone->name, goal.serial, answer_number(outcome, "added"),
	                     answer_number(outcome, "updated"),
	                     answer_number(outcome, "deleted"),
	                     answer_number(outcome, "unchanged"),
	                     cli_has(cli, OPT_DESCRIPTION) ? ", description set" : "");
	enum err err;

	json_object_set_new(outcome, "domain", json_string(zone->name));
	err = wait_finish(cli, outcome, &goal, line);
	free(line);
	return err;
}

enum err record_change(struct cli *cli, const struct zone_ref *zone, json_t *changes,
                       const struct quotes *quotes)
{
	json_t *args = json_pack("{s:s, s:o}", "domain", zone->key, "changes", changes);
	json_t *outcome;
	enum err err;

	cli_put_force(cli, args);
	err = record_check_size(cli, args);
	if (err) {
		json_decref(args);
		return err;
	}
	err = cli_call(cli, "apply_changes", args, &outcome);
	if (err)
		return err;
	quotes_print(quotes, &cli->out);
	return record_end(cli, zone, outcome);
}

/* ---- add, set, delete ---- */

/* Reads the arguments DOMAIN NAME TYPE [DATA...]. */
static enum err record_put(struct cli *cli, const struct zone_ref *zone, json_t *change,
                           struct quotes *quotes)
{
	char name[NAME_MAX_TEXT + 1];
	struct why why;
	json_t *records;
	int64_t ttl = 0;
	enum err err = cli_seconds(cli, OPT_TTL, TTL_MAX, &ttl);

	if (err)
		return err;
	if (names_record(cli->argv[1], zone->name, name, &cli->why))
		return cli_usage(cli, "%s", cli->why.text);
	json_object_set_new(change, "name", json_string(name));
	json_object_set_new(change, "type", json_string(cli->argv[2]));
	if (cli_has(cli, OPT_TTL))
		json_object_set_new(change, "ttl", json_integer(ttl));
	cli_put_text(cli, OPT_DESCRIPTION, change, "description");
	if (cli->argc == 3)
		return OK;
	records = json_array();
	for (int i = 3; i < cli->argc && !err; i++)
		if (quote_append(records, cli->argv[2], cli->argv[i], quotes, &why))
			err = cli_usage(cli, "%s", why.text);
	json_object_set_new(change, "records", records);
	return err;
}

/* Central refuses an empty value, except of APL. Names what the user may have meant. */
static enum err record_explain_empty(struct cli *cli, const char *op, enum err err)
{
	bool is_removal = strcmp(op, "add") != 0;
	char place[32];

	for (int i = 3; err == ERR_INVALID && i < cli->argc; i++) {
		const char *data = cli->argv[i];
		int len = snprintf(place, sizeof place, "value %d: ", i - 2);

		if (data[strspn(data, " \t")] ||
		    strncmp(cli->why.text, place, (size_t)len))
			continue;
		return fail(&cli->why, err, "%sis empty, so nothing was changed: %s"
		            "for a TXT record with an empty string, write '\"\"'", place,
		            is_removal ? "to delete the record set, use 'zonefleet "
		                         "record delete' without DATA; "
		                       : "");
	}
	return err;
}

static enum err record_change_one(struct cli *cli, const char *op)
{
	json_t *change = json_pack("{s:s}", "op", op);
	struct quotes quotes = { 0 };
	struct zone_ref zone;
	enum err err = record_zone(cli, &zone);

	if (!err)
		err = record_put(cli, &zone, change, &quotes);
	if (err)
		json_decref(change);
	else
		err = record_change(cli, &zone, json_pack("[o]", change), &quotes);
	quotes_clear(&quotes);
	return record_explain_empty(cli, op, err);
}

enum err record_add(struct cli *cli)
{
	return record_change_one(cli, "add");
}

enum err record_set(struct cli *cli)
{
	return record_change_one(cli, "set");
}

enum err record_delete(struct cli *cli)
{
	return record_change_one(cli, "delete");
}

/* ---- list ---- */

static const struct column list_columns[] = {
	{ "NAME",   COLUMN_LEFT },
	{ "TTL",    COLUMN_RIGHT },
	{ "TYPE",   COLUMN_LEFT },
	{ "TASK",   COLUMN_LEFT },
	{ "STATUS", COLUMN_STATUS },
	{ "DATA",   COLUMN_LEFT },
	{ 0 }
};

static void member_row(struct table *table, const json_t *set, const json_t *member)
{
	const json_t *ttl = json_object_get(set, "ttl");

	table_text(table, answer_text(set, "name"));
	if (json_is_integer(ttl))
		table_number(table, json_integer_value(ttl));
	else
		table_text(table, "-");
	table_text(table, answer_text(set, "type"));
	table_text(table, answer_text(member, "task"));
	table_text(table, answer_text(member, "status"));
	table_text(table, answer_text(member, "data"));
}

static void record_row(struct table *table, const json_t *set)
{
	size_t i;
	json_t *member;

	json_array_foreach(json_object_get(set, "members"), i, member)
		member_row(table, set, member);
}

static enum err record_put_criterion(struct cli *cli, const struct zone_ref *zone,
                                     json_t *criterion)
{
	char text[CRITERION_TEXT];

	if (names_criterion(cli->argv[1], zone->name, text, &cli->why))
		return cli_usage(cli, "%s", cli->why.text);
	json_object_set_new(criterion, "name", json_string(text));
	return OK;
}

enum err record_list(struct cli *cli)
{
	const struct listing listing = { "find_recordsets", "recordsets", list_columns,
		                         record_row, .noun = "record set",
		                         .pattern = cli->argc > 1 ? cli->argv[1]
		                                                  : NULL };
	json_t *criterion = json_object();
	struct zone_ref zone;
	enum err err = record_zone(cli, &zone);

	if (!err && cli->argc > 1)
		err = record_put_criterion(cli, &zone, criterion);
	if (err) {
		json_decref(criterion);
		return err;
	}
	cli_put_text(cli, OPT_TYPE, criterion, "type");
	cli_put_text(cli, OPT_STATUS, criterion, "status");
	return pages_list(cli, &listing, json_pack("{s:s, s:o}", "domain", zone.key,
	                                           "criterion", criterion));
}
