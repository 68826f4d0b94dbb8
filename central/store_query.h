/*
 * store_query -- a SELECT put together from fixed fragments: the conditions
 * that a caller's criterion asks for, the page and its order. Values are
 * always bound; no text of a caller becomes SQL.
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
/* Append a fragment without a value. */
void query_add(struct query *query, const char *fragment);
/* Append FRAGMENT with one value. */
void query_bind(struct query *query, const char *fragment, struct tx_value value);
/* " AND <column> = ?" if there is a text. */
void query_equals(struct query *query, const char *column, const char *text);
/* The same for a pattern: exact, "*rest" or "rest*". */
void query_matches(struct query *query, const char *column, const char *pattern);

/*
 * How a statement calls a sort column and the one that decides between equals, and the
 * statement that looks both up, as texts, for the id of the marker. They are bound as
 * values: a sub-select in their place would keep the optimizer from the index.
 */
struct sort_column {
	const char *column, *tie, *lookup;
};

/* Behind the marker, in order. ERR_INVALID in TX when the marker's row is gone. */
void query_page(struct query *query, struct tx *tx, const struct paging *paging,
                const struct sort_column *sort);
/* Runs it; the query is spent. */
void query_run(struct query *query, struct tx *tx, struct tx_rows *rows);
