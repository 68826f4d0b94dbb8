#include "poolmgr_cast.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/messages.h"

static struct domain_ref cast_domain_ref(const struct zone *zone)
{
	struct domain_ref ref = {
		.name = zone->is.name, .pool = zone->pool, .tenant = zone->is.tenant,
		.state = zone->is.state, .version = zone->is.version,
		.is_catalog = zone->is.is_catalog,
	};

	snprintf(ref.id, sizeof ref.id, "%s", zone->is.id);
	return ref;
}

/* Takes over ARGS. */
static void cast_send_args(struct central *central, const struct poolmgr_cast *cast,
                           const char *method, json_t *args)
{
	json_t *context = context_encode(cast->context->request_id, true);
	char topic[80];
	struct why why;

	snprintf(topic, sizeof topic, "pool_manager.%s", cast->zone->pool);
	if (rpc_cast(central->runtime->rpc, &(struct rpc_target){ .topic = topic },
	             method, args, context, &why))
		log_warn("cast to the pool manager not sent: domain=%s method=%s "
		         "reason=\"%s\"",
		         cast->zone->is.name, method, why.text);
	json_decref(args);
	json_decref(context);
}

static bool cast_is_update(const struct poolmgr_cast *cast)
{
	return !strcmp(cast->method, "update_domain");
}

/* A later change of a domain replaces an earlier one. */
static void cast_add_domain(struct domain_refs *domains, const struct zone *zone)
{
	size_t at = 0;

	while (at < domains->count && strcmp(domains->item[at].id, zone->is.id))
		at++;
	domains->item[at] = cast_domain_ref(zone);
	domains->count += at == domains->count;
}

/* Sends all updates for the pool of FIRST. */
static void cast_send_updates(struct central *central, const struct poolmgr_cast *first,
                              size_t count, bool *sent)
{
	struct domain_ref list[LIST_MAX];
	struct domain_refs domains = { list, 0 };

	for (size_t i = 0; i < count; i++)
		if (!sent[i] && cast_is_update(&first[i]) &&
		    !strcmp(first[i].zone->pool, first->zone->pool)) {
			sent[i] = true;
			cast_add_domain(&domains, first[i].zone);
		}
	cast_send_args(central, first, "update_domains", domain_refs_encode(&domains));
}

void poolmgr_cast_send(struct central *central, const struct poolmgr_cast *casts,
                       size_t count)
{
	bool sent[LIST_MAX] = { false };

	bug_if(count > LIST_MAX);
	for (size_t i = 0; i < count; i++) {
		struct domain_ref ref = cast_domain_ref(casts[i].zone);

		if (sent[i])
			continue;
		if (cast_is_update(&casts[i]))
			cast_send_updates(central, casts + i, count - i, sent + i);
		else
			cast_send_args(central, &casts[i], casts[i].method,
			               json_pack("{s:o}", "domain",
			                         domain_ref_encode(&ref)));
	}
}
