#include "store_blacklist.h"

#include "store_query.h"

const char *const store_blacklist_sort_keys[] = { "name", NULL };

#define BLACKLIST "the blacklist"
#define SELECT_ENTRY \
	"SELECT b.id, b.name, b.pattern, b.description, " TX_RFC3339("b.created_at") \
	", " TX_RFC3339("b.updated_at") " FROM blacklists b WHERE "
#define BY_ID SELECT_ENTRY "b.id = ?"

static void blacklist_read(struct tx_rows *rows, struct blacklist *entry)
{
	store_read_id(rows, "blacklists.id", entry->id);
	entry->name = row_text(rows);
	entry->pattern = row_text(rows);
	entry->description = row_text(rows);
	entry->created_at = row_text(rows);
	entry->updated_at = row_text(rows);
}

static bool blacklist_select_by_id(struct tx *tx, const char *sql, const char *id,
                                   struct arena *arena, struct blacklist *entry)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql, TX_BIND(tx_text(id))))
		return false;
	blacklist_read(&rows, entry);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_blacklist_get(struct tx *tx, const char *id, struct arena *arena,
                         struct blacklist *entry)
{
	return blacklist_select_by_id(tx, BY_ID, id, arena, entry);
}

bool store_blacklist_lock(struct tx *tx, const char *id, enum store_wait wait,
                          struct arena *arena, struct blacklist *entry)
{
	bool found = blacklist_select_by_id(tx, STORE_WAITS(tx, wait, BY_ID
	                                                    " FOR UPDATE"),
	                                    id, arena, entry);

	store_check_wait(tx, wait, BLACKLIST);
	return found;
}

int64_t store_blacklist_count_patterns(struct tx *tx, enum store_wait wait)
{
	int64_t count = tx_select_number(tx, STORE_WAITS(tx, wait,
		"SELECT COUNT(*) FROM blacklists WHERE pattern IS NOT NULL FOR UPDATE"),
		TX_NONE);

	store_check_wait(tx, wait, BLACKLIST);
	return count;
}

void store_blacklist_insert(struct tx *tx, const struct blacklist *entry,
                            enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO blacklists (id, name, pattern, description, created_at, "
	            "updated_at) "
	            "VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))"),
	        TX_BIND(tx_text(entry->id), tx_text(entry->name),
	                tx_text(entry->pattern), tx_text(entry->description)));
	store_check_wait(tx, wait, BLACKLIST);
}

void store_blacklist_update(struct tx *tx, const struct blacklist *entry,
                            enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "UPDATE blacklists SET name = ?, pattern = ?, description = ?, "
	            "updated_at = UTC_TIMESTAMP(3) WHERE id = ?"),
	        TX_BIND(tx_text(entry->name), tx_text(entry->pattern),
	                tx_text(entry->description), tx_text(entry->id)));
	store_check_wait(tx, wait, BLACKLIST);
}

int64_t store_blacklist_delete(struct tx *tx, const char *id, enum store_wait wait)
{
	int64_t count = tx_exec(tx, STORE_WAITS(tx, wait,
	                            "DELETE FROM blacklists WHERE id = ?"),
	                        TX_BIND(tx_text(id)));

	store_check_wait(tx, wait, BLACKLIST);
	return count;
}

void store_blacklist_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                          struct tx_rows *rows)
{
	static const struct sort_column by_name = {
		"COALESCE(b.name, b.pattern)", "b.id",
		"SELECT COALESCE(name, pattern), id FROM blacklists WHERE id = ?",
	};
	struct query query;

	query_begin(&query, arena, SELECT_ENTRY "1");
	query_page(&query, tx, paging, &by_name);
	query_run(&query, tx, rows);
}

bool store_blacklist_next(struct tx_rows *rows, struct blacklist *entry)
{
	if (!tx_next(rows))
		return false;
	blacklist_read(rows, entry);
	return !rows->tx->err;
}

/* ---- the creation of a domain ---- */

void store_blacklist_select(struct tx *tx, const struct name *name, struct arena *arena,
                            struct tx_rows *rows)
{
	const char *names[STORE_ANCESTORS_MAX];
	struct tx_value values[STORE_NAMES_MAX + 1];
	size_t size, count = store_ancestors(name, true, arena, names);
	const char *sql = tx_list(arena,
	                          "SELECT name, NULL FROM blacklists WHERE name IN (",
	                          ") UNION ALL SELECT NULL, pattern FROM blacklists "
	                          "WHERE pattern IS NOT NULL", count, &size);

	tx_list_fill(values, names, count, size);
	values[size].type = TX_END;
	tx_select(tx, arena, rows, sql, values);
}

bool store_blacklist_next_selected(struct tx_rows *rows, struct blacklist *entry)
{
	if (!tx_next(rows))
		return false;
	*entry = (struct blacklist){ .name = row_text(rows) };
	entry->pattern = row_text(rows);
	return true;
}
