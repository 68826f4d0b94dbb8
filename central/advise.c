#include "advise.h"

#include <string.h>

#include "core/advice.h"
#include "core/advice_set.h"
#include "core/rrsets.h"
#include "model/rr.h"
#include "reasons.h"
#include "store.h"
#include "store_limits.h"

enum {
	CHILDREN_MAX = 8,	/* domains below a new one that it looks at */
	CHILDREN_SHOWN = 3,
};

static void advice_append(const struct advice *advice, json_t *list)
{
	for (size_t i = 0; i < advice->count; i++)
		json_array_append_new(list, json_string(advice->texts[i]));
	if (advice->further)
		json_array_append_new(list, json_sprintf("there are %zu more warnings "
		                                         "of this kind",
		                                         advice->further));
}

static json_t *advice_encode(const struct advice *advice)
{
	json_t *list = json_array();

	advice_append(advice, list);
	return list;
}

static void advise_hosts(struct write *write, const struct rrsets *sets,
                         struct advice *advice)
{
	const char *names[ADVICE_NAMES_MAX];
	size_t count = advice_names(&write->zone, sets, write->arena, names);
	struct rrsets known;

	rrsets_init(&known, write->arena);
	if (count) {
		store_buffer_flush(write->buffer, write->tx);
		store_recordset_read(write->tx, write->zone.is.id, names, count, &known);
	}
	advice_make(&write->zone, sets, &known, write->arena, advice);
}

static size_t advise_read_servers(struct write *write, struct limit_server **servers)
{
	*servers = arena_alloc(write->arena, LIMIT_SERVERS_MAX * sizeof(**servers));
	return store_limit_servers(write->tx, write->zone.pool, write->arena, *servers);
}

static void advise_limits(struct write *write, const struct limits_found *limits,
                          struct advice *advice)
{
	struct limit_server *servers;
	size_t count;

	if (!limits)
		return;
	count = advise_read_servers(write, &servers);
	limits_advise(limits, servers, count, write->arena, advice);
}

static json_t *advise_worker(struct write *write, json_t *list)
{
	const char *missing = reasons_missing_worker(write->tx, write->arena,
	                                             write->zone.pool);

	if (missing)
		json_array_append_new(list, json_string(missing));
	return list;
}

static void advise_zone_name(struct write *write, struct advice *advice)
{
	const char *name = write->zone.is.name;
	struct limit_server *servers;
	size_t count;

	if (advice_is_address(&write->zone.apex))
		advice_add(advice, arena_printf(write->arena,
			"the name of the domain '%s' is an IPv4 address: reverse domains "
			"have names such as 2.0.192.in-addr.arpa", name));
	if (!limits_exclude_zone(&write->zone))
		return;
	count = advise_read_servers(write, &servers);
	limits_advise_zone(&write->zone, servers, count, write->arena, advice);
}

/* True: PARENT has NS records at the name CHILD, or at a name between them. */
static bool advise_has_delegation(struct write *write, const struct parent_domain *parent,
                                  const struct name *child)
{
	const char *names[STORE_ANCESTORS_MAX];
	size_t count = 0;
	struct rrsets sets;

	store_ancestors(child, true, write->arena, names);
	while (strcmp(names[count], parent->name))
		count++;
	rrsets_init(&sets, write->arena);
	store_recordset_read(write->tx, parent->id, names, count, &sets);
	for (size_t i = 0; i < sets.count; i++)
		if (sets.items[i]->type == RR_NS && sets.items[i]->was_count)
			return true;
	return false;
}

static void advise_delegation(struct write *write, struct advice *advice)
{
	const char *name = write->zone.is.name;
	struct parent_domain parent;

	if (!store_domain_parent(write->tx, &write->zone, write->arena, &parent) ||
	    !access_has(&write->access, parent.tenant) ||
	    advise_has_delegation(write, &parent, &write->zone.apex))
		return;
	advice_add(advice, arena_printf(write->arena,
		"the domain '%.*s' has no NS records for '%.*s', so resolvers may fail "
		"to find the new domain: add NS records (zonefleet record add %s %s "
		"NS HOST...)",
		ADVICE_NAME_SHOWN, parent.name, ADVICE_NAME_SHOWN, name, parent.name,
		name));
}

/*
 * Keeps the children that the caller may see and the zone does not delegate, without the
 * domains below another child. Returns their number.
 */
static size_t advise_keep_children(struct write *write, struct child_domain *children,
                                   size_t count)
{
	const struct parent_domain self = { .id = write->zone.is.id,
	                                    .name = write->zone.is.name };
	const struct name *last = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct child_domain child = children[i];

		if (last && name_is_below(&child.name, last))
			continue;
		last = arena_dup(write->arena, &child.name, sizeof(child.name));
		if (access_has(&write->access, child.tenant) &&
		    !advise_has_delegation(write, &self, &child.name))
			children[kept++] = child;
	}
	return kept;
}

/* The domain is new, and domains below it exist. */
static void advise_children(struct write *write, struct advice *advice)
{
	struct child_domain *children = arena_alloc(write->arena, CHILDREN_MAX *
	                                                          sizeof(*children));
	const char *name = write->zone.is.name, *list = "";
	size_t count = store_domain_children(write->tx, &write->zone, write->arena,
	                                     children, CHILDREN_MAX);

	if (count)
		store_buffer_flush(write->buffer, write->tx);
	count = advise_keep_children(write, children, count);
	if (!count)
		return;
	for (size_t i = 0; i < count && i < CHILDREN_SHOWN; i++)
		list = arena_printf(write->arena, "%s%s'%.*s'", list, i ? ", " : "",
		                    ADVICE_NAME_SHOWN, children[i].text);
	advice_add(advice, arena_printf(write->arena,
		"the new domain '%.*s' has no NS records for the domains below it "
		"(%s%s), so resolvers may no longer find these domains: add NS "
		"records (zonefleet record add %s %s NS HOST...)",
		ADVICE_NAME_SHOWN, name, list, count > CHILDREN_SHOWN ? ", ..." : "",
		name, children[0].text));
}

void advise_domain(struct write *write, json_t *warnings)
{
	struct advice advice = { .count = 0 };

	advise_zone_name(write, &advice);
	if (!write->zone.is.is_catalog)
		advise_delegation(write, &advice);
	if (!write->zone.is.is_catalog)
		advise_children(write, &advice);
	advice_append(&advice, warnings);
}

json_t *advise_changes(struct write *write, const struct change *changes, size_t count,
                       const struct edit_outcome *outcome)
{
	struct advice advice = outcome->advice;
	struct rrsets sets;

	rrsets_init(&sets, write->arena);
	advice_read_changes(&sets, changes, count);
	advise_limits(write, outcome->limits, &advice);
	advise_hosts(write, &sets, &advice);
	return advise_worker(write, advice_encode(&advice));
}

json_t *advise_names(struct write *write, const char *const *owners, size_t count)
{
	struct advice advice = { .count = 0 };
	const struct limits_found *limits;
	struct rrsets sets;

	rrsets_init(&sets, write->arena);
	store_buffer_flush(write->buffer, write->tx);
	store_recordset_read(write->tx, write->zone.is.id, owners, count, &sets);
	limits = limits_find_rows(&sets);
	advice_set_check(&sets, write->arena, &advice);
	advise_limits(write, limits, &advice);
	advise_hosts(write, &sets, &advice);
	return advice_encode(&advice);
}
