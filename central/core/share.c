#include "core/share.h"

#include <string.h>

#include "model/presentation.h"
#include "model/rr.h"

bool share_covers(const struct share_rights *rights, const struct name *name)
{
	for (size_t i = 0; i < rights->count; i++)
		if (name_equal(name, &rights->names[i]) ||
		    name_is_below(name, &rights->names[i]))
			return true;
	return false;
}

enum err share_check_changes(const struct share_rights *rights, const struct zone *zone,
                             const struct change *changes, size_t count,
                             struct why *why)
{
	for (size_t i = 0; i < count; i++) {
		if (!share_covers(rights, &changes[i].name))
			return fail(why, ERR_DENIED, "%s.name: the shares of the domain "
			            "%.200s with your tenant do not cover %.255s",
			            changes[i].field, zone->is.name, changes[i].owner);
		if (changes[i].type == RR_NS && name_equal(&changes[i].name, &zone->apex))
			return fail(why, ERR_DENIED, "%s.type: only the tenant of the "
			            "domain %.200s may change its NS records",
			            changes[i].field, zone->is.name);
	}
	return OK;
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
