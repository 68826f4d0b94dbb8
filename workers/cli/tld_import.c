#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "handlers.h"
#include "input.h"
#include "model/suffix.h"
#include "names.h"
#include "progress.h"

enum {
	LINE_MAX_OCTETS = 4096,
	PAGE_ITEMS = 1000,
	CALL_MAX = 1000,		/* suffixes in a call */
	BATCH = CALL_MAX - 2,		/* the last call may also replace GUARD */
};

/*
 * During an import into an empty list, this entry permits the names that are not below a
 * suffix of the file. The description tells the entry from an entry of an administrator.
 */
#define GUARD "*."
#define GUARD_DESCRIPTION "until an import of 'tld import' is complete"

#define BEGIN_PRIVATE "===BEGIN PRIVATE DOMAINS==="
#define END_PRIVATE "===END PRIVATE DOMAINS==="

struct suffixes {
	struct cli *cli;
	const char *path;		/* the file, for reasons */
	/* objects whose keys are suffixes; `wanted` has the line of each suffix */
	json_t *wanted, *listed;
	struct arena *arena;		/* for the check of one line */
	int line;
	bool is_private;		/* the line is one of the private domains */
	bool is_guarded;		/* the list has GUARD until the last call */
	json_t *add, *remove;		/* the lists of the next call */
	int64_t done, total;
	int64_t added, removed;
	struct progress progress;
};

/* ---- the file ---- */

static enum err suffixes_fail(const struct suffixes *suffixes, int line,
                              const char *words)
{
	return cli_fail(suffixes->cli, ERR_INVALID, "%s:%d: %s", suffixes->path, line,
	                words);
}

static bool suffixes_is_comment(const char *line)
{
	return !*line || *line == '#' || !strncmp(line, "//", 2);
}

/* The sections of a Public Suffix List begin and end in comments. */
static void suffixes_take_comment(struct suffixes *suffixes, const char *line)
{
	if (strstr(line, BEGIN_PRIVATE))
		suffixes->is_private = true;
	if (strstr(line, END_PRIVATE))
		suffixes->is_private = false;
}

static enum err suffixes_take_line(struct suffixes *suffixes, char *line)
{
	char name[SUFFIX_TEXT];
	const char *entry;
	struct why why;

	if (strlen(line) > LINE_MAX_OCTETS) {
		fail(&why, ERR_INVALID, "a line must have at most %d octets, not %zu",
		     LINE_MAX_OCTETS, strlen(line));
		return suffixes_fail(suffixes, suffixes->line, why.text);
	}
	line += strspn(line, " \t\r");
	if (suffixes_is_comment(line)) {
		suffixes_take_comment(suffixes, line);
		return OK;
	}
	if (suffixes->is_private && !cli_has(suffixes->cli, OPT_PRIVATE))
		return OK;
	line[strcspn(line, " \t\r")] = '\0';
	if (names_suffix(line, name, &why))
		return suffixes_fail(suffixes, suffixes->line, why.text);
	if (suffix_parse(name, "tld.name", suffixes->arena, &entry, &why))
		return suffixes_fail(suffixes, suffixes->line,
		                     err_without_field(why.text));
	arena_reset(suffixes->arena);
	json_object_set_new(suffixes->wanted, name, json_integer(suffixes->line));
	return OK;
}

static enum err suffixes_take_lines(struct suffixes *suffixes, char *text)
{
	enum err err = OK;

	while (!err && text) {
		char *line = strsep(&text, "\n");

		suffixes->line++;
		err = suffixes_take_line(suffixes, line);
	}
	return err;
}

/* Refuses a file without suffixes: --replace would make the list empty. */
static enum err suffixes_read_file(struct suffixes *suffixes)
{
	struct cli *cli = suffixes->cli;
	struct buf text = { 0 };
	enum err err = input_read(cli->argv[0], &text, &cli->why);

	if (!err) {
		char *lines = xstrdup(buf_string(&text));

		err = suffixes_take_lines(suffixes, lines);
		free(lines);
	}
	buf_clear(&text);
	if (!err && !json_object_size(suffixes->wanted))
		err = fail(&cli->why, ERR_INVALID, "%.300s: must contain a suffix, such "
		           "as 'org', but has only comments and empty lines",
		           suffixes->path);
	return err;
}

/* ---- the list of central ---- */

static enum err suffixes_read_page(struct suffixes *suffixes, json_t *args, bool *more)
{
	json_t *page, *tld;
	const char *marker;
	size_t i;
	enum err err = cli_call(suffixes->cli, "find_tlds", json_incref(args), &page);

	if (err)
		return err;
	json_array_foreach(json_object_get(page, "tlds"), i, tld)
		json_object_set_new(suffixes->listed, answer_text(tld, "name"),
		                    json_true());
	progress_line(&suffixes->progress, "reading the list  %zu suffixes",
	              json_object_size(suffixes->listed));
	marker = answer_text(page, "marker");
	*more = *marker;
	json_object_set_new(args, "marker", json_string(marker));
	json_decref(page);
	return OK;
}

static enum err suffixes_read_list(struct suffixes *suffixes)
{
	json_t *args = json_pack("{s:i}", "limit", PAGE_ITEMS);
	bool more = true;
	enum err err = OK;

	while (!err && more)
		err = suffixes_read_page(suffixes, args, &more);
	json_decref(args);
	return err;
}

/* ---- the guard ---- */

/* Finds the first entry whose name matches PATTERN. TLD: NULL if there is no entry. */
static enum err suffixes_find_first(struct suffixes *suffixes, const char *pattern,
                                    json_t **tld)
{
	json_t *args = json_pack("{s:i, s:{s:s}}", "limit", 1, "criterion", "name",
	                         pattern), *page;
	enum err err = cli_call(suffixes->cli, "find_tlds", args, &page);

	*tld = NULL;
	if (err)
		return err;
	*tld = json_incref(json_array_get(json_object_get(page, "tlds"), 0));
	json_decref(page);
	return OK;
}

/* An import that did not end has left GUARD in the list. */
static enum err suffixes_find_guard(struct suffixes *suffixes)
{
	json_t *tld;
	enum err err = suffixes_find_first(suffixes, "\\*", &tld);

	if (!err && !strcmp(answer_text(tld, "description"), GUARD_DESCRIPTION)) {
		json_object_del(suffixes->listed, GUARD);
		suffixes->is_guarded = !cli_has(suffixes->cli, OPT_DRY_RUN);
	}
	json_decref(tld);
	return err;
}

static enum err suffixes_add_guard(struct suffixes *suffixes)
{
	json_t *tld = json_pack("{s:s, s:s}", "name", GUARD, "description",
	                        GUARD_DESCRIPTION);
	json_t *args = json_pack("{s:o}", "tld", tld);
	enum err err = cli_call(suffixes->cli, "create_tld", args, NULL);

	suffixes->is_guarded = !err;
	return err;
}

/* One call changes an empty list at once, so this import needs no guard. */
static enum err suffixes_guard(struct suffixes *suffixes)
{
	json_t *tld;
	enum err err = suffixes_find_first(suffixes, "*", &tld);
	bool is_empty = !tld;

	json_decref(tld);
	if (err)
		return err;
	if (!is_empty)
		return suffixes_find_guard(suffixes);
	if (json_object_size(suffixes->wanted) <= BATCH ||
	    cli_has(suffixes->cli, OPT_DRY_RUN))
		return OK;
	return suffixes_add_guard(suffixes);
}

/* central first removes and then adds. So GUARD stays if it is in the file. */
static void suffixes_end_guard(struct suffixes *suffixes)
{
	if (!suffixes->is_guarded)
		return;
	json_array_append_new(suffixes->remove, json_string(GUARD));
	if (json_object_get(suffixes->wanted, GUARD))
		json_array_append_new(suffixes->add, json_string(GUARD));
	suffixes->removed--;
}

/* ---- changes ---- */

/* Names the line of a suffix that central refuses: its reason begins with "add[N]: ". */
static enum err suffixes_place(const struct suffixes *suffixes, const json_t *added,
                               enum err err)
{
	struct cli *cli = suffixes->cli;
	const char *words = strstr(cli->why.text, "]: ");
	const json_t *name;
	size_t index;

	if (!words || sscanf(cli->why.text, "add[%zu]", &index) != 1)
		return err;
	name = json_array_get(added, index);
	if (!name)
		return err;
	return suffixes_fail(suffixes,
	                     (int)answer_number(suffixes->wanted,
	                                        json_string_value(name)),
	                     words + strlen("]: "));
}

static enum err suffixes_call(struct suffixes *suffixes, json_t *add, json_t *remove)
{
	json_t *args = json_pack("{s:O, s:O}", "add", add, "remove", remove), *answer;
	enum err err = cli_call(suffixes->cli, "apply_tlds", args, &answer);

	if (err)
		return suffixes_place(suffixes, add, err);
	suffixes->added += answer_number(answer, "added");
	suffixes->removed += answer_number(answer, "removed");
	json_decref(answer);
	return OK;
}

static enum err suffixes_flush(struct suffixes *suffixes)
{
	json_t *add = suffixes->add, *remove = suffixes->remove;
	size_t count = json_array_size(add) + json_array_size(remove);
	enum err err = OK;

	suffixes->add = json_array();
	suffixes->remove = json_array();
	if (count && cli_has(suffixes->cli, OPT_DRY_RUN)) {
		suffixes->added += (int64_t)json_array_size(add);
		suffixes->removed += (int64_t)json_array_size(remove);
	} else if (count) {
		err = suffixes_call(suffixes, add, remove);
	}
	suffixes->done += (int64_t)count;
	progress_bar(&suffixes->progress, "changing", suffixes->done, suffixes->total,
	             "the list");
	json_decref(add);
	json_decref(remove);
	return err;
}

/* Puts the keys of FROM that are not in WITHOUT on LIST. */
static enum err suffixes_send(struct suffixes *suffixes, const json_t *from,
                              const json_t *without, json_t *const *list)
{
	const char *name;
	json_t *value;
	enum err err = OK;

	json_object_foreach((json_t *)from, name, value) {
		if (err || json_object_get(without, name))
			continue;
		json_array_append_new(*list, json_string(name));
		if (json_array_size(suffixes->add) + json_array_size(suffixes->remove) ==
		    BATCH)
			err = suffixes_flush(suffixes);
	}
	return err;
}

/* Counts the keys of FROM that are not in WITHOUT. */
static int64_t suffixes_count(const json_t *from, const json_t *without)
{
	const char *name;
	json_t *value;
	int64_t count = 0;

	json_object_foreach((json_t *)from, name, value)
		count += !json_object_get(without, name);
	return count;
}

static int64_t suffixes_count_changes(const struct suffixes *suffixes)
{
	const json_t *wanted = suffixes->wanted, *listed = suffixes->listed;
	int64_t count = suffixes_count(wanted, listed);

	if (cli_has(suffixes->cli, OPT_REPLACE))
		count += suffixes_count(listed, wanted);
	if (suffixes->is_guarded)
		count += 1 + !!json_object_get(wanted, GUARD);
	return count;
}

/*
 * Adds first, and removes GUARD in the last call. If the command ends in between, the
 * list permits too many names, not too few.
 */
static enum err suffixes_change(struct suffixes *suffixes)
{
	bool is_replaced = cli_has(suffixes->cli, OPT_REPLACE);
	enum err err;

	suffixes->total = suffixes_count_changes(suffixes);
	err = suffixes_send(suffixes, suffixes->wanted, suffixes->listed,
	                    &suffixes->add);
	if (!err && is_replaced)
		err = suffixes_send(suffixes, suffixes->listed, suffixes->wanted,
		                    &suffixes->remove);
	if (err)
		return err;
	suffixes_end_guard(suffixes);
	err = suffixes_flush(suffixes);
	/* another import has removed GUARD */
	if (suffixes->removed < 0)
		suffixes->removed = 0;
	return err;
}

/* ---- the command ---- */

static enum err suffixes_run(struct suffixes *suffixes)
{
	struct cli *cli = suffixes->cli;
	enum err err = suffixes_read_file(suffixes);

	if (!err && (cli_has(cli, OPT_REPLACE) || cli_has(cli, OPT_DRY_RUN)))
		err = suffixes_read_list(suffixes);
	if (!err)
		err = suffixes_guard(suffixes);
	return err ? err : suffixes_change(suffixes);
}

static void suffixes_answer(const struct suffixes *suffixes)
{
	struct cli *cli = suffixes->cli;
	bool is_dry = cli_has(cli, OPT_DRY_RUN);
	int64_t count = (int64_t)json_object_size(suffixes->wanted);

	if (!cli->out.json && !cli->out.quiet)
		printf("%sread %" PRId64 " suffixes, added %" PRId64 ", removed %" PRId64
		       ", unchanged %" PRId64 "\n", is_dry ? "dry run: " : "", count,
		       suffixes->added, suffixes->removed, count - suffixes->added);
	cli_answer(cli, json_pack("{s:I, s:I, s:I, s:I, s:b}", "read", (json_int_t)count,
	                          "added", (json_int_t)suffixes->added,
	                          "removed", (json_int_t)suffixes->removed,
	                          "unchanged", (json_int_t)(count - suffixes->added),
	                          "dry_run", is_dry));
}

enum err tld_import(struct cli *cli)
{
	struct suffixes suffixes = {
		.cli = cli,
		.path = strcmp(cli->argv[0], "-") ? cli->argv[0] : "standard input",
		.wanted = json_object(), .listed = json_object(),
		.add = json_array(), .remove = json_array(),
		.arena = arena_new(),
	};
	enum err err;

	progress_begin(&suffixes.progress, &cli->out);
	err = suffixes_run(&suffixes);
	progress_end(&suffixes.progress);
	if (!err)
		suffixes_answer(&suffixes);
	json_decref(suffixes.wanted);
	json_decref(suffixes.listed);
	json_decref(suffixes.add);
	json_decref(suffixes.remove);
	arena_free(&suffixes.arena);
	return err;
}
