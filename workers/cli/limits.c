#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handlers.h"
#include "pages.h"

/* ---- blacklist ---- */

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

static const json_t *find_by_name(const json_t *page, const char *name)
{
	size_t i;
	json_t *entry;

	json_array_foreach(json_object_get(page, "blacklists"), i, entry)
		if (!strcmp(answer_text(entry, "name"), name))
			return entry;
	return NULL;
}

/* Central takes the id of an entry, so look the name up. *id is "" if it is missing. */
static enum err find_blacklist(struct cli *cli, const char *name, char id[ID_LEN + 1])
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
		         answer_text(find_by_name(page, name), "id"));
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
		err = find_blacklist(cli, name, id);
	if (!err && !*id)
		err = fail(&cli->why, ERR_NOT_FOUND, "%.200s is not a reserved name",
		           name);
	if (!err)
		err = cli_call(cli, "delete_blacklist",
		               json_pack("{s:s}", "blacklist", id), NULL);
	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("%s is not reserved any more\n", name);
	cli_answer(cli, json_pack("{s:s}", "name", name));
	return OK;
}

/* ---- quotas ---- */

static const struct field quota_fields[] = {
	{ "tenant",            "tenant" },
	{ "domains",           "domains" },
	{ "domain_recordsets", "domain_recordsets" },
	{ "recordset_records", "recordset_records" },
	{ 0 }
};

static enum err show_quotas(struct cli *cli, const char *tenant)
{
	json_t *quotas;
	enum err err = cli_call(cli, "get_quotas", json_pack("{s:s}", "tenant", tenant),
	                        &quotas);

	if (err)
		return err;
	json_object_set_new(quotas, "tenant", json_string(tenant));
	if (!cli->out.json && !cli->out.quiet)
		output_fields(&cli->out, quotas, quota_fields);
	cli_answer(cli, quotas);
	return OK;
}

enum err quota_show(struct cli *cli)
{
	return show_quotas(cli, cli->argc ? cli->argv[0] : cli->settings.tenant);
}

enum err quota_set(struct cli *cli)
{
	char *end;
	long limit = strtol(cli->argv[2], &end, 10);
	enum err err;

	if (!*cli->argv[2] || *end || limit < -1 || limit > INT32_MAX)
		return cli_usage(cli, "LIMIT must be a number from 0 to %d, or -1 for no "
		                 "limit, not '%s'", INT32_MAX, cli->argv[2]);
	err = cli_call(cli, "set_quota",
	               json_pack("{s:s, s:s, s:I}", "tenant", cli->argv[0], "resource",
	                         cli->argv[1], "hard_limit", (json_int_t)limit),
	               NULL);
	return err ? err : show_quotas(cli, cli->argv[0]);
}
