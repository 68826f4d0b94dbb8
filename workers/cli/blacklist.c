#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "names.h"
#include "pages.h"

static const struct column blacklist_columns[] = {
	{ "NAME",        COLUMN_LEFT },
	{ "PATTERN",     COLUMN_LEFT },
	{ "CREATED",     COLUMN_LEFT },
	{ "DESCRIPTION", COLUMN_LEFT },
	{ 0 }
};

static void blacklist_row(struct table *table, const json_t *entry)
{
	const char *name = answer_text(entry, "name");
	const char *pattern = answer_text(entry, "pattern");

	table_text(table, *name ? name : "-");
	table_text(table, *pattern ? pattern : "-");
	table_text(table, answer_text(entry, "created_at"));
	table_text(table, answer_text(entry, "description"));
}

enum err blacklist_list(struct cli *cli)
{
	const struct listing listing = {
		"find_blacklists", "blacklists", blacklist_columns, blacklist_row,
		.noun = "blacklist entry",
	};

	return pages_list(cli, &listing, json_object());
}

/* ---- add ---- */

/* NAME, or the pattern of --pattern. */
static enum err blacklist_put_entry(struct cli *cli, json_t *entry)
{
	char name[NAME_MAX_TEXT + 1];
	enum err err;

	if (!cli->argc == !cli_has(cli, OPT_PATTERN))
		return cli_usage(cli, "give either NAME or --pattern");
	cli_put_text(cli, OPT_PATTERN, entry, "pattern");
	cli_put_text(cli, OPT_DESCRIPTION, entry, "description");
	if (!cli->argc)
		return OK;
	err = cli_domain(cli, 0, name);
	if (!err)
		json_object_set_new(entry, "name", json_string(name));
	return err;
}

static void blacklist_print(const struct cli *cli, const json_t *entry, const char *says)
{
	const char *name = answer_text(entry, "name");
	struct buf shown = { 0 };

	if (cli->out.json || cli->out.quiet)
		return;
	output_escape(*name ? name : answer_text(entry, "pattern"), &shown);
	printf("%s%s %s\n", *name ? "" : "the pattern ", buf_string(&shown), says);
	buf_clear(&shown);
}

enum err blacklist_add(struct cli *cli)
{
	json_t *entry = json_object(), *added;
	enum err err = blacklist_put_entry(cli, entry);

	if (!err)
		err = cli_call(cli, "create_blacklist",
		               json_pack("{s:O}", "blacklist", entry), &added);
	json_decref(entry);
	if (err)
		return err;
	blacklist_print(cli, added, "is reserved for administrators");
	cli_answer(cli, added);
	return OK;
}

/* ---- find an entry ---- */

/* What a person wrote: an id, a name or a pattern. NAME is "" if it is not a name. */
struct blacklist_word {
	const char *text;
	char name[NAME_MAX_TEXT + 1];
};

static bool blacklist_is_entry(const json_t *entry, const struct blacklist_word *word)
{
	const char *name = answer_text(entry, "name");

	if (*name)
		return !strcmp(name, word->name) ||
		       !strcmp(answer_text(entry, "id"), word->text);
	return !strcmp(answer_text(entry, "pattern"), word->text) ||
	       !strcmp(answer_text(entry, "id"), word->text);
}

static json_t *blacklist_find_on_page(const json_t *page,
                                      const struct blacklist_word *word)
{
	size_t i;
	json_t *entry;

	json_array_foreach(json_object_get(page, "blacklists"), i, entry)
		if (blacklist_is_entry(entry, word))
			return json_incref(entry);
	return NULL;
}

/* Central takes the id of an entry, so the client reads the list. */
static enum err blacklist_read(struct cli *cli, const struct blacklist_word *word,
                               json_t **entry)
{
	json_t *args = json_pack("{s:i}", "limit", 1000), *page;
	bool more = true;
	enum err err = OK;

	*entry = NULL;
	while (!*entry && more) {
		err = cli_call(cli, "find_blacklists", json_incref(args), &page);
		if (err)
			break;
		*entry = blacklist_find_on_page(page, word);
		more = json_is_string(json_object_get(page, "marker"));
		json_object_set(args, "marker", json_object_get(page, "marker"));
		json_decref(page);
	}
	json_decref(args);
	return err;
}

/* Finds the entry that the first argument names. The caller frees ENTRY. */
static enum err blacklist_find(struct cli *cli, json_t **entry)
{
	struct blacklist_word word = { .text = cli->argv[0] };
	struct why ignored;
	enum err err;

	if (names_domain(word.text, word.name, &ignored))
		*word.name = '\0';
	err = blacklist_read(cli, &word, entry);
	return err || *entry ? err : fail(&cli->why, ERR_NOT_FOUND,
	                                  "%.200s is not on the blacklist", word.text);
}

/* ---- set, delete ---- */

enum err blacklist_set(struct cli *cli)
{
	json_t *values = json_object(), *entry = NULL, *changed;
	enum err err;

	cli_put_text(cli, OPT_PATTERN, values, "pattern");
	cli_put_text(cli, OPT_DESCRIPTION, values, "description");
	err = json_object_size(values) ? blacklist_find(cli, &entry)
		: cli_usage(cli, "give a value to change: --pattern or --description");
	if (!err)
		err = cli_call(cli, "update_blacklist",
		               json_pack("{s:s, s:O}", "blacklist",
		                         answer_text(entry, "id"), "values", values),
		               &changed);
	json_decref(entry);
	json_decref(values);
	if (err)
		return err;
	blacklist_print(cli, changed, "is reserved for administrators");
	cli_answer(cli, changed);
	return OK;
}

enum err blacklist_delete(struct cli *cli)
{
	json_t *entry = NULL;
	enum err err = blacklist_find(cli, &entry);

	if (!err)
		err = cli_call(cli, "delete_blacklist",
		               json_pack("{s:s}", "blacklist", answer_text(entry, "id")),
		               NULL);
	if (err) {
		json_decref(entry);
		return err;
	}
	blacklist_print(cli, entry, "is no longer reserved for administrators");
	cli_answer(cli, json_pack("{s:O?, s:O?}", "name", json_object_get(entry, "name"),
	                          "pattern", json_object_get(entry, "pattern")));
	json_decref(entry);
	return OK;
}
