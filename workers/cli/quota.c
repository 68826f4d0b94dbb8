#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handlers.h"

static const struct field quota_fields[] = {
	{ "tenant",            "tenant" },
	{ "domains",           "domains" },
	{ "domain_recordsets", "domain_recordsets" },
	{ "recordset_records", "recordset_records" },
	{ 0 }
};

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
	if (!cli->out.json && !cli->out.quiet)
		output_fields(&cli->out, quotas, quota_fields);
	quota_print_note(&cli->out, tenant, quotas);
	cli_answer(cli, quotas);
	return OK;
}

enum err quota_show(struct cli *cli)
{
	return quota_print(cli, cli->argc ? cli->argv[0] : cli->settings.tenant);
}

/* NULL: the text is not a limit. */
static json_t *quota_parse(const char *text)
{
	char *end;
	long limit = strtol(text, &end, 10);

	if (!strcmp(text, "default"))
		return json_null();
	return *text && !*end && limit >= -1 && limit <= INT32_MAX ? json_integer(limit)
	                                                           : NULL;
}

enum err quota_set(struct cli *cli)
{
	json_t *limit = quota_parse(cli->argv[2]);
	enum err err;

	if (!limit)
		return cli_usage(cli, "LIMIT: must be a number from 0 to %d, -1 for no "
		                 "limit, or 'default', not '%s'", INT32_MAX,
		                 cli->argv[2]);
	err = cli_call(cli, "set_quota",
	               json_pack("{s:s, s:s, s:o}", "tenant", cli->argv[0], "resource",
	                         cli->argv[1], "hard_limit", limit),
	               NULL);
	return err ? err : quota_print(cli, cli->argv[0]);
}
