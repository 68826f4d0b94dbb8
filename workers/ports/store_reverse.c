/*
 * store_reverse -- the tenant for which a reverse domain counts. A network may have a
 * thousand reverse domains, and these functions run on the loop, so each statement
 * handles many domains.
 */
#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "runtime/tx_list.h"
#include "store_private.h"

/* For port_zones z LEFT JOIN domains d: the domain exists and is not being deleted. */
#define STAYS "(d.id IS NOT NULL AND d.task <> 'DELETE')"
/* Ports have records in the zone, or central may be creating the domain now. */
#define IS_AWAITED \
	"(EXISTS (SELECT 1 FROM port_records r WHERE r.zone = z.zone " \
	"AND r.project_id = '' AND r.state IN ('ADD', 'HAVE', 'REFUSED')) OR " \
	"(z.due_at IS NOT NULL AND z.made_id <> COALESCE(z.domain_id, '')))"

/* ---- statements about many rows ---- */

/* The caller's structs, by key. */
struct keyed {
	struct arena *arena;
	struct map *by_key;
	const char **keys;
	size_t count;
};

/* A SELECT whose first column is the key. The list of keys is between head and tail. */
struct keyed_query {
	const char *head, *tail;
	void (*read)(void *item, struct tx_rows *row);	/* the other columns */
};

static void keyed_init(struct keyed *keyed, size_t size)
{
	*keyed = (struct keyed){ .arena = arena_new(), .by_key = map_new(random_u32()) };
	keyed->keys = arena_alloc(keyed->arena, (size + 1) * sizeof(*keyed->keys));
}

static void keyed_add(struct keyed *keyed, const char *key, void *item)
{
	keyed->keys[keyed->count++] = key;
	map_put(keyed->by_key, key, strlen(key), item);
}

static void keyed_clear(struct keyed *keyed)
{
	map_free(&keyed->by_key);
	arena_free(&keyed->arena);
}

static void keyed_read_rows(struct tx_rows *rows, const struct keyed *keyed,
                            const struct keyed_query *query)
{
	while (tx_next(rows)) {
		const char *key = row_text(rows);
		void *item = map_get(keyed->by_key, key, strlen(key));

		if (item)
			query->read(item, rows);
	}
}

static size_t batch_size(size_t count)
{
	return count < TX_LIST_MAX ? count : TX_LIST_MAX;
}

static void keyed_select(struct tx *tx, const struct keyed *keyed,
                         const struct keyed_query *query)
{
	struct tx_value values[TX_LIST_MAX + 1];
	size_t batch, places;

	for (size_t at = 0; at < keyed->count && !tx->err; at += batch) {
		const char *sql;
		struct tx_rows rows;

		batch = batch_size(keyed->count - at);
		sql = tx_list(keyed->arena, query->head, query->tail, batch, &places);
		tx_list_fill(values, keyed->keys + at, batch, places);
		values[places].type = TX_END;
		tx_select(tx, keyed->arena, &rows, sql, values);
		keyed_read_rows(&rows, keyed, query);
	}
}

/* A row that the transaction has read, and that must be unchanged when it writes. */
struct rev_row {
	const char *key;
	uint64_t rev;
};

struct rev_rows {
	const char *head, *tuple;	/* of the UPDATE; a tuple has a key and a rev */
	struct rev_row *list;
	size_t count;
};

/* ERR_RACE: another transaction has changed or inserted one of the rows. */
static void rev_check(struct tx *tx, int64_t matched, size_t count)
{
	if (tx->err == ERR_EXISTS || (!tx->err && matched != (int64_t)count))
		tx->err = fail(tx->why, ERR_RACE, "another transaction changed the "
		               "reverse domains of the tenant at the same time: try "
		               "again later");
}

static void rev_raise(struct tx *tx, struct arena *arena, const struct rev_rows *rows)
{
	struct tx_value values[2 * TX_LIST_MAX + 1];
	size_t batch, places;

	for (size_t at = 0; at < rows->count && !tx->err; at += batch) {
		const char *sql;

		batch = batch_size(rows->count - at);
		sql = tx_list_of(arena, rows->head, rows->tuple, " OR ", "", batch,
		                 &places);
		for (size_t i = 0; i < places; i++) {
			const struct rev_row *row =
				&rows->list[at + (i < batch ? i : batch - 1)];

			values[2 * i] = tx_text(row->key);
			values[2 * i + 1] = tx_int((int64_t)row->rev);
		}
		values[2 * places].type = TX_END;
		rev_check(tx, tx_exec(tx, sql, values), batch);
	}
}

/* ---- reverse domains ---- */

static void zone_read_row(void *item, struct tx_rows *row)
{
	struct zone_key *zone = item;

	zone->rev = (uint64_t)row_int(row);
	if (row_int(row))
		zone->is_claimed = zone->is_new = false;
}

static void zone_read_domain(void *item, struct tx_rows *row)
{
	struct zone_key *zone = item;

	zone->is_new = false;
	if (row_int(row))
		zone->is_claimed = false;
}

static const struct keyed_query zone_rows = {
	"SELECT z.zone, z.rev, " IS_AWAITED " FROM port_zones z "
	"WHERE z.project_id = '' AND z.zone IN (", ")", zone_read_row
};

static const struct keyed_query zone_domains = {
	"SELECT d.name, d.id <=> z.made_id FROM domains d "
	"LEFT JOIN port_zones z ON z.zone = d.name AND z.project_id = '' "
	"WHERE d.live = 1 AND " STAYS " AND d.name IN (", ")", zone_read_domain
};

void store_zones_find_claims(struct tx *tx, struct zone_key *zones, size_t count)
{
	struct keyed keyed;

	keyed_init(&keyed, count);
	for (size_t i = 0; i < count; i++) {
		if (!zones[i].made_for)
			continue;
		zones[i].is_claimed = zones[i].is_new = true;
		keyed_add(&keyed, zones[i].zone, &zones[i]);
	}
	keyed_select(tx, &keyed, &zone_rows);
	keyed_select(tx, &keyed, &zone_domains);
	keyed_clear(&keyed);
}

struct claims {
	struct tx_value *added, *changed;	/* zone and made_for of each */
	size_t added_count;
	struct rev_rows revs;			/* of changed rows */
};

static void claims_add(struct claims *claims, const struct zone_key *zone)
{
	struct rev_rows *revs = &claims->revs;
	struct tx_value *values = zone->rev ? claims->changed + 2 * revs->count
	                                    : claims->added + 2 * claims->added_count;

	values[0] = tx_text(zone->zone);
	values[1] = tx_text(zone->made_for);
	if (zone->rev)
		revs->list[revs->count++] = (struct rev_row){ zone->zone, zone->rev };
	else
		claims->added_count++;
}

static void claims_write(struct tx *tx, struct arena *arena, const struct claims *claims)
{
	if (claims->added_count) {
		tx_exec_rows(tx, "INSERT INTO port_zones "
		             "(zone, project_id, made_for, due_at, rev) VALUES ",
		             "(?,'',NULLIF(?,''),NOW(3),1)", "", claims->added, 2,
		             claims->added_count);
		rev_check(tx, (int64_t)claims->added_count, claims->added_count);
	}
	rev_raise(tx, arena, &claims->revs);
	if (claims->revs.count)
		tx_exec_rows(tx, "INSERT INTO port_zones "
		             "(zone, project_id, made_for) VALUES ",
		             "(?,'',NULLIF(?,''))",
		             " ON DUPLICATE KEY UPDATE made_for = VALUES(made_for)",
		             claims->changed, 2, claims->revs.count);
}

void store_zones_claim(struct tx *tx, const struct zone_key *zones, size_t count)
{
	struct arena *arena = arena_new();
	struct claims claims = {
		.added = arena_alloc(arena, (2 * count + 1) * sizeof(*claims.added)),
		.changed = arena_alloc(arena, (2 * count + 1) * sizeof(*claims.changed)),
		.revs = { "UPDATE port_zones SET rev = rev + 1, due_at = NOW(3) WHERE ",
		          "(zone = ? AND project_id = '' AND rev = ?)",
		          arena_alloc(arena, (count + 1) * sizeof(struct rev_row)), 0 },
	};

	for (size_t i = 0; i < count; i++)
		if (zones[i].is_claimed)
			claims_add(&claims, &zones[i]);
	claims_write(tx, arena, &claims);
	arena_free(&arena);
}

/* ---- quotas of tenants ---- */

static void quotas_select(struct tx *tx, struct zone_quota *quotas, size_t count,
                          const struct keyed_query *query)
{
	struct keyed keyed;

	keyed_init(&keyed, count);
	for (size_t i = 0; i < count; i++)
		keyed_add(&keyed, quotas[i].project_id, &quotas[i]);
	keyed_select(tx, &keyed, query);
	keyed_clear(&keyed);
}

static void quota_read_limit(void *item, struct tx_rows *row)
{
	((struct zone_quota *)item)->max = row_int(row);
}

static void quota_read_rev(void *item, struct tx_rows *row)
{
	((struct zone_quota *)item)->rev = (uint64_t)row_int(row);
}

static void quota_read_count(void *item, struct tx_rows *row)
{
	((struct zone_quota *)item)->count = row_int(row);
}

static const struct keyed_query quota_limits = {
	"SELECT tenant, hard_limit FROM quotas WHERE resource = 'domains' "
	"AND tenant IN (",
	")", quota_read_limit
};

static const struct keyed_query quota_revs = {
	"SELECT project_id, rev FROM port_quotas WHERE project_id IN (", ")",
	quota_read_rev
};

static const struct keyed_query quota_counts = {
	"SELECT z.made_for, COUNT(*) FROM port_zones z "
	"LEFT JOIN domains d ON d.name = z.zone AND d.live = 1 "
	"WHERE (d.id = z.made_id OR (NOT " STAYS " AND " IS_AWAITED ")) "
	"AND z.made_for IN (", ") GROUP BY z.made_for", quota_read_count
};

void store_quotas_read(struct tx *tx, struct zone_quota *quotas, size_t count)
{
	quotas_select(tx, quotas, count, &quota_limits);
}

static void quotas_raise(struct tx *tx, struct arena *arena,
                         const struct zone_quota *quotas, size_t count)
{
	struct tx_value *added = arena_alloc(arena, (count + 1) * sizeof(*added));
	struct rev_rows revs = {
		"UPDATE port_quotas SET rev = rev + 1 WHERE ",
		"(project_id = ? AND rev = ?)",
		arena_alloc(arena, (count + 1) * sizeof(*revs.list)), 0
	};
	size_t added_count = 0;

	for (size_t i = 0; i < count; i++)
		if (quotas[i].rev)
			revs.list[revs.count++] = (struct rev_row){ quotas[i].project_id,
			                                            quotas[i].rev };
		else
			added[added_count++] = tx_text(quotas[i].project_id);
	if (added_count) {
		tx_exec_rows(tx, "INSERT INTO port_quotas (project_id, rev) VALUES ",
		             "(?,1)", "", added, 1, added_count);
		rev_check(tx, (int64_t)added_count, added_count);
	}
	rev_raise(tx, arena, &revs);
}

void store_quotas_lock(struct tx *tx, struct zone_quota *quotas, size_t count)
{
	struct arena *arena = arena_new();

	quotas_select(tx, quotas, count, &quota_revs);
	quotas_raise(tx, arena, quotas, count);
	quotas_select(tx, quotas, count, &quota_counts);
	arena_free(&arena);
}
