#include <stdio.h>
#include <stdlib.h>

#include "handlers.h"

static const struct field quota_fields[] = {
	{ "tenant",            "tenant" },
	{ "domains",           "domains" },
	{ "domain_recordsets", "domain_recordsets" },
	{ "recordset_records", "recordset_records" },
	{ 0 }
};

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
	cli_answer(cli, quotas);
	return OK;
}

enum err quota_show(struct cli *cli)
{
	return quota_print(cli, cli->argc ? cli->argv[0] : cli->settings.tenant);
}

enum err quota_set(struct cli *cli)
{
	char *end;
	long limit = strtol(cli->argv[2], &end, 10);
	enum err err;

	if (!*cli->argv[2] || *end || limit < -1 || limit > INT32_MAX)
		return cli_usage(cli, "LIMIT: must be a number from 0 to %d, or -1 for "
		                 "no limit, not '%s'", INT32_MAX, cli->argv[2]);
	err = cli_call(cli, "set_quota",
	               json_pack("{s:s, s:s, s:I}", "tenant", cli->argv[0], "resource",
	                         cli->argv[1], "hard_limit", (json_int_t)limit),
	               NULL);
	return err ? err : quota_print(cli, cli->argv[0]);
}
