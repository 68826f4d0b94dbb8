/*
 * access -- the one place that decides what a caller may see and change: by the tenant of
 * its context, and by is_admin. Handlers and statements of all programs ask here.
 *
 * A tenant owns things whose tenant has exactly its octets. Things without a tenant ("")
 * belong to administrators only. A caller that has no tenant and is no administrator owns
 * nothing.
 *
 * An administrator whose context says own_tenant_only is kept to the things of its tenant;
 * without a tenant, to those that have none. Its other rights (quotas, reserved names) stay.
 * A program that acts for many tenants asks so: it touches nothing of theirs by mistake.
 */
#pragma once

#include <stdbool.h>

#include "runtime/rpc.h"

/* Whose rows a statement may see. */
struct access {
	const char *tenant;
	bool all;		/* everyone's */
	bool is_admin;
};

/* May such a caller see and change what belongs to OWNER? */
bool access_has(const struct access *access, const char *owner);

/* ERR_DENIED for a caller with no tenant and no administrator's rights. */
enum err access_of(struct request *req, struct access *access);
/* ERR_DENIED for a list of all tenants (all_tenants) without an administrator's rights. */
enum err access_of_list(struct request *req, struct access *access);
/* The same for finds: an administrator sees all tenants only if the request asks for that. */
enum err access_of_many(struct request *req, struct access *access);
/* The same; *tenant is whose rows the caller sees; NULL: everyone's. */
enum err access_filter(struct request *req, const char **tenant);
/* ERR_DENIED unless the caller is an administrator. */
enum err access_require_admin(struct request *req);
/* The same as access_has(), of the caller. */
bool access_is_owner(const struct request *req, const char *owner);
/* The same, as an error: ERR_DENIED. */
enum err access_check(struct request *req, const char *owner);
