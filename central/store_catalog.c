#include "store_catalog.h"

#include <string.h>

size_t store_catalog_find(struct tx *tx, struct arena *arena, struct catalog_ref *found)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows, "SELECT catalog_id, id FROM pools "
	          "WHERE catalog_id IS NOT NULL LIMIT ?", TX_BIND(tx_int(CATALOGS_MAX)));
	while (tx_next(&rows)) {
		found[count].id = row_text(&rows);
		found[count++].pool_id = row_text(&rows);
	}
	return count;
}

/* Three ranges of the index domain_catalog, which are mostly short. */
size_t store_catalog_due(struct tx *tx, struct arena *arena,
                         const struct catalog_ref *catalog, const char **ids)
{
	const struct tx_value id = tx_text(catalog->id), pool = tx_text(catalog->pool_id);
	const struct tx_value max = tx_int(CATALOG_MEMBERS);
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "(SELECT id FROM domains WHERE pool_id = ? AND member = 0 "
	          "AND catalog_id = ? LIMIT ?) UNION ALL "
	          "(SELECT id FROM domains WHERE pool_id = ? AND member = 1 "
	          "AND catalog_id < ? LIMIT ?) UNION ALL "
	          "(SELECT id FROM domains WHERE pool_id = ? AND member = 1 "
	          "AND catalog_id > ? LIMIT ?) LIMIT ?",
	          TX_BIND(pool, id, max, pool, id, max, pool, id, max, max));
	while (tx_next(&rows))
		ids[count++] = row_text(&rows);
	return count;
}

static bool catalog_read_member(struct tx_rows *rows, const struct catalog_ref *catalog,
                                struct catalog_member *member)
{
	const char *listed_by;

	member->id = row_text(rows);
	member->name = row_text(rows);
	member->is_listed = row_int(rows);
	listed_by = row_text(rows);
	return member->is_listed != !strcmp(listed_by, catalog->id);
}

size_t store_catalog_lock(struct tx *tx, struct arena *arena,
                          const struct catalog_ref *catalog, const char *const *ids,
                          size_t count, struct catalog_member *members, bool *skipped)
{
	size_t due = 0, locked = 0, places;

	for (size_t at = 0; at < count; at += TX_LIST_MAX) {
		size_t n = count - at < TX_LIST_MAX ? count - at : TX_LIST_MAX;
		struct tx_value values[TX_LIST_MAX + 1];
		struct tx_rows rows;
		const char *sql = tx_list(arena,
			"SELECT id, name, member, catalog_id FROM domains "
			"FORCE INDEX (PRIMARY) WHERE id IN (",
			") ORDER BY id FOR UPDATE SKIP LOCKED", n, &places);

		tx_list_fill(values, ids + at, n, places);
		values[places].type = TX_END;
		tx_select(tx, arena, &rows, sql, values);
		while (tx_next(&rows)) {
			due += catalog_read_member(&rows, catalog, &members[due]);
			locked++;
		}
	}
	*skipped = locked < count;
	return due;
}

static void catalog_mark_ids(struct tx *tx, struct arena *arena, const char *catalog_id,
                             const char *const *ids, size_t count)
{
	struct tx_value values[TX_LIST_MAX + 2] = { tx_text(catalog_id) };
	size_t places;
	const char *sql = tx_list(arena,
		"UPDATE domains FORCE INDEX (PRIMARY) SET catalog_id = ? WHERE id IN (",
		")", count, &places);

	tx_list_fill(values + 1, ids, count, places);
	values[1 + places].type = TX_END;
	tx_exec(tx, sql, values);
}

/* Marks the members that are listed, or the others. */
static void catalog_mark_kind(struct tx *tx, struct arena *arena, const char *catalog_id,
                              const struct catalog_member *members, size_t count,
                              bool listed)
{
	const char *ids[TX_LIST_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (members[i].is_listed == listed)
			ids[n++] = members[i].id;
		if (n && (n == TX_LIST_MAX || i + 1 == count)) {
			catalog_mark_ids(tx, arena, listed ? catalog_id : "", ids, n);
			n = 0;
		}
	}
}

void store_catalog_mark(struct tx *tx, struct arena *arena,
                        const struct catalog_ref *catalog,
                        const struct catalog_member *members, size_t count)
{
	catalog_mark_kind(tx, arena, catalog->id, members, count, true);
	catalog_mark_kind(tx, arena, catalog->id, members, count, false);
}
