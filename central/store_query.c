#include "store_query.h"

#include <string.h>

#include "base/log.h"

void query_begin(struct query *query, struct arena *arena, const char *select)
{
	*query = (struct query){ .arena = arena };
	buf_text(&query->sql, select);
}

static void query_add(struct query *query, const char *fragment)
{
	buf_text(&query->sql, fragment);
}

void query_bind(struct query *query, const char *fragment, struct tx_value value)
{
	bug_if(query->count == QUERY_VALUES_MAX);
	query->values[query->count++] = value;
	query_add(query, fragment);
}

void query_equals(struct query *query, const char *column, const char *text)
{
	if (!text)
		return;
	query_add(query, " AND ");
	query_add(query, column);
	query_bind(query, " = ?", tx_text(text));
}

void query_matches(struct query *query, const char *column,
                   const struct pattern *pattern)
{
	if (!pattern->is_like) {
		query_equals(query, column, pattern->text);
		return;
	}
	query_add(query, " AND ");
	query_add(query, column);
	query_bind(query, " LIKE ? ESCAPE '!'", tx_text(pattern->text));
}

/* If the row of the marker is missing, the page would silently be empty. */
static bool query_look_up_marker(struct query *query, struct tx *tx,
                                 const struct paging *paging, const char *lookup,
                                 struct tx_value values[2])
{
	struct tx_rows rows;

	if (!tx_select_row(tx, query->arena, &rows, lookup,
	                   TX_BIND(tx_text(paging->marker)))) {
		tx_fail(tx, ERR_INVALID, "marker: object %s no longer exists: start "
		        "again with the first page", paging->marker);
		return false;
	}
	values[0] = tx_text(row_text(&rows));
	values[1] = tx_text(row_text(&rows));
	tx_select_end(&rows);
	return true;
}

static void query_behind_marker(struct query *query, struct tx *tx,
                                const struct paging *paging,
                                const struct sort_column *sort)
{
	char beyond = paging->descending ? '<' : '>';
	struct tx_value values[2];

	if (!query_look_up_marker(query, tx, paging, sort->lookup, values))
		return;
	/* the second condition alone is exact; an index can use the first */
	query_bind(query,
	           arena_printf(query->arena, " AND %s %c= ?", sort->column, beyond),
	           values[0]);
	query_bind(query,
	           arena_printf(query->arena, " AND (%s %c ?", sort->column, beyond),
	           values[0]);
	query_bind(query, arena_printf(query->arena, " OR %s %c ?)", sort->tie, beyond),
	           values[1]);
}

void query_page(struct query *query, struct tx *tx, const struct paging *paging,
                const struct sort_column *sort)
{
	const char *direction = paging->descending ? "DESC" : "ASC";

	if (*paging->marker)
		query_behind_marker(query, tx, paging, sort);
	query_bind(query, arena_printf(query->arena, " ORDER BY %s %s, %s %s LIMIT ?",
	                               sort->column, direction, sort->tie, direction),
	           tx_u32(paging->limit));
}

void query_run(struct query *query, struct tx *tx, struct tx_rows *rows)
{
	const char *sql = arena_strdup(query->arena, buf_string(&query->sql));
	struct tx_value *values = arena_dup(query->arena, query->values,
	                                    sizeof query->values);

	buf_clear(&query->sql);
	tx_select(tx, query->arena, rows, sql, values);
}
