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
static void config_map_begin(void *self)
{
	buf_reset(self);
}

static int config_map_add(const char *octets, size_t len, void *self)
{
	buf_append(self, octets, len);
	return 0;
}

static void config_map_take(void *self, const json_t *record)
{
	struct buf *list = self;

	buf_text(list, list->len ? ",\n" : "[");
	json_dump_callback(record, config_map_add, list, JSON_COMPACT | JSON_SORT_KEYS);
}

static json_t *config_map_make(const struct document *document, struct buf *list)
{
	buf_text(list, list->len ? "]" : "[]");
	return json_pack("{s:s, s:s, s:{s:o}, s:{s:o}}", "kind", "ConfigMap",
	                 "apiVersion", "v1", "metadata", "name",
	                 json_sprintf("%s-storage", document->zone->storage_id), "data",
	                 "records", json_stringn(buf_string(list), list->len));
}

static enum err config_map_write(const struct document *document, json_t *map,
                                 const char *path)
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
static enum err config_map_print(const struct document *document, json_t *map)
{
	struct cli *cli = document->cli;

	if (cli->argc > 2 && strcmp(cli->argv[2], "-") != 0)
		return config_map_write(document, map, cli->argv[2]);
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
	struct document document = { .cli = cli, .zone = &zone, .begin = config_map_begin,
	                             .take = config_map_take, .self = &list };
	enum err err = owner_zone(cli, &zone);

	if (!err)
		err = owner_document_read(&document);
	if (!err)
		err = config_map_print(&document, config_map_make(&document, &list));
	buf_clear(&list);
	return err;
}
