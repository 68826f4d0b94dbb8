#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "pages.h"

static const struct column blacklist_columns[] = {
	{ "NAME",        COLUMN_LEFT },
	{ "CREATED",     COLUMN_LEFT },
	{ "DESCRIPTION", COLUMN_LEFT },
	{ 0 }
};

static void blacklist_row(struct table *table, const json_t *entry)
{
	table_text(table, answer_text(entry, "name"));
	table_text(table, answer_text(entry, "created_at"));
	table_text(table, answer_text(entry, "description"));
}

enum err blacklist_list(struct cli *cli)
{
	const struct listing listing = {
		"find_blacklists", "blacklists", blacklist_columns, blacklist_row,
		.noun = "name on the blacklist",
	};

	return pages_list(cli, &listing, json_object());
}

enum err blacklist_add(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	json_t *entry, *added;
	enum err err = cli_domain(cli, 0, name);

	if (err)
		return err;
	entry = json_pack("{s:s}", "name", name);
	cli_put_text(cli, OPT_DESCRIPTION, entry, "description");
	err = cli_call(cli, "create_blacklist", json_pack("{s:o}", "blacklist", entry),
	               &added);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("%s is reserved for administrators\n", name);
	cli_answer(cli, added);
	return OK;
}

static const json_t *blacklist_find_by_name(const json_t *page, const char *name)
{
	size_t i;
	json_t *entry;

	json_array_foreach(json_object_get(page, "blacklists"), i, entry)
		if (!strcmp(answer_text(entry, "name"), name))
			return entry;
	return NULL;
}

/* Central takes the id of an entry, so look the name up. *id is "" if it is missing. */
static enum err blacklist_find(struct cli *cli, const char *name, char id[ID_LEN + 1])
{
	json_t *args = json_pack("{s:i}", "limit", 1000), *page;
	bool more = true;
	enum err err = OK;

	*id = '\0';
	while (!*id && more) {
		err = cli_call(cli, "find_blacklists", json_incref(args), &page);
		if (err)
			break;
		snprintf(id, ID_LEN + 1, "%s",
		         answer_text(blacklist_find_by_name(page, name), "id"));
		more = json_is_string(json_object_get(page, "marker"));
		json_object_set(args, "marker", json_object_get(page, "marker"));
		json_decref(page);
	}
	json_decref(args);
	return err;
}

enum err blacklist_delete(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1], id[ID_LEN + 1];
	enum err err = cli_domain(cli, 0, name);

	if (!err)
		err = blacklist_find(cli, name, id);
	if (!err && !*id)
		err = fail(&cli->why, ERR_NOT_FOUND, "%.200s is not on the blacklist",
		           cli->argv[0]);
	if (!err)
		err = cli_call(cli, "delete_blacklist",
		               json_pack("{s:s}", "blacklist", id), NULL);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("%s is no longer reserved for administrators\n", name);
	cli_answer(cli, json_pack("{s:s}", "name", name));
	return OK;
}
