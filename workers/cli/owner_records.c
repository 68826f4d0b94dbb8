#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "names.h"
#include "owner_document.h"
#include "owner_show.h"

/* The selected records. */
struct listed {
	struct cli *cli;
	char name[NAME_MAX_TEXT + 1];	/* without the final dot; "": all names */
	struct table table;
	json_t *records;		/* for --json */
	int64_t count;
};

static const struct column columns[] = {
	{ "NAME",   COLUMN_LEFT },
	{ "TYPE",   COLUMN_LEFT },
	{ "OWNER",  COLUMN_LEFT },
	{ "TARGET", COLUMN_LEFT },
	{ 0 }
};

/* ---- selection ---- */

/* True: ID is in OWNERS, a list of ids separated by commas. "": no owner. */
static bool records_has_id(const char *owners, const char *id)
{
	size_t len = strlen(id);

	if (!len)
		return !*owners;
	for (const char *at = owners; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, id, len) && (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

static bool records_is_asked(const struct listed *listed, const json_t *record)
{
	const char *id = listed->cli->option[OPT_OWNER];

	if (*listed->name && strcmp(listed->name, answer_text(record, "dnsname")) != 0)
		return false;
	return !id || records_has_id(answer_text(record, "owner"), id);
}

/* Names in the document have no final dot. */
static enum err records_choose_name(struct listed *listed, const char *zone)
{
	struct cli *cli = listed->cli;
	size_t len;

	if (!cli_has(cli, OPT_NAME))
		return OK;
	if (names_record(cli->option[OPT_NAME], zone, listed->name, &cli->why))
		return cli_usage(cli, "--name: %s", cli->why.text);
	len = strlen(listed->name);
	if (len > 1)
		listed->name[len - 1] = '\0';
	return OK;
}

/* ---- output ---- */

/* The table has absolute names, because the other commands take them. */
static void records_add_name(struct table *table, const char *name)
{
	struct buf text = { 0 };

	buf_printf(&text, "%s%s", name, strcmp(name, ".") ? "." : "");
	table_text(table, buf_string(&text));
	buf_clear(&text);
}

static bool records_has_name_as_target(const char *type)
{
	return !strcmp(type, "CNAME") || !strcmp(type, "NS") || !strcmp(type, "PTR") ||
	       !strcmp(type, "DNAME");
}

static void records_add_row(struct table *table, const json_t *record)
{
	const char *owner = answer_text(record, "owner");
	const char *type = answer_text(record, "type");
	const char *target = answer_text(record, "target");

	records_add_name(table, answer_text(record, "dnsname"));
	table_text(table, type);
	table_text(table, *owner ? owner : "-");
	if (records_has_name_as_target(type))
		records_add_name(table, target);
	else
		table_text(table, target);
}

static void records_begin(void *self)
{
	struct listed *listed = self;

	table_clear(&listed->table);
	table_begin(&listed->table, &listed->cli->out, columns);
	json_array_clear(listed->records);
	listed->count = 0;
}

static void records_take(void *self, const json_t *record)
{
	struct listed *listed = self;

	if (!records_is_asked(listed, record))
		return;
	listed->count++;
	if (listed->cli->out.json)
		json_array_append(listed->records, (json_t *)record);
	else
		records_add_row(&listed->table, record);
}

static void records_print(struct listed *listed, const struct document *document)
{
	struct cli *cli = listed->cli;
	char ago[MOMENT_TEXT];

	cli_answer(cli, json_pack("{s:I, s:s, s:O}", "serial",
	                          (json_int_t)document->serial, "read_at",
	                          document->read_at, "records", listed->records));
	if (cli->out.json)
		return;
	if (listed->count)
		table_flush(&listed->table, stdout);
	owner_ago(cli->document, "read_at", ago);
	if (!cli->out.quiet)
		printf("%s%" PRId64 " of %" PRId64 " records; serial %" PRId64
		       ", read %s\n", listed->count ? "\n" : "", listed->count,
		       document->count, document->serial, ago);
}

/* ---- the command ---- */

enum err owner_records(struct cli *cli)
{
	struct shared_zone zone;
	struct listed listed = { .cli = cli, .records = json_array() };
	struct document document = { .cli = cli, .zone = &zone, .begin = records_begin,
	                             .take = records_take, .self = &listed };
	enum err err = owner_zone(cli, &zone);

	if (!err)
		err = records_choose_name(&listed, zone.name);
	if (!err)
		err = owner_document_read(&document);
	if (!err)
		records_print(&listed, &document);
	table_clear(&listed.table);
	json_decref(listed.records);
	return err;
}
