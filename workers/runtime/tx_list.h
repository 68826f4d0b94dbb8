/*
 * tx_list -- makes the text of a statement for several objects, "... WHERE id IN (?, ?)".
 *
 * The number of placeholders is one of eleven fixed numbers, so a connection keeps only a
 * few prepared statements. The value of the last object fills the remaining placeholders.
 */
#pragma once

#include "runtime/tx.h"

enum { TX_LIST_MAX = 500 };

/*
 * Returns the text of HEAD, the placeholders "?,?,..." and TAIL. COUNT is the number of
 * objects, 1 to TX_LIST_MAX. PLACES gets the number of placeholders, which is at least
 * COUNT.
 */
const char *tx_list(struct arena *arena, const char *head, const char *tail, size_t count,
                    size_t *places);
/* Sets the values of all PLACES placeholders from the COUNT texts. */
void tx_list_fill(struct tx_value *values, const char *const *texts, size_t count,
                  size_t places);
/*
 * Like tx_list(), but uses TUPLE instead of "?", for example "(a = ? AND b = ?)", and
 * SEPARATOR instead of ",", for example " OR ".
 */
const char *tx_list_of(struct arena *arena, const char *head, const char *tuple,
                       const char *separator, const char *tail, size_t count,
                       size_t *places);
