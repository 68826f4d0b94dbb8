#include "store_select.h"

int64_t store_select_number(struct tx *tx, const char *sql, const struct tx_value *bind)
{
	struct tx_rows rows;
	int64_t number;

	if (!tx_select_row(tx, NULL, &rows, sql, bind))
		return 0;
	number = row_int(&rows);
	tx_select_end(&rows);
	return tx->err ? 0 : number;
}

const char *store_select_text(struct tx *tx, struct arena *arena, const char *sql,
                              const struct tx_value *bind)
{
	struct tx_rows rows;
	const char *text;

	if (!tx_select_row(tx, arena, &rows, sql, bind))
		return NULL;
	text = row_text(&rows);
	tx_select_end(&rows);
	return tx->err ? NULL : text;
}
