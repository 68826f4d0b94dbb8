#include <stdio.h>

#include "handlers.h"
#include "names.h"
#include "pages.h"

static const struct column tld_columns[] = {
	{ "NAME",        COLUMN_LEFT },
	{ "CREATED",     COLUMN_LEFT },
	{ "DESCRIPTION", COLUMN_LEFT },
	{ 0 }
};

static void tld_row(struct table *table, const json_t *tld)
{
	table_text(table, answer_text(tld, "name"));
	table_text(table, answer_text(tld, "created_at"));
	table_text(table, answer_text(tld, "description"));
}

enum err tld_list(struct cli *cli)
{
	struct listing listing = {
		"find_tlds", "tlds", tld_columns, tld_row, .noun = "permitted suffix",
	};
	json_t *criterion = json_object();
	enum err err = OK;

	if (cli->argc) {
		listing.pattern = cli->argv[0];
		err = cli_put_name(cli, 0, criterion, "name");
	}
	if (!err)
		err = pages_list(cli, &listing, json_pack("{s:O}", "criterion",
		                                          criterion));
	json_decref(criterion);
	return err;
}

static enum err tld_suffix(struct cli *cli, char text[SUFFIX_TEXT])
{
	struct why why;

	if (names_suffix(cli->argv[0], text, &why))
		return cli_usage(cli, "NAME: %s", why.text);
	return OK;
}

enum err tld_add(struct cli *cli)
{
	char name[SUFFIX_TEXT];
	json_t *tld, *added;
	enum err err = tld_suffix(cli, name);

	if (err)
		return err;
	tld = json_pack("{s:s}", "name", name);
	cli_put_text(cli, OPT_DESCRIPTION, tld, "description");
	err = cli_call(cli, "create_tld", json_pack("{s:o}", "tld", tld), &added);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("%s is a permitted suffix\n", name);
	cli_answer(cli, added);
	return OK;
}

enum err tld_delete(struct cli *cli)
{
	char name[SUFFIX_TEXT];
	enum err err = OK;

	if (id_valid(cli->argv[0]))
		snprintf(name, sizeof name, "%s", cli->argv[0]);
	else
		err = tld_suffix(cli, name);
	if (!err)
		err = cli_call(cli, "delete_tld", json_pack("{s:s}", "tld", name), NULL);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("%s is no longer a permitted suffix\n", name);
	cli_answer(cli, json_pack("{s:s}", "name", name));
	return OK;
}
