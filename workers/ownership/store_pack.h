/*
 * store_pack -- columns with names and record sets.
 */
#pragma once

#include "store.h"

/* NULL for a set of no records. In ARENA. */
struct tx_value store_packed(const struct rrset *set, struct arena *arena);
/* Reads the next column; NULL is a set of no records. set->type is set. */
void store_unpack(struct tx *tx, struct tx_rows *rows, struct arena *arena, uint32_t ttl,
                  struct rrset *set);
void store_read_name(struct tx *tx, struct tx_rows *rows, struct name *name,
                     const char **text);
