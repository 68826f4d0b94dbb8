#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "handlers.h"
#include "progress.h"
#include "whole_file.h"

enum { ATTEMPTS = 5 };

/*
 * Writes the zone to a temporary file until it is complete, so that no reader finds half
 * of it. If the zone changes between two pages, the export begins again.
 */
struct export {
	struct cli *cli;
	char domain[NAME_MAX_TEXT + 1];
	FILE *to;
	json_t *lines;			/* for --json without a file */
	int64_t records;		/* without the SOA record, as central counts */
	int64_t serial;
	struct progress progress;
};

/* ---- pages ---- */

static void export_take_page(struct export *export, const json_t *page)
{
	size_t i;
	json_t *line;

	json_array_foreach(json_object_get(page, "lines"), i, line) {
		if (!json_is_string(line))
			continue;
		if (export->lines)
			json_array_append(export->lines, line);
		else
			fprintf(export->to, "%s\n", json_string_value(line));
		export->records++;
	}
	progress_line(&export->progress, "exporting  %lld records",
	              (long long)export->records);
}

/* *marker is the start of the next page; NULL after the last page. */
static enum err export_read_page(struct export *export, json_t **marker)
{
	json_t *args =
		json_pack("{s:s, s:O*}", "domain", export->domain, "marker", *marker);
	int64_t serial;
	json_t *page;
	enum err err = cli_call(export->cli, "export_domain", args, &page);

	if (err)
		return err;
	serial = answer_number(page, "serial");
	if (*marker && serial != export->serial)
		err = fail(&export->cli->why, ERR_CONFLICT,
		           "%s changed during the export: try again later",
		           export->domain);
	export->serial = serial;
	export_take_page(export, page);
	json_decref(*marker);
	*marker = json_incref(json_object_get(page, "marker"));
	json_decref(page);
	return err;
}

static enum err export_read_pages(struct export *export)
{
	json_t *marker = NULL;
	enum err err;

	do
		err = export_read_page(export, &marker);
	while (!err && json_is_string(marker));
	json_decref(marker);
	return err;
}

static enum err export_begin_again(struct export *export)
{
	export->records = -1;		/* the first line is the SOA record */
	if (export->lines)
		json_array_clear(export->lines);
	rewind(export->to);
	if (ftruncate(fileno(export->to), 0))
		return whole_file_cannot_write("the file", &export->cli->why);
	return OK;
}

static enum err export_zone(struct export *export)
{
	enum err err = ERR_CONFLICT;

	progress_begin(&export->progress, &export->cli->out);
	for (int i = 0; err == ERR_CONFLICT && i < ATTEMPTS; i++) {
		err = export_begin_again(export);
		if (!err)
			err = export_read_pages(export);
	}
	progress_end(&export->progress);
	return err;
}

/* ---- the destination ---- */

static enum err export_to_file(struct export *export, const char *path)
{
	struct why *why = &export->cli->why;
	struct whole_file file;
	enum err err = whole_file_open(&file, path, why);

	if (err)
		return err;
	export->to = file.to;
	return whole_file_close(&file, export_zone(export), why);
}

static enum err export_copy(struct export *export)
{
	struct why *why = &export->cli->why;
	char block[64 * 1024];
	size_t len;

	rewind(export->to);
	while ((len = fread(block, 1, sizeof block, export->to)) > 0)
		if (fwrite(block, 1, len, stdout) != len)
			return output_is_unwanted()
			     ? OK : whole_file_cannot_write("standard output", why);
	return ferror(export->to) ? whole_file_cannot_write("a temporary file", why) : OK;
}

static enum err export_to_stdout(struct export *export)
{
	enum err err;

	export->lines = export->cli->out.json ? json_array() : NULL;
	export->to = tmpfile();
	if (!export->to)
		return whole_file_cannot_write("a temporary file", &export->cli->why);
	err = export_zone(export);
	if (!err && (fflush(export->to) || ferror(export->to)))
		err = whole_file_cannot_write("a temporary file", &export->cli->why);
	if (!err && !export->lines)
		err = export_copy(export);
	fclose(export->to);
	return err;
}

static void export_answer(struct export *export)
{
	json_t *json = json_pack("{s:s, s:I, s:I}", "domain", export->domain,
	                         "serial", (json_int_t)export->serial,
	                         "records", (json_int_t)export->records);

	if (export->lines)
		json_object_set(json, "lines", export->lines);
	cli_answer(export->cli, json);
}

enum err domain_export(struct cli *cli)
{
	struct export export = { .cli = cli };
	bool has_file = cli->argc > 1 && strcmp(cli->argv[1], "-") != 0;
	enum err err = cli_domain(cli, 0, export.domain);

	if (err)
		return err;
	err = has_file ? export_to_file(&export, cli->argv[1])
	               : export_to_stdout(&export);
	if (!err)
		export_answer(&export);
	if (!err && has_file && !cli->out.json && !cli->out.quiet)
		printf("%s serial %lld: %lld records in %s\n", export.domain,
		       (long long)export.serial, (long long)export.records, cli->argv[1]);
	json_decref(export.lines);
	return err;
}
