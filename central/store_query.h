/*
 * store_query -- builds a SELECT from fixed fragments: the conditions of a criterion,
 * the sort order and the page. store_query always binds values. Text from a caller never
 * becomes SQL.
 */
#pragma once

#include "store.h"

enum { QUERY_VALUES_MAX = 24 };

struct query {
	struct arena *arena;
	struct buf sql;
	struct tx_value values[QUERY_VALUES_MAX + 1];
	size_t count;
};

void query_begin(struct query *query, struct arena *arena, const char *select);
/* Appends FRAGMENT, which contains one "?", and binds VALUE to this "?". */
void query_bind(struct query *query, const char *fragment, struct tx_value value);
/* Appends " AND <column> = ?" and binds TEXT. If TEXT is NULL, appends nothing. */
void query_equals(struct query *query, const char *column, const char *text);
/*
 * Appends " AND <column> = ?" or " AND <column> LIKE ?" for the pattern. If the pattern
 * matches all names, appends nothing.
 */
void query_matches(struct query *query, const char *column,
                   const struct pattern *pattern);

/*
 * The sort order of a query. COLUMN is the sort column. TIE is the column that orders
 * rows with the same value in COLUMN. LOOKUP is the statement that reads both columns of
 * the row of the marker, as strings. The query binds these strings as values, because the
 * optimizer would not use the index for a sub-select.
 */
struct sort_column {
	const char *column, *tie, *lookup;
};

/*
 * Appends the sort order, the position of the marker, and the limit of the page.
 * ERR_INVALID in TX: the row of the marker does not exist.
 */
void query_page(struct query *query, struct tx *tx, const struct paging *paging,
                const struct sort_column *sort);
/* Runs the query. Call it only once for each query. */
void query_run(struct query *query, struct tx *tx, struct tx_rows *rows);
