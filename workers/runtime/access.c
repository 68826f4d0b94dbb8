#include "runtime/access.h"

#include <string.h>

bool access_has(const struct access *access, const char *owner)
{
	return access->all ||
	       ((*owner || access->is_admin) && !strcmp(access->tenant, owner));
}

static struct access access_of_context(const struct context *context)
{
	return (struct access){
		.tenant = context->tenant,
		.all = context->is_admin && !context->own_tenant_only,
		.is_admin = context->is_admin,
	};
}

enum err access_of(struct request *req, struct access *access)
{
	const struct context *context = &req->context;

	if (!context->is_admin && !*context->tenant)
		return fail(&req->why, ERR_DENIED,
		            "the context of the request must name a tenant (project_id)");
	*access = access_of_context(context);
	return OK;
}

enum err access_of_list(struct request *req, struct access *access)
{
	if (req->context.all_tenants && !req->context.is_admin)
		return fail(&req->why, ERR_DENIED,
		            "all_tenants: only an administrator may list the objects of "
		            "all tenants");
	return access_of(req, access);
}

enum err access_of_many(struct request *req, struct access *access)
{
	enum err err = access_of_list(req, access);

	if (!err)
		access->all &= req->context.all_tenants;
	return err;
}

enum err access_filter(struct request *req, const char **tenant)
{
	struct access access = { .tenant = "" };
	enum err err = access_of_list(req, &access);

	if (!err)
		*tenant = access.all ? NULL : access.tenant;
	return err;
}

enum err access_require_admin(struct request *req)
{
	if (req->context.is_admin)
		return OK;
	return fail(&req->why, ERR_DENIED, "only administrators may call %s",
	            req->method);
}

bool access_is_owner(const struct request *req, const char *owner)
{
	const struct access access = access_of_context(&req->context);

	return access_has(&access, owner);
}

enum err access_check(struct request *req, const char *owner)
{
	if (access_is_owner(req, owner))
		return OK;
	return fail(&req->why, ERR_DENIED, "the object belongs to another tenant");
}
