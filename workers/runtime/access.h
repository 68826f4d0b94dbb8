/*
 * access -- decides, for all programs, which objects a caller may see and change. The
 * decision depends on the tenant and is_admin in the caller's context.
 *
 * A caller owns an object if the caller's tenant and the object's tenant have the same
 * octets. Objects without a tenant ("") belong to administrators only. A caller without a
 * tenant and without is_admin owns no objects.
 *
 * If an administrator's context contains own_tenant_only, the administrator sees only the
 * objects of the administrator's tenant. If the tenant of this administrator is "", the
 * administrator sees only the objects without a tenant. The administrator keeps all other
 * rights, for example the right to change quotas. A program that acts for many tenants
 * sets own_tenant_only. So a faulty call of this program cannot change the objects of
 * other tenants.
 */
#pragma once

#include <stdbool.h>

#include "runtime/rpc.h"

/*
 * The rights of a caller. A statement may read and change only the rows that the members
 * describe.
 */
struct access {
	const char *tenant;
	/*
	 * true: the caller has access to the rows of all tenants. false: only to the
	 * rows of `tenant`
	 */
	bool all;
	bool is_admin;
};

/* True: a caller with this access may see and change the objects of OWNER. */
bool access_has(const struct access *access, const char *owner);

/*
 * Fills in ACCESS with the rights of the caller. ERR_DENIED: the caller has no tenant and
 * is not an administrator.
 */
enum err access_of(struct request *req, struct access *access);
/*
 * Like access_of(), but also returns ERR_DENIED if the request sets all_tenants and the
 * caller is not an administrator.
 */
enum err access_of_list(struct request *req, struct access *access);
/*
 * Like access_of_list(), but an administrator sees the objects of all tenants only if
 * the request sets all_tenants. Use access_of_many() for calls that list objects.
 */
enum err access_of_many(struct request *req, struct access *access);
/*
 * Makes the same check as access_of_list(). If the caller may see the rows of all
 * tenants, TENANT gets NULL. Otherwise TENANT gets the only tenant whose rows the caller
 * may see.
 */
enum err access_filter(struct request *req, const char **tenant);
/*
 * Checks that the caller is an administrator. ERR_DENIED: the caller is not an
 * administrator.
 */
enum err access_require_admin(struct request *req);
/* True: the caller of REQ may see and change the objects of OWNER. */
bool access_is_owner(const struct request *req, const char *owner);
/*
 * Checks that the caller of REQ may see and change the objects of OWNER. ERR_DENIED: the
 * caller has no access to these objects.
 */
enum err access_check(struct request *req, const char *owner);
