/*
 * access -- decides, for all programs, which objects a caller may see and change. The
 * decision depends on the tenant and is_admin in the caller's context.
 *
 * A caller owns an object if the caller's tenant and the object's tenant have the same
 * octets. Objects without a tenant ("") belong to administrators only. A caller without a
 * tenant and without is_admin owns no objects.
 *
 * If an administrator's context contains own_tenant_only, the administrator sees only the
 * objects of its tenant. If the tenant of this administrator is "", the administrator
 * sees only the objects without a tenant. The administrator keeps all other rights, for
 * example the right to change quotas. A program that acts for many tenants sets
 * own_tenant_only. A wrong call of this program then cannot change the objects of other
 * tenants.
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
/* ERR_DENIED: the request sets all_tenants, and the caller is not an administrator. */
enum err access_of_list(struct request *req, struct access *access);
/*
 * For calls that list objects: an administrator sees the objects of all tenants only if
 * the request sets all_tenants.
 */
enum err access_of_many(struct request *req, struct access *access);
/*
 * Makes the same check as access_of_list(). *tenant: the only tenant whose rows the
 * caller may see; NULL: all tenants.
 */
enum err access_filter(struct request *req, const char **tenant);
/* ERR_DENIED: the caller is not an administrator. */
enum err access_require_admin(struct request *req);
/* True: the caller of REQ may see and change the objects of OWNER. */
bool access_is_owner(const struct request *req, const char *owner);
/* ERR_DENIED: the caller of REQ may not see and change the objects of OWNER. */
enum err access_check(struct request *req, const char *owner);
