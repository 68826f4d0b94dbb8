/*
 * The project that a reverse domain counts for. A network can have a thousand reverse
 * domains, and these functions run on the loop: so a statement is about many of them.
 */
#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "runtime/tx_list.h"
#include "store_private.h"

/* For port_zones z LEFT JOIN domains d: the domain exists, and no one deletes it. */
#define STAYS "(d.id IS NOT NULL AND d.task <> 'DELETE')"
/* Ports have records in the zone, or central may be creating the domain now. */
#define IS_AWAITED \
	"(EXISTS (SELECT 1 FROM port_records r WHERE r.zone = z.zone " \
	"AND r.project_id = '' AND r.state IN ('ADD', 'HAVE', 'REFUSED')) OR " \
	"(z.due_at IS NOT NULL AND z.made_id <> COALESCE(z.domain_id, '')))"

/* ---- statements about many things ---- */

/* Structs of the caller, by the texts of their keys. */
struct things {
	struct arena *arena;
	struct map *by_key;
	const char **keys;
	size_t count;
};

/* A SELECT whose first column is the key; it stands around the keys of the things. */
struct thing_query {
	const char *head, *tail;
	void (*take)(void *thing, struct tx_rows *row);	/* the other columns */
};

static void things_init(struct things *things, size_t size)
{
	*things = (struct things){ .arena = arena_new(), .by_key = map_new(random_u32()) };
	things->keys = arena_alloc(things->arena, (size + 1) * sizeof(*things->keys));
}

static void things_add(struct things *things, const char *key, void *thing)
{
	things->keys[things->count++] = key;
	map_put(things->by_key, key, strlen(key), thing);
}

static void things_clear(struct things *things)
{
	map_free(&things->by_key);
	arena_free(&things->arena);
}

static void things_take(struct tx_rows *rows, const struct things *things,
                        const struct thing_query *query)
{
	while (tx_next(rows)) {
		const char *key = row_text(rows);
		void *thing = map_get(things->by_key, key, strlen(key));

		if (thing)
			query->take(thing, rows);
	}
}

static size_t part_of(size_t count)
{
	return count < TX_LIST_MAX ? count : TX_LIST_MAX;
}

static void things_select(struct tx *tx, const struct things *things,
                          const struct thing_query *query)
{
	struct tx_value values[TX_LIST_MAX + 1];
	size_t part, places;

	for (size_t at = 0; at < things->count && !tx->err; at += part) {
		const char *sql;
		struct tx_rows rows;

		part = part_of(things->count - at);
		sql = tx_list(things->arena, query->head, query->tail, part, &places);
		tx_list_fill(values, things->keys + at, part, places);
		values[places].type = TX_END;
		tx_select(tx, things->arena, &rows, sql, values);
		things_take(&rows, things, query);
	}
}

/* A row that the transaction has read: no other transaction may have changed it since. */
struct seen_row {
	const char *key;
	uint64_t rev;
};

struct seen_rows {
	const char *head, *tuple;	/* of the UPDATE; a tuple is the key and the rev */
	struct seen_row *list;
	size_t count;
};

/* ERR_RACE: another transaction has changed one of the rows first, or has made one. */
static void seen_check(struct tx *tx, int64_t matched, size_t count)
{
	if (tx->err == ERR_EXISTS || (!tx->err && matched != (int64_t)count))
		tx->err = fail(tx->why, ERR_RACE, "the reverse domains of a project were "
		               "changed meanwhile");
}

static void seen_raise(struct tx *tx, struct arena *arena, const struct seen_rows *rows)
{
	struct tx_value values[2 * TX_LIST_MAX + 1];
	size_t part, places;

	for (size_t at = 0; at < rows->count && !tx->err; at += part) {
		const char *sql;

		part = part_of(rows->count - at);
		sql = tx_list_of(arena, rows->head, rows->tuple, " OR ", "", part, &places);
		for (size_t i = 0; i < places; i++) {
			const struct seen_row *row =
				&rows->list[at + (i < part ? i : part - 1)];

			values[2 * i] = tx_text(row->key);
			values[2 * i + 1] = tx_int((int64_t)row->rev);
		}
		values[2 * places].type = TX_END;
		seen_check(tx, tx_exec(tx, sql, values), part);
	}
}

/* ---- reverse domains ---- */

static void zone_take_row(void *thing, struct tx_rows *row)
{
	struct zone_key *zone = thing;

	zone->rev = (uint64_t)row_int(row);
	if (row_int(row))
		zone->is_claimed = zone->is_new = false;
}

static void zone_take_domain(void *thing, struct tx_rows *row)
{
	struct zone_key *zone = thing;

	zone->is_new = false;
	if (row_int(row))
		zone->is_claimed = false;
}

static const struct thing_query zone_rows = {
	"SELECT z.zone, z.rev, " IS_AWAITED " FROM port_zones z "
	"WHERE z.project_id = '' AND z.zone IN (", ")", zone_take_row
};

static const struct thing_query zone_domains = {
	"SELECT d.name, d.id <=> z.made_id FROM domains d "
	"LEFT JOIN port_zones z ON z.zone = d.name AND z.project_id = '' "
	"WHERE d.live = 1 AND " STAYS " AND d.name IN (", ")", zone_take_domain
};

void store_zones_find_claims(struct tx *tx, struct zone_key *zones, size_t count)
{
	struct things things;

	things_init(&things, count);
	for (size_t i = 0; i < count; i++) {
		if (!zones[i].made_for)
			continue;
		zones[i].is_claimed = zones[i].is_new = true;
		things_add(&things, zones[i].zone, &zones[i]);
	}
	things_select(tx, &things, &zone_rows);
	things_select(tx, &things, &zone_domains);
	things_clear(&things);
}

struct claims {
	struct tx_value *fresh, *there;		/* zone and made_for of each */
	size_t fresh_count;
	struct seen_rows seen;			/* of those that are there */
};

static void claims_add(struct claims *claims, const struct zone_key *zone)
{
	struct seen_rows *seen = &claims->seen;
	struct tx_value *values = zone->rev ? claims->there + 2 * seen->count
	                                    : claims->fresh + 2 * claims->fresh_count;

	values[0] = tx_text(zone->zone);
	values[1] = tx_text(zone->made_for);
	if (zone->rev)
		seen->list[seen->count++] = (struct seen_row){ zone->zone, zone->rev };
	else
		claims->fresh_count++;
}

static void claims_write(struct tx *tx, struct arena *arena, const struct claims *claims)
{
	if (claims->fresh_count) {
		tx_exec_rows(tx, "INSERT INTO port_zones "
		             "(zone, project_id, made_for, due_at, rev) VALUES ",
		             "(?,'',NULLIF(?,''),NOW(3),1)", "", claims->fresh, 2,
		             claims->fresh_count);
		seen_check(tx, (int64_t)claims->fresh_count, claims->fresh_count);
	}
	seen_raise(tx, arena, &claims->seen);
	if (claims->seen.count)
		tx_exec_rows(tx, "INSERT INTO port_zones "
		             "(zone, project_id, made_for) VALUES ", "(?,'',NULLIF(?,''))",
		             " ON DUPLICATE KEY UPDATE made_for = VALUES(made_for)",
		             claims->there, 2, claims->seen.count);
}

void store_zones_claim(struct tx *tx, const struct zone_key *zones, size_t count)
{
	struct arena *arena = arena_new();
	struct claims claims = {
		.fresh = arena_alloc(arena, (2 * count + 1) * sizeof(*claims.fresh)),
		.there = arena_alloc(arena, (2 * count + 1) * sizeof(*claims.there)),
		.seen = { "UPDATE port_zones SET rev = rev + 1, due_at = NOW(3) WHERE ",
		          "(zone = ? AND project_id = '' AND rev = ?)",
		          arena_alloc(arena, (count + 1) * sizeof(struct seen_row)), 0 },
	};

	for (size_t i = 0; i < count; i++)
		if (zones[i].is_claimed)
			claims_add(&claims, &zones[i]);
	claims_write(tx, arena, &claims);
	arena_free(&arena);
}

/* ---- quotas of projects ---- */

static void quotas_select(struct tx *tx, struct zone_quota *quotas, size_t count,
                          const struct thing_query *query)
{
	struct things things;

	things_init(&things, count);
	for (size_t i = 0; i < count; i++)
		things_add(&things, quotas[i].project_id, &quotas[i]);
	things_select(tx, &things, query);
	things_clear(&things);
}

static void quota_take_limit(void *thing, struct tx_rows *row)
{
	((struct zone_quota *)thing)->max = row_int(row);
}

static void quota_take_rev(void *thing, struct tx_rows *row)
{
	((struct zone_quota *)thing)->rev = (uint64_t)row_int(row);
}

static void quota_take_count(void *thing, struct tx_rows *row)
{
	((struct zone_quota *)thing)->count = row_int(row);
}

static const struct thing_query quota_limits = {
	"SELECT tenant, hard_limit FROM quotas WHERE resource = 'domains' AND tenant IN (",
	")", quota_take_limit
};

static const struct thing_query quota_revs = {
	"SELECT project_id, rev FROM port_quotas WHERE project_id IN (", ")", quota_take_rev
};

static const struct thing_query quota_counts = {
	"SELECT z.made_for, COUNT(*) FROM port_zones z "
	"LEFT JOIN domains d ON d.name = z.zone AND d.live = 1 "
	"WHERE (d.id = z.made_id OR (NOT " STAYS " AND " IS_AWAITED ")) "
	"AND z.made_for IN (", ") GROUP BY z.made_for", quota_take_count
};

void store_quotas_read(struct tx *tx, struct zone_quota *quotas, size_t count)
{
	quotas_select(tx, quotas, count, &quota_limits);
}

static void quotas_raise(struct tx *tx, struct arena *arena,
                         const struct zone_quota *quotas, size_t count)
{
	struct tx_value *fresh = arena_alloc(arena, (count + 1) * sizeof(*fresh));
	struct seen_rows seen = {
		"UPDATE port_quotas SET rev = rev + 1 WHERE ",
		"(project_id = ? AND rev = ?)",
		arena_alloc(arena, (count + 1) * sizeof(*seen.list)), 0
	};
	size_t fresh_count = 0;

	for (size_t i = 0; i < count; i++)
		if (quotas[i].rev)
			seen.list[seen.count++] = (struct seen_row){ quotas[i].project_id,
			                                             quotas[i].rev };
		else
			fresh[fresh_count++] = tx_text(quotas[i].project_id);
	if (fresh_count) {
		tx_exec_rows(tx, "INSERT INTO port_quotas (project_id, rev) VALUES ",
		             "(?,1)", "", fresh, 1, fresh_count);
		seen_check(tx, (int64_t)fresh_count, fresh_count);
	}
	seen_raise(tx, arena, &seen);
}

void store_quotas_lock(struct tx *tx, struct zone_quota *quotas, size_t count)
{
	struct arena *arena = arena_new();

	quotas_select(tx, quotas, count, &quota_revs);
	quotas_raise(tx, arena, quotas, count);
	quotas_select(tx, quotas, count, &quota_counts);
	arena_free(&arena);
}
