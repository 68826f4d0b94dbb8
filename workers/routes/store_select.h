/* store_select -- reads one value: the first column of the first row. */
#pragma once

#include "runtime/tx.h"

/* Returns 0 if there is no row or the transaction has failed. */
int64_t store_select_number(struct tx *tx, const char *sql, const struct tx_value *bind);
/* Returns NULL in these cases. */
const char *store_select_text(struct tx *tx, struct arena *arena, const char *sql,
                              const struct tx_value *bind);
