/*
 * access -- decides for all programs which objects a caller may see and change: by the
 * tenant of its context, and by is_admin.
 *
 * A tenant owns the objects whose tenant has exactly its octets. Objects without a
 * tenant ("") belong to administrators only. A caller without a tenant and without
 * is_admin owns nothing.
 *
 * An administrator whose context says own_tenant_only sees only the objects of its
 * tenant; without a tenant, only objects without a tenant. Its other rights (quotas,
 * reserved names) stay. A program that acts for many tenants sets own_tenant_only, so
 * that a mistake does not touch the objects of other tenants.
 */
#pragma once

#include <stdbool.h>

#include "runtime/rpc.h"

/* The rows that a statement may read and change. */
struct access {
	const char *tenant;
	bool all;		/* rows of all tenants */
	bool is_admin;
};

/* True: a caller with this access may see and change the objects of OWNER. */
bool access_has(const struct access *access, const char *owner);

/* ERR_DENIED: the caller has no tenant and is not an administrator. */
enum err access_of(struct request *req, struct access *access);
/*
 * ERR_DENIED: the caller wants a list of all tenants (all_tenants) and is not an
 * administrator.
 */
enum err access_of_list(struct request *req, struct access *access);
/* For finds: an administrator sees all tenants only if the request asks for that. */
enum err access_of_many(struct request *req, struct access *access);
/*
 * As access_of_many(). *tenant: the tenant whose rows the caller sees; NULL: all tenants.
 */
enum err access_filter(struct request *req, const char **tenant);
/* ERR_DENIED unless the caller is an administrator. */
enum err access_require_admin(struct request *req);
/* access_has() for the caller of REQ. */
bool access_is_owner(const struct request *req, const char *owner);
/* access_is_owner() as an error: ERR_DENIED. */
enum err access_check(struct request *req, const char *owner);
