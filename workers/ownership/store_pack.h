/* store_pack -- reads and writes columns that contain names and record sets. */
#pragma once

#include "store.h"

/*
 * Converts SET to the value of a column, in ARENA. The value is NULL for a set without
 * records.
 */
struct tx_value store_packed(const struct rrset *set, struct arena *arena);
/*
 * Reads the next column. If the column is NULL, *set has no records. The caller must set
 * set->type before the call.
 */
void store_unpack(struct tx *tx, struct tx_rows *rows, const char *table,
                  struct arena *arena, uint32_t ttl,
                  struct rrset *set);
void store_read_name(struct tx *tx, struct tx_rows *rows, const char *table,
                     struct name *name,
                     const char **text);
