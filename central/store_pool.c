#include "store.h"

#include <string.h>

#include "store_query.h"

const char *const store_pool_sort_keys[] = { "name", "created_at", NULL };

#define POOL_COLUMNS "p.id, p.name, p.description, p.catalog_id, " \
	"(SELECT d.name FROM domains d WHERE d.id = p.catalog_id), " \
	"p.attributes, COALESCE(p.capacity, -1)"

static void pool_read(struct tx_rows *rows, struct pool *pool)
{
	const char *id;

	*pool = (struct pool){ 0 };
	store_read_id(rows, "pools.id", pool->id);
	pool->name = row_text(rows);
	pool->description = row_text(rows);
	id = row_text(rows);
	if (id)
		id_parse(id, pool->catalog_id);
	pool->catalog_zone = row_text(rows);
	pool->attributes = store_read_attributes(rows, "pools.attributes");
	pool->capacity = row_int(rows);
}

static bool pool_select(struct tx *tx, const char *sql, const char *key,
                        struct arena *arena, struct pool *pool)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql, TX_BIND(tx_text(key))))
		return false;
	pool_read(&rows, pool);
	tx_select_end(&rows);
	store_pool_ns_records(tx, arena, pool);
	return !tx->err;
}

bool store_pool_get(struct tx *tx, const char *id, const char *name, struct arena *arena,
                    struct pool *pool)
{
	if (*id)
		return pool_select(tx,
		                   "SELECT " POOL_COLUMNS " FROM pools p WHERE p.id = ?",
		                   id, arena, pool);
	return pool_select(tx, "SELECT " POOL_COLUMNS " FROM pools p WHERE p.name = ?",
	                   name, arena, pool);
}

#define LOCK_POOL "SELECT " POOL_COLUMNS " FROM pools p WHERE "

bool store_pool_lock(struct tx *tx, const char *id, const char *name,
                     enum store_wait wait, struct arena *arena, struct pool *pool)
{
	const char *sql = *id
		? STORE_WAITS(tx, wait, LOCK_POOL "p.id = ? FOR UPDATE")
		: STORE_WAITS(tx, wait, LOCK_POOL "p.name = ? FOR UPDATE");
	bool found = pool_select(tx, sql, *id ? id : name, arena, pool);

	store_check_wait(tx, wait, "the pool");
	return found;
}

#define MARKED(column) "SELECT CAST(" column " AS CHAR), id FROM pools WHERE id = ?"

static const struct sort_column sort_columns[] = {
	[POOL_SORT_NAME]    = { "p.name",       "p.id", MARKED("name") },
	[POOL_SORT_CREATED] = { "p.created_at", "p.id", MARKED("created_at") },
};

void store_pool_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                     struct tx_rows *rows)
{
	struct query query;

	query_begin(&query, arena, "SELECT " POOL_COLUMNS " FROM pools p WHERE 1");
	query_page(&query, tx, paging, &sort_columns[paging->sort]);
	query_run(&query, tx, rows);
}

bool store_pool_next(struct tx_rows *rows, struct pool *pool)
{
	if (!tx_next(rows))
		return false;
	pool_read(rows, pool);
	return !rows->tx->err;
}

void store_pool_ns_records(struct tx *tx, struct arena *arena, struct pool *pool)
{
	const char **hosts = arena_alloc(arena, POOL_NS_MAX * sizeof(*hosts));
	struct tx_rows rows;

	pool->ns_records = hosts;
	tx_select(tx, arena, &rows, "SELECT host FROM pool_ns_records WHERE pool_id = ? "
	          "ORDER BY position", TX_BIND(tx_text(pool->id)));
	while (tx_next(&rows))
		if (pool->ns_record_count < POOL_NS_MAX)
			hosts[pool->ns_record_count++] = row_text(&rows);
}

static void candidate_read(struct tx_rows *rows, struct arena *arena,
                           struct candidate *pool)
{
	const char *attributes;

	*pool = (struct candidate){ 0 };
	store_read_id(rows, "pools.id", pool->id);
	pool->name = row_text(rows);
	attributes = store_read_attributes(rows, "pools.attributes");
	attributes_parse(attributes, arena, &pool->attributes);
	pool->capacity = row_int(rows);
	pool->domains = row_int(rows);
}

size_t store_pool_candidates(struct tx *tx, struct arena *arena,
                             struct candidate **pools)
{
	size_t count = 0, size = 16;
	struct tx_rows rows;

	*pools = arena_alloc(arena, size * sizeof(**pools));
	tx_select(tx, arena, &rows, "SELECT id, name, attributes, "
	          "COALESCE(capacity, -1), domains FROM pools ORDER BY name", TX_NONE);
	while (tx_next(&rows)) {
		if (count == size) {
			struct candidate *more = arena_alloc(arena, 2 * size *
			                                            sizeof(*more));

			memcpy(more, *pools, size * sizeof(*more));
			*pools = more;
			size *= 2;
		}
		candidate_read(&rows, arena, &(*pools)[count++]);
	}
	return count;
}

static struct tx_value pool_bind_capacity(const struct pool *pool)
{
	return pool->capacity < 0 ? tx_null() : tx_int(pool->capacity);
}

void store_pool_insert(struct tx *tx, const struct pool *pool, enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO pools (id, name, description, attributes, capacity, "
	            "created_at, updated_at) "
	            "VALUES (?, ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))"),
	        TX_BIND(tx_text(pool->id), tx_text(pool->name),
	                tx_text(pool->description), tx_text(pool->attributes),
	                pool_bind_capacity(pool)));
	store_check_wait(tx, wait, "the pool");
}

void store_pool_update(struct tx *tx, const struct pool *pool)
{
	tx_exec(tx, "UPDATE pools SET description = ?, attributes = ?, capacity = ?, "
	            "updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_text(pool->description), tx_text(pool->attributes),
	                pool_bind_capacity(pool), tx_text(pool->id)));
}

void store_pool_set_catalog(struct tx *tx, const struct pool *pool)
{
	const char *id = *pool->catalog_id ? pool->catalog_id : NULL;

	tx_exec(tx, "UPDATE pools SET catalog_id = ?, updated_at = UTC_TIMESTAMP(3) "
	            "WHERE id = ?", TX_BIND(tx_text(id), tx_text(pool->id)));
}

bool store_pool_lacks_reader(struct tx *tx, const struct pool *pool)
{
	return tx_select_number(tx, "SELECT MAX(backend = 'catalog') = 0 "
	                        "FROM pool_servers WHERE pool_name = ?",
	                        TX_BIND(tx_text(pool->name))) > 0;
}

void store_pool_set_ns_records(struct tx *tx, const struct pool *pool,
                               struct arena *arena)
{
	enum { COLUMNS = 3 };
	size_t count = pool->ns_record_count;
	struct tx_value *values = arena_alloc(arena,
	                                      (count * COLUMNS + 1) * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		values[i * COLUMNS] = tx_text(pool->id);
		values[i * COLUMNS + 1] = tx_int((int64_t)i);
		values[i * COLUMNS + 2] = tx_text(pool->ns_records[i]);
	}
	tx_exec(tx, "DELETE FROM pool_ns_records WHERE pool_id = ?",
	        TX_BIND(tx_text(pool->id)));
	tx_exec_rows(tx, "INSERT INTO pool_ns_records (pool_id, position, host) VALUES ",
	             "(?,?,?)", "", values, COLUMNS, count);
}
