#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "owner_document.h"
#include "whole_file.h"

/*
 * The document of seed 001 is a ConfigMap. It contains the records as one JSON text, with
 * a line for each record.
 */
static void begin(void *self)
{
	buf_reset(self);
}

static int append(const char *octets, size_t len, void *self)
{
	buf_append(self, octets, len);
	return 0;
}

static void take(void *self, const json_t *record)
{
	struct buf *list = self;

	buf_text(list, list->len ? ",\n" : "[");
	json_dump_callback(record, append, list, JSON_COMPACT | JSON_SORT_KEYS);
}

static json_t *config_map(const struct document *document, struct buf *list)
{
	buf_text(list, list->len ? "]" : "[]");
	return json_pack("{s:s, s:s, s:{s:o}, s:{s:o}}", "kind", "ConfigMap",
	                 "apiVersion", "v1", "metadata", "name",
	                 json_sprintf("%s-storage", document->zone->storage_id), "data",
	                 "records", json_stringn(buf_string(list), list->len));
}

static enum err to_file(const struct document *document, json_t *map, const char *path)
{
	struct cli *cli = document->cli;
	struct whole_file file;
	enum err err = whole_file_open(&file, path, &cli->why);

	if (err) {
		json_decref(map);
		return err;
	}
	output_json_to(map, file.to);
	err = whole_file_close(&file, OK, &cli->why);
	if (err)
		return err;
	cli_answer(cli, json_pack("{s:s, s:I, s:s, s:I}", "zone", document->zone->name,
	                          "serial", (json_int_t)document->serial, "read_at",
	                          document->read_at, "records",
	                          (json_int_t)document->count));
	if (!cli->out.json && !cli->out.quiet)
		printf("%s serial %" PRId64 ": %" PRId64 " records in %s\n",
		       document->zone->name, document->serial, document->count, path);
	return OK;
}

/* Standard output gets the same document with and without --json. */
static enum err tell(const struct document *document, json_t *map)
{
	struct cli *cli = document->cli;

	if (cli->argc > 2 && strcmp(cli->argv[2], "-") != 0)
		return to_file(document, map, cli->argv[2]);
	if (cli->out.json)
		cli_answer(cli, map);
	else
		output_json(map);
	return OK;
}

enum err owner_export(struct cli *cli)
{
	struct shared_zone zone;
	struct buf list = { 0 };
	struct document document = { .cli = cli, .zone = &zone, .begin = begin,
	                             .take = take, .self = &list };
	enum err err = owner_zone(cli, &zone);

	if (!err)
		err = owner_document_read(&document);
	if (!err)
		err = tell(&document, config_map(&document, &list));
	buf_clear(&list);
	return err;
}
