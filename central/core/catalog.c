#include "core/catalog.h"

#include <string.h>

#include "base/id.h"
#include "model/presentation.h"
#include "model/rr.h"

#define ZONES "zones"
#define VERSION "version"

enum {
	/* octets including the lengths of the labels */
	MEMBER_LABELS = 1 + ID_LEN + sizeof ZONES,
};

enum err catalog_name(const struct name *name, const char *field, struct why *why)
{
	if (name->len + MEMBER_LABELS <= NAME_MAX_WIRE)
		return OK;
	return fail(why, ERR_INVALID,
	            "%s: the name of a catalog zone must have at most %d octets, not %d",
	            field, NAME_MAX_WIRE - (int)MEMBER_LABELS, name->len);
}

/* Sets the owner to LABELS below the catalog. */
static enum err change_set_owner(const char *labels, const struct name *catalog,
                                 struct arena *arena, struct change *change,
                                 struct why *why)
{
	char text[NAME_MAX_TEXT + 1];
	enum err err = name_parse_in(labels, catalog, "catalog", &change->name, why);

	if (err)
		return err;
	name_format(&change->name, text);
	change->owner = arena_strdup(arena, text);
	return OK;
}

static enum err change_set_record(const char *data, struct arena *arena,
                                  struct change *change, struct why *why)
{
	struct rdata *record = arena_alloc(arena, sizeof(*record));

	*record = (struct rdata){ .data = data };
	change->records = record;
	change->count = 1;
	return rdata_parse(change->type, data, "catalog", arena, &record->rdata,
	                   &record->len, why);
}

enum err catalog_version(const struct name *catalog, struct arena *arena,
                         struct change *change, struct why *why)
{
	enum err err;

	*change = (struct change){ .op = CHANGE_SET, .type = RR_TXT, .field = "catalog" };
	err = change_set_owner(VERSION, catalog, arena, change, why);
	return err ? err : change_set_record("\"2\"", arena, change, why);
}

enum err catalog_change(const struct name *catalog, const struct catalog_member *member,
                        struct arena *arena, struct change *change, struct why *why)
{
	const char *labels = arena_printf(arena, "%s." ZONES, member->id);
	enum err err;

	*change = (struct change){
		.op = member->is_listed ? CHANGE_SET : CHANGE_DELETE,
		.type = RR_PTR,
		.field = "catalog",
	};
	err = change_set_owner(labels, catalog, arena, change, why);
	if (err || !member->is_listed)
		return err;
	return change_set_record(member->name, arena, change, why);
}
