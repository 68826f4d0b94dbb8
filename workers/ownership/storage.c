#include "storage.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "round_private.h"

/* ---- txt ---- */

static void no_records(struct round *round, struct tx *tx)
{
	(void)round, (void)tx;
}

static void no_assignment(struct round *round, const struct made_row *row)
{
	(void)round, (void)row;
}

const struct storage storage_txt = { "txt", true, true, no_records, no_assignment };

/* ---- table ---- */

static void claim(struct round *round, const struct made_row *row, const char *owner)
{
	struct mark *mark = arena_alloc(round->arena, sizeof(*mark));

	mark_set(mark, "owner", owner);
	if (*row->resource)
		mark_set(mark, "resource", row->resource);
	view_claim(round->view, &row->name, row->is.type, mark);
}

/* It was under way when we heard of it last: it was done if the zone has just that. */
static bool has_come(const struct round *round, const struct made_row *row)
{
	const struct node *node = view_find(round->view, &row->name);
	const struct holding *holding = node ? node_holding(node, row->is.type) : NULL;
	struct rrset is;

	if (!holding || !row->intended.count)
		return false;
	is = rrset_copy(&holding->is, round->arena);
	rrset_sort(&is);
	return rrset_same_records(&is, &row->intended);
}

static void claim_for_other(void *self, const struct made_row *row)
{
	struct round *round = self;

	if (row->is.count || has_come(round, row))
		claim(round, row, row->storage_id);
}

static void table_records(struct round *round, struct tx *tx)
{
	const char *owner = round->registry->settings->storage_id;

	for (const struct made *made = round->all_made; made; made = made->next)
		if (made->row.is.count || has_come(round, &made->row))
			claim(round, &made->row, owner);
	store_made_by_others(tx, round->arena, round->row.id, round->registry->zone_text,
	                     claim_for_other, round);
}

const struct storage storage_table = { "table", false, true, table_records,
                                       no_assignment };

/* ---- memory ---- */

struct remembered {
	struct remembered *next;
	struct name name;
	uint16_t type;
	char resource[MARK_RESOURCE_MAX + 1];
};

static void memory_records(struct round *round, struct tx *tx)
{
	const struct registry *registry = round->registry;

	(void)tx;
	for (const struct remembered *at = registry->memory; at; at = at->next) {
		const struct made_row row = { .name = at->name, .is.type = at->type,
		                              .resource = at->resource };

		claim(round, &row, registry->settings->storage_id);
	}
}

static void memory_assign(struct round *round, const struct made_row *row)
{
	struct registry *registry = round->registry;
	struct remembered *at = registry->memory;

	while (at && (at->type != row->is.type || !name_equal(&at->name, &row->name)))
		at = at->next;
	if (!at) {
		at = xcalloc(1, sizeof(*at));
		at->next = registry->memory;
		at->name = row->name;
		at->type = row->is.type;
		registry->memory = at;
	}
	snprintf(at->resource, sizeof(at->resource), "%s", row->resource);
}

const struct storage storage_memory = { "memory", false, false, memory_records,
                                        memory_assign };
