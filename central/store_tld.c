#include "store_tld.h"

#include "store_query.h"

const char *const store_tld_sort_keys[] = { "name", NULL };

#define SUFFIXES "the list of permitted suffixes"
#define SELECT_TLD \
	"SELECT t.id, t.name, t.description, " TX_RFC3339("t.created_at") ", " \
	TX_RFC3339("t.updated_at") " FROM tlds t WHERE "
#define BY_ID SELECT_TLD "t.id = ?"
#define BY_NAME SELECT_TLD "t.name = ?"

static void tld_read(struct tx_rows *rows, struct tld *tld)
{
	store_read_id(rows, "tlds.id", tld->id);
	tld->name = row_text(rows);
	tld->description = row_text(rows);
	tld->created_at = row_text(rows);
	tld->updated_at = row_text(rows);
}

static bool tld_select(struct tx *tx, const char *sql, const struct tld_key *by,
                       struct arena *arena, struct tld *tld)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql,
	                   TX_BIND(tx_text(*by->id ? by->id : by->name))))
		return false;
	tld_read(&rows, tld);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_tld_get(struct tx *tx, const struct tld_key *by, struct arena *arena,
                   struct tld *tld)
{
	return tld_select(tx, *by->id ? BY_ID : BY_NAME, by, arena, tld);
}

bool store_tld_lock(struct tx *tx, const struct tld_key *by, enum store_wait wait,
                    struct arena *arena, struct tld *tld)
{
	const char *sql = *by->id ? STORE_WAITS(tx, wait, BY_ID " FOR UPDATE")
	                          : STORE_WAITS(tx, wait, BY_NAME " FOR UPDATE");
	bool found = tld_select(tx, sql, by, arena, tld);

	store_check_wait(tx, wait, SUFFIXES);
	return found;
}

void store_tld_insert(struct tx *tx, const struct tld *tld, enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO tlds (id, name, description, created_at, updated_at) "
	            "VALUES (?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))"),
	        TX_BIND(tx_text(tld->id), tx_text(tld->name),
	                tx_text(tld->description)));
	store_check_wait(tx, wait, SUFFIXES);
}

void store_tld_set_description(struct tx *tx, const struct tld *tld)
{
	tx_exec(tx, "UPDATE tlds SET description = ?, updated_at = UTC_TIMESTAMP(3) "
	            "WHERE id = ?",
	        TX_BIND(tx_text(tld->description), tx_text(tld->id)));
}

void store_tld_delete(struct tx *tx, const char *id)
{
	tx_exec(tx, "DELETE FROM tlds WHERE id = ?", TX_BIND(tx_text(id)));
}

void store_tld_find(struct tx *tx, const struct pattern *name,
                    const struct paging *paging, struct arena *arena,
                    struct tx_rows *rows)
{
	static const struct sort_column by_name = {
		"t.name", "t.id", "SELECT name, id FROM tlds WHERE id = ?",
	};
	struct query query;

	query_begin(&query, arena, SELECT_TLD "1");
	query_matches(&query, "t.name", name);
	query_page(&query, tx, paging, &by_name);
	query_run(&query, tx, rows);
}

bool store_tld_next(struct tx_rows *rows, struct tld *tld)
{
	if (!tx_next(rows))
		return false;
	tld_read(rows, tld);
	return !rows->tx->err;
}

/* ---- several entries ---- */

int64_t store_tld_add(struct tx *tx, const struct tld_list *list, enum store_wait wait)
{
	struct tx_value *values = arena_alloc(list->arena,
	                                      (2 * list->count + 1) * sizeof(*values));
	int64_t added;

	for (size_t i = 0; i < list->count; i++) {
		char *id = arena_alloc(list->arena, ID_LEN + 1);

		id_new(id);
		values[2 * i] = tx_text(id);
		values[2 * i + 1] = tx_text(list->names[i]);
	}
	added = tx_exec_rows(tx, STORE_WAITS(tx, wait,
	                         "INSERT IGNORE INTO tlds (id, name, created_at, "
	                         "updated_at) VALUES "),
	                     "(?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))", "", values, 2,
	                     list->count);
	store_check_wait(tx, wait, SUFFIXES);
	return added;
}

static int64_t tld_remove_part(struct tx *tx, const struct tld_list *list,
                               enum store_wait wait)
{
	struct tx_value values[TX_LIST_MAX + 1];
	size_t size;
	const char *sql = tx_list(list->arena,
	                          STORE_WAITS(tx, wait,
	                                      "DELETE FROM tlds WHERE name IN ("),
	                          ")", list->count, &size);
	int64_t removed;

	tx_list_fill(values, list->names, list->count, size);
	values[size].type = TX_END;
	removed = tx_exec(tx, sql, values);
	store_check_wait(tx, wait, SUFFIXES);
	return removed;
}

int64_t store_tld_remove(struct tx *tx, const struct tld_list *list, enum store_wait wait)
{
	int64_t removed = 0;

	for (size_t i = 0; i < list->count; i += TX_LIST_MAX) {
		struct tld_list part = { list->names + i, list->count - i, list->arena };

		if (part.count > TX_LIST_MAX)
			part.count = TX_LIST_MAX;
		removed += tld_remove_part(tx, &part, wait);
	}
	return removed;
}

/* ---- the creation of a domain ---- */

/*
 * The database reads one row of the index for each key, and one row for MIN, so the
 * number of entries does not matter.
 */
size_t store_tld_match(struct tx *tx, const struct tld_list *keys, const char **found,
                       bool *is_empty)
{
	struct tx_value values[TX_LIST_MAX + 1];
	size_t size, count = 0;
	struct tx_rows rows;
	const char *sql = tx_list(keys->arena,
	                          "SELECT 0, name FROM tlds WHERE name IN (",
	                          ") UNION ALL SELECT 1, MIN(name) FROM tlds",
	                          keys->count, &size);

	tx_list_fill(values, keys->names, keys->count, size);
	values[size].type = TX_END;
	*is_empty = true;
	tx_select(tx, keys->arena, &rows, sql, values);
	while (tx_next(&rows)) {
		bool is_first = row_int(&rows);
		const char *name = row_text(&rows);

		if (is_first)
			*is_empty = !name;
		else if (count < keys->count)
			found[count++] = name;
	}
	tx_select_end(&rows);
	return count;
}
