/*
 * store_pack -- names and record sets as columns.
 */
#pragma once

#include "store.h"

/* A set of no records is NULL. In ARENA. */
struct tx_value store_packed(const struct rrset *set, struct arena *arena);
/* The next column; NULL is a set of no records. Its type is set. */
void store_unpack(struct tx *tx, struct tx_rows *rows, struct arena *arena, uint32_t ttl,
                  struct rrset *set);
void store_read_name(struct tx *tx, struct tx_rows *rows, struct name *name,
                     const char **text);
