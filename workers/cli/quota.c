#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handlers.h"
#include "model/quota.h"
#include "pages.h"

static const struct field tenant_field[] = {
	{ "tenant", "tenant" },
	{ 0 }
};

static const struct column show_columns[] = {
	{ "RESOURCE", COLUMN_LEFT  },
	{ "LIMIT",    COLUMN_RIGHT },
	{ "SOURCE",   COLUMN_LEFT  },
	{ "USED",     COLUMN_RIGHT },
	{ 0 }
};

static const struct column list_columns[] = {
	{ "TENANT",   COLUMN_LEFT  },
	{ "RESOURCE", COLUMN_LEFT  },
	{ "LIMIT",    COLUMN_RIGHT },
	{ "USED",     COLUMN_RIGHT },
	{ 0 }
};

static bool quota_is_own(const json_t *quotas, const char *name)
{
	size_t i;
	json_t *own;

	json_array_foreach(json_object_get(quotas, "own"), i, own)
		if (json_is_string(own) && !strcmp(json_string_value(own), name))
			return true;
	return false;
}

static void quota_add_limit(struct table *table, const json_t *quotas, const char *name)
{
	int64_t limit = answer_number(quotas, name);

	if (limit < 0)
		table_text(table, "unlimited");
	else
		table_number(table, limit);
}

/* The quotas of the other resources apply to each domain, record set or export. */
static void quota_add_used(struct table *table, const json_t *quotas, const char *name)
{
	const json_t *used = json_object_get(json_object_get(quotas, "usage"), name);

	if (json_is_integer(used))
		table_number(table, json_integer_value(used));
	else
		table_text(table, "-");
}

/* An older central does not know all resources. */
static void quota_print_table(const struct output *out, const json_t *quotas)
{
	struct table table;

	table_begin(&table, out, show_columns);
	for (enum quota i = 0; i < QUOTA_COUNT; i++) {
		const char *name = quota_name(i);

		if (!json_object_get(quotas, name))
			continue;
		table_text(&table, name);
		quota_add_limit(&table, quotas, name);
		table_text(&table, quota_is_own(quotas, name) ? "tenant" : "settings");
		quota_add_used(&table, quotas, name);
	}
	table_flush(&table, stdout);
	table_clear(&table);
}

/* There is no list of tenants, so a misspelled tenant is no error. */
static void quota_print_note(const struct output *out, const char *tenant,
                             const json_t *quotas)
{
	if (json_is_false(json_object_get(quotas, "has_domains")) && !out->json &&
	    !out->quiet)
		fprintf(stderr, "zonefleet: note: the tenant '%.100s' has no domains "
		        "yet: check the spelling\n", tenant);
}

static enum err quota_print(struct cli *cli, const char *tenant)
{
	json_t *quotas;
	enum err err = cli_call(cli, "get_quotas", json_pack("{s:s}", "tenant", tenant),
	                        &quotas);

	if (err)
		return err;
	json_object_set_new(quotas, "tenant", json_string(tenant));
	if (!cli->out.json && !cli->out.quiet) {
		output_fields(&cli->out, quotas, tenant_field);
		quota_print_table(&cli->out, quotas);
	}
	quota_print_note(&cli->out, tenant, quotas);
	cli_answer(cli, quotas);
	return OK;
}

enum err quota_show(struct cli *cli)
{
	return quota_print(cli, cli->argc ? cli->argv[0] : cli->settings.tenant);
}

/* NULL: the text is not a limit. */
static json_t *quota_parse_limit(const char *text)
{
	char *end;
	long limit = strtol(text, &end, 10);

	if (!strcmp(text, "default"))
		return json_null();
	if (!strcmp(text, "unlimited"))
		return json_integer(-1);
	return *text && !*end && limit >= -1 && limit <= INT32_MAX ? json_integer(limit)
	                                                           : NULL;
}

enum err quota_set(struct cli *cli)
{
	json_t *limit = quota_parse_limit(cli->argv[2]);
	enum err err;

	if (!limit)
		return cli_usage(cli, "LIMIT: must be a number from 0 to %d, 'unlimited' "
		                 "or 'default', not '%s'", INT32_MAX, cli->argv[2]);
	err = cli_call(cli, "set_quota",
	               json_pack("{s:s, s:s, s:o}", "tenant", cli->argv[0], "resource",
	                         cli->argv[1], "hard_limit", limit),
	               NULL);
	return err ? err : quota_print(cli, cli->argv[0]);
}

enum err quota_reset(struct cli *cli)
{
	enum err err = cli_call(cli, "reset_quotas",
	                        json_pack("{s:s}", "tenant", cli->argv[0]), NULL);

	return err ? err : quota_print(cli, cli->argv[0]);
}

/* A row for each limit of the tenant. */
static void quota_add_rows(struct table *table, const json_t *quotas)
{
	for (enum quota i = 0; i < QUOTA_COUNT; i++) {
		const char *name = quota_name(i);

		if (!quota_is_own(quotas, name))
			continue;
		table_text(table, answer_text(quotas, "tenant"));
		table_text(table, name);
		quota_add_limit(table, quotas, name);
		quota_add_used(table, quotas, name);
	}
}

enum err quota_list(struct cli *cli)
{
	const struct listing listing = {
		"find_quotas", "quotas", list_columns, quota_add_rows,
		.noun = "tenant with its own quotas",
	};

	return pages_list(cli, &listing, json_object());
}
