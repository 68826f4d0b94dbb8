/*
 * tx_list -- a statement about several things at once, "... WHERE id IN (?, ?)",
 * whose text comes in a few lengths only, so that a connection keeps few of
 * them prepared: the places that are left over name the last thing again.
 */
#pragma once

#include "runtime/tx.h"

enum { TX_LIST_MAX = 500 };

/* HEAD "?,?,..." TAIL for COUNT things, 1 to TX_LIST_MAX; *places: how many ?s it has. */
const char *tx_list(struct arena *arena, const char *head, const char *tail, size_t count,
                    size_t *places);
/* The values of those places. */
void tx_list_fill(struct tx_value *values, const char *const *texts, size_t count,
                  size_t places);
/* The same for TUPLEs of ?s with a SEPARATOR between: "(a = ? AND b = ?)", " OR ". */
const char *tx_list_of(struct arena *arena, const char *head, const char *tuple,
                       const char *separator, const char *tail, size_t count,
                       size_t *places);
