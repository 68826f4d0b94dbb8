#include "owner_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "client.h"

/* "3 s ago" */
void owner_ago(const json_t *json, const char *key, char text[MOMENT_TEXT])
{
	const char *at = answer_text(json, key);

	snprintf(text, MOMENT_TEXT, "never");
	if (*at)
		names_moment(at, clock_unix(), text);
}

/* ---- items ---- */

static const struct column item_columns[] = {
	{ "NAME",     COLUMN_LEFT },
	{ "TYPE",     COLUMN_LEFT },
	{ "STEP",     COLUMN_LEFT },
	{ "REASON",   COLUMN_LEFT },
	{ "RESOURCE", COLUMN_LEFT },
	{ "RECORDS",  COLUMN_LEFT },
	{ 0 }
};

static void owner_show_add_records(const json_t *records, struct buf *text)
{
	size_t i;
	json_t *record;

	json_array_foreach((json_t *)records, i, record)
		buf_printf(text, "%s%s", i ? ", " : "",
		           json_is_string(record) ? json_string_value(record) : "");
}

static void item_print_records(struct table *table, const json_t *item)
{
	const json_t *is = json_object_get(item, "is");
	const json_t *becomes = json_object_get(item, "becomes");
	const char *words = answer_text(item, "words");
	struct buf text = { 0 };

	owner_show_add_records(is, &text);
	if (json_array_size(becomes)) {
		buf_text(&text, json_array_size(is) ? " -> " : "-> ");
		owner_show_add_records(becomes, &text);
	}
	if (*words)
		buf_printf(&text, "%s(%s)", text.len ? " " : "", words);
	table_text(table, text.len ? buf_string(&text) : "-");
	buf_clear(&text);
}

bool owner_is_held(const json_t *item)
{
	return json_is_true(json_object_get(item, "held"));
}

static void item_row(struct table *table, const json_t *item)
{
	const char *resource = answer_text(item, "resource");

	table_text(table, answer_text(item, "name"));
	table_text(table, answer_text(item, "type"));
	table_printf(table, "%s%s", answer_text(item, "step"),
	             owner_is_held(item) ? ", held" : "");
	table_text(table, answer_text(item, "reason"));
	table_text(table, *resource ? resource : "-");
	item_print_records(table, item);
}

void owner_show_items(const struct output *out, const json_t *items)
{
	struct table table;
	size_t i;
	json_t *item;

	table_begin(&table, out, item_columns);
	json_array_foreach((json_t *)items, i, item)
		item_row(&table, item);
	if (json_array_size(items)) {
		if (!out->quiet)
			putchar('\n');
		table_flush(&table, stdout);
	}
	table_clear(&table);
}

/* ---- a plan ---- */

/* "create 3, delete 1" */
static json_t *counts_text(const json_t *counts)
{
	struct buf text = { 0 };
	const char *name;
	json_t *count, *joined;

	json_object_foreach((json_t *)counts, name, count)
		buf_printf(&text, "%s%s %" JSON_INTEGER_FORMAT, text.len ? ", " : "",
		           name, json_integer_value(count));
	joined = json_string(buf_string(&text));
	buf_clear(&text);
	return joined;
}

static const struct field plan_fields[] = {
	{ "zone",        "zone" },
	{ "state",       "state" },
	{ "reason",      "reason" },
	{ "planned",     "planned" },
	{ "serial",      "serial" },
	{ "ours",        "record sets of this owner" },
	{ "held",        "held" },
	{ "digest",      "digest" },
	{ "approved_by", "approved by" },
	{ "dry_run",     "dry run" },
	{ "steps",       "steps" },
	{ "reasons",     "reasons" },
	{ "outcomes",    "outcomes" },
	{ 0 }
};

static void owner_show_fields(const struct output *out, const json_t *status)
{
	const json_t *plan = json_object_get(status, "plan");
	json_t *shown = json_copy((json_t *)status);
	char ago[MOMENT_TEXT];

	owner_ago(status, "planned_at", ago);
	if (plan)
		json_object_update(shown, (json_t *)plan);
	json_object_set_new(shown, "planned", json_string(ago));
	json_object_set_new(shown, "dry_run",
	                    json_is_true(json_object_get(plan, "dry_run"))
	                    ? json_string("nothing was changed") : json_null());
	json_object_set_new(shown, "steps", counts_text(json_object_get(plan, "steps")));
	json_object_set_new(shown, "reasons",
	                    counts_text(json_object_get(plan, "reasons")));
	json_object_set_new(shown, "outcomes",
	                    counts_text(json_object_get(plan, "outcomes")));
	output_fields(out, shown, plan_fields);
	json_decref(shown);
}

void owner_show_plan(const struct output *out, const json_t *status)
{
	const json_t *plan = json_object_get(status, "plan");
	int64_t more = answer_number(plan, "more");

	if (!out->quiet)
		owner_show_fields(out, status);
	owner_show_items(out, json_object_get(plan, "items"));
	if (more && !out->quiet)
		printf("... and %" PRId64 " more\n", more);
}

/* ---- an order ---- */

static const struct column name_columns[] = {
	{ "NAME", COLUMN_LEFT }, { "TYPE", COLUMN_LEFT }, { 0 }
};

/* "www.example.org. A" */
static void name_row(struct table *table, const char *set)
{
	const char *space = strrchr(set, ' ');
	size_t len = space ? (size_t)(space - set) : strlen(set);

	table_printf(table, "%.*s", (int)len, set);
	table_text(table, space ? space + 1 : "");
}

static void owner_show_names(const struct output *out, const json_t *result)
{
	const json_t *names = json_object_get(result, "names");
	int64_t more = answer_number(result, "matched") - (int64_t)json_array_size(names);
	struct table table;
	size_t i;
	json_t *name;

	table_begin(&table, out, name_columns);
	json_array_foreach((json_t *)names, i, name)
		name_row(&table, json_is_string(name) ? json_string_value(name) : "");
	if (i && !out->quiet)
		putchar('\n');
	if (i)
		table_flush(&table, stdout);
	if (more > 0 && !out->quiet)
		printf("... and %" PRId64 " more\n", more);
	table_clear(&table);
}

void owner_show_order(const struct output *out, const json_t *result)
{
	static const struct field fields[] = {
		{ "matched", "matched" }, { "done", "done" }, { "refusals", "refused" },
		{ "dry", "dry run" }, { 0 }
	};
	json_t *shown = json_copy((json_t *)result);

	json_object_set_new(shown, "refusals",
	                    counts_text(json_object_get(result, "refused")));
	json_object_set_new(shown, "dry", json_is_true(json_object_get(result, "dry_run"))
	                    ? json_string("nothing was changed") : json_null());
	if (!out->quiet)
		output_fields(out, shown, fields);
	owner_show_names(out, result);
	json_decref(shown);
}

static const struct {
	const char *reason, *words;
} refusals[] = {
	{ "FOREIGN",   "another owner owns the record set or a part of it" },
	{ "UNMANAGED", "the zone contains other records than the expected records, or "
	               "another resource has priority: 'zonefleet owner plan' shows "
	               "the records" },
	{ "NO_MARK",   "the zone has no free name for the ownership mark of the record "
	               "set" },
	{ "conflict",  "the zone changed at the same time: run the command again" },
	{ "changed",   "the zone changed at the same time: run the command again" },
	{ "policy",    "the primary does not allow the change" },
	{ "failed",    "the primary cannot process the change" },
	{ "parked",    "the primary refuses all changes: see 'zonefleet owner list'" },
};

static const char *owner_refusal_words(const char *reason)
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
		if (!strcmp(refusals[i].reason, reason))
			return refusals[i].words;
	return "see 'zonefleet owner plan'";
}

void owner_refusals(const json_t *refused, struct buf *words)
{
	const char *reason;
	json_t *count;

	json_object_foreach((json_t *)refused, reason, count)
		buf_printf(words, "%s%s %" JSON_INTEGER_FORMAT " (%s)",
		           words->len ? ", " : "", reason, json_integer_value(count),
		           owner_refusal_words(reason));
}
