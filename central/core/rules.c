#include "core/rules.h"

#include <inttypes.h>

#include "model/domain.h"
#include "model/presentation.h"

enum { FIELD_SHOWN = 100 };

/* Below such a name, all tenants have domains. */
static bool rules_is_public(const struct name *name)
{
	static const struct name in_addr = { 14, "\7in-addr\4arpa" };
	static const struct name ip6 = { 10, "\3ip6\4arpa" };

	return name_labels(name) < 2 || name_equal(name, &in_addr) ||
	       name_equal(name, &ip6);
}

enum err rules_domain_name(const struct name *name, bool is_admin, struct why *why)
{
	char text[NAME_MAX_TEXT + 1];
	enum err err = domain_check_name(name, "domain.name", why);

	if (err || is_admin || !rules_is_public(name))
		return err;
	name_format(name, text);
	return fail(why, ERR_DENIED,
	            "domain.name: only an administrator may create '%.*s': the domain of "
	            "a tenant must have two labels or more, and must not be "
	            "in-addr.arpa. or ip6.arpa.", FIELD_SHOWN, text);
}

enum err rules_owner(const struct zone *zone, const struct change *change,
                     struct why *why)
{
	if (!name_is_below(&change->name, &zone->apex))
		return fail(why, ERR_INVALID,
		            "%s.name: '%.*s' must be inside the domain '%.*s'",
		            change->field, FIELD_SHOWN, change->owner, FIELD_SHOWN,
		            zone->is.name);
	if (change->type == RR_SOA)
		return fail(why, ERR_INVALID,
		            "%s.type: must not be SOA: to change the SOA record, set "
		            "the SOA values of the domain", change->field);
	return OK;
}

/* The sets at one name. */
struct owner {
	const struct zone *zone;
	struct rrset *const *sets;
	size_t count;
};

static const char *owner_field(const struct owner *owner)
{
	for (size_t i = 0; i < owner->count; i++)
		if (owner->sets[i]->field)
			return owner->sets[i]->field;
	return "name";
}

static bool rules_allow_beside_cname(uint16_t type)
{
	return type == RR_CNAME || type == RR_RRSIG || type == RR_NSEC || type == RR_KEY;
}

static enum err owner_check_cname(const struct owner *owner, struct why *why)
{
	const struct rrset *cname = NULL, *other = NULL;
	char type[16];

	for (size_t i = 0; i < owner->count; i++) {
		const struct rrset *set = owner->sets[i];

		if (set->wanted_count && set->type == RR_CNAME)
			cname = set;
		if (set->wanted_count && !rules_allow_beside_cname(set->type))
			other = set;
	}
	if (!cname)
		return OK;
	if (name_equal(&cname->name, &owner->zone->apex))
		return fail(why, ERR_INVALID,
		            "%s: the apex of a domain cannot have a CNAME record",
		            owner_field(owner));
	if (!other)
		return OK;
	rrtype_format(other->type, type);
	return fail(why, ERR_INVALID,
	            "%s: '%.*s' cannot have both CNAME and %s records",
	            owner_field(owner), FIELD_SHOWN, cname->owner, type);
}

static enum err owner_check_single(const struct owner *owner, struct why *why)
{
	for (size_t i = 0; i < owner->count; i++) {
		const struct rrset *set = owner->sets[i];

		if ((set->type == RR_CNAME || set->type == RR_DNAME) &&
		    set->wanted_count > 1)
			return fail(why, ERR_INVALID,
			            "%s: '%.*s' cannot have more than one %s record",
			            owner_field(owner), FIELD_SHOWN, set->owner,
			            set->type == RR_CNAME ? "CNAME" : "DNAME");
	}
	return OK;
}

static enum err owner_check_apex_ns(const struct owner *owner, struct why *why)
{
	for (size_t i = 0; i < owner->count; i++) {
		const struct rrset *set = owner->sets[i];

		if (set->type == RR_NS && !set->wanted_count && set->field &&
		    name_equal(&set->name, &owner->zone->apex))
			return fail(why, ERR_INVALID,
			            "%s: the domain must keep an NS record at its apex",
			            set->field);
	}
	return OK;
}

static enum err owner_check_apex_ds(const struct owner *owner, struct why *why)
{
	for (size_t i = 0; i < owner->count; i++) {
		const struct rrset *set = owner->sets[i];

		if (set->type == RR_DS && set->wanted_count && set->field &&
		    name_equal(&set->name, &owner->zone->apex))
			return fail(why, ERR_INVALID,
			            "%s: the apex of a domain cannot have a DS record "
			            "(RFC 4035 2.4): add the DS record to the domain "
			            "above this domain", set->field);
	}
	return OK;
}

/* Value of a base32hex digit (RFC 4648 7) in lower case; -1: another octet. */
static int rules_base32hex(uint8_t octet)
{
	if (octet >= '0' && octet <= '9')
		return octet - '0';
	return octet >= 'a' && octet <= 'v' ? octet - 'a' + 10 : -1;
}

/* As BIND: allows a hash of any length, and further labels before the apex. */
bool rules_is_nsec3_owner(const struct name *name)
{
	const uint8_t *label = name->wire;
	int unused = label[0] * 5 % 8;		/* bits after the last whole octet */
	int digit = 0;

	for (int i = 1; i <= label[0]; i++) {
		digit = rules_base32hex(label[i]);
		if (digit < 0)
			return false;
	}
	return unused < 5 && !(digit & ((1 << unused) - 1));
}

/* A change may delete some of the records that existed before the rule. */
static enum err owner_check_nsec3(const struct owner *owner, struct why *why)
{
	for (size_t i = 0; i < owner->count; i++) {
		const struct rrset *set = owner->sets[i];

		if (set->type == RR_NSEC3 && set->field && set->wanted_count &&
		    set->wanted_count >= set->was_count &&
		    !rules_is_nsec3_owner(&set->name))
			return fail(why, ERR_INVALID,
			            "%s: '%.*s' cannot have NSEC3 records, because its "
			            "first label is not a hash in base32hex (RFC 5155 "
			            "3), for example the 32 characters of a SHA-1 hash",
			            set->field, FIELD_SHOWN, set->owner);
	}
	return OK;
}

/* What existed before the rule stays until one of the two sets changes. */
static enum err owner_check_dname(const struct owner *owner, struct why *why)
{
	const struct rrset *ns = NULL, *dname = NULL;

	for (size_t i = 0; i < owner->count; i++) {
		const struct rrset *set = owner->sets[i];

		if (set->wanted_count && set->type == RR_NS)
			ns = set;
		if (set->wanted_count && set->type == RR_DNAME)
			dname = set;
	}
	if (!ns || !dname || (!ns->field && !dname->field) ||
	    name_equal(&ns->name, &owner->zone->apex))
		return OK;
	return fail(why, ERR_INVALID,
	            "%s: '%.*s' cannot have both NS and DNAME records, because the name "
	            "is not the apex of the domain (RFC 6672 2.3)", owner_field(owner),
	            FIELD_SHOWN, ns->owner);
}

static enum err owner_check(const struct owner *owner, struct why *why)
{
	enum err err = owner_check_cname(owner, why);

	if (!err)
		err = owner_check_single(owner, why);
	if (!err)
		err = owner_check_apex_ns(owner, why);
	if (!err)
		err = owner_check_apex_ds(owner, why);
	if (!err)
		err = owner_check_dname(owner, why);
	if (!err)
		err = owner_check_nsec3(owner, why);
	return err;
}

enum err rules_outcome(const struct zone *zone, const struct rrsets *sets,
                       struct why *why)
{
	size_t end;

	for (size_t at = 0; at < sets->count; at = end) {
		struct owner owner = { zone, sets->items + at, 0 };
		enum err err;

		for (end = at; end < sets->count &&
		               name_equal(&sets->items[end]->name,
		                          &sets->items[at]->name); end++)
			owner.count++;
		err = owner_check(&owner, why);
		if (err)
			return err;
	}
	return OK;
}

bool rules_is_delegation(uint16_t type, bool at_child)
{
	if (type == RR_A || type == RR_AAAA)
		return true;
	return at_child && (type == RR_NS || type == RR_DS);
}

static enum err rules_check_child(const struct rrset *set, const struct name *child,
                                  struct why *why)
{
	char text[NAME_MAX_TEXT + 1];

	if (!name_is_below(&set->name, child) ||
	    rules_is_delegation(set->type, name_equal(&set->name, child)))
		return OK;
	name_format(child, text);
	return fail(why, ERR_INVALID,
	            "%s: '%.*s' belongs to the domain '%.*s', which is below "
	            "this domain", set->field, FIELD_SHOWN, set->owner, FIELD_SHOWN,
	            text);
}

enum err rules_children(const struct rrsets *sets, const struct name *children,
                        size_t count, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];

		if (!set->field || !set->wanted_count)
			continue;
		for (size_t child = 0; !err && child < count; child++)
			err = rules_check_child(set, &children[child], why);
		if (err)
			return err;
	}
	return OK;
}

/* Without compression, after the first RR: a pointer to the owner, and ten octets. */
enum { RR_OVERHEAD = 12 };

enum err rules_sizes(const struct rrsets *sets, struct why *why)
{
	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];
		size_t size = 0, before = 0;

		for (size_t n = 0; n < set->wanted_count; n++)
			size += RR_OVERHEAD + set->wanted[n].len;
		for (size_t n = 0; n < set->was_count; n++)
			before += RR_OVERHEAD + set->was[n].rdata_len;
		if (set->field && size > RULES_SET_MAX && size > before)
			return fail(why, ERR_INVALID,
			            "%s: the records of one type at '%.*s' must fit into "
			            "one DNS message, so these records must have at "
			            "most %d octets, not %zu (RFC 2181 5, RFC 1035 "
			            "4.2.2)",
			            set->field, FIELD_SHOWN, set->owner,
			            RULES_SET_MAX, size);
	}
	return OK;
}

enum err rules_fail_managed(const char *field, const char *managed_by, const char *owner,
                            uint16_t type, const char *data, struct why *why)
{
	char name[16];

	rrtype_format(type, name);
	return fail(why, ERR_CONFLICT,
	            "%s: %s manages the record '%.*s %s %.*s': to delete or replace "
	            "this record, set force (client: --force)",
	            field, managed_by, FIELD_SHOWN, owner, name, FIELD_SHOWN, data);
}

static enum err rules_fail_unmanaged(const struct rrset *set, const struct rdata *taken,
                                     struct why *why)
{
	char name[16];

	rrtype_format(set->type, name);
	return fail(why, ERR_CONFLICT,
	            "this call must not replace a record that no producer manages, but "
	            "the domain has '%.*s %s %.*s': delete this record first "
	            "(client: 'zonefleet record delete')",
	            FIELD_SHOWN, set->owner, name, FIELD_SHOWN, taken->data);
}

static enum err rules_check_taken(const struct rrset *set, const struct rdata *taken,
                                  struct rules_may may, struct why *why)
{
	if ((taken->managed_by ? may.take_managed : may.replace_unmanaged) ||
	    rrset_has_wanted(set, taken))
		return OK;
	if (!taken->managed_by)
		return rules_fail_unmanaged(set, taken, why);
	return rules_fail_managed(set->field, taken->managed_by, set->owner, set->type,
	                          taken->data, why);
}

enum err rules_managed(const struct rrsets *sets, struct rules_may may, struct why *why)
{
	enum err err = OK;

	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];

		for (size_t t = 0; !err && t < set->taken_count; t++)
			err = rules_check_taken(set, &set->taken[t], may, why);
	}
	return err;
}

enum err rules_quota_records(const struct rrsets *sets, int64_t max, struct why *why)
{
	for (size_t i = 0; max >= 0 && i < sets->count; i++) {
		const struct rrset *set = sets->items[i];

		if (set->wanted_count > set->was_count &&
		    set->wanted_count > (uint64_t)max)
			return fail(why, ERR_QUOTA,
			            "%s: a record set of '%.*s' would have %zu records, "
			            "but the quota (recordset_records) is %" PRId64,
			            set->field, FIELD_SHOWN, set->owner,
			            set->wanted_count, max);
	}
	return OK;
}
