#include "model/quota.h"

#include <string.h>

#include "base/buf.h"

enum { NAME_SHOWN = 32 };	/* characters of a wrong name in a reason */

const struct json_field quota_fields[] = {
	[QUOTA_DOMAINS] = { "domains", "number",
	  "largest number of domains of the tenant" },
	[QUOTA_DOMAIN_RECORDSETS] = { "domain_recordsets", "number",
	  "largest number of record sets of a domain" },
	[QUOTA_DOMAIN_RECORDS] = { "domain_records", "number",
	  "largest number of records of a domain" },
	[QUOTA_RECORDSET_RECORDS] = { "recordset_records", "number",
	  "largest number of records of a record set" },
	[QUOTA_EXPORT_RECORDSETS] = { "export_recordsets", "number",
	  "largest number of record sets of a domain that the tenant can export with "
	  "`export_domain`" },
	{ "tenant", "string", "the tenant" },
	{ "own", "list of strings", "the resources for which the tenant has its own "
	  "limit. For the other resources, the settings of central apply" },
	{ "usage", "[usage]", "what the tenant has used of its quotas" },
	{ "has_domains", "true or false", "true: the tenant has at least one domain. "
	  "zonefleet has no list of tenants, so a call can also name a tenant that has "
	  "no domain" },
	{ 0 }
};

const char *quota_name(enum quota quota)
{
	return quota_fields[quota].name;
}

static enum err quota_fail(const char *name, struct why *why)
{
	char quoted[NAME_SHOWN + 1];
	struct buf list = { 0 };
	enum err err;

	for (enum quota i = 0; i < QUOTA_COUNT; i++)
		buf_printf(&list, "%s%s", !i ? "" : i + 1 < QUOTA_COUNT ? ", " : " or ",
		           quota_name(i));
	err = fail(why, ERR_INVALID, "resource: must be %s, not '%s'", buf_string(&list),
	           err_quote(name, quoted, sizeof quoted));
	buf_clear(&list);
	return err;
}

enum err quota_parse(const char *name, enum quota *quota, struct why *why)
{
	for (*quota = 0; *quota < QUOTA_COUNT; ++*quota)
		if (!strcmp(quota_name(*quota), name))
			return OK;
	return quota_fail(name, why);
}
