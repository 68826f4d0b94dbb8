#include "edit_dname.h"

#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "model/rr.h"

enum { NEW_DNAMES_MAX = 50, FIELD_SHOWN = 100 };

static enum err edit_refuse_below(const char *field, const char *below,
                                  const char *dname, struct why *why)
{
	return fail(why, ERR_INVALID, "%s: '%.*s' cannot have records, because '%.*s' "
	            "above it has a DNAME record (RFC 6672 2.4)", field, FIELD_SHOWN,
	            below, FIELD_SHOWN, dname);
}

static bool rrset_is_new_dname(const struct rrset *set)
{
	return set->type == RR_DNAME && set->field && set->wanted_count &&
	       !set->was_count;
}

/* ---- a new DNAME: what is below it? ---- */

static enum err edit_check_below(struct write *write, const struct rrsets *sets,
                                 const struct rrset *dname)
{
	const char *below;

	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];

		if (set->wanted_count && !name_equal(&set->name, &dname->name) &&
		    name_is_below(&set->name, &dname->name))
			return edit_refuse_below(dname->field, set->owner, dname->owner,
			                         &write->req->why);
	}
	below = store_recordset_below(write->tx, write->zone.is.id, dname->owner, sets);
	if (write->tx->err || !below)
		return write->tx->err;
	return edit_refuse_below(dname->field, below, dname->owner, &write->req->why);
}

static enum err edit_check_dnames(struct write *write, const struct rrsets *sets)
{
	enum err err = OK;
	int count = 0;

	for (size_t i = 0; !err && i < sets->count; i++) {
		if (!rrset_is_new_dname(sets->items[i]))
			continue;
		if (count++ == NEW_DNAMES_MAX)
			return fail(&write->req->why, ERR_INVALID, "%s: a call may add "
			            "DNAME records to at most %d names",
			            sets->items[i]->field, NEW_DNAMES_MAX);
		err = edit_check_below(write, sets, sets->items[i]);
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
	for (*end = at; *end < sets->count && name_equal(&sets->items[*end]->name,
	                                                 &sets->items[at]->name); ++*end) {
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
