#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "handlers.h"
#include "progress.h"

enum { ATTEMPTS = 5 };

/*
 * The zone is written aside until it is whole: nobody finds half of it, and
 * when it changes between two pages the export begins again.
 */
struct export {
	struct cli *cli;
	char domain[NAME_MAX_TEXT + 1];
	FILE *to;
	json_t *lines;			/* for --json without a file */
	int64_t records, serial;
	struct progress progress;
};

static enum err cannot_write(struct cli *cli, const char *path)
{
	return fail(&cli->why, ERR_INTERNAL, "cannot write %.300s: %s", path,
	            strerror(errno));
}

/* ---- pages ---- */

static void take(struct export *export, const json_t *page)
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

/* *marker is where the next page begins; NULL behind the last. */
static enum err read_page(struct export *export, json_t **marker)
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
		           "%s changes faster than it can be "
		           "exported",
		           export->domain);
	export->serial = serial;
	take(export, page);
	json_decref(*marker);
	*marker = json_incref(json_object_get(page, "marker"));
	json_decref(page);
	return err;
}

static enum err read_pages(struct export *export)
{
	json_t *marker = NULL;
	enum err err;

	do
		err = read_page(export, &marker);
	while (!err && json_is_string(marker));
	json_decref(marker);
	return err;
}

static enum err begin_again(struct export *export)
{
	export->records = 0;
	if (export->lines)
		json_array_clear(export->lines);
	rewind(export->to);
	return ftruncate(fileno(export->to), 0) ? cannot_write(export->cli, "the file")
	                                        : OK;
}

static enum err export_zone(struct export *export)
{
	enum err err = ERR_CONFLICT;

	progress_begin(&export->progress, &export->cli->out);
	for (int i = 0; err == ERR_CONFLICT && i < ATTEMPTS; i++) {
		err = begin_again(export);
		if (!err)
			err = read_pages(export);
	}
	progress_end(&export->progress);
	return err;
}

/* ---- where to ---- */

static enum err to_file(struct export *export, const char *path)
{
	char *part = xprintf("%s.part", path);
	struct cli *cli = export->cli;
	enum err err;

	export->to = fopen(part, "we");
	err = export->to ? export_zone(export) : cannot_write(cli, part);
	if (export->to && (ferror(export->to) | fclose(export->to)) && !err)
		err = cannot_write(cli, part);
	if (!err && rename(part, path))
		err = cannot_write(cli, path);
	if (err && export->to)
		unlink(part);
	free(part);
	return err;
}

static enum err copy(struct export *export)
{
	char block[64 * 1024];
	size_t len;

	rewind(export->to);
	while ((len = fread(block, 1, sizeof block, export->to)) > 0)
		if (fwrite(block, 1, len, stdout) != len)
			return cannot_write(export->cli, "standard output");
	return ferror(export->to) ? cannot_write(export->cli, "a temporary file") : OK;
}

static enum err to_stdout(struct export *export)
{
	enum err err;

	export->lines = export->cli->out.json ? json_array() : NULL;
	export->to = tmpfile();
	if (!export->to)
		return cannot_write(export->cli, "a temporary file");
	err = export_zone(export);
	if (!err && (fflush(export->to) || ferror(export->to)))
		err = cannot_write(export->cli, "a temporary file");
	if (!err && !export->lines)
		err = copy(export);
	fclose(export->to);
	return err;
}

static void answer(struct export *export)
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
	err = has_file ? to_file(&export, cli->argv[1]) : to_stdout(&export);
	if (!err)
		answer(&export);
	if (!err && has_file && !cli->out.json && !cli->out.quiet)
		printf("%s serial %lld: %lld records in %s\n", export.domain,
		       (long long)export.serial, (long long)export.records, cli->argv[1]);
	json_decref(export.lines);
	return err;
}
