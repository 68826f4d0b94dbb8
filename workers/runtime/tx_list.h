/*
 * tx_list -- the text of a statement about several objects, "... WHERE id IN (?, ?)".
 *
 * The texts have only a few lengths, so that a connection keeps few prepared statements.
 * The last object fills the remaining places.
 */
#pragma once

#include "runtime/tx.h"

enum { TX_LIST_MAX = 500 };

/*
 * HEAD "?,?,..." TAIL for COUNT objects, 1 to TX_LIST_MAX. *places: the number of
 * placeholders.
 */
const char *tx_list(struct arena *arena, const char *head, const char *tail, size_t count,
                    size_t *places);
/* Sets the values of the placeholders. */
void tx_list_fill(struct tx_value *values, const char *const *texts, size_t count,
                  size_t places);
/* tx_list() for TUPLEs of placeholders with SEPARATORs: "(a = ? AND b = ?)", " OR ". */
const char *tx_list_of(struct arena *arena, const char *head, const char *tuple,
                       const char *separator, const char *tail, size_t count,
                       size_t *places);
