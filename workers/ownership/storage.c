#include "storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "round_private.h"

/* ---- txt ---- */

static void txt_records(struct round *round, struct tx *tx)
{
	(void)round, (void)tx;
}

static void txt_assign(struct round *round, struct tx *tx,
                       const struct owned_row *rows, size_t count)
{
	(void)round, (void)tx, (void)rows, (void)count;
}

const struct storage storage_txt = { "txt", true, true, txt_records, txt_assign };

/* ---- table ---- */

static void storage_claim(struct round *round, const struct owned_row *row,
                          const char *owner)
{
	struct mark *mark = arena_alloc(round->arena, sizeof(*mark));

	mark_set(mark, "owner", owner);
	if (*row->resource)
		mark_set(mark, "resource", row->resource);
	view_claim(round->view, &row->name, row->rrset.type, mark);
}

/* True: the zone has the records that the row intends. */
static bool round_has_intended(const struct round *round, const struct owned_row *row)
{
	const struct view_set *set =
	    node_find_set(view_find(round->view, &row->name), row->rrset.type);
	struct rrset is;

	if (!set || !row->intended.count)
		return false;
	is = rrset_copy(&set->rrset, round->arena);
	rrset_sort(&is);
	return rrset_same_records(&is, &row->intended);
}

/* Two registries may intend the same set; the server applied one of the updates. */
static const struct owned_row *round_owned_row_like(const struct round *round,
                                                    const struct owned_row *row)
{
	struct set_key key = set_key_of(&row->name, row->rrset.type);

	return map_get(round->owned, key.octets, key.len);
}

static void table_claim_for_other(void *self, const struct owned_row *row)
{
	struct round *round = self;
	struct owned_row *ours = (struct owned_row *)round_owned_row_like(round, row);
	const struct registry *other = registries_find(&round->ownership->registries,
	                                               row->storage_id,
	                                               round->registry->zone_text);

	if (!other || !registry_is_beside(other, round->registry))
		return;
	if (ours && !ours->rrset.count)
		ours->is_contested = true;
	if (row->rrset.count || (round_has_intended(round, row) && !ours))
		storage_claim(round, row, row->storage_id);
}

static void table_records(struct round *round, struct tx *tx)
{
	const char *owner = round->registry->settings->storage_id;

	store_owned_by_others(tx, round->arena, round->row.id, round->registry->zone_text,
	                      table_claim_for_other, round);
	for (const struct owned_row *owned = round->owned_rows; owned;
	     owned = owned->next)
		if (owned->rrset.count ||
		    (!owned->is_contested && round_has_intended(round, owned)))
			storage_claim(round, owned, owner);
}

static void table_assign(struct round *round, struct tx *tx, const struct owned_row *rows,
                         size_t count)
{
	store_owned_put(tx, round->row.id, rows, count);
}

const struct storage storage_table = { "table", false, true, table_records,
                                       table_assign };

/* ---- memory ---- */

struct remembered {
	struct remembered *next;
	struct name name;
	uint16_t type;
	char resource[MARK_RESOURCE_MAX + 1];
};

/* Drops sets that the zone does not have. */
static void memory_forget_gone(struct round *round)
{
	struct remembered **at = &round->registry->memory;

	while (*at) {
		struct remembered *old = *at;

		if (node_has_records(view_find(round->view, &old->name), old->type)) {
			at = &old->next;
			continue;
		}
		*at = old->next;
		free(old);
	}
}

static void memory_records(struct round *round, struct tx *tx)
{
	const struct registry *registry = round->registry;

	(void)tx;
	memory_forget_gone(round);
	for (const struct remembered *at = registry->memory; at; at = at->next) {
		const struct owned_row row = { .name = at->name, .rrset.type = at->type,
		                               .resource = at->resource };

		storage_claim(round, &row, registry->settings->storage_id);
	}
}

static void memory_remember(struct round *round, const struct owned_row *row)
{
	struct registry *registry = round->registry;
	struct remembered *at = registry->memory;

	while (at && (at->type != row->rrset.type || !name_equal(&at->name, &row->name)))
		at = at->next;
	if (!at) {
		at = xcalloc(1, sizeof(*at));
		at->next = registry->memory;
		at->name = row->name;
		at->type = row->rrset.type;
		registry->memory = at;
	}
	snprintf(at->resource, sizeof(at->resource), "%s", row->resource);
}

static void memory_assign(struct round *round, struct tx *tx,
                          const struct owned_row *rows, size_t count)
{
	(void)tx;
	for (size_t i = 0; i < count; i++)
		memory_remember(round, &rows[i]);
}

const struct storage storage_memory = { "memory", false, false, memory_records,
                                        memory_assign };
