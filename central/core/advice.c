#include "core/advice.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "model/rr.h"

/* ---- the host of a record ---- */

/* The types that name hosts, and where the host begins in their data. */
static const struct host_type {
	uint16_t type;
	size_t offset;
	const char *name;
} host_types[] = {
	{ RR_NS, 0, "NS" }, { RR_MX, 2, "MX" }, { RR_SRV, 6, "SRV" },
};

static const struct host_type *host_type_of(uint16_t type)
{
	for (size_t i = 0; i < sizeof host_types / sizeof host_types[0]; i++)
		if (host_types[i].type == type)
			return &host_types[i];
	return NULL;
}

/* False: the record has no host. */
static bool host_read(const struct host_type *type, const struct record *record,
                      struct name *host)
{
	size_t len;

	if (!type || record->rdata_len <= type->offset)
		return false;
	len = name_wire_len(record->rdata + type->offset,
	                    record->rdata_len - type->offset);
	if (!len || len > sizeof(host->wire))
		return false;
	host->len = (uint8_t)len;
	memcpy(host->wire, record->rdata + type->offset, len);
	name_fold(host);
	return true;
}

bool advice_is_address(const struct name *host)
{
	struct in_addr address;
	char text[NAME_MAX_TEXT + 1];

	name_format(host, text);
	text[strlen(text) - 1] = '\0';
	return inet_pton(AF_INET, text, &address) == 1;
}

/* True: the zone can have the addresses of the host. */
static bool host_is_inside(const struct zone *zone, const struct name *host)
{
	return name_is_below(host, &zone->apex) && !advice_is_address(host);
}

/* ---- the records of changes ---- */

/* Makes the result of the changes the rows. */
static void rrset_take_wanted(struct rrset *set, struct arena *arena)
{
	struct record *rows = arena_alloc(arena, (set->wanted_count + 1) * sizeof(*rows));

	for (size_t i = 0; i < set->wanted_count; i++)
		rows[i] = (struct record){ .data = set->wanted[i].data,
		                           .rdata = set->wanted[i].rdata,
		                           .rdata_len = set->wanted[i].len };
	set->was = rows;
	set->was_count = set->wanted_count;
}

void advice_read_changes(struct rrsets *sets, const struct change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];

		if (change->op != CHANGE_EXPECT && host_type_of(change->type))
			rrset_apply(rrsets_get(sets, &change->name, change->owner,
			                       change->type), change, sets->arena);
	}
	for (size_t i = 0; i < sets->count; i++)
		rrset_take_wanted(sets->items[i], sets->arena);
}

/* ---- names ---- */

static bool name_make_wildcard(const struct name *parent, struct name *wildcard)
{
	if ((size_t)parent->len + 2 > NAME_MAX_WIRE)
		return false;
	wildcard->wire[0] = 1;
	wildcard->wire[1] = '*';
	memcpy(wildcard->wire + 2, parent->wire, parent->len);
	wildcard->len = (uint8_t)(parent->len + 2);
	return true;
}

struct name_list {
	struct arena *arena;
	struct map *seen;
	const char **names;
	size_t count;
};

static void name_list_add(struct name_list *list, const struct name *name)
{
	char text[NAME_MAX_TEXT + 1];
	const char *kept;

	name_format(name, text);
	if (list->count == ADVICE_NAMES_MAX ||
	    map_get(list->seen, text, strlen(text)))
		return;
	kept = arena_strdup(list->arena, text);
	map_put(list->seen, kept, strlen(kept), (void *)kept);
	list->names[list->count++] = kept;
}

/* The host, the names above it up to the apex, and their wildcards. */
static void name_list_add_host(struct name_list *list, const struct zone *zone,
                               const struct name *host)
{
	struct name at = *host, wildcard;

	name_list_add(list, &at);
	while (!name_equal(&at, &zone->apex) && name_parent(&at, &at)) {
		name_list_add(list, &at);
		if (name_make_wildcard(&at, &wildcard))
			name_list_add(list, &wildcard);
	}
}

/* False: the names of the host and of all later hosts have no room in the list. */
static bool host_has_room(const struct zone *zone, const struct name *host, size_t *room)
{
	struct name at = *host;
	size_t names = 1;

	while (!name_equal(&at, &zone->apex) && name_parent(&at, &at))
		names += 2;
	*room = names <= *room ? *room - names : 0;
	return *room > 0;
}

size_t advice_names(const struct zone *zone, const struct rrsets *sets,
                    struct arena *arena, const char **names)
{
	struct name_list list = { arena, map_new(random_u32()), names, 0 };
	size_t room = ADVICE_NAMES_MAX;
	struct name host;

	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];
		const struct host_type *type = host_type_of(set->type);

		for (size_t r = 0; type && room && r < set->was_count; r++)
			if (host_read(type, &set->was[r], &host) &&
			    host_is_inside(zone, &host) &&
			    host_has_room(zone, &host, &room))
				name_list_add_host(&list, zone, &host);
	}
	map_free(&list.seen);
	return list.count;
}

/* ---- warnings ---- */

static bool known_has(const struct rrsets *known, const struct name *name, uint16_t type)
{
	for (size_t i = 0; i < known->count; i++) {
		const struct rrset *set = known->items[i];

		if (set->was_count && name_equal(&set->name, name) &&
		    (!type || set->type == type))
			return true;
	}
	return false;
}

static bool known_has_address(const struct rrsets *known, const struct name *name)
{
	return known_has(known, name, RR_A) || known_has(known, name, RR_AAAA);
}

/* The delegation nearest to the apex, which hides all names below it. */
static bool known_find_delegation(const struct zone *zone, const struct rrsets *known,
                                  const struct name *host, struct name *cut)
{
	struct name at = *host;
	bool found = false;

	while (!name_equal(&at, &zone->apex)) {
		if (known_has(known, &at, RR_NS)) {
			*cut = at;
			found = true;
		}
		if (!name_parent(&at, &at))
			break;
	}
	return found;
}

/* The wildcard of the nearest name above that exists covers the host (RFC 4592). */
static bool known_find_wildcard(const struct zone *zone, const struct rrsets *known,
                                const struct name *host, struct name *wildcard)
{
	struct name at = *host;

	while (!name_equal(&at, &zone->apex) && name_parent(&at, &at)) {
		if (name_make_wildcard(&at, wildcard) && known_has(known, wildcard, 0))
			return true;
		if (known_has(known, &at, 0))
			return false;
	}
	return false;
}

void advice_add(struct advice *advice, const char *text)
{
	if (advice->count == ADVICE_MAX)
		advice->further++;
	else
		advice->texts[advice->count++] = text;
}

static void advice_add_host(struct advice *advice, struct arena *arena,
                            const struct rrset *set, const struct host_type *type,
                            const struct name *host, const char *words)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(host, text);
	advice_add(advice, arena_printf(arena, "'%.*s %s': the host '%.*s' %s",
	                                ADVICE_NAME_SHOWN, set->owner, type->name,
	                                ADVICE_NAME_SHOWN, text, words));
}

/* Returns what is wrong with the host; NULL: nothing. */
static const char *advice_fault(const struct zone *zone, const struct rrset *set,
                                const struct rrsets *known, const struct name *host)
{
	struct name cut, wildcard;
	bool exists = known_has(known, host, 0);

	if (known_find_delegation(zone, known, host, &cut)) {
		if (set->type == RR_NS && name_equal(&cut, &set->name) &&
		    !known_has_address(known, host))
			return "is inside the delegated zone and needs glue: add its A "
			       "or AAAA record";
		return NULL;
	}
	if (!exists && known_find_wildcard(zone, known, host, &wildcard))
		host = &wildcard;
	if (known_has_address(known, host))
		return NULL;
	return known_has(known, host, RR_CNAME)
	       ? "must have an A or AAAA record, not a CNAME record"
	       : "has no A or AAAA record";
}

void advice_make(const struct zone *zone, const struct rrsets *sets,
                 struct rrsets *known, struct arena *arena, struct advice *advice)
{
	size_t room = ADVICE_NAMES_MAX;
	struct name host;

	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];
		const struct host_type *type = host_type_of(set->type);

		for (size_t r = 0; type && room && r < set->was_count; r++) {
			const char *fault = NULL;

			if (!host_read(type, &set->was[r], &host))
				continue;
			if (advice_is_address(&host))
				fault = ADVICE_IS_ADDRESS;
			else if (host_is_inside(zone, &host) &&
			         host_has_room(zone, &host, &room))
				fault = advice_fault(zone, set, known, &host);
			if (fault)
				advice_add_host(advice, arena, set, type, &host, fault);
		}
	}
}
