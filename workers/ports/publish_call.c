#include <string.h>

#include "codec.h"
#include "core/reverse.h"
#include "publish_private.h"

static const struct rpc_target central = { .topic = "central" };

bool publish_can_create(const struct publication *publication)
{
	return !*publication->zone.project_id ||
	       publication->ports->settings.creates_domains;
}

/* The records of reverse domains belong to no project. */
static bool publish_is_reverse(const struct publication *publication)
{
	return !*publication->zone.project_id && reverse_is_zone(publication->zone.zone);
}

void publish_fail_no_domain(struct publication *publication)
{
	work_fail(publication, arena_printf(publication->work.arena,
		"domain %s does not exist, or the domain belongs to another tenant%s",
		publication->zone.zone, publish_is_reverse(publication)
		                        ? ": check ports.reverse_tenant" : ""));
}

static bool publish_is_default_domain(const struct publication *publication)
{
	const struct ports_settings *settings = &publication->ports->settings;
	const char *domain;
	struct why why;

	return *settings->domain &&
	       !codec_domain_text(settings->domain, publication->work.arena, &domain,
	                          &why) &&
	       !strcmp(domain, publication->zone.zone);
}

/*
 * The context of the call. The caller is the project of the records, or an administrator
 * for records without a project (reverse names, networks without a project). Addresses
 * and domains come from tenants: they must not change the domain of another tenant. The
 * operator sets ports.domain, so it may belong to any tenant.
 */
static json_t *publish_context(const struct publication *publication)
{
	const char *project = publication->zone.project_id;
	bool is_admin = !*project;
	bool own_only = is_admin && !publish_is_default_domain(publication);
	char id[ID_LEN + 1];
	json_t *context;

	if (publish_is_reverse(publication))
		project = publication->ports->settings.reverse_tenant;
	id_random(id);
	context = context_encode(id, is_admin);
	json_object_set_new(context, "project_id", json_string(project));
	json_object_set_new(context, "own_tenant_only", json_boolean(own_only));
	return context;
}

void publish_call(struct publication *publication, const char *method, json_t *args,
                  rpc_answer_fn *answered)
{
	work_call(publication, &central, method, args, publish_context(publication),
	          answered);
}
