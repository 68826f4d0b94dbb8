#include "store_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "runtime/tx_list.h"

void store_read_domain(struct tx_rows *rows, const char *pool, struct domain_ref *domain)
{
	snprintf(domain->id, sizeof(domain->id), "%s", row_text(rows));
	domain->name = row_text(rows);
	domain->tenant = row_text(rows);
	domain->state.serial = row_u32(rows);
	bug_if(!task_parse(row_text(rows), &domain->state.task));
	bug_if(!status_parse(row_text(rows), &domain->state.status));
	domain->is_catalog = row_int(rows) != 0;
	domain->version = (uint64_t)row_int(rows);
	domain->pool = pool;
}

int64_t store_read_count(struct tx *tx, const char *sql, const struct tx_value *bind)
{
	struct tx_rows rows;
	int64_t count = 0;

	if (tx_select_row(tx, NULL, &rows, sql, bind)) {
		count = row_int(&rows);
		tx_select_end(&rows);
	}
	return count;
}

size_t store_read_ids(struct tx *tx, struct arena *arena, const char *sql,
                      const struct tx_value *bind, const char **ids, size_t max)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows, sql, bind);
	while (count < max && tx_next(&rows))
		ids[count++] = row_text(&rows);
	tx_select_end(&rows);
	return count;
}

void store_exec_ids(struct tx *tx, struct arena *arena, const char *head,
                    const char *tail, const char *const *ids, size_t count)
{
	struct tx_value values[TX_LIST_MAX + 1];
	size_t places;

	if (!count)
		return;
	const char *sql = tx_list(arena, head, tail, count, &places);
	tx_list_fill(values, ids, count, places);
	values[places].type = TX_END;
	tx_exec(tx, sql, values);
}

/* FIRST, then the keys; the remaining places repeat the last key. */
static const struct tx_value *store_bind_keys(struct arena *arena,
                                              const struct tx_value *first,
                                              const struct row_key *keys, size_t count,
                                              size_t places)
{
	struct tx_value *values =
	    arena_alloc(arena, (ROW_FIRST_MAX + 2 * places + 1) * sizeof(*values));
	size_t n = 0;

	for (; first[n].type != TX_END; n++) {
		bug_if(n == ROW_FIRST_MAX);
		values[n] = first[n];
	}
	for (size_t i = 0; i < places; i++) {
		const struct row_key *key = &keys[i < count ? i : count - 1];

		values[n++] = tx_text(key->domain_id);
		values[n++] = tx_text(key->server_id);
	}
	values[n].type = TX_END;
	return values;
}

#define KEY "(s.domain_id = ? AND s.server_id = ?)"

void store_select_rows(struct tx *tx, struct arena *arena, struct tx_rows *rows,
                       const char *head, const char *tail, const struct row_key *keys,
                       size_t count)
{
	size_t places;
	const char *sql = tx_list_of(arena, head, KEY, " OR ", tail, count, &places);

	tx_select(tx, arena, rows, sql,
	          store_bind_keys(arena, TX_NONE, keys, count, places));
}

static void store_exec_keys(struct tx *tx, struct arena *arena, const char *head,
                            const char *key, const struct tx_value *first,
                            const struct row_key *keys, size_t count)
{
	size_t places;
	const char *sql;

	if (!count)
		return;
	sql = tx_list_of(arena, head, key, " OR ", ")", count, &places);
	tx_exec(tx, sql, store_bind_keys(arena, first, keys, count, places));
}

void store_exec_rows(struct tx *tx, struct arena *arena, const char *head,
                     const struct tx_value *first, const struct row_key *keys,
                     size_t count)
{
	store_exec_keys(tx, arena, head, KEY, first, keys, count);
}

void store_exec_repairs(struct tx *tx, struct arena *arena, const char *head,
                        const struct tx_value *first, const struct row_key *keys,
                        size_t count)
{
	store_exec_keys(tx, arena, head, "(object_uuid = ? AND server_id = ?)", first,
	                keys, count);
}

bool row_key_is(const struct row_key *key, const char *domain_id, const char *server_id)
{
	return !strcmp(key->domain_id, domain_id) && !strcmp(key->server_id, server_id);
}

bool store_is_among(const char *text, const char *const *sorted, size_t count)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(text, sorted[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}
