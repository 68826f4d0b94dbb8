#include "core/share.h"

#include <string.h>

#include "model/presentation.h"
#include "model/rr.h"

bool share_covers(const struct share_rights *rights, const struct name *name)
{
	for (size_t i = 0; i < rights->count; i++)
		if (name_is_below(name, &rights->names[i]))
			return true;
	return false;
}

static bool share_forbids_type(const struct change *change)
{
	return change->op != CHANGE_DELETE && change->op != CHANGE_EXPECT &&
	       (change->type == RR_NS || change->type == RR_DS ||
	        change->type == RR_DNAME);
}

enum err share_check_changes(const struct share_rights *rights, const struct zone *zone,
                             const struct change *changes, size_t count,
                             struct why *why)
{
	for (size_t i = 0; i < count; i++) {
		char type[16];

		if (!share_covers(rights, &changes[i].name))
			return fail(why, ERR_DENIED, "%s.name: the shares of the domain "
			            "%.200s with your tenant do not cover %.255s",
			            changes[i].field, zone->is.name, changes[i].owner);
		if (name_equal(&changes[i].name, &zone->apex))
			return fail(why, ERR_DENIED, "%s.name: only the tenant of the "
			            "domain may change records at %.200s",
			            changes[i].field, zone->is.name);
		if (!share_forbids_type(&changes[i]))
			continue;
		rrtype_format(changes[i].type, type);
		return fail(why, ERR_DENIED, "%s.type: only the tenant of the domain "
		            "%.200s may create %s records", changes[i].field,
		            zone->is.name, type);
	}
	return OK;
}

enum err share_check_limits(const struct limits_found *found, struct why *why)
{
	const struct rrset *set;
	const struct server_limit *limit = limits_refuse(found, &set);
	char type[16];

	if (!limit || set->wanted_count <= set->was_count)
		return OK;
	rrtype_format(set->type, type);
	return fail(why, ERR_DENIED, "%s.name: only the tenant of the domain may create "
	            "the record set %.255s %s, because %s %s, and refuses the whole zone",
	            set->field ? set->field : "changes", set->owner, type, limit->server,
	            limit->takes);
}

/* Only a record set with a field has changes in this call. */
enum err share_check_sets(const struct share_rights *rights, const struct rrsets *sets,
                          struct why *why)
{
	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];
		char type[16];

		if (!set->field || !set->was_count ||
		    !strcmp(set->stored_tenant, rights->tenant))
			continue;
		rrtype_format(set->type, type);
		return fail(why, ERR_DENIED, "%s.name: the record set %.255s %s belongs "
		            "to another tenant", set->field, set->owner, type);
	}
	return OK;
}

void share_assign(const struct share_rights *rights, const struct rrsets *sets)
{
	for (size_t i = 0; i < sets->count; i++) {
		struct rrset *set = sets->items[i];

		if (set->was_count)
			set->tenant = set->stored_tenant;
		else
			set->tenant = rights ? rights->tenant : "";
	}
}
