#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "round_private.h"
#include "store_record.h"

/*
 * Stores the records of the last reading with their owners in rows. storage_records lists
 * them, and round_owned_restore() makes missing rows from them. Unchanged rows are not
 * written.
 */

struct kept {
	struct kept *next;
	struct record_row row;
	bool is_there;			/* it is still in the zone */
};

struct keeping {
	struct round *round;
	struct arena *arena;
	struct kept *all;
	struct map *kept;		/* by name and type */
	struct record_row *fresh;
	size_t fresh_count, fresh_size;
};

static bool keeping_add(void *self, const struct record_row *row)
{
	struct keeping *k = self;
	struct set_key key = set_key_of(&row->name, row->rrset.type);
	struct kept *kept = arena_alloc(k->arena, sizeof(*kept));

	*kept = (struct kept){ k->all, *row, false };
	k->all = kept;
	map_put(k->kept, key.octets, key.len, kept);
	return true;
}

static struct record_row keeping_row(const struct keeping *k, const struct node *node,
                                     const struct view_set *set)
{
	const char *resource = view_set_resource(set);
	struct record_row row = {
		.rrset = set->rrset, .owner = view_owners(k->round->view, node, set),
		/* another program may have written the mark */
		.resource = resource && mark_resource_is_valid(resource) ? resource : "",
	};

	node_name(node, &row.name);
	return row;
}

static bool record_row_equal(const struct record_row *a, const struct record_row *b)
{
	return a->rrset.ttl == b->rrset.ttl && !strcmp(a->owner, b->owner) &&
	       !strcmp(a->resource, b->resource) &&
	       rrset_same_records(&a->rrset, &b->rrset);
}

static void keeping_push(struct keeping *k, const struct record_row *row)
{
	if (k->fresh_count == k->fresh_size) {
		const struct record_row *old = k->fresh;

		k->fresh_size = 2 * k->fresh_size + 16;
		k->fresh = arena_alloc(k->arena, k->fresh_size * sizeof(*k->fresh));
		if (old)
			memcpy(k->fresh, old, k->fresh_count * sizeof(*k->fresh));
	}
	k->fresh[k->fresh_count++] = *row;
}

static void keeping_compare(struct keeping *k, const struct node *node,
                            const struct view_set *set)
{
	struct record_row row = keeping_row(k, node, set);
	struct set_key key = set_key_of(&row.name, row.rrset.type);
	struct kept *kept = map_get(k->kept, key.octets, key.len);

	if (kept)
		kept->is_there = true;
	if (!kept || !record_row_equal(&kept->row, &row))
		keeping_push(k, &row);
}

static void keeping_compare_all(struct keeping *k)
{
	for (const struct node *node = view_first(k->round->view); node;
	     node = node->next)
		for (const struct view_set *set = node->sets; set;
		     set = set->next)
			if (set->rrset.count)
				keeping_compare(k, node, set);
}

static void keeping_write(struct keeping *k, struct tx *tx)
{
	const char *id = k->round->row.id;

	store_records_put(tx, id, k->fresh, k->fresh_count);
	for (const struct kept *kept = k->all; kept; kept = kept->next)
		if (!kept->is_there)
			store_record_delete(tx, id, &kept->row.name,
			                    kept->row.rrset.type);
	store_reading_put(tx, id, k->round->serial);
}

enum err round_keep_records(void *self, struct why *why)
{
	struct round *round = self;
	struct keeping k = { .round = round, .arena = arena_new(),
	                     .kept = map_new(random_u32()) };
	struct tx tx = round_begin_tx(round, why);

	store_records(&tx, k.arena, round->row.id, keeping_add, &k);
	keeping_compare_all(&k);
	keeping_write(&k, &tx);
	map_free(&k.kept);

	enum err err = tx_commit(&tx);
	arena_free(&k.arena);
	return err;
}
