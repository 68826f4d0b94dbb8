#include "edit_dname.h"

#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "model/rr.h"

enum {
	NEW_DNAMES_MAX = 50,
	NEW_DEPTHS_MAX = 4,		/* each costs a statement about all names */
	FIELD_SHOWN = 100,
};

static enum err edit_refuse_below(const char *field, const char *below,
                                  const char *dname, struct why *why)
{
	return fail(why, ERR_INVALID, "%s: '%.*s' cannot have records, because the "
	            "higher name '%.*s' has a DNAME record (RFC 6672 2.4)", field,
	            FIELD_SHOWN, below, FIELD_SHOWN, dname);
}

static bool rrset_is_new_dname(const struct rrset *set)
{
	return set->type == RR_DNAME && set->field && set->wanted_count &&
	       !set->was_count;
}

/* ---- a new DNAME: what is below it? ---- */

struct dnames {
	const struct rrset *item[NEW_DNAMES_MAX];
	uint32_t dots[NEW_DNAMES_MAX];	/* as STORE_DOTS */
	size_t count;
};

static uint32_t owner_dots(const char *owner)
{
	uint32_t dots = 0;

	for (const char *at = owner; *at && strcmp(owner, "."); at++)
		dots += *at == '.';
	return dots;
}

static enum err dnames_read(struct dnames *dnames, const struct rrsets *sets,
                            struct why *why)
{
	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];

		if (!rrset_is_new_dname(set))
			continue;
		if (dnames->count == NEW_DNAMES_MAX)
			return fail(why, ERR_INVALID, "%s: one call may add DNAME "
			            "records to at most %d names: use several calls",
			            set->field, NEW_DNAMES_MAX);
		dnames->item[dnames->count] = set;
		dnames->dots[dnames->count++] = owner_dots(set->owner);
	}
	return OK;
}

/* ERR_INVALID: one of the DNAMEs is above NAME. */
static enum err dnames_check_name(const struct dnames *dnames, const struct name *name,
                                  const char *owner, struct why *why)
{
	for (size_t i = 0; i < dnames->count; i++)
		if (!name_equal(name, &dnames->item[i]->name) &&
		    name_is_below(name, &dnames->item[i]->name))
			return edit_refuse_below(dnames->item[i]->field, owner,
			                         dnames->item[i]->owner, why);
	return OK;
}

/* Asks for names below the DNAMEs from FIRST on that have as many dots as FIRST. */
static enum err dnames_ask_below(const struct dnames *dnames, size_t first,
                                 struct write *write, const struct rrsets *sets)
{
	const char *owners[NEW_DNAMES_MAX], *below;
	struct why *why = &write->req->why;
	size_t count = 0;
	struct name name;

	for (size_t i = first; i < dnames->count; i++)
		if (dnames->dots[i] == dnames->dots[first])
			owners[count++] = dnames->item[i]->owner;
	below = store_recordset_below(write->tx, write->zone.is.id, dnames->dots[first],
	                              owners, count, sets);
	if (write->tx->err || !below)
		return write->tx->err;
	return name_parse(below, "name", &name, why)
	       ? ERR_INTERNAL : dnames_check_name(dnames, &name, below, why);
}

static bool dnames_have_dots(const struct dnames *dnames, size_t count, uint32_t dots)
{
	for (size_t i = 0; i < count; i++)
		if (dnames->dots[i] == dots)
			return true;
	return false;
}

static enum err edit_check_dnames(struct write *write, const struct rrsets *sets)
{
	struct dnames dnames = { .count = 0 };
	enum err err = dnames_read(&dnames, sets, &write->req->why);
	int depths = 0;

	for (size_t i = 0; !err && dnames.count && i < sets->count; i++)
		if (sets->items[i]->wanted_count)
			err = dnames_check_name(&dnames, &sets->items[i]->name,
			                        sets->items[i]->owner, &write->req->why);
	for (size_t i = 0; !err && i < dnames.count; i++) {
		if (dnames_have_dots(&dnames, i, dnames.dots[i]))
			continue;
		if (depths++ == NEW_DEPTHS_MAX)
			return fail(&write->req->why, ERR_INVALID, "%s: one call may add "
			            "DNAME records to names of at most %d depths (the "
			            "depth of a name is the number of its labels): use "
			            "several calls", dnames.item[i]->field,
			            NEW_DEPTHS_MAX);
		err = dnames_ask_below(&dnames, i, write, sets);
	}
	return err;
}

/* ---- a new name: is there a DNAME above it? ---- */

/* The sets at the name of sets->items[at]. */
static bool rrsets_are_new_name(const struct rrsets *sets, size_t at, size_t *end,
                                const struct rrset **changed)
{
	bool was = false;

	*changed = NULL;
	for (*end = at; *end < sets->count &&
	     name_equal(&sets->items[*end]->name, &sets->items[at]->name); ++*end) {
		was |= sets->items[*end]->was_count;
		if (sets->items[*end]->wanted_count)
			*changed = sets->items[*end];
	}
	return !was && *changed;
}

/* Collects the names between SET and the apex, each once. */
static size_t edit_add_above(struct write *write, const struct rrset *set,
                             struct map *seen, const char **list)
{
	const char *above[STORE_ANCESTORS_MAX];
	int depth = name_labels(&set->name) - name_labels(&write->zone.apex);
	size_t count = 0;

	if (depth > 0)
		store_ancestors(&set->name, false, write->arena, above);
	for (int i = 0; i < depth; i++) {
		if (map_get(seen, above[i], strlen(above[i])))
			break;		/* so are the names above it */
		map_put(seen, above[i], strlen(above[i]), (void *)above[i]);
		list[count++] = above[i];
	}
	return count;
}

/* The name of a set below DNAME that is new. */
static enum err edit_refuse_new(const struct rrsets *sets, const char *dname,
                                struct why *why)
{
	const struct rrset *changed;
	struct name above;
	size_t end;

	if (name_parse(dname, "name", &above, why))
		return ERR_INTERNAL;
	for (size_t at = 0; at < sets->count; at = end)
		if (rrsets_are_new_name(sets, at, &end, &changed) &&
		    name_is_below(&changed->name, &above) &&
		    !name_equal(&changed->name, &above))
			return edit_refuse_below(changed->field, changed->owner, dname,
			                         why);
	return OK;
}

/* Asks for the DNAME records at the names in LIST. */
static enum err edit_ask_above(struct write *write, const struct rrsets *sets,
                               const char *const *list, size_t count)
{
	const char *dname = count ? store_recordset_dname(write->tx, write->zone.is.id,
	                                                  list, count, sets) : NULL;

	if (write->tx->err || !dname)
		return write->tx->err;
	return edit_refuse_new(sets, dname, &write->req->why);
}

static enum err edit_check_above(struct write *write, const struct rrsets *sets)
{
	const char *list[STORE_NAMES_MAX + STORE_ANCESTORS_MAX];
	struct map *seen = map_new(random_u32());
	const struct rrset *changed;
	enum err err = OK;
	size_t count = 0, end;

	for (size_t at = 0; !err && at < sets->count; at = end) {
		if (rrsets_are_new_name(sets, at, &end, &changed))
			count += edit_add_above(write, changed, seen, list + count);
		if (count < STORE_NAMES_MAX - STORE_ANCESTORS_MAX)
			continue;
		err = edit_ask_above(write, sets, list, count);
		count = 0;
	}
	map_free(&seen);
	return err ? err : edit_ask_above(write, sets, list, count);
}

enum err edit_check_dname(struct write *write, const struct rrsets *sets)
{
	enum err err;

	/* a catalog zone answers no queries */
	if (write->zone.is.is_catalog)
		return OK;
	err = edit_check_above(write, sets);
	return err ? err : edit_check_dnames(write, sets);
}
