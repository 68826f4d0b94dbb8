/*
 * quota -- the resources that the quotas of a tenant limit. The rows of quota_fields[]
 * decide which names central accepts, what the answers contain, what the documents say,
 * and what the client completes. The database has the same names (the column
 * quotas.resource). central.h has the configured limits.
 */
#pragma once

#include "model/json.h"

enum quota {
	QUOTA_DOMAINS,
	QUOTA_DOMAIN_RECORDSETS,
	QUOTA_DOMAIN_RECORDS,
	QUOTA_RECORDSET_RECORDS,
	QUOTA_EXPORT_RECORDSETS,
	QUOTA_COUNT
};

/*
 * The fields of the object "quotas" in an answer. The first QUOTA_COUNT fields are the
 * resources, in the order of enum quota. Each of them has the limit of the resource.
 */
extern const struct json_field quota_fields[];

const char *quota_name(enum quota quota);
/* ERR_INVALID: NAME is not a resource. The reason begins with "resource". */
enum err quota_parse(const char *name, enum quota *quota, struct why *why);
