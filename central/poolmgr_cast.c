#include "poolmgr_cast.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/messages.h"

static struct domain_ref ref_of(const struct zone *zone)
{
	struct domain_ref ref = {
		.name = zone->is.name, .pool = zone->pool, .tenant = zone->is.tenant,
		.state = zone->is.state, .version = zone->is.version,
		.is_catalog = zone->is.is_catalog,
	};

	snprintf(ref.id, sizeof ref.id, "%s", zone->is.id);
	return ref;
}

/* Takes ARGS. */
static void cast(struct central *central, const struct news *news, const char *method,
                 json_t *args)
{
	json_t *context = context_encode(news->context->request_id, true);
	char topic[80];
	struct why why;

	snprintf(topic, sizeof topic, "pool_manager.%s", news->zone->pool);
	if (rpc_cast(central->runtime->rpc, &(struct rpc_target){ .topic = topic },
	             method, args, context, &why))
		log_warn("pool manager not told: domain=%s method=%s reason=\"%s\"",
		         news->zone->is.name, method, why.text);
	json_decref(args);
	json_decref(context);
}

static bool is_update(const struct news *news)
{
	return !strcmp(news->method, "update_domain");
}

/* A later change of the same domain does for an earlier one. */
static void add(struct domain_refs *domains, const struct zone *zone)
{
	size_t at = 0;

	while (at < domains->count && strcmp(domains->item[at].id, zone->is.id))
		at++;
	domains->item[at] = ref_of(zone);
	domains->count += at == domains->count;
}

/* The updates from FIRST on that are of its pool. */
static void tell_updates(struct central *central, const struct news *first, size_t count,
                         bool *told)
{
	struct domain_ref list[LIST_MAX];
	struct domain_refs domains = { list, 0 };

	for (size_t i = 0; i < count; i++)
		if (!told[i] && is_update(&first[i]) &&
		    !strcmp(first[i].zone->pool, first->zone->pool)) {
			told[i] = true;
			add(&domains, first[i].zone);
		}
	cast(central, first, "update_domains", domain_refs_encode(&domains));
}

void peers_tell(struct central *central, const struct news *news, size_t count)
{
	bool told[LIST_MAX] = { false };

	bug_if(count > LIST_MAX);
	for (size_t i = 0; i < count; i++) {
		struct domain_ref ref = ref_of(news[i].zone);

		if (told[i])
			continue;
		if (is_update(&news[i]))
			tell_updates(central, news + i, count - i, told + i);
		else
			cast(central, &news[i], news[i].method,
			     json_pack("{s:o}", "domain", domain_ref_encode(&ref)));
	}
}
