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
/* Appends FRAGMENT with one value. */
void query_bind(struct query *query, const char *fragment, struct tx_value value);
/* Appends " AND <column> = ?" unless TEXT is NULL. */
void query_equals(struct query *query, const char *column, const char *text);
/* Appends " AND <column> = ?" or " LIKE ?", unless the pattern matches any name. */
void query_matches(struct query *query, const char *column,
                   const struct pattern *pattern);

/*
 * A sort column, the column that orders equal values, and the statement that reads both
 * columns as strings for the id of the marker. The query binds these strings as values,
 * because the optimizer would not use the index for a sub-select.
 */
struct sort_column {
	const char *column, *tie, *lookup;
};

/*
 * Appends the sort order and the limits of the page. ERR_INVALID in TX: the row of the
 * marker does not exist.
 */
void query_page(struct query *query, struct tx *tx, const struct paging *paging,
                const struct sort_column *sort);
/* Runs the query, once. */
void query_run(struct query *query, struct tx *tx, struct tx_rows *rows);
