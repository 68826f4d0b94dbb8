#include "store_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

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
