#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "handlers.h"
#include "names.h"
#include "pages.h"

static const struct column list_columns[] = {
	{ "ID",      COLUMN_LEFT },
	{ "DOMAIN",  COLUMN_LEFT },
	{ "NAME",    COLUMN_LEFT },
	{ "TENANT",  COLUMN_LEFT },
	{ "TARGET",  COLUMN_LEFT },
	{ "CREATED", COLUMN_LEFT },
	{ 0 }
};

static const struct field fields[] = {
	{ "id",            "id" },
	{ "domain",        "domain" },
	{ "name",          "name" },
	{ "tenant",        "tenant" },
	{ "target_tenant", "target" },
	{ "created_at",    "created" },
	{ 0 }
};

static void share_row(struct table *table, const json_t *share)
{
	table_text(table, answer_text(share, "id"));
	table_text(table, answer_text(share, "domain"));
	table_text(table, answer_text(share, "name"));
	table_text(table, answer_text(share, "tenant"));
	table_text(table, answer_text(share, "target_tenant"));
	table_text(table, answer_text(share, "created_at"));
}

enum err share_list(struct cli *cli)
{
	const struct listing listing = {
		"find_shares", "shares", list_columns, share_row, .noun = "share",
	};
	json_t *args = json_object();
	char name[NAME_MAX_TEXT + 1];
	enum err err = cli->argc ? cli_domain(cli, 0, name) : OK;

	if (err) {
		json_decref(args);
		return err;
	}
	if (cli->argc)
		json_object_set_new(args, "criterion",
		                    json_pack("{s:s}", "domain", name));
	return pages_list(cli, &listing, args);
}

/* Calls METHOD with ARGS (taken over) and prints the share in the answer. */
static enum err share_call(struct cli *cli, const char *method, json_t *args)
{
	json_t *share;
	enum err err = cli_call(cli, method, args, &share);

	if (err)
		return err;
	cli_answer(cli, share);
	if (!cli->out.json && !cli->out.quiet)
		output_fields(&cli->out, share, fields);
	return OK;
}

/* --at is relative to the domain, as the names of records. */
static enum err share_put_name(struct cli *cli, const char *domain, json_t *share)
{
	char name[NAME_MAX_TEXT + 1];

	if (!cli_has(cli, OPT_AT))
		return OK;
	if (names_record(cli->option[OPT_AT], domain, name, &cli->why))
		return cli_usage(cli, "%s", cli->why.text);
	json_object_set_new(share, "name", json_string(name));
	return OK;
}

enum err share_create(struct cli *cli)
{
	char name[NAME_MAX_TEXT + 1];
	json_t *share;
	enum err err = cli_domain(cli, 0, name);

	if (err)
		return err;
	share = json_pack("{s:s, s:s}", "domain", name, "target_tenant", cli->argv[1]);
	if (!share)
		return cli_usage(cli, "TENANT: must be text in UTF-8");
	err = share_put_name(cli, name, share);
	if (err) {
		json_decref(share);
		return err;
	}
	return share_call(cli, "create_share", json_pack("{s:o}", "share", share));
}

enum err share_show(struct cli *cli)
{
	return share_call(cli, "get_share", json_pack("{s:s}", "share", cli->argv[0]));
}

static void share_print_end(const struct cli *cli, int64_t count)
{
	bool deletes = cli_has(cli, OPT_RECORDSETS) &&
	               !strcmp(cli->option[OPT_RECORDSETS], "delete");

	printf("deleted share %s\n", cli->argv[0]);
	if (count)
		printf("%" PRId64 " record set%s: %s\n", count, count == 1 ? "" : "s",
		       deletes ? "deleted" : "now of the tenant of the domain");
}

enum err share_delete(struct cli *cli)
{
	json_t *args = json_pack("{s:s}", "share", cli->argv[0]), *done;
	enum err err;

	cli_put_text(cli, OPT_RECORDSETS, args, "recordsets");
	err = cli_call(cli, "delete_share", args, &done);
	if (err)
		return err;
	cli_answer(cli, done);
	if (!cli->out.json && !cli->out.quiet)
		share_print_end(cli, answer_number(done, "recordsets"));
	return OK;
}
